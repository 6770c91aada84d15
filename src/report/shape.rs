//! What kind of world ran: what a report must know to choose its words.

use crate::experiment::VariantResult;
use crate::law::Law;
use crate::model::spec::{Arrivals, Caller, Edge, Model};

/// The services of a model in the order of the calls, if they form one chain
/// of two or more: one entry, each service calls only the next, no loose ends.
pub fn chain(model: &Model) -> Option<Vec<usize>> {
    let target = |edges: &[usize]| -> Option<usize> {
        let (&first, rest) = edges.split_first()?;
        let target = model.edges[first].target;
        rest.iter().all(|&edge| model.edges[edge].target == target).then_some(target)
    };
    let entry = target(&model.clients.first()?.calls().collect::<Vec<_>>())?;
    if !model
        .clients
        .iter()
        .all(|client| target(&client.calls().collect::<Vec<_>>()) == Some(entry))
    {
        return None;
    }
    let mut chain = vec![entry];
    while let Some(&last) = chain.last() {
        let calls = &model.services[last].calls;
        if calls.is_empty() {
            break;
        }
        chain.push(target(calls)?);
    }
    (chain.len() >= 2 && chain.len() == model.services.len()).then_some(chain)
}

/// The names of the services along the chain that all variants share.
pub fn common_chain(results: &[VariantResult]) -> Option<Vec<&str>> {
    let names = |result: &'_ VariantResult| -> Option<Vec<String>> {
        let chain = chain(&result.model)?;
        Some(chain.into_iter().map(|at| result.model.services[at].name.clone()).collect())
    };
    let (first, rest) = results.split_first()?;
    let expected = names(first)?;
    if rest.iter().any(|other| names(other).as_ref() != Some(&expected)) {
        return None;
    }
    let chain = chain(&first.model)?;
    Some(chain.into_iter().map(|at| first.model.services[at].name.as_str()).collect())
}

/// Whether clients of a model come together rather than at a rate.
pub fn comes_together(model: &Model) -> bool {
    model.clients.iter().any(|client| matches!(client.arrivals, Arrivals::Together { .. }))
}

/// Whether any draw can change what happens; if not, the seed says nothing.
pub fn is_random(model: &Model) -> bool {
    let arrives_by_chance =
        model.clients.iter().any(|client| matches!(client.arrivals, Arrivals::Poisson { .. }));
    let serves_by_chance = model.services.iter().any(|service| {
        matches!(service.service_time, Law::Exponential { .. })
            || (service.fails > 0.0 && service.fails < 1.0)
    });
    // Whose budget pays depends on which process sends.
    let pays_by_chance = !model.budgets.is_empty()
        && model
            .clients
            .iter()
            .any(|client| client.processes > 1 && matches!(client.arrivals, Arrivals::OneByOne));
    arrives_by_chance
        || serves_by_chance
        || pays_by_chance
        || model.edges.iter().any(waits_by_chance)
}

/// Whether the clients of a model draw their waits.
pub fn clients_use_jitter(model: &Model) -> bool {
    let mut own = model.edges.iter().filter(|edge| matches!(edge.caller, Caller::Client(_)));
    own.any(waits_by_chance)
}

/// Whether retries follow on this edge after a wait that is drawn.
fn waits_by_chance(edge: &Edge) -> bool {
    edge.retry.backoff.is_random() && edge.retry.max_attempts != Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn finds_the_chain() {
        let layers = sample::layers();
        assert_eq!(
            common_chain(&layers.results),
            Some(vec!["gateway", "orders", "payments", "database"])
        );
        assert_eq!(common_chain(&sample::storm().results), None, "one service is no chain");

        let mut forked = sample::layers();
        forked.results[1].model.services[0].calls = vec![1, 2];
        assert_eq!(common_chain(&forked.results), None);
    }

    #[test]
    fn knows_where_chance_plays_a_part() {
        assert!(is_random(&sample::storm().results[2].model));
        assert!(!is_random(&sample::storm().results[0].model));
        assert!(!is_random(&sample::layers().results[2].model));
        let mut flaky = sample::layers_model();
        flaky.services[3].fails = 0.5;
        assert!(is_random(&flaky));
    }
}
