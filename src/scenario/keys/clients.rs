//! Keys of clients: what they ask for, and when.

use super::Fallback::{Absent, Required, Value};
use super::laws::law;
use super::{Kind, LAW, RETRY, Section, Word, key, later, word};

/// `[client.NAME]`.
pub static CLIENT: Section = Section {
    path: "client.NAME",
    name: "client",
    meaning: "Client processes of one kind, and the requests they send.",
    keys: &[
        key(
            "calls",
            Kind::Calls,
            Absent("required without `mix`"),
            "The entry services of a request, asked one after another; the first failure ends it.",
        ),
        key(
            "mix",
            Kind::Rows(&MIX),
            Absent("all requests make `calls`"),
            "Kinds of request, each with its own calls, in place of `calls`.",
        ),
        key("arrivals", Kind::Word(ARRIVALS), Required, "When requests start."),
        key(
            "count",
            Kind::Whole { min: 1, max: 100_000_000, word: None },
            Value("1"),
            "Client processes. Budgets belong to a process unless their scope says otherwise.",
        ),
        key(
            "rate",
            Kind::Profile(&STEP),
            Absent("only for `poisson` and `constant`"),
            "Requests of all processes together; required for `poisson` and `constant`.",
        ),
        key(
            "spread",
            Kind::Time { zero: true, word: None },
            Absent("`0 s`; only for `together`"),
            "The time over which a crowd arrives, at random and evenly.",
        ),
        key(
            "think_time",
            law(true, None),
            Absent("`0 s`; only for `closed`"),
            "How long after the end of its last request a process sends the next.",
        ),
        key(
            "every",
            law(true, None),
            Absent("only for `closed`"),
            "In place of `think_time`: the least time between the starts of two requests of a process. The next starts when the last one has ended, if that takes longer.",
        ),
        key(
            "file",
            Kind::File,
            Absent("only for `trace`"),
            "The start times of a trace: a CSV file, beside the scenario, with a column `time_s` in seconds from the start of the run, and if wanted `client`, the number of the process that sends the request, from 0.",
        ),
        key(
            "requests",
            Kind::Whole { min: 1, max: 10_000_000_000, word: None },
            Absent("as many as `duration` or the trace allows"),
            "Requests in all; then the run drains. No effect with `together`, which sends one for each of `count`.",
        ),
        key(
            "timeout",
            law(false, Some("none")),
            Absent("`none`, or what a built-in policy in `retry` brings"),
            "How long an attempt may take, drawn for each if it is a law; an answer exactly then is in time.",
        ),
        key(
            "deadline",
            Kind::Time { zero: false, word: Some("none") },
            Value("none"),
            "How long a request may take in all, waits and retries included. No attempt gets more time than is left, and no retry is sent whose wait is not shorter.",
        ),
        key(
            "propagate_deadline",
            Kind::Flag,
            Value("false"),
            "Whether the deadline travels with each call, so that it holds for the calls of the service that is asked as well.",
        ),
        key(
            "latency",
            Kind::Latency { ways: &LATENCY, law: &LAW },
            Absent("that of the service"),
            "Network time of its calls on each way, drawn anew for each; goes before that of the service.",
        ),
        key(
            "pool",
            Kind::Whole { min: 1, max: 1_000_000, word: Some("unlimited") },
            Value("unlimited"),
            "Requests that one process may have out at once; others wait for a place, first in, first out.",
        ),
        key("retry", Kind::Policy(&RETRY), Value("never"), "The retry policy of its calls."),
        key(
            "method",
            Kind::Method,
            Value("GET"),
            "The method of its requests, which decides what is safe to repeat. The calls that services make on their behalf have it too. `OTHER` stands for all that have no name here.",
        ),
        key(
            "idempotency_key",
            Kind::Flag,
            Value("false"),
            "Whether its requests carry a key by which the server knows a repeat, so that any method is safe to repeat. It goes down with the calls of services.",
        ),
        later(
            "priority",
            "whole number",
            "How important its requests are; 1 is the most important.",
        ),
        later("breaker", "a name of a breaker", "A circuit breaker around whole calls."),
        later("keys", "whole number", "How many keys requests are spread over."),
        later(
            "fan_out",
            "`sequence`, `parallel`",
            "Whether calls are made one after another or all at once.",
        ),
    ],
};

static ARRIVALS: &[Word] = &[
    word("together", "every process sends one request, at the start or within `spread`"),
    word("one-by-one", "the next starts when the last one has ended"),
    word("poisson", "at random, independently, at `rate`"),
    word(
        "constant",
        "evenly: request k starts when k requests are due by `rate`, k from 0; that is k / `rate` after the start if it never changes",
    ),
    word("closed", "each process sends its next request a while after its last one ended"),
    word("trace", "at the times of a `file`, in ascending order"),
];

/// An entry of a list for `rate`.
pub static STEP: Section = Section {
    path: "client.NAME.rate",
    name: "step",
    meaning: "A step or a ramp of a rate: an entry of `rate = [{ from = \"0 s\", rate = \"800 /s\" }, …]`. Entries are in ascending order; before the first the rate is 0, after the last it stays.",
    keys: &[
        key("from", Kind::Time { zero: true, word: None }, Required, "When it begins."),
        key("rate", Kind::Rate { zero: true }, Required, "The rate that it leads to."),
        key(
            "ramp",
            Kind::Time { zero: true, word: None },
            Value("0 s"),
            "How long the way there takes, evenly from the rate before. It must be over when the next one begins.",
        ),
    ],
};

/// An entry of `mix`.
pub static MIX: Section = Section {
    path: "client.NAME.mix",
    name: "kind of request",
    meaning: "A kind of request, an entry of `mix = [{ weight = 3, calls = \"users\" }, …]`. Of which kind a request is, is drawn for each.",
    keys: &[
        key(
            "weight",
            Kind::Number { min: 0.001, max: 1e9 },
            Required,
            "How many requests are of this kind, against the other weights.",
        ),
        key(
            "calls",
            Kind::Calls,
            Required,
            "The entry services of such a request, asked one after another.",
        ),
        key("method", Kind::Method, Absent("that of the client"), "The method of such requests."),
        key(
            "idempotency_key",
            Kind::Flag,
            Absent("as the client has it"),
            "Whether such requests carry a key.",
        ),
        later("priority", "whole number", "How important such requests are."),
    ],
};

/// `latency = { there, back }`.
pub static LATENCY: Section = Section {
    path: "client.NAME.latency",
    name: "latency",
    meaning: "Network time that differs between the ways. A single length or law holds for both.",
    keys: &[
        key("there", law(true, None), Value("0 s"), "From the caller to the service."),
        key("back", law(true, None), Value("0 s"), "From the service to the caller."),
    ],
};
