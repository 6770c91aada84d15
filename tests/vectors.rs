//! Replays what libraries wait: numbers from their own tests, from runs of
//! their published packages, and from their rules.
//!
//! The data lie in tests/vectors. `policies.csv` says what each policy is: a
//! preset, or none, and settings that differ. A row of waits names a policy, a
//! retry, the draw that every retry of the call gets, and the wait; or the
//! bounds of the wait over all draws, if it names none. `hints.csv` gives
//! decisions about answers with a Retry-After. `deviations.csv` lists the rows
//! from which we deviate on purpose, with the reason.

mod settings;

use std::collections::BTreeMap;
use std::path::Path;

use retry_storm::policy::{
    Backoff, Decision, Failed, Failure, Hint, Jitter, Memory, Progress, Reason,
};
use retry_storm::time::Duration;
use settings::Settings;

/// Waits are given to a millionth of a millisecond or better, and ours are
/// whole nanoseconds.
const TOLERANCE_NANOS: f64 = 1.0;

type Row = BTreeMap<String, String>;

/// The rows of a file of this folder, by the names of their columns.
fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file);
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
    reader.deserialize().map(|row| row.unwrap_or_else(|e| panic!("{file}: {e}"))).collect()
}

fn policies() -> BTreeMap<String, Settings> {
    rows("policies.csv")
        .into_iter()
        .map(|row| (row["policy"].clone(), Settings::read(&row["starts_from"], &row["settings"])))
        .collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn nanos(milliseconds: &str) -> f64 {
    number(milliseconds) * 1e6
}

/// The wait before this retry when every retry so far got the draw `u`.
fn wait(settings: &Settings, backoff: &Backoff, retry: u32, u: f64) -> Duration {
    let mut memory = Memory::EMPTY;
    let mut wait = |n| {
        if settings.throttled {
            backoff.throttled_wait(n, &mut memory, || u)
        } else {
            backoff.wait(n, &mut memory, || u)
        }
    };
    (1..retry).for_each(|n| {
        wait(n);
    });
    wait(retry)
}

/// A draw that makes the library's remainder: `9999 mod range` is a random
/// integer of which the library takes the remainder by its range of waits, in
/// milliseconds, where ours takes a share of that range.
fn draw(text: &str, settings: &Settings, retry: u32) -> f64 {
    let Some(integer) = text.strip_suffix(" mod range") else {
        return number(text);
    };
    let at = |u| wait(settings, &settings.without_rounding(), retry, u).as_nanos();
    let range = ((at(1.0) - at(0.0)) / 1_000_000) as f64;
    (number(integer) % range + 0.5) / range
}

/// What our policy does in a row of waits: the shortest and the longest wait in
/// nanoseconds, or `None` if it gives up.
fn ours(row: &Row, settings: &Settings) -> Option<(f64, f64)> {
    let retry: u32 = row["retry"].parse().expect("retries are counted");
    let wait_at = |u| wait(settings, &settings.policy.backoff, retry, u).as_nanos() as f64;
    if row["wait_ms"] == "stop" {
        let mut progress = Progress::default();
        let mut elapsed = Duration::ZERO;
        for attempt in 1..=retry {
            progress.attempts = attempt;
            let failed = Failed { elapsed, ..Failure::Timeout.into() };
            match settings.policy.decide(failed, &mut progress, || 0.0, None) {
                Decision::RetryAfter(wait) => elapsed += wait,
                Decision::GiveUp(_) if attempt == retry => return None,
                Decision::GiveUp(reason) => panic!("gives up too early: {reason:?}"),
            }
        }
        return Some((wait_at(0.0), wait_at(1.0)));
    }
    if row["up_to_ms"].is_empty() {
        let u = if row["draw"].is_empty() { 0.5 } else { draw(&row["draw"], settings, retry) };
        return Some((wait_at(u), wait_at(u)));
    }
    let waits = (0..1_000_u32).map(|i| wait_at(f64::from(i) / 1_000.0)).chain([wait_at(MOST)]);
    Some(waits.fold((f64::INFINITY, 0.0), |(low, high), wait| (wait.min(low), wait.max(high))))
}

/// The largest draw there is.
const MOST: f64 = 1.0 - f64::EPSILON / 2.0;

/// Why a row fails, if it does. A row of bounds must hold for every draw, and
/// our range must not be narrower than 3/4 of theirs.
fn complaint(row: &Row, settings: &Settings) -> Option<String> {
    let ours = ours(row, settings);
    let (low, high) = match (row["wait_ms"].as_str(), ours) {
        ("stop", None) => return None,
        ("stop", Some(waits)) => return Some(format!("goes on with {waits:?}")),
        (_, None) => return Some("gives up".to_owned()),
        (_, Some(waits)) => waits,
    };
    let least = nanos(&row["wait_ms"]);
    let is_right = if row["up_to_ms"].is_empty() {
        (low - least).abs() <= TOLERANCE_NANOS
    } else {
        let most = nanos(&row["up_to_ms"]);
        low >= least && high <= most && high - low >= 0.75 * (most - least)
    };
    (!is_right).then(|| format!("waits {low} to {high} ns"))
}

/// Replays the rows of waits of a file, less those that deviate on purpose.
fn replay(file: &str, expected_rows: usize) {
    let policies = policies();
    let deviations: Vec<Row> =
        rows("deviations.csv").into_iter().filter(|row| row["file"] == file).collect();
    let is_deviation = |row: &Row| {
        deviations
            .iter()
            .any(|d| ["policy", "retry", "draw"].iter().all(|key| d[*key] == row[*key]))
    };
    let rows = rows(file);
    assert_eq!(rows.len(), expected_rows, "{file} has lost or gained rows");
    let mut failures = Vec::new();
    for row in &rows {
        let settings = policies.get(&row["policy"]).unwrap_or_else(|| panic!("{row:?}: no policy"));
        assert!(!row["source"].is_empty(), "{row:?} has no source");
        match (complaint(row, settings), is_deviation(row)) {
            (None, false) | (Some(_), true) => {}
            (None, true) => failures.push(format!("{row:?} is no deviation any more")),
            (Some(complaint), false) => failures.push(format!("{row:?}: {complaint}")),
        }
    }
    assert!(
        failures.is_empty(),
        "{} rows of {file} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn waits_of_the_libraries_own_tests() {
    replay("library_tests.csv", 326);
}

#[test]
fn waits_recorded_from_published_packages() {
    replay("recorded.csv", 651);
}

#[test]
fn waits_computed_from_the_rules() {
    replay("rules.csv", 1212);
}

#[test]
fn every_deviation_says_what_we_do_and_why() {
    let policies = policies();
    for row in rows("deviations.csv") {
        let settings = &policies[&row["policy"]];
        let retry = row["retry"].parse().expect("retries are counted");
        let u = if row["draw"].is_empty() { 0.5 } else { number(&row["draw"]) };
        let wait = wait(settings, &settings.policy.backoff, retry, u).as_nanos() as f64;
        assert!((wait - nanos(&row["ours_ms"])).abs() <= TOLERANCE_NANOS, "{row:?}: {wait} ns");
        assert!(row["why"].len() > 20, "{row:?} gives no reason");
    }
}

/// Friday, 31 December 1999, 23:59:57 GMT.
const NOW: Duration = Duration::from_secs(946_684_797);

#[test]
fn answers_that_say_when_to_come_back() {
    let policies = policies();
    let rows = rows("hints.csv");
    assert_eq!(rows.len(), 33, "hints.csv has lost or gained rows");
    for row in &rows {
        let policy = &policies[&row["policy"]].policy;
        let values: Vec<&str> = match row["values"].as_str() {
            "-" => Vec::new(),
            values => values.split('|').collect(),
        };
        let hint = policy.hint.format.read(&values, NOW);
        let asked = match row["asked_ms"].as_str() {
            "none" => None,
            millis => Some(Duration::from_nanos_f64(nanos(millis))),
        };
        let read = if let Hint::After(length) = hint { Some(length) } else { None };
        assert_eq!(read, asked, "{row:?}");

        let retry: u32 = row["retry"].parse().expect("retries are counted");
        let u = if row["draw"].is_empty() { 0.5 } else { number(&row["draw"]) };
        let status = row["status"].parse().expect("a status");
        let failed = Failed { hint, ..Failure::Status(status).into() };
        let decision = policy.decide(failed, &mut Progress::after(retry), || u, None);
        let expected = match row["decision_ms"].as_str() {
            "stop" => Decision::GiveUp(Reason::HintForbids),
            millis => Decision::RetryAfter(Duration::from_nanos_f64(nanos(millis))),
        };
        assert_eq!(decision, expected, "{row:?}");
    }
}

/// Every preset is replayed, so that none is a guess.
#[test]
fn every_preset_has_a_row() {
    let used: Vec<String> =
        rows("policies.csv").into_iter().map(|row| row["starts_from"].clone()).collect();
    for preset in retry_storm::policy::preset::all() {
        assert!(used.iter().any(|name| name == preset.name), "{} has no row", preset.name);
        assert_ne!(preset.policy.backoff.jitter, Jitter::Scale { low: 1.0, high: 1.0 });
    }
}

/// The page lists what there is, with its attempts and its source.
#[test]
fn the_page_of_policies_lists_every_preset() {
    let page = include_str!("../docs/policies.md");
    let mut listed = page.lines().filter(|line| line.starts_with("| `"));
    for preset in retry_storm::policy::preset::all() {
        let attempts = preset.policy.max_attempts.map_or("unlimited".to_owned(), |n| n.to_string());
        let row = format!("| `{}` | {attempts} | {} |", preset.name, preset.source);
        assert_eq!(listed.next(), Some(row.as_str()));
    }
    assert_eq!(listed.next(), None);
}
