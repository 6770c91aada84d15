//! Servers that can be overwhelmed, as they are read: arrivals, laws, queues,
//! deadlines, network time and faults.

use super::*;
use crate::law::{Between, Law};
use crate::model::Model;
use crate::model::spec::{
    Balance, Capacity, Codel, CodelLaw, Effect, Fault, Order, Pause, Piece, Profile, Start, Target,
    WarmUp,
};
use crate::time::Instant;

const MS: fn(u64) -> Duration = Duration::from_millis;

fn at(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

fn model(text: &str) -> Model {
    good(text, &[]).scenario.variants.remove(0).model
}

/// Data files by name.
#[derive(Debug)]
struct Shelf(&'static [(&'static str, &'static str)]);

impl DataFiles for Shelf {
    fn read(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        let file = self.0.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "there is none".to_owned())
    }
}

fn with_files(text: &str, files: &Shelf) -> Read {
    let options = ReadOptions { files: Some(files), ..options(&[]) };
    read(text, &options).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)))
}

/// Everything of this part that has one value, set to another than its default.
const FULL: &str = r#"
duration        = "60 s"
recovery_window = "2 s"

[client.web]
mix      = [{ weight = 3, calls = ["api", "db"] }, { weight = 0.5, calls = "db" }]
count    = 20
arrivals = "poisson"
rate     = [{ from = "5 s", rate = "100 /s" }, { from = "20 s", rate = "300 /s", ramp = "10 s" }, { from = "30 s", rate = "0 /s", ramp = "5 s" }]
timeout  = { kind = "uniform", from = "1 s", to = "3 s" }
deadline = "5 s"
latency  = { there = "1 ms", back = { kind = "exponential", mean = "2 ms" } }
pool     = 4
propagate_deadline = true

[client.crowd]
calls    = "db"
count    = 10
arrivals = "together"
spread   = "3 s"

[client.robots]
calls      = "api"
count      = 5
arrivals   = "closed"
think_time = { kind = "exponential", mean = "1 s" }

[client.pacers]
calls    = "api"
arrivals = "closed"
every    = "2 s"

[service.api]
calls        = "db"
instances    = 4
balance      = "two-choices"
workers      = 2
service_time = { kind = "gamma", mean = "10 ms", cv = 2 }
service_time_drawn = "arrival"
slowdown     = { per_request = 0.25 }
abandoned    = "cancel"
holds_worker = true
queue        = { limit = 7, order = "adaptive-lifo", when_full = "drop-oldest", timeout = "1 s", codel = { law = "rfc8289", target = "4 ms", interval = "80 ms" } }
latency      = "3 ms"
timeout      = { kind = "constant", mean = "300 ms" }

[service.db]
workers  = 3
queue    = { order = "lifo", codel = {} }
latency  = { kind = "exponential", mean = "1 ms" }
"#;

#[test]
fn every_value_of_a_client_arrives() {
    let model = model(FULL);
    assert_eq!(model.recovery_window, Some(Duration::from_secs(2)));
    let [web, crowd, robots, pacers] = &model.clients[..] else { panic!("four clients") };
    assert_eq!((web.processes, web.pool), (20, Some(4)));
    assert_eq!(web.deadline, Some(Duration::from_secs(5)));
    let kinds: Vec<_> = web.kinds.iter().map(|kind| (kind.weight, kind.calls.clone())).collect();
    assert_eq!(kinds, [(3.0, vec![0, 1]), (0.5, vec![2])]);
    let uniform = Law::uniform(Duration::from_secs(1), Duration::from_secs(3)).expect("a law");
    assert!(web.calls().all(|edge| model.edges[edge].timeout.as_ref() == Some(&uniform)));
    assert_eq!(crowd.arrivals, Arrivals::Together { spread: Duration::from_secs(3) });
    assert_eq!(crowd.requests, Some(10));
    let think = Pause::Think(Law::Exponential { mean: Duration::from_secs(1) });
    assert_eq!(robots.arrivals, Arrivals::Closed { pause: think });
    let every = Pause::Every(Law::Constant(Duration::from_secs(2)));
    assert_eq!(pacers.arrivals, Arrivals::Closed { pause: every });
}

#[test]
fn every_value_of_a_service_arrives() {
    let model = model(FULL);
    let [api, db] = &model.services[..] else { panic!("two services") };
    assert_eq!((api.instances, api.balance, api.workers), (4, Balance::TwoChoices, Some(2)));
    assert_eq!(api.service_time, Law::gamma(MS(10), 2.0).expect("a law"));
    assert!(api.drawn_on_arrival && api.cancels && api.slowdown == 0.25);
    let queue = &api.queue;
    assert_eq!((queue.limit, queue.drops_oldest), (Some(7), true));
    assert_eq!(queue.timeout, Some(Law::Constant(Duration::from_secs(1))));
    let codel = Codel { target: MS(4), interval: MS(80), law: CodelLaw::Rfc8289 };
    assert_eq!((queue.codel, queue.order), (Some(codel), Order::AdaptiveLifo { after: MS(80) }));
    let codel = Codel { target: MS(5), interval: MS(100), law: CodelLaw::FailAtScale };
    assert_eq!((db.queue.codel, db.queue.order), (Some(codel), Order::Lifo));
    assert_eq!((db.queue.limit, &db.queue.timeout), (None, &None));
    assert!(!db.drawn_on_arrival && !db.cancels && db.slowdown == 0.0);
    let calls = &model.edges[api.calls[0]];
    assert_eq!(calls.timeout, Some(Law::Constant(MS(300))));
    let text = FULL
        .replace(", codel = { law = \"rfc8289\", target = \"4 ms\", interval = \"80 ms\" }", "");
    let alone = super::overload::model(&text).services[0].queue.order;
    assert_eq!(alone, Order::AdaptiveLifo { after: MS(100) });
}

/// The caller's own latency goes before that of the service; a service's is
/// that of the way to it.
#[test]
fn network_time_is_the_callers_or_that_of_the_way() {
    let model = model(FULL);
    let ways = |edge: usize| (model.edges[edge].there.clone(), model.edges[edge].back.clone());
    let constant = |millis| Law::Constant(MS(millis));
    let exponential = |millis| Law::Exponential { mean: MS(millis) };
    let own = (constant(1), exponential(2));
    assert!(model.clients[0].calls().all(|edge| ways(edge) == own));
    let to_db = (exponential(1), exponential(1));
    assert_eq!(ways(model.clients[1].kinds[0].calls[0]), to_db);
    assert_eq!(ways(model.clients[2].kinds[0].calls[0]), (constant(3), constant(3)));
    assert_eq!(ways(model.services[0].calls[0]), to_db);
}

/// A deadline holds for the calls of a service to which it was handed on; it
/// goes no further than callers hand it.
#[test]
fn deadlines_travel_as_far_as_they_are_handed_on() {
    let text = |client: bool, a: bool| {
        format!(
            "[client.app]\ncalls = \"a\"\narrivals = \"together\"\ndeadline = \"1 s\"\n\
             propagate_deadline = {client}\n[client.other]\ncalls = \"c\"\narrivals = \"together\"\n\
             [service.a]\ncalls = \"b\"\npropagate_deadline = {a}\n[service.b]\ncalls = \"c\"\n\
             [service.c]\ncalls = \"d\"\n[service.d]\n"
        )
    };
    let holds = |client, a| {
        let edges = model(&text(client, a)).edges.into_iter();
        edges.map(|edge| edge.has_deadline).collect::<Vec<_>>()
    };
    assert_eq!(holds(false, false), [true, true, false, false, false]);
    assert_eq!(holds(true, false), [true, true, true, false, false]);
    assert_eq!(holds(true, true), [true, true, true, true, false]);
    assert_eq!(holds(false, true), [true, true, false, false, false]);
}

#[test]
fn a_rate_is_made_of_steps_and_ramps() {
    let model = model(FULL);
    let Arrivals::Poisson { rate } = &model.clients[0].arrivals else { panic!("it has a rate") };
    let piece = |from, rate, slope| Piece { from: at(from), rate, slope };
    let expected = [
        piece(0, 0.0, 0.0),
        piece(5, 100.0, 0.0),
        piece(20, 100.0, 20.0),
        piece(30, 300.0, -60.0),
        piece(35, 0.0, 0.0),
    ];
    assert_eq!(rate.pieces, expected);
    let steady = FULL.replace("[{ from = \"5 s\"", "[{ from = \"0 s\"");
    let steady = steady.replace(", { from = \"20 s\", rate = \"300 /s\", ramp = \"10 s\" }", "");
    let steady = steady.replace(", { from = \"30 s\", rate = \"0 /s\", ramp = \"5 s\" }", "");
    let rate = Profile::steady(100.0);
    assert_eq!(super::overload::model(&steady).clients[0].arrivals, Arrivals::Poisson { rate });
}

/// A run needs an end only if its requests have none.
#[test]
fn requests_that_end_need_no_duration() {
    let text = |client: &str| format!("[client.app]\ncalls = \"a\"\n{client}\n[service.a]\n");
    let ends = |client: &str| read(&text(client), &options(&[])).is_ok();
    let steps = "[{ from = \"0 s\", rate = \"9 /s\" }, { from = \"9 s\", rate = \"0 /s\" }]";
    assert!(ends(&format!("arrivals = \"poisson\"\nrate = {steps}")));
    assert!(!ends("arrivals = \"poisson\"\nrate = [{ from = \"0 s\", rate = \"9 /s\" }]"));
    assert!(!ends("arrivals = \"closed\"\nthink_time = \"1 s\""));
    assert!(ends("arrivals = \"closed\"\nthink_time = \"1 s\"\nrequests = 9"));
}

#[test]
fn a_trace_has_its_requests_from_a_file() {
    let text = "[client.app]\ncalls = \"a\"\narrivals = \"trace\"\ncount = 3\n\
                file = \"data/t.csv\"\n[service.a]\n";
    let shelf = Shelf(&[("data/t.csv", "time_s,client\n2.5,\n1,2\n")]);
    let app = |text: &str| with_files(text, &shelf).scenario.variants[0].model.clients[0].clone();
    let starts = [
        Start { at: at(1), process: Some(2) },
        Start { at: Instant::ZERO + MS(2_500), process: None },
    ];
    assert_eq!(app(text).arrivals, Arrivals::Trace(starts.into()));
    assert_eq!(app(text).requests, Some(2));
    let some = |requests: u64| text.replace("count", &format!("requests = {requests}\ncount"));
    assert_eq!((app(&some(1)).requests, app(&some(9)).requests), (Some(1), Some(2)));
}

#[test]
fn laws_of_every_kind_are_read() {
    let (ms, shelf) = (MS, Shelf(&[("times.csv", "time_s\n0.03\n0.01\n")]));
    let points = [(0.5, ms(10)), (0.99, ms(200))];
    let parts = vec![(9.0, Law::Constant(ms(1))), (1.0, Law::Exponential { mean: ms(50) })];
    let cases = [
        ("\"10 ms\"", Ok(Law::Constant(ms(10)))),
        ("{ kind = \"constant\", mean = \"10 ms\" }", Ok(Law::Constant(ms(10)))),
        ("{ kind = \"exponential\", mean = \"10 ms\" }", Law::exponential(ms(10))),
        ("{ kind = \"erlang\", mean = \"10 ms\", stages = 3 }", Law::erlang(ms(10), 3)),
        ("{ kind = \"gamma\", mean = \"10 ms\", cv = 0.5 }", Law::gamma(ms(10), 0.5)),
        ("{ kind = \"lognormal\", mean = \"10 ms\", cv = 2 }", Law::lognormal(ms(10), 2.0)),
        (
            "{ kind = \"lognormal\", median = \"10 ms\", sigma = 1 }",
            Law::lognormal_of_median(ms(10), 1.0),
        ),
        ("{ kind = \"uniform\", from = \"0 s\", to = \"9 ms\" }", Law::uniform(ms(0), ms(9))),
        ("{ kind = \"normal\", mean = \"10 ms\", sd = \"2 ms\" }", Law::normal(ms(10), ms(2))),
        ("{ kind = \"weibull\", mean = \"10 ms\", shape = 0.7 }", Law::weibull(ms(10), 0.7)),
        ("{ kind = \"pareto\", min = \"1 ms\", shape = 1.5 }", Law::pareto(ms(1), 1.5)),
        (
            "{ kind = \"mixture\", parts = [{ weight = 9, kind = \"constant\", mean = \"1 ms\" }, { weight = 1, kind = \"exponential\", mean = \"50 ms\" }] }",
            Law::mixture(parts),
        ),
        (
            "{ kind = \"quantiles\", points = [[\"50 %\", \"10 ms\"], [\"99%\", \"200ms\"]] }",
            Law::quantiles(&points, Between::Linear),
        ),
        (
            "{ kind = \"quantiles\", points = [[\"50 %\", \"10 ms\"], [\"99%\", \"200ms\"]], between = \"log\" }",
            Law::quantiles(&points, Between::Log),
        ),
        ("{ kind = \"empirical\", file = \"times.csv\" }", Law::empirical(vec![ms(30), ms(10)])),
    ];
    for (typed, expected) in cases {
        let text = format!(
            "[client.app]\ncalls = \"a\"\narrivals = \"together\"\n[service.a]\nservice_time = {typed}\n"
        );
        let read = with_files(&text, &shelf);
        assert!(read.warnings.is_empty(), "{}", read.warnings.render(false));
        let model = &read.scenario.variants[0].model;
        assert_eq!(Ok(&model.services[0].service_time), expected.as_ref(), "{typed}");
        let again = toml::to_string(&read.scenario.resolved).expect("JSON without nulls is TOML");
        assert_eq!(&with_files(&again, &shelf).scenario.variants[0].model, model, "{again}");
    }
}

const FAULTS: &str = r#"
[fault.closed]
kind    = "down"
service = "db"
from    = "1 s"
for     = "2 s"

[fault.frozen]
kind     = "hang"
service  = "api"
instance = 3
until    = "2 s"

[fault.slow]
kind    = "slow"
service = "api"
factor  = 2.5

[fault.wrong]
kind    = "errors"
service = "api"
share   = "20 %"
status  = 500

[fault.fewer]
kind    = "capacity"
service = "api"
workers = 0

[fault.half]
kind    = "capacity"
service = "api"
factor  = 0.5

[fault.crowd]
kind   = "surge"
client = "web"
factor = 3

[fault.again]
kind    = "restart"
service = "db"
from    = "4 s"
warm_up = { for = "30 s", factor = 5 }

[fault.deploy]
kind    = "restart"
service = "db"
from    = "4 s"
for     = "1 s"
"#;

#[test]
fn faults_of_every_kind_are_read() {
    let model = model(&format!("{FULL}{FAULTS}"));
    let fault = |name: &str, target, from, until| Fault { name: name.into(), target, from, until };
    let whole = |service, effect| Target::Service { service, instance: None, effect };
    let (never, start) = (Instant::NEVER, Instant::ZERO);
    let frozen = Target::Service { service: 0, instance: Some(3), effect: Effect::Hang };
    let warm_up = Some(WarmUp { length: Duration::from_secs(30), factor: 5.0 });
    let expected = [
        fault("closed", whole(1, Effect::Down), at(1), at(3)),
        fault("frozen", frozen, start, at(2)),
        fault("slow", whole(0, Effect::Slow { factor: 2.5 }), start, never),
        fault("wrong", whole(0, Effect::Errors { share: 0.2, status: 500 }), start, never),
        fault("fewer", whole(0, Effect::Capacity(Capacity::Workers(0))), start, never),
        fault("half", whole(0, Effect::Capacity(Capacity::Share(0.5))), start, never),
        fault("crowd", Target::Surge { client: 0, factor: 3.0 }, start, never),
        fault("again", whole(1, Effect::Restart { warm_up }), at(4), at(4)),
        fault("deploy", whole(1, Effect::Restart { warm_up: None }), at(4), at(5)),
    ];
    assert_eq!(model.faults, expected);
}

#[test]
fn the_resolved_scenario_reads_to_the_same_faults_and_queues() {
    let text = format!("{FULL}{FAULTS}");
    let first = good(&text, &[]);
    let again = toml::to_string(&first.scenario.resolved).expect("JSON without nulls is TOML");
    let second = good(&again, &[]);
    assert_eq!(first.scenario.resolved, second.scenario.resolved, "{again}");
    assert_eq!(first.scenario.variants[0].model, second.scenario.variants[0].model);
    let told =
        |read: &Read| read.warnings.iter().map(|w| w.message().to_owned()).collect::<Vec<_>>();
    assert_eq!(told(&first), told(&second));
}

/// A path leads into all of it.
#[test]
fn settings_of_this_part_have_paths() {
    let sets = [
        ("client.web.deadline", "7 s"),
        ("client.web.latency.there", "9 ms"),
        ("service.api.queue.codel.target", "1 ms"),
        ("service.api.service_time.cv", "3"),
        ("service.db.latency.mean", "5 ms"),
        ("fault.frozen.until", "9 s"),
        ("fault.again.warm_up.factor", "2"),
        ("client.web.mix", "[{ weight = 1, calls = \"db\" }]"),
    ];
    let read = good(&format!("{FULL}{FAULTS}"), &sets);
    let model = &read.scenario.variants[0].model;
    assert_eq!(model.clients[0].deadline, Some(Duration::from_secs(7)));
    assert_eq!(model.edges[0].there, Law::Constant(MS(9)));
    assert_eq!(model.services[0].queue.codel.map(|codel| codel.target), Some(MS(1)));
    assert_eq!(model.edges[1].there, Law::Exponential { mean: MS(5) });
    assert_eq!(model.faults[1].until, at(9));
    assert_eq!(model.clients[0].kinds.len(), 1);
}
