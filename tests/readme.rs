//! The README speaks true: every command in it works as printed, and what it
//! prints is what comes out.

use std::path::Path;
use std::process::{Command, Output};

const README: &str = include_str!("../README.md");

/// The code blocks of one language.
fn blocks(language: &str) -> Vec<&'static str> {
    let open = format!("```{language}\n");
    let parts = README.split(open.as_str()).skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}

/// Runs a line of the README in an empty folder beside the scenarios.
#[cfg(unix)]
fn run(line: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    std::os::unix::fs::symlink(scenarios, folder.path().join("scenarios")).expect("a link");
    let line = line.replace("cargo run --release --", env!("CARGO_BIN_EXE_sim"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.path());
    shell.output().expect("a shell")
}

#[cfg(unix)]
#[test]
fn every_command_works() {
    let lines = blocks("sh").into_iter().flat_map(str::lines);
    let commands: Vec<_> = lines.filter(|line| line.contains("run --release -- ")).collect();
    assert!(commands.len() >= 9, "the README's commands were not found");
    for line in commands {
        // A million clients and the 200 seeds of `reproduce` take their time
        // without optimisation; the continuous integration runs them with it.
        if line.contains("storm-1m") || line.contains("reproduce") {
            continue;
        }
        let output = run(line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{errors}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_printed_comes_out() {
    let printed = blocks("text");
    for (scenario, block) in ["storm", "layers"].iter().zip(&printed) {
        let output = run(&format!("cargo run --release -- run scenarios/{scenario}.toml"));
        let screen = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in block.lines() {
            assert!(screen.lines().any(|other| other == line), "{line:?} is not in\n{screen}");
        }
    }
    assert_eq!(printed.len(), 2, "a screen of the README is not checked");
}

#[test]
fn the_scenario_shown_is_sound() {
    use retry_storm::scenario::{ReadOptions, read};
    let shown = blocks("toml");
    let all = shown.join("\n");
    for text in [shown[0], all.as_str()] {
        let read = read(text, &ReadOptions::default());
        assert!(read.is_ok(), "{text}");
    }
}
