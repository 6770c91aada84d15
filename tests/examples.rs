//! The examples work, and the one that calls a server waits as it is asked to.

use retry_storm::executor::Executor;
use retry_storm::time::Duration;
use std::cell::RefCell;

#[path = "../examples/compare_backoffs.rs"]
mod compare_backoffs;
#[expect(dead_code, reason = "its main function would sleep")]
#[path = "../examples/http_call.rs"]
mod http_call;
#[path = "../examples/own_backoff.rs"]
mod own_backoff;

#[test]
fn backoffs_are_compared() {
    compare_backoffs::main().expect("the example works");
}

#[test]
fn an_own_backoff_is_used() {
    own_backoff::main().expect("the example works");
}

/// A real server and a real client; only the sleep is written down instead.
#[test]
fn the_client_comes_back_when_the_server_says() {
    let server = http_call::start_server().expect("there is a port");
    let sleeps = RefCell::new(Vec::new());
    let executor = Executor::new(http_call::policy(), http_call::timeouts());
    let executor = executor.expect("it is sound").sleep(|wait| sleeps.borrow_mut().push(wait));
    let response = http_call::get(&executor, server).expect("the third attempt is answered");
    assert_eq!((response.status, response.body.as_str()), (200, "hello"));
    assert_eq!(*sleeps.borrow(), [Duration::from_secs(1); 2]);
}
