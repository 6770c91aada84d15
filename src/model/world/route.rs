//! What the hot path must know of each edge, in a few bytes.

use super::callers::Callers;
use super::hopeless;
use super::site::Site;
use crate::law::Law;
use crate::model::spec::{Advice, Caller, Edge, Effect, Model, Target};
use crate::time::Duration;

/// One edge of the graph of calls, while it runs.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(super) struct Route {
    /// Index of the service that is asked.
    pub(super) target: u32,
    /// The attempts of a call, the first included.
    pub(super) most_attempts: u32,
    /// The status with which every attempt fails at once, if that is sure.
    pub(super) sure_failure: Option<u16>,
    /// Whether the service answers in the instant in which a caller asks.
    pub(super) at_once: bool,
    /// Whether failures of the service say when to come back.
    pub(super) advised: bool,
    /// Whether a client asks, rather than a service.
    pub(super) from_client: bool,
    /// Whether attempts and answers arrive in the instant in which they are sent.
    pub(super) near: bool,
    /// Whether calls have terms: a deadline, a limit of their policy, or a
    /// timeout that is drawn.
    pub(super) timed: bool,
    /// Whether a budget pays for retries.
    pub(super) has_budget: bool,
    /// Whether each process or instance that calls has a budget of its own.
    pub(super) own_budgets: bool,
    /// Whether the service that asks may hang.
    pub(super) may_hang: bool,
}

pub(super) fn routes(model: &Model, sites: &[Site], callers: &Callers<'_>) -> Vec<Route> {
    let route = |(index, edge): (usize, &Edge)| {
        let (has_budget, own_budgets) = callers.budget_rule(index);
        let no_time = |law: &Law| *law == Law::Constant(Duration::ZERO);
        let drawn = edge.timeout.as_ref().is_some_and(|law| !matches!(law, Law::Constant(_)));
        let near = no_time(&edge.there) && no_time(&edge.back);
        let site = &sites[edge.target];
        let timed = drawn
            || edge.retry.limits.own != Duration::MAX
            || edge.retry.limits.last_attempt_untimed
            || edge.has_deadline && model.clients.iter().any(|client| client.deadline.is_some());
        let sure_failure = hopeless::sure_failure(model, edge, site, callers);
        Route {
            target: edge.target as u32,
            most_attempts: edge.retry.max_attempts.unwrap_or(u32::MAX),
            sure_failure: sure_failure.filter(|_| near && !timed),
            at_once: near && site.at_once,
            advised: model.services[edge.target].retry_after != Advice::None,
            from_client: matches!(edge.caller, Caller::Client(_)),
            near,
            timed,
            has_budget,
            own_budgets,
            may_hang: hangs(model, edge.caller),
        }
    };
    model.edges.iter().enumerate().map(route).collect()
}

/// Whether a fault makes this caller hang.
fn hangs(model: &Model, caller: Caller) -> bool {
    model.faults.iter().any(|fault| match (fault.target, caller) {
        (Target::Service { service, effect: Effect::Hang, .. }, Caller::Service(of)) => {
            service == of
        }
        _ => false,
    })
}

/// Whether something is kept of attempts from their arrival to their service.
pub(super) fn burdened(model: &Model) -> bool {
    let has_deadline = model.clients.iter().any(|client| client.deadline.is_some());
    model.services.iter().any(|service| service.drawn_on_arrival || service.instances > 1)
        || has_deadline
            && model
                .edges
                .iter()
                .any(|edge| edge.has_deadline && matches!(edge.caller, Caller::Service(_)))
}
