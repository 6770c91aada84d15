//! Services: their workers, queues, and what they do with work that nobody
//! waits for. Whom they call is the builder's business.

use super::data::Data;
use super::failing;
use super::keys::{CODEL, QUEUE, SLOWDOWN};
use super::law::law;
use super::report::{Problem, Report};
use super::view::View;
use crate::law::Law;
use crate::model::spec::{Balance, Codel, CodelLaw, Order, Queue, Service};
use crate::time::Duration;

/// How long a queue must stand before adaptive LIFO turns round, if there is no
/// `codel` to say it: the interval of Maurer, "Fail at Scale", 2015, where the
/// two were published together.
const ADAPTIVE_AFTER: Duration = Duration::from_millis(100);

/// The service in a table, which makes these calls.
pub(super) fn service(
    view: &View<'_>,
    name: &str,
    calls: Vec<usize>,
    data: &mut Data<'_>,
    report: &mut Report,
) -> Service {
    let service_time = law(view, "service_time", data, report);
    Service {
        instances: view.whole("instances").map_or(1, |instances| instances as u32),
        balance: match view.word("balance") {
            Some("round-robin") => Balance::RoundRobin,
            Some("least-busy") => Balance::LeastBusy,
            Some("two-choices") => Balance::TwoChoices,
            _ => Balance::Random,
        },
        workers: view.whole("workers").map(|workers| workers as u32),
        queue: queue(view, data, report),
        service_time: service_time.unwrap_or(Law::Constant(Duration::ZERO)),
        drawn_on_arrival: view.word("service_time_drawn") == Some("arrival"),
        slowdown: slowdown(view, report),
        cancels: view.word("abandoned") == Some("cancel"),
        fails: view.chance("fails").unwrap_or(0.0),
        status: failing::statuses(view, report),
        retry_after: failing::advice(view, report),
        calls,
        ..Service::new(name)
    }
}

fn slowdown(view: &View<'_>, report: &mut Report) -> f64 {
    let Some(inner) = view.inner("slowdown", &SLOWDOWN) else { return 0.0 };
    inner.require("per_request", "per_request = 0.01", report);
    let slowdown = inner.number("per_request");
    view.take_over(&inner);
    slowdown.unwrap_or(0.0)
}

fn queue(view: &View<'_>, data: &mut Data<'_>, report: &mut Report) -> Queue {
    let Some(inner) = view.inner("queue", &QUEUE) else { return Queue::UNLIMITED };
    let limit = inner.whole("limit").map(|limit| limit as u32);
    let codel = codel(&inner);
    let drops_oldest = inner.word("when_full") == Some("drop-oldest");
    if drops_oldest && matches!(limit, None | Some(0)) {
        let problem = Problem::new("`when_full` has no effect: nobody is dropped", "not used");
        let help = "it belongs to a queue with a `limit` above 0";
        report.warning(inner.span_of("when_full"), problem.help(help));
    }
    let queue = Queue {
        limit,
        order: match inner.word("order") {
            Some("lifo") => Order::Lifo,
            Some("adaptive-lifo") => {
                let after = codel.map_or(ADAPTIVE_AFTER, |codel| codel.interval);
                Order::AdaptiveLifo { after }
            }
            _ => Order::Fifo,
        },
        drops_oldest,
        timeout: law(&inner, "timeout", data, report),
        codel,
    };
    view.take_over(&inner);
    queue
}

fn codel(queue: &View<'_>) -> Option<Codel> {
    let inner = queue.inner("codel", &CODEL)?;
    let (target, interval) = (inner.time("target"), inner.time("interval"));
    let law = match inner.word("law") {
        Some("rfc8289") => CodelLaw::Rfc8289,
        _ => CodelLaw::FailAtScale,
    };
    queue.take_over(&inner);
    Some(Codel { target: target?, interval: interval?, law })
}
