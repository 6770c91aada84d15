//! Built-in policies by name: those that work, and what is said of the others.

use crate::policy::preset::{self, Preset};
use crate::scenario::report::{Problem, Report};
use crate::scenario::text::Span;
use crate::scenario::values::short;
use crate::scenario::view::View;

const BY_TIME: &str = "it is a retry budget over a window of time, which is not yet supported";
const ACCEPTED: &str =
    "it is a throttle by the share that servers accept, which is not yet supported";
const COPIES: &str = "it sends copies of an attempt that is still out, which is not yet supported";
const NO_RETRY: &str = "it makes a single attempt: write retry = \"never\"";
const UNWRITTEN: &str = "its rules are not written down here yet: write them as [retry.NAME]";

/// Names of built-in policies that do not work yet, and what is missing.
const MISSING: &[(&str, &str)] = &[
    (
        "aws-standard-2.1-longpoll",
        "it waits even when its retry quota is empty; quotas are not yet supported",
    ),
    ("aws-adaptive", "it limits the rate of sending, which is not yet supported"),
    ("aws-js-2.0", UNWRITTEN),
    ("aws-java2-legacy", UNWRITTEN),
    ("aws-step-functions", UNWRITTEN),
    ("aws-lambda-async", UNWRITTEN),
    ("aws-sqs-redrive", "a queue delivers again rather than a client; that is not supported"),
    ("grpc-example", "it is `grpc-a6` with a throttle by failures, which is not yet supported"),
    ("grpc-hedging", COPIES),
    ("istio-default", UNWRITTEN),
    ("envoy-gateway-default", UNWRITTEN),
    ("linkerd-serviceprofile", BY_TIME),
    ("gateway-api-retry-constraint", BY_TIME),
    ("finagle-requeue", BY_TIME),
    ("retry-policies", UNWRITTEN),
    ("reqwest-retry", UNWRITTEN),
    ("reqwest-builtin", BY_TIME),
    ("google-cloud-rust", ACCEPTED),
    ("sre-client", ACCEPTED),
    ("python-api-core", UNWRITTEN),
    ("google-pubsub", UNWRITTEN),
    ("dotnet-standard-hedging", COPIES),
    ("failsafe-default", UNWRITTEN),
    ("hystrix", "it is a circuit breaker around one attempt, which is not yet supported"),
    ("requests", NO_RETRY),
    ("httpx-transport-retries", NO_RETRY),
    ("tenacity-default", UNWRITTEN),
    ("p-retry", "it waits as `node-retry` does: write that name"),
    ("client-go-retry-default-retry", UNWRITTEN),
    ("client-go-retry-default-backoff", UNWRITTEN),
    ("client-go-rest", UNWRITTEN),
];

/// Whether a built-in policy has this name, working or not.
pub(super) fn is_known(name: &str) -> bool {
    preset::find(name).is_some() || MISSING.iter().any(|&(known, _)| known == name)
}

/// Names of the policies that work.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    preset::all().map(|preset| preset.name)
}

/// The built-in policy of this name, or why there is none.
pub(super) fn find(name: &str, span: Span, report: &Report) -> Result<&'static Preset, Problem> {
    if let Some(preset) = preset::find(name) {
        return Ok(preset);
    }
    if let Some((_, why)) = MISSING.iter().find(|&&(known, _)| known == name) {
        let title = format!("the built-in policy `{name}` is not yet supported");
        return Err(Problem::new(title, "not yet supported").help(*why));
    }
    let help = match report.nearest(span, name, names()) {
        Some(near) => format!("a built-in policy with a similar name exists: `{near}`"),
        None => "docs/policies.md lists the built-in policies".to_owned(),
    };
    let title = format!("unknown built-in policy `{}`", short(name));
    Err(Problem::new(title, "unknown built-in policy").help(help))
}

/// Warns of what the library has and the policy here has not, unless a budget
/// stands in for it.
pub(super) fn incomplete(preset: &Preset, span: Span, view: &View<'_>, report: &mut Report) {
    let Some(what) = preset.lacks.filter(|_| !view.has("budget")) else { return };
    let title = format!("`{}` runs without {what}, which its library has", preset.name);
    let problem = Problem::new(title, "more retries than in the library")
        .help("that is not yet supported; a `budget` of your own may stand in for it");
    report.warning(span, problem);
}

/// The attempts that a library allows of those that its user asks for.
pub(super) fn allowed(
    preset: &Preset,
    asked: Option<u32>,
    span: Span,
    report: &mut Report,
) -> Option<u32> {
    let Some(most) = preset.most_attempts else { return asked };
    if asked.is_none_or(|asked| asked > most) {
        let title =
            format!("`{}` makes at most {most} attempts, whatever is asked for", preset.name);
        let problem = Problem::new(title, "too many").help(format!("it runs with {most}"));
        report.warning(span, problem);
    }
    Some(asked.map_or(most, |asked| asked.min(most)))
}
