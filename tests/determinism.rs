//! The same scenario and seed give the same bytes, however often it is run and
//! on however many threads.

use std::collections::BTreeMap;

use crate::binary::{files, place, prints, temporary};

/// All files of a run, and what it printed under the name of none.
fn run(scenario: &str, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let folder = temporary();
    let results = place(&folder);
    let printed = prints(0, &[&["run", scenario, "-o", &results], more].concat());
    let mut all = files(&results);
    all.insert(String::new(), printed.replace(&results, "results").into_bytes());
    all
}

fn assert_same(first: &BTreeMap<String, Vec<u8>>, again: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(first.keys().eq(again.keys()), "{what}: other files");
    for (name, bytes) in first {
        assert!(bytes == &again[name], "{what}: {name:?} differs");
    }
}

#[test]
fn neither_a_second_run_nor_threads_change_a_byte() {
    for scenario in ["scenarios/storm.toml", "scenarios/layers.toml", "scenarios/limit.toml"] {
        let first = run(scenario, &["--threads", "1"]);
        assert!(first.len() > 5, "{scenario} wrote too little");
        for threads in ["1", "2", "8"] {
            let again = run(scenario, &["--threads", threads]);
            assert_same(&first, &again, &format!("{scenario} on {threads} threads"));
        }
        assert_same(&first, &run(scenario, &[]), scenario);
    }
}

/// Recorded attempts are the largest table, and its order is the easiest to
/// get wrong.
#[test]
fn recorded_attempts_are_the_same_too() {
    let scenario = "scenarios/published/one-client.toml";
    let first = run(scenario, &["--threads", "1"]);
    assert!(first.contains_key("attempts.csv"), "{:?}", first.keys());
    assert_same(&first, &run(scenario, &["--threads", "8"]), scenario);
}

/// Equal bytes say nothing if the seed does not reach them.
#[test]
fn another_seed_gives_other_numbers() {
    let scenario = "scenarios/storm.toml";
    let (first, other) = (run(scenario, &[]), run(scenario, &["--seed", "7"]));
    for name in ["summary.csv", "waits.csv", "timeline.csv", "run.json", "strategies.png"] {
        assert!(first[name] != other[name], "{name} does not depend on the seed");
    }
    let set = run(scenario, &["--set", "seed=7"]);
    assert_same(&other, &set, "--seed and --set seed");
}
