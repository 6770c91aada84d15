//! Every scenario that is shipped runs, and writes the files it should with
//! the columns it should.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::binary::{code, columns, errors, files, of_kind, place, prints, sim_reading, temporary};

/// The columns that other programs may rely on. More may follow them.
const COLUMNS: &[(&str, &str)] = &[
    (
        "summary.csv",
        "variant,requests,answered,gave_up,attempts,retries,hedges,mean_wait_ms,p50_wait_ms,\
         p90_wait_ms,p99_wait_ms,longest_wait_ms,busiest_slice_retries,busiest_slice_attempts,\
         busiest_slice_start_ms,mean_latency_ms,p50_latency_ms,p99_latency_ms,p999_latency_ms,\
         longest_latency_ms,goodput_before_per_s,goodput_during_per_s,goodput_after_per_s,\
         amplification,recovery_ms,wasted_work_ms,recovered_share",
    ),
    (
        "services.csv",
        "variant,service,caller,calls,attempts,attempts_per_request,retries,answered,failed,\
         timed_out,refused_queue,refused_limit,refused_breaker,denied_budget,denied_deadline,\
         abandoned,still_out,wasted_work_ms,mean_queue,peak_queue,mean_queue_time_ms,\
         p99_queue_time_ms,mean_busy_workers,amplification_peak",
    ),
    (
        "clients.csv",
        "variant,client,requests,answered,gave_up,mean_wait_ms,longest_wait_ms,mean_latency_ms,\
         p99_latency_ms",
    ),
    (
        "timeline.csv",
        "variant,service,slice_start_ms,first_attempts,retries,answered,failed,timed_out,refused,\
         queue,busy_workers,budget_level,breaker_state",
    ),
    ("waits.csv", "variant,from_ms,to_ms,requests"),
    (
        "attempts.csv",
        "variant,request,service,attempt,sent_ms,ended_ms,wait_before_ms,outcome,decision",
    ),
];

fn scenarios() -> Vec<PathBuf> {
    let folders = ["scenarios", "scenarios/published", "scenarios/teach"];
    let found = folders.map(|folder| of_kind(folder, ".toml")).concat();
    assert!(found.len() >= 25, "the scenarios were not found");
    // A million clients take their time: they have a test of their own.
    found.into_iter().filter(|path| !path.ends_with("storm-1m.toml")).collect()
}

/// Looks at a folder of results as another program would.
fn inspect(files: &BTreeMap<String, Vec<u8>>, what: &str) {
    for must in ["summary.csv", "services.csv", "timeline.csv", "waits.csv", "run.json"] {
        assert!(files.contains_key(must), "{what} wrote no {must}");
    }
    let record: serde_json::Value =
        serde_json::from_slice(&files["run.json"]).expect("run.json is JSON");
    let listed = record["files"].as_array().expect("it lists its files").iter();
    let mut listed: Vec<_> = listed.filter_map(|name| name.as_str()).collect();
    listed.sort_unstable();
    assert!(files.keys().eq(&listed), "{what}: run.json lists {listed:?}");
    for (name, bytes) in files {
        match name.rsplit('.').next() {
            Some("csv") => inspect_table(name, bytes, what),
            Some("png") => assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{what}: {name}"),
            Some("svg") => {
                assert!(bytes.starts_with(b"<") && bytes.ends_with(b"</svg>\n"), "{what}: {name}");
            }
            _ => assert_eq!(name, "run.json", "{what}"),
        }
    }
}

fn inspect_table(name: &str, bytes: &[u8], what: &str) {
    let (_, promised) = COLUMNS.iter().find(|(known, _)| *known == name).expect("a known table");
    let (columns, promised) = (columns(bytes), promised.split(',').collect::<Vec<_>>());
    let first = columns.get(..promised.len()).unwrap_or(&columns);
    assert_eq!(first, promised, "{what}: {name}");
    let mut rows = csv::Reader::from_reader(bytes);
    // The reader itself finds rows that are shorter or longer than the first.
    let mut number = 0;
    for row in rows.records() {
        assert!(row.is_ok(), "{what}: {name}: {row:?}");
        number += 1;
    }
    assert!(number > 0, "{what}: {name} has no rows");
    assert!(!bytes.contains(&b'\r'), "{what}: {name} has line ends of another system");
}

#[test]
fn every_scenario_runs_and_writes_its_files() {
    for scenario in scenarios() {
        let (folder, what) = (temporary(), scenario.display().to_string());
        prints(0, &["run", &what, "-o", &place(&folder)]);
        prints(0, &["check", &what]);
        let files = files(place(&folder));
        inspect(&files, &what);
        let pairs = |end: &str| -> Vec<_> {
            files.keys().filter_map(|name| name.strip_suffix(end).map(str::to_owned)).collect()
        };
        let is_ours = !what.contains("published");
        assert!(!is_ours || !pairs(".png").is_empty(), "{what}: no picture");
        assert_eq!(pairs(".png"), pairs(".svg"), "{what}");
    }
}

/// Fewer clients, and so without the bound that holds for a million.
#[test]
fn the_largest_scenario_runs_with_fewer_clients() {
    let text = fs::read_to_string("scenarios/storm-1m.toml").expect("it is there");
    let start = text.find("[[threshold]]").expect("it has a threshold");
    let folder = temporary();
    let fewer = ["run", "-", "-o", &place(&folder), "--set", "client.app.count=20_000"];
    let output = sim_reading(&text.as_bytes()[..start], &fewer);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    inspect(&files(place(&folder)), "storm-1m");
}

#[test]
#[cfg(feature = "long-tests")]
fn a_million_clients_meet_their_thresholds() {
    let folder = temporary();
    prints(0, &["run", "scenarios/storm-1m.toml", "-o", &place(&folder)]);
    inspect(&files(place(&folder)), "storm-1m");
}

/// Two tables of clients bring a table of them.
#[test]
fn several_kinds_of_clients_have_a_table() {
    let text = b"[client.web]\ncalls = \"shop\"\narrivals = \"together\"\ncount = 3\n\
                 [client.app]\ncalls = \"shop\"\narrivals = \"together\"\ncount = 2\n\
                 [service.shop]\n";
    let folder = temporary();
    let output = sim_reading(text, &["run", "-", "-o", &place(&folder)]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let files = files(place(&folder));
    inspect(&files, "two clients");
    let clients = String::from_utf8_lossy(&files["clients.csv"]).into_owned();
    assert!(clients.contains(",web,3,") && clients.contains(",app,2,"), "{clients}");
}

#[test]
fn a_new_scenario_is_sound_and_never_overwrites() {
    let folder = temporary();
    let mine = folder.path().join("x.toml").to_string_lossy().into_owned();
    prints(0, &["new", &mine]);
    prints(0, &["check", &mine]);
    prints(0, &["run", &mine, "-o", &place(&folder)]);
    inspect(&files(place(&folder)), "a new scenario");
    fs::write(&mine, "mine").expect("it can be written");
    prints(3, &["new", &mine]);
    assert_eq!(fs::read_to_string(&mine).expect("it is there"), "mine");
    prints(3, &["new", &folder.path().to_string_lossy()]);
    prints(3, &["new", &format!("{mine}/y.toml")]);
    let printed = prints(0, &["new", "-"]);
    assert_eq!(code(&sim_reading(printed.as_bytes(), &["check", "-"])), 0);
}

#[test]
fn a_published_table_is_rebuilt() {
    let screen = prints(0, &["reproduce", "ten-thousand-clients"]);
    assert!(screen.ends_with("✓ 15 numbers, all as published\n"), "{screen}");
    prints(2, &["reproduce", "no-such-table"]);
}
