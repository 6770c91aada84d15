//! What is suspicious about an overload as it is written: settings without
//! effect, queues that only grow, and runs that would take very long.

use super::*;

#[test]
fn what_does_nothing_is_warned_of() {
    let text = r#"
duration = "10 s"

[client.a]
calls      = "api"
arrivals   = "one-by-one"
rate       = [{ from = "0 s", rate = "1 /s" }]
spread     = "1 s"
think_time = "1 s"
every      = "1 s"
file       = "missing.csv"
timeout    = { kind = "exponential", mean = "1 s", cv = 2, weight = 1 }
propagate_deadline = true

[client.b]
calls    = "api"
arrivals = "constant"
rate     = [{ from = "0 s", rate = "10 /s" }, { from = "5 s", rate = "0 /s" }]
requests = 1_000

[service.api]
service_time = "1 ms"
queue        = { when_full = "drop-oldest" }
propagate_deadline = true

[fault.late]
kind    = "down"
service = "api"
from    = "10 s"
for     = "1 s"
"#;
    let all = good(text, &[]).warnings.render(false);
    let without_end = text.replace("duration = \"10 s\"", "");
    let without_end = without_end.replace("arrivals   = \"one-by-one\"", "arrivals = \"together\"");
    let never_sent = good(&without_end, &[]).warnings.render(false);
    let never_sent: Vec<_> = never_sent.split("\n\n").filter(|one| one.contains("`b`")).collect();
    insta::assert_snapshot!(
        "idle",
        format!("{all}\n## without duration\n{}", never_sent.join("\n\n"))
    );
}

/// More comes than can be served, into a queue without limit, for long.
#[test]
fn queues_that_only_grow_are_warned_of() {
    let text = r#"
duration = "60 s"

[client.web]
calls    = "api"
arrivals = "poisson"
rate     = "600 /s"
retry    = { max_attempts = 3, backoff = "none" }

[service.api]
workers      = 2
instances    = 5
service_time = { kind = "exponential", mean = "5 ms" }
calls        = "db"

[service.db]
service_time = "14 ms"
latency      = "1 ms"
"#;
    let warnings = |text: &str| good(text, &[]).warnings.render(false);
    insta::assert_snapshot!("growing", warnings(text));
    let quiet = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert_eq!(warnings(&changed), "", "{to}");
    };
    quiet("instances    = 5", "instances    = 7");
    quiet("instances    = 5", "instances    = 5\nqueue = { limit = 9 }");
    quiet("instances    = 5", "instances    = 5\nqueue = { timeout = \"1 s\" }");
    quiet("instances    = 5", "instances    = 5\nqueue = { codel = {} }");
    quiet("workers      = 2", "workers      = \"unlimited\"");
    quiet("retry ", "requests = 500\nretry ");
    quiet("duration = \"60 s\"", "duration = \"5 s\"");
    quiet("instances    = 5", "instances    = 5\nabandoned = \"cancel\"\ntimeout = \"1 ms\"");
    quiet(
        "\"600 /s\"",
        "[{ from = \"0 s\", rate = \"600 /s\" }, { from = \"30 s\", rate = \"100 /s\" }]",
    );
    quiet("arrivals = \"poisson\"\nrate     = \"600 /s\"", "arrivals = \"closed\"\ncount = 10_000");
    let deserted = "instances    = 5\nabandoned = \"cancel\"\n";
    let deserted = text.replace("instances    = 5\n", deserted);
    assert!(warnings(&deserted).contains("more comes to `api`"));
    let patient = deserted.replace("retry ", "timeout = \"1 s\"\nretry ");
    assert_eq!(warnings(&patient), "");
}

#[test]
fn runs_that_take_very_long_are_warned_of() {
    let text = "duration = \"10 d\"\n[client.web]\ncalls = [\"a\", \"a\"]\narrivals = \"poisson\"\n\
                rate = \"1000 /s\"\n[service.a]\n[compare]\n\"service.a.workers\" = [1, 2]\n";
    let told = |text: &str| good(text, &[]).warnings.render(false);
    assert!(told(text).contains("3e9 attempts in all, even if nothing fails"), "{}", told(text));
    assert_eq!(told(&text.replace("[1, 2]", "[1]")), "");
    let closed = text.replace(
        "arrivals = \"poisson\"\nrate = \"1000 /s\"",
        "arrivals = \"closed\"\ncount = 10\nevery = \"10 ms\"",
    );
    assert!(told(&closed).contains("3e9 attempts in all"), "{}", told(&closed));
    let surge = "[fault.s]\nkind = \"surge\"\nclient = \"web\"\nfactor = 10\nfrom = \"1 d\"\n";
    assert!(told(&format!("{text}{surge}")).contains("3e10 attempts"));
}
