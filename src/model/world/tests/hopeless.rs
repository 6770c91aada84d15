//! Sure failures take a shorter way than others, and come to the same end.

use super::{Model, chain, ms, run, storm};
use crate::model::spec::{Budget, Scope, Statuses};
use crate::policy::{Backoff, Fill, RetryOn, RetryPolicy, Strategy as Waits, TokenBucket};
use crate::time::Duration;
use proptest::prelude::*;
use proptest::sample::select;

/// The largest number that is drawn: a service that fails below it fails
/// always, but nobody can be sure of that.
const NEARLY_ALWAYS: f64 = 1.0 - f64::EPSILON / 2.0;

fn models() -> impl Strategy<Value = Model> {
    let waits = select(vec![
        Waits::None,
        Waits::Constant,
        Waits::FullJitter,
        Waits::EqualJitter,
        Waits::DecorrelatedJitter,
    ]);
    let shape = (1..4_usize, 1..6_u32, waits, any::<bool>());
    let status = select(vec![503_u16, 429, 404]);
    let extras = (0..200_u64, any::<bool>(), any::<bool>(), any::<bool>());
    (shape, status, extras).prop_map(|((layers, most, waits, crowd), status, extras)| {
        let (warmup, budget, other_base, everything) = extras;
        let backoff = Backoff {
            throttled_base: other_base.then(|| ms(300)),
            ..Backoff::new(waits, ms(100), Duration::from_secs(1))
        };
        let retry_on = if everything { RetryOn::EVERYTHING } else { RetryOn::USUAL };
        let retry =
            RetryPolicy { max_attempts: Some(most), backoff, retry_on, ..RetryPolicy::NEVER };
        let mut model = if crowd { storm(50, waits) } else { chain(layers, &retry) };
        let last = model.edges.len() - 1;
        model.edges[last].retry = retry;
        model.clients[0].requests = Some(50);
        model.warmup = ms(warmup);
        model.services[last].status = Statuses::from(status);
        if budget {
            let bucket =
                TokenBucket { ratio_millis: 200, reserve_millis: 5_000, fill: Fill::OnCall };
            model.budgets.push(Budget { name: "fifth".into(), bucket, scope: Scope::Client });
            model.edges[last].budget = Some(0);
        }
        model
    })
}

proptest! {
    #![proptest_config(crate::testing::cases(200))]

    #[test]
    fn a_sure_failure_ends_as_one_that_is_not(mut model in models()) {
        let sure = run(&model);
        for service in &mut model.services {
            service.fails = service.fails.min(NEARLY_ALWAYS);
        }
        prop_assert_eq!(format!("{sure:?}"), format!("{:?}", run(&model)));
    }
}
