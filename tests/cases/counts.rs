//! How many calls one request becomes: attempts or retries, and the product
//! over the layers. Simulated, through the reader.

use retry_storm::experiment;
use retry_storm::scenario::{ReadOptions, read};
use std::ops::ControlFlow;

/// The calls at a target that is down, for one request through callers that
/// make so many attempts each, from the outermost in.
fn calls_at_the_target(attempts: &[u32]) -> u64 {
    let layer = |(index, attempts): (usize, &u32)| {
        let (head, next) = match index {
            0 => ("[client.app]".to_owned(), "arrivals = \"together\"\ncount = 1\n"),
            _ => (format!("[service.s{index}]"), ""),
        };
        let retry = format!("retry = {{ max_attempts = {attempts}, backoff = \"none\" }}");
        format!("{head}\n{next}calls = \"s{}\"\n{retry}\n", index + 1)
    };
    let layers: String = attempts.iter().enumerate().map(layer).collect();
    let text = format!("{layers}[service.s{}]\nfails = \"always\"\n", attempts.len());
    let read = read(&text, &ReadOptions::default());
    let read = read.unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    let results = experiment::run(&read.scenario, &|_| ControlFlow::Continue(()));
    let results = results.expect("no limit is near");
    results[0].outcome.services.last().expect("there is a target").attempts
}

/// github.com/TeamCodeStream/codestream #1914: three tries in the fetch layer
/// and three in its caller are nine calls; a third loop would have made 27.
#[test]
fn a_loop_around_a_loop_multiplies() {
    assert_eq!(calls_at_the_target(&[3, 3]), 9);
    assert_eq!(calls_at_the_target(&[3, 3, 3]), 27);
}

/// github.com/HKUDS/nanobot #2759, #2760: the app makes four attempts, and the
/// SDK below has `max_retries = 2`. They counted 12 calls, and four after the
/// SDK's retries were switched off.
#[test]
fn an_sdk_retries_below_the_app() {
    assert_eq!(calls_at_the_target(&[4, 1 + 2]), 12);
    assert_eq!(calls_at_the_target(&[4, 1]), 4);
}

/// github.com/mpfaffenberger/code_puppy #317: streaming, SDK and HTTP client
/// retried one inside the other.
#[test]
fn three_layers_down_to_the_socket() {
    assert_eq!(calls_at_the_target(&[3, 3, 5]), 45);
    assert_eq!(calls_at_the_target(&[1, 3, 5]), 15);
}

/// github.com/BerriAI/litellm #7130: one retry was set and a test saw six calls
/// rather than two, as the SDK below tried three times; with N retries at two
/// layers there are (1 + N)² calls.
#[test]
fn a_router_retries_above_the_sdk() {
    assert_eq!(calls_at_the_target(&[1 + 1, 3]), 6);
    assert_eq!(calls_at_the_target(&[1 + 3, 1 + 3]), 16);
}

/// github.com/istio/api #1648, istio/istio #12067 and #16327: `attempts` of
/// Istio and `num_retries` of Envoy count retries, `maxAttempts` of gRPC and
/// `max_attempts` here count calls. Istio's default of 2 makes three calls.
#[test]
fn attempts_and_retries_differ_by_one() {
    let istio = |attempts: u32| calls_at_the_target(&[1 + attempts]);
    assert_eq!([istio(2), istio(3), istio(15)], [3, 4, 16]);
    assert_eq!(calls_at_the_target(&[3]), 3);
}
