//! The exit code says what happened, also if a signal or a reader who has seen
//! enough ends the run.

use std::fs;
use std::io::Write;

use crate::binary::{
    code, command, errors, files, names, place, prints, sim, sim_reading, start, temporary,
};

const STORM: &str = "scenarios/storm.toml";

/// What is typed, and the exit code that is due. Only what is wrong is told on
/// standard error, and only results on standard output.
#[test]
fn exit_codes_say_what_happened() {
    let folder = temporary();
    let results = place(&folder);
    let cases: &[(i32, &[&str])] = &[
        (0, &["run", STORM, "--no-charts", "-o", &results]),
        (0, &["check", STORM]),
        (0, &["--help"]),
        (0, &["help", "run"]),
        (0, &["--version"]),
        (1, &["run", STORM, "--no-charts", "-o", &results, "--set", "client.app.count=20_000"]),
        (2, &[]),
        (2, &["fly"]),
        (2, &["run"]),
        (2, &["run", STORM, "scenarios/layers.toml"]),
        (2, &["run", STORM, "--no-such-flag"]),
        (2, &["run", STORM, "--threads", "0"]),
        (2, &["run", STORM, "--seed", "18446744073709551616"]),
        (2, &["run", STORM, "-o", ""]),
        (2, &["run", STORM, "--set", "client.app.count"]),
        (2, &["run", STORM, "-o", &results, "--set", "client.app.cuont=3"]),
        (2, &["run", STORM, "-o", &results, "--set", "client.app.count=1e99"]),
        (2, &["run", STORM, "-o", &results, "--set", "client.app.retry.backoff=none"]),
        (2, &["run", STORM, "--set", "seed=1", "--set", "seed=2"]),
        (2, &["check", "tests/broken/syntax.toml"]),
        (3, &["run", "scenarios/no-such-file.toml"]),
        (3, &["run", "scenarios"]),
        (3, &["check", "output/storm/strategies.png"]),
        (4, &["run", STORM, "--no-charts", "-o", &results, "--set", "live_limit=100"]),
    ];
    for (expected, arguments) in cases {
        let output = sim(arguments);
        assert_eq!(code(&output), *expected, "{arguments:?}\n{}", errors(&output));
        let is_bad = *expected >= 2;
        assert_eq!(errors(&output).is_empty(), !is_bad, "{arguments:?}\n{}", errors(&output));
        assert_eq!(output.stdout.is_empty(), is_bad, "{arguments:?}");
    }
}

/// A run that is stopped by its limit has no results, and says what to do.
#[test]
fn a_limit_leaves_nothing() {
    let folder = temporary();
    let output = sim(&["run", STORM, "-o", &place(&folder), "--set", "live_limit=100"]);
    assert_eq!(code(&output), 4);
    assert!(errors(&output).contains("live_limit"), "{}", errors(&output));
    assert_eq!(names(folder.path()), [""; 0]);
}

/// The files are written and the number is told, also where nobody sees it.
#[test]
fn a_missed_threshold_has_its_results() {
    let text = fs::read(STORM).expect("it is there");
    let text = String::from_utf8_lossy(&text).replace("max    = 1_700", "max    = 1_000");
    for more in [&[][..], &["--quiet"], &["--format", "json"], &["--format", "junit"]] {
        let folder = temporary();
        let arguments = ["run", "-", "--no-charts", "-o", &place(&folder)];
        let output = sim_reading(text.as_bytes(), &[&arguments, more].concat());
        assert_eq!(code(&output), 1, "{more:?}\n{}", errors(&output));
        assert!(files(place(&folder)).contains_key("summary.csv"));
        let all = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
        assert!(all.contains("1,562 of at most 1,000"), "{more:?}\n{all}");
    }
}

/// `head` closes its end as soon as it has its lines. The text is only sent
/// when the other end is closed, so nothing depends on who is quicker.
#[test]
fn nobody_needs_to_read_to_the_end() {
    let text = fs::read(STORM).expect("it is there");
    for form in ["text", "json", "csv"] {
        let folder = temporary();
        let mut child =
            start(&["run", "-", "--no-charts", "-o", &place(&folder), "--format", form]);
        drop(child.stdout.take());
        let mut to = child.stdin.take().expect("it reads");
        to.write_all(&text).expect("it reads to the end");
        drop(to);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(code(&output), 0, "{form}: {}", errors(&output));
        assert_eq!(errors(&output), "", "{form}");
        assert!(files(place(&folder)).contains_key("summary.csv"), "{form}");
    }
}

/// A full disk behind standard output is told.
#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_printed_are_an_error() {
    let folder = temporary();
    let run = ["run", STORM, "--no-charts", "-o", &place(&folder)];
    for arguments in [&run[..], &["check", STORM], &["schema"], &["completions", "bash"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = command(arguments).stdout(full).output().expect("the binary runs");
        assert_eq!(code(&output), 3, "{arguments:?}");
        assert!(errors(&output).contains("the disk is full"), "{}", errors(&output));
    }
}

/// Waits until a process has said what to do with SIGINT: before that the
/// signal ends it at once, as it should.
#[cfg(target_os = "linux")]
fn wait_until_it_listens(process: u32) {
    for _ in 0..1_000 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.unwrap_or(0) & 0b10 != 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("it never listened to signals");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_what_was_there() {
    use std::process::{Command, Stdio};

    let folder = temporary();
    let run = ["run", STORM, "--no-charts", "-o", &place(&folder)];
    prints(0, &run);
    let before = files(place(&folder));
    let absent = folder.path().join("deep/results").to_string_lossy().into_owned();
    for (signal, results) in [("INT", place(&folder)), ("TERM", place(&folder)), ("INT", absent)] {
        // Far more than it can do before the signal comes.
        let mut long = command(&["run", STORM, "-o", &results]);
        long.args(["--set", "client.app.count=5_000_000"]);
        let child = long.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("the binary runs");
        wait_until_it_listens(child.id());
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(code(&output), 130, "{signal}\n{}", errors(&output));
        assert_eq!(errors(&output), "error: interrupted; nothing was written\n");
        assert!(output.stdout.is_empty());
        assert!(files(place(&folder)) == before, "something was touched");
        assert_eq!(names(folder.path()), ["results"], "something half-written is left");
    }
}

/// The tables are small, and the program must look up between them.
#[cfg(target_os = "linux")]
#[test]
fn rebuilding_the_tables_can_be_interrupted() {
    use std::process::{Command, Stdio};

    let mut all = command(&["reproduce"]);
    let child = all.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the binary runs");
    wait_until_it_listens(child.id());
    let kill = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 130, "{}", errors(&output));
}
