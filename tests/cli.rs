//! The program from outside: the binary, its files, its exit codes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Runs `sim` in the repository's folder.
fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.stdin(Stdio::null()).output().expect("the binary runs")
}

/// Runs `sim` with a text on standard input.
fn sim_reading(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut to = child.stdin.take().expect("it reads");
    // A reader that has seen enough closes its end, which is no mistake here.
    let _ = to.write_all(input);
    drop(to);
    child.wait_with_output().expect("the binary ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let read = |path: PathBuf| {
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("it can be read"))
    };
    paths.map(read).collect()
}

/// A place for results that does not exist yet.
fn place(within: &TempDir) -> String {
    within.path().join("results").to_string_lossy().into_owned()
}

fn scenarios() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["scenarios", "scenarios/published"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for (name, _) in files_of_kind(&folder, "toml") {
            found.push(folder.join(name).to_string_lossy().into_owned());
        }
    }
    assert!(found.len() >= 12, "the scenarios were not found");
    found
}

fn files_of_kind(folder: &Path, kind: &str) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let of_kind = paths.filter(|path| path.extension().is_some_and(|end| end == kind));
    let named = |path: PathBuf| {
        (path.file_name().expect("it has a name").to_string_lossy().into_owned(), path)
    };
    let mut found: Vec<_> = of_kind.map(named).collect();
    found.sort();
    found
}

#[test]
fn every_shipped_scenario_runs_and_meets_its_thresholds() {
    for scenario in scenarios() {
        if scenario.ends_with("storm-1m.toml") {
            continue; // a million clients take half a minute without optimisation
        }
        let folder = TempDir::new().expect("a temporary folder");
        let output = sim(&["run", &scenario, "--no-charts", "-o", &place(&folder)]);
        assert_eq!(code(&output), 0, "{scenario}\n{}", errors(&output));
        let check = sim(&["check", &scenario]);
        assert_eq!(code(&check), 0, "{scenario}\n{}", errors(&check));
    }
}

#[test]
#[cfg(feature = "long-tests")]
fn a_million_clients_meet_their_thresholds() {
    let folder = TempDir::new().expect("a temporary folder");
    let output = sim(&["run", "scenarios/storm-1m.toml", "-o", &place(&folder)]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

/// Byte for byte, and pictures by their pixels: how they are compressed may
/// change with a library.
#[test]
fn the_committed_results_are_current() {
    for name in ["storm", "layers"] {
        let folder = TempDir::new().expect("a temporary folder");
        let scenario = format!("scenarios/{name}.toml");
        let output = sim(&["run", &scenario, "-o", &place(&folder)]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        let fresh = files(Path::new(&place(&folder)));
        let committed = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("output").join(name));
        assert!(fresh.keys().eq(committed.keys()), "{name}: other files");
        for (file, bytes) in &fresh {
            let same = if Path::new(file).extension().is_some_and(|end| end == "png") {
                pixels(bytes) == pixels(&committed[file])
            } else {
                bytes == &committed[file]
            };
            assert!(same, "output/{name}/{file} is old: cargo run --release -- run {scenario}");
        }
    }
}

fn pixels(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().expect("it is a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut pixels).expect("it can be decoded");
    (info.width, info.height, pixels)
}

#[test]
fn neither_a_second_run_nor_threads_change_a_byte() {
    for scenario in ["scenarios/storm.toml", "scenarios/limit.toml"] {
        let run = |threads: &str| {
            let folder = TempDir::new().expect("a temporary folder");
            let output = sim(&["run", scenario, "--threads", threads, "-o", &place(&folder)]);
            assert_eq!(code(&output), 0, "{}", errors(&output));
            files(Path::new(&place(&folder)))
        };
        let first = run("1");
        for threads in ["1", "2", "8"] {
            let again = run(threads);
            assert!(first.keys().eq(again.keys()));
            for (file, bytes) in &first {
                assert!(bytes == &again[file], "{scenario}: {file} differs with {threads} threads");
            }
        }
    }
}

#[test]
fn the_published_screen_comes_out() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments = ["--set", "random=cpython", "--no-charts", "-o", &place(&folder)];
    let output = sim(&[&["run", "scenarios/storm.toml"], &arguments[..]].concat());
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "constant              10,000 retries      500 ms      500 ms         500 ms",
        "exponential           10,000 retries    2,500 ms    2,500 ms       2,500 ms",
        "full-jitter            1,461 retries    1,241 ms    2,099 ms       2,357 ms",
        "equal-jitter           2,048 retries    1,870 ms    2,300 ms       2,429 ms",
        "decorrelated-jitter      647 retries    2,371 ms    4,007 ms       4,182 ms",
        "  ✓ busiest_slice_retries of full-jitter      1,461 of at most 1,700",
    ] {
        assert!(screen.lines().any(|other| other == line), "{line:?} is not in\n{screen}");
    }
}

/// What is typed, what is read, and the exit code that is due.
#[test]
fn exit_codes_say_what_happened() {
    let folder = TempDir::new().expect("a temporary folder");
    let results = place(&folder);
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").expect("it can be written");
    let file = file.to_string_lossy().into_owned();
    let storm = "scenarios/storm.toml";
    let cases: &[(i32, &[&str])] = &[
        (0, &["run", storm, "--no-charts", "-o", &results]),
        (1, &["run", storm, "--no-charts", "-o", &results, "--set", "client.app.count=20_000"]),
        (2, &["run", storm, "--no-such-flag"]),
        (2, &["run", storm, "-o", &results, "--set", "client.app.cuont=3"]),
        (2, &["run", storm, "-o", &results, "--set", "client.app.retry.backoff=none"]),
        (3, &["run", "scenarios/no-such-file.toml"]),
        (3, &["run", "scenarios"]),
        (3, &["run", storm, "--no-charts", "-o", &file]),
        (3, &["run", "output/storm/strategies.png"]),
        (4, &["run", storm, "--no-charts", "-o", &results, "--set", "live_limit=100"]),
    ];
    for (expected, arguments) in cases {
        let output = sim(arguments);
        assert_eq!(code(&output), *expected, "{arguments:?}\n{}", errors(&output));
        assert_eq!(errors(&output).is_empty(), *expected < 2, "{arguments:?}");
    }
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "not a folder");
}

#[test]
fn all_that_is_wrong_is_said_at_once_and_where() {
    let text =
        b"[client.app]\ncalls = \"shop\"\narrivals = \"togther\"\njiter = 1\n[service.shop]\n";
    let output = sim_reading(text, &["check", "-"]);
    assert_eq!(code(&output), 2);
    let errors = errors(&output);
    for part in ["togther", "`together`", "unknown key `jiter`", "stdin:4:1"] {
        assert!(errors.contains(part), "{part:?} is not in\n{errors}");
    }
}

#[test]
fn no_input_brings_it_down() {
    let garbage: Vec<u8> =
        (0..100_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let deep = "a = ".to_owned() + &"[".repeat(100_000);
    for input in [&b""[..], b"\xff\xfe", &garbage, deep.as_bytes(), b"name = 1\n"] {
        let output = sim_reading(input, &["check", "-"]);
        assert!(matches!(code(&output), 2 | 3), "{}", errors(&output));
    }
}

#[test]
fn a_folder_with_anything_else_in_it_is_left_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let results = place(&folder);
    let storm = ["run", "scenarios/storm.toml", "--no-charts", "-o", &results];
    assert_eq!(code(&sim(&storm)), 0);
    assert_eq!(code(&sim(&storm)), 0, "its own results are replaced");
    let diary = Path::new(&results).join("diary.txt");
    fs::write(&diary, "mine").expect("it can be written");
    let before = files(Path::new(&results));
    let output = sim(&storm);
    assert_eq!(code(&output), 3, "{}", errors(&output));
    assert!(errors(&output).contains("diary.txt"), "{}", errors(&output));
    assert!(files(Path::new(&results)) == before, "something was touched");
}

#[test]
fn a_new_scenario_is_sound_and_never_overwrites() {
    let folder = TempDir::new().expect("a temporary folder");
    let mine = folder.path().join("mine.toml").to_string_lossy().into_owned();
    assert_eq!(code(&sim(&["new", &mine])), 0);
    assert_eq!(code(&sim(&["check", &mine])), 0);
    let output = sim(&["run", &mine, "-o", &place(&folder)]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let before = fs::read(&mine).expect("it is there");
    assert_eq!(code(&sim(&["new", &mine])), 3);
    assert_eq!(fs::read(&mine).expect("it is there"), before);
}

#[test]
fn programs_can_use_every_number() {
    let folder = TempDir::new().expect("a temporary folder");
    let run = |format: &str| {
        let output =
            sim(&["run", "scenarios/layers.toml", "-o", &place(&folder), "--format", format]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        String::from_utf8(output.stdout).expect("results are text")
    };
    let json: serde_json::Value = serde_json::from_str(&run("json")).expect("it is JSON");
    assert!(json.is_object());
    let csv = run("csv");
    let summary = fs::read_to_string(Path::new(&place(&folder)).join("summary.csv"));
    assert_eq!(csv, summary.expect("it was written"));
    assert!(csv.starts_with("variant,requests,answered,gave_up,attempts,retries,hedges,"));
    assert!(run("markdown").contains("| 27,000 |"));
    assert!(run("junit").starts_with("<?xml"));
    let schema: serde_json::Value =
        serde_json::from_slice(&sim(&["schema"]).stdout).expect("it is JSON");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    for shell in ["bash", "zsh", "fish"] {
        assert!(!sim(&["completions", shell]).stdout.is_empty());
    }
}

#[test]
fn a_published_table_is_rebuilt() {
    let output = sim(&["reproduce", "ten-thousand-clients"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(screen.ends_with("✓ 15 numbers, all as published\n"), "{screen}");
    assert_eq!(code(&sim(&["reproduce", "no-such-table"])), 2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_what_was_there() {
    let folder = TempDir::new().expect("a temporary folder");
    let results = place(&folder);
    let quick = ["run", "scenarios/storm.toml", "--no-charts", "-o", &results];
    assert_eq!(code(&sim(&quick)), 0);
    let before = files(Path::new(&results));
    let mut long = Command::new(env!("CARGO_BIN_EXE_sim"));
    long.args(quick).args(["--set", "client.app.count=8_000_000"]);
    long.current_dir(env!("CARGO_MANIFEST_DIR")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = long.spawn().expect("the binary runs");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(files(Path::new(&results)) == before, "something was touched");
    let left: Vec<_> = fs::read_dir(folder.path()).expect("it is there").collect();
    assert_eq!(left.len(), 1, "something half-written is left: {left:?}");
}
