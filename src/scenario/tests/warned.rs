//! What is allowed and hardly meant, and the messages that say so.

use super::*;

/// What is allowed and hardly meant.
#[test]
fn suspicions_have_their_messages() {
    let client = |name: &str, keys: &str| {
        format!("[client.{name}]\ncalls = \"{name}\"\narrivals = \"together\"\n{keys}\n")
    };
    let service = |name: &str, keys: &str| format!("[service.{name}]\n{keys}\n");
    let always = "fails = \"always\"";
    let waits = "backoff = \"exponential\", base = \"1 s\"";
    let text = [
        client("not_listed", &format!("retry = {{ max_attempts = 3, {waits} }}")),
        service("not_listed", "fails = \"1 %\"\nstatus = [404, 409]"),
        client("posts", &format!("method = \"POST\"\nretry = {{ max_attempts = 3, {waits} }}")),
        service("posts", always),
        client(
            "harmful",
            "method = \"PATCH\"\ntimeout = \"1 s\"\nretry = { preset = \"celery\", max_attempts = 2 }",
        ),
        service("harmful", "service_time = \"10 ms\""),
        client(
            "hopeless",
            &format!("retry = {{ max_attempts = 9, {waits}, max_elapsed = \"10 s\" }}"),
        ),
        service("hopeless", &format!("{always}\nretry_after = \"1 min\"")),
        client(
            "slow",
            &format!("timeout = \"5 s\"\nretry = {{ max_attempts = 2, {waits}, max_elapsed = \"5 s\" }}"),
        ),
        service("slow", "service_time = \"10 ms\""),
        client("deaf", &format!("retry = {{ max_attempts = 2, {waits}, retry_after = \"ignore\" }}")),
        service("deaf", &format!("{always}\nretry_after = \"1 min\"")),
        client("mute", "retry = { preset = \"urllib3\", max_attempts = 3 }"),
        service("mute", always),
        client(
            "in_step",
            &format!(
                "retry = {{ max_attempts = 6, {waits}, cap = \"4 s\", clamp = \"after-jitter\", \
                 jitter = {{ kind = \"symmetric\", share = \"20 %\" }} }}"
            ),
        ),
        service("in_step", always),
        client(
            "at_cap",
            "retry = { max_attempts = 3, backoff = \"decorrelated-jitter\", base = \"5 s\", cap = \"5 s\" }",
        ),
        service("at_cap", always),
        client(
            "coarse",
            "retry = { max_attempts = 3, backoff = \"full-jitter\", base = \"100 us\", round = \"floor-ms\" }",
        ),
        service("coarse", always),
        client(
            "idle",
            "retry = { max_attempts = 3, backoff = \"polly-v2\", base = \"1 s\", jitter = \"full\", \
             waits = [\"1 s\"], step = \"1 s\", wait = \"1 s\" }",
        ),
        service("idle", always),
        "[retry.ky]\nmax_attempts = 2\n".to_owned(),
    ]
    .concat();
    insta::assert_snapshot!("suspicions", good(&text, &[]).warnings.render(false));
}

#[test]
fn warnings_have_their_messages() {
    let text = r#"
duration = "10 s"

[client.a]
calls = "api"
arrivals = "together"
rate = "1 /s"
retry = { max_attempts = 3, base = "1 s" }

[service.api]
calls = "db"
retry = { max_attempts = "unlimited", backoff = "exponential", base = "2 s", cap = "1 s", budget = "small" }

[service.db]
calls = "disk"
retry = { max_attempts = 4 }

[service.disk]

[service.forgotten]

[retry.unused]
max_attempts = 3

[budget.small]
kind = "token-bucket"
ratio = 0.1
reserve = 0.5

[budget.unused]
kind = "token-bucket"
ratio = 0.1
reserve = 10
"#;
    insta::assert_snapshot!("warnings", good(text, &[]).warnings.render(false));
}
