//! Retries by the formulas: attempts for a request, layers, budgets, orbits.

use super::{estimates, model, outcome};
use retry_storm::law::Law;
use retry_storm::model::{Model, Outcome};
use retry_storm::policy::Family;
use retry_storm::theory::{amplification, jitter, protection, retrial};
use retry_storm::time::Duration;
use std::sync::Arc;

/// 20,000 requests, one after another, at a service that fails with this share
/// and is asked by so many layers of three attempts.
fn layers(failure: f64, layers: usize, extra: &str) -> Model {
    let mut text = format!(
        "[client.user]\ncalls = \"layer1\"\narrivals = \"one-by-one\"\nrequests = 20_000\n\
         [service.end]\nfails = \"{} %\"\n[retry.three]\nmax_attempts = 3\n{extra}\n",
        failure * 100.0
    );
    for layer in 1..=layers {
        let next = if layer == layers { "end".to_owned() } else { format!("layer{}", layer + 1) };
        text += &format!("[service.layer{layer}]\ncalls = \"{next}\"\nretry = \"three\"\n");
    }
    model(&text)
}

/// Attempts at the last service for each request, and the share that fails.
fn at_the_end(outcome: &Outcome) -> [f64; 2] {
    let requests = outcome.requests as f64;
    [outcome.services[0].attempts as f64 / requests, outcome.gave_up.total() as f64 / requests]
}

#[test]
fn r1_attempts_of_a_call() {
    for failure in [0.1, 0.5, 0.9] {
        let [attempts, failed] = estimates(&layers(failure, 1, ""), at_the_end);
        let mean = amplification::attempts_per_call(failure, 3).expect("a share");
        attempts.agrees(mean, 0.002, "attempts");
        failed.agrees(amplification::failure_of_call(failure, 3).expect("a share"), 0.06, "failed");
    }
}

#[test]
fn r2_layers() {
    for failure in [0.5, 0.9] {
        let [attempts, failed] = estimates(&layers(failure, 3, ""), at_the_end);
        let theory = amplification::layers(failure, 3, 3).expect("a share");
        attempts.agrees(theory.attempts, 0.005, "attempts");
        if failure > 0.6 {
            failed.agrees(theory.failure, 0.02, "failed");
        }
    }
    assert_eq!(at_the_end(&outcome(&layers(1.0, 3, ""), 0)), [27.0, 1.0]);
}

/// The rate of attempts does not depend on the waits between them.
#[test]
fn r3_rate_of_attempts() {
    for retry in ["", ", backoff = \"full-jitter\", base = \"2 s\""] {
        let model = model(&format!(
            "duration = \"1000 s\"\nwarmup = \"100 s\"\n\
             [client.web]\ncalls = \"api\"\narrivals = \"poisson\"\nrate = \"100 /s\"\n\
             retry = {{ max_attempts = 3{retry} }}\n[service.api]\nfails = \"30 %\"\n"
        ));
        let [rate] = estimates(&model, |outcome| {
            [outcome.services[0].attempts as f64 / outcome.measured.as_secs_f64()]
        });
        rate.agrees(amplification::attempt_rate(100.0, 0.3, 3).expect("in range"), 0.002, "rate");
    }
}

/// A server of 200 places of a second each, without a queue, and half as much
/// again as it can serve. Waits that are spread over several services make the
/// attempts of one request independent of each other. In the theory a place
/// that is free is taken at once; here it takes until the next attempt, at 650 a
/// second and 200 places 0.4 % of the time at most.
#[test]
fn r4_loss_server() {
    let model = model(
        "duration = \"400 s\"\nwarmup = \"100 s\"\n\
         [client.web]\ncalls = \"api\"\narrivals = \"poisson\"\nrate = \"300 /s\"\n\
         retry = { max_attempts = 3, backoff = \"full-jitter\", base = \"10 s\", cap = \"10 s\" }\n\
         [service.api]\nworkers = 200\nqueue = { limit = 0 }\n\
         service_time = { kind = \"exponential\", mean = \"1 s\" }\n",
    );
    let [rate, refused] = estimates(&model, |outcome| {
        let (edge, seconds) = (&outcome.edges[0], outcome.measured.as_secs_f64());
        let attempts = edge.attempts as f64;
        [attempts / seconds, edge.refused_queue as f64 / attempts]
    });
    let theory = amplification::loss_server(300.0, 200.0, 3).expect("in range");
    for (found, theory) in [(rate, theory.attempts), (refused, theory.refused)] {
        let off = (found.mean - theory).abs();
        assert!(off <= 4.0 * found.error + 0.01 * theory, "{found:?}, not {theory}");
        assert!(found.error < 0.003 * theory);
    }
}

/// A bucket filled by each call lets through what fails anyway, or its ratio;
/// filled by success, a share of what succeeds at once.
#[test]
fn r5_token_bucket() {
    for failure in [0.05, 0.1, 0.5, 1.0] {
        let budget = "budget = \"tenth\"\n[budget.tenth]\nkind = \"token-bucket\"\n\
                      ratio = 0.1\nreserve = 0";
        let bucket = |fill| format!("{budget}\nfill = \"{fill}\"");
        // A reserve of 1 is the least that pays for a retry.
        let with = |fill| layers(failure, 1, &bucket(fill).replace("reserve = 0", "reserve = 5"));
        let [attempts, _] = estimates(&with("on-call"), at_the_end);
        let theory = 1.0 + protection::bucket_on_call(failure, 3, 0.1).expect("in range");
        // Five tokens at the start are 5 / 20,000 more; near the ratio a bucket of
        // five runs dry by chance now and then.
        let slack = if failure == 0.1 { 0.02 } else { 0.001 };
        let off = (attempts.mean - theory).abs();
        assert!(off <= 4.0 * attempts.error + slack * theory, "{failure}: {attempts:?}, {theory}");
        let [attempts, _] = estimates(&with("on-success"), at_the_end);
        if failure == 1.0 {
            assert_eq!(attempts.mean, 1.0 + 5.0 / 20_000.0);
        }
    }
}

/// A server without a queue; whoever finds it busy comes back at random times
/// until he finds it free.
#[test]
fn q9_orbit() {
    for (rate, back) in [(0.5, 1.0), (0.8, 1.0)] {
        let mut model = model(&format!(
            "duration = \"100000 s\"\nwarmup = \"5000 s\"\n\
             [client.web]\ncalls = \"api\"\narrivals = \"poisson\"\nrate = \"{rate} /s\"\n\
             retry = {{ max_attempts = \"unlimited\", backoff = \"constant\", base = \"1 s\" }}\n\
             [service.api]\nworkers = 1\nqueue = {{ limit = 0 }}\n\
             service_time = {{ kind = \"exponential\", mean = \"1 s\" }}\n"
        ));
        let law = Law::exponential(Duration::from_secs(1)).expect("above zero");
        model.edges[0].retry.backoff.family = Family::Random(Arc::new(law));
        let theory = retrial::single(rate, 1.0, back).expect("it is stable");
        let [busy, time, retrials] = estimates(&model, |outcome| {
            let requests = outcome.latency.count as f64;
            [
                outcome.services[0].mean_busy_workers,
                outcome.wait.mean_nanos / 1e9,
                outcome.edges[0].retries as f64 / requests,
            ]
        });
        busy.agrees(theory.present, 0.01, "busy");
        time.agrees(theory.orbit_time(rate), 0.04, "time in orbit");
        retrials.agrees(theory.retrials(rate), 0.04, "retrials");
    }
}

/// Means and spreads of five waits of full and of equal jitter.
#[test]
fn r11_jitter() {
    let ceilings = [100.0, 200.0, 400.0, 800.0, 1_000.0];
    let full = jitter::full(&ceilings).expect("in range");
    let equal = jitter::equal(&ceilings).expect("in range");
    for (strategy, theory) in [("full-jitter", full), ("equal-jitter", equal)] {
        let model = model(&format!(
            "[client.app]\ncalls = \"shop\"\narrivals = \"together\"\ncount = 10_000\n\
             retry = {{ max_attempts = 6, backoff = \"{strategy}\", base = \"100 ms\", \
             cap = \"1 s\" }}\n[service.shop]\nfails = \"always\"\n"
        ));
        let [mean] = estimates(&model, |outcome| [outcome.wait.mean_nanos / 1e6]);
        mean.agrees(theory.mean, 0.002, strategy);
        // The spread of one client is √10,000 times that of the mean of a run;
        // 20 runs know it to a factor of 1.7.
        let spread = mean.error * (super::REPLICATIONS as f64 * 10_000.0).sqrt();
        let found = spread / theory.variance.sqrt();
        assert!((0.55..1.7).contains(&found), "{strategy}: {found} times the spread of theory");
    }
}
