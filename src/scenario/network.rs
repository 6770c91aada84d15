//! What calls get from both of their ends: network time, which the caller has
//! of its own or the service has for all, and deadlines, which travel down from
//! callers that hand them on.

use super::report::{Problem, Report};
use super::text::Span;
use super::view::View;
use crate::law::Law;
use crate::model::spec::{Caller, Client, Edge, Service};

/// The laws of network time there and back.
type Latency = (Law, Law);

/// What is known of the ends of calls while they are read.
#[derive(Debug, Default)]
pub(super) struct Network {
    /// Of each edge: the latency that its caller has of its own.
    pub(super) own: Vec<Option<Latency>>,
    /// Of each service: the latency on the way to it.
    pub(super) to: Vec<Option<Latency>>,
    /// Of each client: where it says that it hands its deadline on, if so.
    pub(super) clients: Vec<Option<Span>>,
    /// The same of each service.
    pub(super) services: Vec<Option<Span>>,
}

impl Network {
    /// Gives all edges what they get.
    pub(super) fn lay(
        self,
        clients: &[Client],
        services: &[Service],
        edges: &mut [Edge],
        report: &mut Report,
    ) {
        let reached = self.reached(clients, services, edges);
        self.warn(clients, services, &reached, report);
        for (edge, own) in edges.iter_mut().zip(self.own) {
            if let Some((there, back)) = own.or_else(|| self.to[edge.target].clone()) {
                (edge.there, edge.back) = (there, back);
            }
            if let Caller::Service(service) = edge.caller {
                edge.has_deadline = reached[service];
            }
        }
    }

    /// The services to which a deadline comes.
    fn reached(&self, clients: &[Client], services: &[Service], edges: &[Edge]) -> Vec<bool> {
        let mut reached = vec![false; services.len()];
        let hands_on =
            |number: &usize| self.clients[*number].is_some() && clients[*number].deadline.is_some();
        let from = (0..clients.len()).filter(hands_on);
        let mut ways: Vec<usize> = from.flat_map(|number| clients[number].calls()).collect();
        while let Some(edge) = ways.pop() {
            let target = edges[edge].target;
            if !reached[target] && self.services[target].is_some() {
                ways.extend(&services[target].calls);
            }
            reached[target] = true;
        }
        reached
    }

    /// Warns of a deadline that is to be handed on, and is not there.
    fn warn(
        &self,
        clients: &[Client],
        services: &[Service],
        reached: &[bool],
        report: &mut Report,
    ) {
        let idle = |name: &str, help: &str| {
            let title = format!("`{name}` has no deadline to propagate");
            Problem::new(title, "no effect").help(help)
        };
        for (client, span) in clients.iter().zip(&self.clients) {
            if let Some(span) = span.filter(|_| client.deadline.is_none()) {
                report.warning(span, idle(&client.name, "give it a `deadline`"));
            }
        }
        for ((service, span), reached) in services.iter().zip(&self.services).zip(reached) {
            if let Some(span) = span.filter(|_| !reached) {
                let help = "let those that call it have propagate_deadline = true as well";
                report.warning(span, idle(&service.name, help));
            }
        }
    }
}

/// Where a caller says that it hands deadlines on, if it does.
pub(super) fn hands_on(view: &View<'_>) -> Option<Span> {
    let says_so = view.flag("propagate_deadline") == Some(true);
    says_so.then(|| view.span_of("propagate_deadline"))
}
