//! What is read: broken scenarios are told of with all that is wrong with them
//! and where, and nothing that is read brings the program down.

use std::fs;

use crate::binary::{code, errors, names, of_kind, place, sim, sim_in, sim_reading, temporary};

#[test]
fn all_that_is_wrong_is_said_at_once_and_where() {
    let text =
        b"[client.app]\ncalls = \"shop\"\narrivals = \"togther\"\njiter = 1\n[service.shop]\n";
    let folder = temporary();
    for command in [&["check", "-"][..], &["run", "-", "-o", &place(&folder)]] {
        let output = sim_reading(text, command);
        assert_eq!(code(&output), 2);
        let errors = errors(&output);
        for part in ["togther", "`together`", "unknown key `jiter`", "stdin:3:12", "stdin:4:1"] {
            assert!(errors.contains(part), "{part:?} is not in\n{errors}");
        }
        assert_eq!(errors.matches("error: ").count(), 2, "{errors}");
    }
    assert_eq!(names(folder.path()), [""; 0], "something was written");
}

/// What each message says in full is a snapshot beside the reader; here it is
/// that all of them arrive.
#[test]
fn every_broken_scenario_is_refused() {
    let broken = of_kind("tests/broken", ".toml");
    assert!(broken.len() > 40, "the broken scenarios were not found");
    for path in broken {
        let (folder, path) = (temporary(), path.to_string_lossy().into_owned());
        let output = sim(&["run", &path, "-o", &place(&folder)]);
        // A file of data that cannot be read is no mistake of the scenario's.
        let expected = if path.ends_with("missing-file.toml") { 3 } else { 2 };
        assert_eq!(code(&output), expected, "{path}\n{}", errors(&output));
        let is_error = |line: &str| line.starts_with("error: ");
        assert!(errors(&output).lines().any(is_error), "{path}\n{}", errors(&output));
        assert!(errors(&output).contains(&format!("--> {path}:")), "{}", errors(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(names(folder.path()), [""; 0], "{path}: something was written");
        let json = sim(&["check", &path, "--format", "json"]);
        assert_eq!(code(&json), expected, "{path}");
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
        assert_eq!(json["sound"], false, "{path}");
        let told = json["diagnostics"].as_array().map_or(0, Vec::len);
        let shown = errors(&output).lines().filter(|line| is_heading(line)).count();
        assert_eq!(told, shown, "{path}: JSON and text tell of different mistakes");
    }
}

fn is_heading(line: &str) -> bool {
    ["error: ", "warning: "].iter().any(|head| line.starts_with(head))
}

/// Bytes that are no text are no scenario, from a file as from elsewhere.
#[test]
fn no_input_brings_it_down() {
    let garbage: Vec<u8> =
        (0..100_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let lists = "a = ".to_owned() + &"[".repeat(100_000);
    let tables = "a = ".to_owned() + &"{a=".repeat(100_000);
    let dots = "a.".repeat(100_000) + "a = 1";
    let long = "#".repeat(5_000_000);
    let cases: &[(i32, &[u8])] = &[
        (2, b""),
        (2, b"\n\n# nothing\n"),
        (2, b"\xef\xbb\xbf"),
        (3, b"\xff\xfe"),
        (3, &garbage),
        (3, b"[client.app]\n\xc3"),
        (2, b"name = \"\0\""),
        (2, lists.as_bytes()),
        (2, tables.as_bytes()),
        (2, dots.as_bytes()),
        (3, long.as_bytes()),
    ];
    let folder = temporary();
    for (number, (expected, input)) in cases.iter().enumerate() {
        let file = folder.path().join("input.toml");
        fs::write(&file, input).expect("written");
        let from_file = sim(&["check", &file.to_string_lossy()]);
        for output in [sim_reading(input, &["check", "-"]), from_file] {
            let errors = errors(&output);
            assert_eq!(code(&output), *expected, "case {number}\n{errors:.2000}");
            assert!(errors.starts_with("error: "), "case {number}\n{errors:.2000}");
            assert!(errors.len() < 5_000, "case {number} is told at length");
            assert!(output.stdout.is_empty(), "case {number}");
        }
    }
}

/// How lines end and a mark at the beginning are the editor's business.
#[test]
fn other_editors_files_are_read() {
    let text = fs::read_to_string("scenarios/layers.toml").expect("it is there");
    let unix = text.replace("\r\n", "\n");
    for other in [unix.replace('\n', "\r\n"), format!("\u{feff}{unix}"), unix.trim_end().into()] {
        let output = sim_reading(other.as_bytes(), &["check", "-"]);
        assert_eq!(code(&output), 0, "{}", errors(&output));
    }
}

/// From another folder, by a path with a blank, and with a name like an option.
#[test]
fn a_file_is_found_where_it_is() {
    let folder = temporary();
    let text = fs::read("scenarios/layers.toml").expect("it is there");
    for (name, arguments) in [
        ("-x.toml", &["check", "--", "-x.toml"][..]),
        ("-y.toml", &["check", "./-y.toml"]),
        ("a b'c\"d.toml", &["check", "a b'c\"d.toml"]),
        (".toml", &["check", ".toml"]),
        ("none", &["check", "none"]),
    ] {
        fs::write(folder.path().join(name), &text).expect("written");
        let output = sim_in(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{name}\n{}", errors(&output));
    }
    let output = sim_in(folder.path(), &["check", "missing.toml"]);
    assert_eq!(code(&output), 3);
    let errors = errors(&output);
    assert!(errors.starts_with("error: cannot read missing.toml: "), "{errors}");
    assert!(errors.contains("sim new missing.toml"), "{errors}");
}

/// A setting's mistake points into the setting.
#[test]
fn settings_are_checked_like_files() {
    for (setting, parts) in [
        ("client.app.cuont=3", &["--set:1:", "`count`"][..]),
        ("client.app.count=0", &["--set:1:18", "from 1 to"]),
        ("client.app.retry.base=\"1 parsec\"", &["--set:1:", "unknown unit `parsec`"]),
        ("client.nobody.count=3", &["--set:1:", "nobody"]),
        ("client.app.count=[", &["--set:1:", "not valid TOML"]),
        ("service.shop.fails=allways", &["--set:1:", "`always`"]),
    ] {
        let output = sim(&["check", "scenarios/storm.toml", "--set", setting]);
        assert_eq!(code(&output), 2, "{setting}\n{}", errors(&output));
        for part in parts {
            assert!(errors(&output).contains(part), "{setting}: {part}\n{}", errors(&output));
        }
    }
}

/// Waits that add up to more centuries than the clock has: whatever is made of
/// them, it is no bug of ours.
#[test]
fn the_end_of_time_brings_nothing_down() {
    let text = b"[client.a]\ncalls = \"s\"\narrivals = \"together\"\ncount = 2\n\
                 [client.a.retry]\nmax_attempts = 1_000\nbackoff = \"constant\"\n\
                 base = \"3650 d\"\ncap = \"3650 d\"\n[service.s]\nfails = \"always\"\n";
    let folder = temporary();
    let output = sim_reading(text, &["run", "-", "-o", &place(&folder)]);
    assert!(matches!(code(&output), 0 | 2 | 4), "{}\n{}", code(&output), errors(&output));
}
