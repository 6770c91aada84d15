//! Retries around a real HTTP call: a server that is busy twice and says when
//! to come back, and a client that listens. Nothing but the standard library.
//!
//! `cargo run --example http_call`

use retry_storm::executor::{Attempt, Clock, Event, Executor, Observer, Random, Sleep, Timeouts};
use retry_storm::policy::retry_after::Format;
use retry_storm::policy::{
    Backoff, Decision, Failed, Failure, Method, Request, RetryPolicy, Strategy,
};
use retry_storm::time::Duration;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// What the server answers, in order.
const ANSWERS: [&str; 3] = [
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
];

fn main() -> Result<(), Box<dyn Error>> {
    let server = start_server()?;
    let executor = Executor::new(policy(), timeouts())?.observer(|event: &Event| {
        let Event { attempt, failure, verdict, .. } = event;
        match verdict.decision {
            Decision::RetryAfter(wait) => {
                println!("attempt {attempt}: {failure:?}, again in {wait}");
            }
            Decision::GiveUp(reason) => println!("attempt {attempt}: {failure:?}, {reason:?}"),
        }
    });
    let response = get(&executor, server)?;
    println!("{} after all: {}", response.status, response.body);
    Ok(())
}

/// Up to five attempts, full jitter, and never sooner than the server asks.
pub(crate) fn policy() -> RetryPolicy {
    RetryPolicy {
        max_attempts: Some(5),
        backoff: Backoff::new(
            Strategy::FullJitter,
            Duration::from_millis(100),
            Duration::from_secs(5),
        ),
        ..RetryPolicy::NEVER
    }
}

pub(crate) fn timeouts() -> Timeouts {
    Timeouts { attempt: Some(Duration::from_secs(2)), call: Some(Duration::from_secs(10)) }
}

/// Gets `/` under the policy of this executor.
pub(crate) fn get(
    executor: &Executor<impl Clock, impl Sleep, impl Random, impl Observer>,
    server: SocketAddr,
) -> Result<Response, retry_storm::executor::Error<io::Error>> {
    executor.call(classify, |attempt| get_once(server, attempt))
}

/// What a policy must know of a result, if it is a failure.
fn classify(result: &io::Result<Response>) -> Option<Failed> {
    let request = Request { method: Method::Get, has_key: false };
    match result {
        Ok(response) if response.status < 400 => None,
        Ok(response) => {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let asked: Vec<&str> = response.retry_after.as_deref().into_iter().collect();
            let hint = Format::HTTP.read(&asked, since_1970.into());
            Some(Failed { request, hint, ..Failure::Status(response.status).into() })
        }
        Err(error) => {
            let failure = match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => Failure::Timeout,
                _ => Failure::Connection,
            };
            Some(Failed { request, ..failure.into() })
        }
    }
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: String,
}

/// One attempt. The socket keeps its timeout, which is never zero.
fn get_once(server: SocketAddr, attempt: Attempt) -> io::Result<Response> {
    let mut stream = match attempt.timeout {
        Some(timeout) => TcpStream::connect_timeout(&server, timeout.into())?,
        None => TcpStream::connect(server)?,
    };
    stream.set_read_timeout(attempt.timeout.map(Into::into))?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    parse(&text).ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "this is not HTTP"))
}

fn parse(text: &str) -> Option<Response> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let headers = head.lines().filter_map(|line| line.split_once(": "));
    let mut asked = headers.filter(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
    let retry_after = asked.next().map(|(_, value)| value.to_owned());
    Some(Response { status, retry_after, body: body.to_owned() })
}

/// A server on a port of its own that gives each answer once.
pub(crate) fn start_server() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || -> io::Result<()> {
        for answer in ANSWERS {
            let (mut stream, _) = listener.accept()?;
            // The request fits into one packet and is not looked at.
            let _ = stream.read(&mut [0; 1024])?;
            stream.write_all(answer.as_bytes())?;
        }
        Ok(())
    });
    Ok(address)
}
