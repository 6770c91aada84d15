//! The published numbers, as they were printed.

use super::{Table, Value};

const LESSON: &str = "the lesson \"retry with exponential backoff and jitter\"";

/// A scenario file of the repository, built into the program.
macro_rules! scenario {
    ($name:literal) => {
        include_str!(concat!("../../scenarios/published/", $name))
    };
}

/// All tables whose numbers must come out to the printed digit.
pub const TABLES: &[Table] = &[
    Table {
        id: "one-client",
        title: "The five waits of one client under five strategies, in ms",
        source: LESSON,
        file: "scenarios/published/one-client.toml",
        scenario: scenario!("one-client.toml"),
        columns: &[
            ("wait 1", Value::Wait(1)),
            ("wait 2", Value::Wait(2)),
            ("wait 3", Value::Wait(3)),
            ("wait 4", Value::Wait(4)),
            ("wait 5", Value::Wait(5)),
        ],
        rows: &[
            ("constant", &[100.0, 100.0, 100.0, 100.0, 100.0]),
            ("exponential", &[100.0, 200.0, 400.0, 800.0, 1000.0]),
            ("full-jitter", &[45.0, 112.0, 370.0, 373.0, 508.0]),
            ("equal-jitter", &[73.0, 156.0, 385.0, 586.0, 754.0]),
            ("decorrelated-jitter", &[190.0, 364.0, 1000.0, 1000.0, 1000.0]),
        ],
    },
    Table {
        id: "ten-thousand-clients",
        title: "10,000 clients fail at once: waits in ms and the busiest 10 ms",
        source: LESSON,
        file: "scenarios/published/ten-thousand-clients.toml",
        scenario: scenario!("ten-thousand-clients.toml"),
        columns: &[
            ("mean wait", Value::Metric("mean_wait")),
            ("longest wait", Value::Metric("longest_wait")),
            ("busiest 10 ms", Value::Metric("busiest_slice_retries")),
        ],
        rows: &[
            ("constant", &[500.0, 500.0, 10_000.0]),
            ("exponential", &[2_500.0, 2_500.0, 10_000.0]),
            ("full-jitter", &[1_241.0, 2_357.0, 1_461.0]),
            ("equal-jitter", &[1_870.0, 2_429.0, 2_048.0]),
            ("decorrelated-jitter", &[2_371.0, 4_182.0, 647.0]),
        ],
    },
    Table {
        id: "schedule",
        title: "A schedule in whole milliseconds",
        source: LESSON,
        file: "scenarios/published/schedule.toml",
        scenario: scenario!("schedule.toml"),
        columns: &[
            ("attempt 1 at", Value::Sent(1)),
            ("attempt 2 at", Value::Sent(2)),
            ("attempt 3 at", Value::Sent(3)),
            ("wait 1", Value::Wait(1)),
            ("wait 2", Value::Wait(2)),
        ],
        rows: &[("", &[0.0, 51.0, 156.0, 51.0, 105.0])],
    },
    Table {
        id: "layers",
        title: "Attempts that reach the database when it is down",
        source: LESSON,
        file: "scenarios/published/layers.toml",
        scenario: scenario!("layers.toml"),
        columns: &[
            ("for 1 request", Value::FirstRequest("database")),
            ("for 1,000", Value::Attempts("database")),
        ],
        rows: &[
            ("every layer retries", &[27.0, 27_000.0]),
            ("only payments retries", &[3.0, 3_000.0]),
            ("only payments, 10 % budget", &[3.0, 1_109.0]),
        ],
    },
    Table {
        id: "budget",
        title: "A retry budget in a total outage: N + min(2 N, floor(reserve + ratio (N - 1)))",
        source: "the closed form of the lesson's budget",
        file: "scenarios/published/budget.toml",
        scenario: scenario!("budget.toml"),
        columns: &[("attempts", Value::Attempts("database"))],
        rows: &[
            ("5 requests", &[15.0]),
            ("6 requests", &[16.0]),
            ("10 requests", &[20.0]),
            ("11 requests", &[22.0]),
            ("21 requests", &[33.0]),
            ("100 requests", &[119.0]),
            ("1,000 requests", &[1_109.0]),
            ("10,000 requests", &[11_009.0]),
            ("ratio 0.2", &[1_209.0]),
            ("ratio 0.5", &[1_509.0]),
            ("reserve 100", &[1_199.0]),
        ],
    },
    Table {
        id: "five-layers",
        title: "Five layers of three attempts: 3 to the power of 5",
        source: "the Amazon Builders' Library, \"Timeouts, retries and backoff with jitter\"",
        file: "scenarios/published/layers-243.toml",
        scenario: scenario!("layers-243.toml"),
        columns: &[("attempts", Value::FirstRequest("database"))],
        rows: &[("", &[243.0])],
    },
    Table {
        id: "three-layers-of-four",
        title: "Three layers of four attempts: 4 to the power of 3",
        source: "Site Reliability Engineering, \"Addressing Cascading Failures\"",
        file: "scenarios/published/layers-64.toml",
        scenario: scenario!("layers-64.toml"),
        columns: &[("attempts", Value::FirstRequest("database"))],
        rows: &[("", &[64.0])],
    },
];
