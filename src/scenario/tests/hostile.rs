//! Input that is made to break the reader: it must answer, soon, without a
//! panic and within bounded memory.

use proptest::prelude::*;
use proptest::strategy::Strategy;

use super::*;
use crate::scenario::keys::{Kind, sections};

/// Reads it and shows what is wrong, so that showing is tested too.
fn survives(text: &str, sets: &[(&str, &str)]) -> Result<Read, String> {
    read(text, &options(sets)).map_err(|wrong| {
        assert!(!wrong.is_empty());
        assert_eq!(wrong.iter().count(), wrong.to_json().as_array().map_or(0, Vec::len));
        wrong.render(false)
    })
}

/// So many pieces of text, one after another.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

fn chain(depth: usize) -> String {
    let client = "[client.app]\ncalls = \"s0\"\narrivals = \"together\"\n";
    let service = |i| format!("[service.s{i}]\ncalls = \"s{}\"\nretry = \"r\"\n", i + 1);
    let last = format!("[service.s{depth}]\n[retry.r]\nmax_attempts = 2\n");
    format!("{client}{}{last}", lines(depth, service))
}

#[test]
fn a_chain_of_ten_thousand_services_is_read() {
    let read = survives(&chain(9_999), &[]).expect("it is a scenario");
    assert_eq!(read.scenario.variants[0].model.edges.len(), 10_000);
    assert!(read.warnings.render(false).contains("retries in 9999 layers multiply"));
    assert!(survives(&chain(10_000), &[]).expect_err("too many").contains("at most 10_000"));
}

#[test]
fn a_circle_of_ten_thousand_services_is_named() {
    let text = chain(9_999).replace("[service.s9999]", "[service.s9999]\ncalls = \"s0\"");
    let wrong = survives(&text, &[]).expect_err("a circle");
    assert!(wrong.contains("s0 > s1 > s2 > s3 > s4 > s5 > s6 > s7 > (9992 more) > s0"), "{wrong}");
}

#[test]
fn a_million_services_or_variants_are_refused() {
    let services = lines(250_000, |i| format!("[service.s{i}]\n"));
    let text = format!("[client.a]\ncalls = \"s1\"\narrivals = \"together\"\n{services}");
    let wrong = survives(&text, &[]).expect_err("too many");
    assert!(wrong.contains("250_000 tables of `service`") || wrong.contains("longer"), "{wrong}");
    let values: Vec<String> = (1..=1_000).map(|i| i.to_string()).collect();
    let values = values.join(", ");
    let product = format!(
        "{STORM}\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n"
    )
    .replace(
        "[compare]",
        &format!("[compare]\n\"client.app.count\" = [{values}]\n\"service.shop.workers\" = [{values}]"),
    );
    assert!(
        survives(&product, &[]).expect_err("too many").contains("10_000_000 runs are too many")
    );
}

#[test]
fn large_worlds_in_many_variants_are_refused() {
    let values: Vec<String> = (1..=200).map(|i| i.to_string()).collect();
    let compare = format!("[compare]\n\"client.app.count\" = [{}]\n", values.join(", "));
    let wrong = survives(&format!("{}{compare}", chain(5_999)), &[]).expect_err("too much");
    assert!(wrong.contains("200 variants of 6001 services and clients are too many"), "{wrong}");
}

/// One variant with thousands of changes, times a thousand values.
#[test]
fn more_changes_than_fit_are_refused() {
    let changes = lines(5_000, |i| format!("\"service.s{i}.fails\" = \"1 %\"\n"));
    let values = lines(1_000, |i| format!("{}, ", i + 1));
    let compare = format!("[compare]\n\"client.app.count\" = [{values}]\n");
    let variant = format!("[[variant]]\nname = \"a\"\n[variant.set]\n{changes}");
    let text = format!("{}{compare}{variant}", chain(5_000));
    let wrong = survives(&text, &[]).expect_err("too many");
    assert!(wrong.contains("1000 runs with up to 5001 changes each are too many"), "{wrong}");
    let once = format!("{}{variant}", chain(5_000));
    assert_eq!(survives(&once, &[]).expect("one run").scenario.variants.len(), 1);
}

#[test]
fn files_that_are_too_long_are_refused() {
    let long = format!("# {}", "x".repeat(10 << 20));
    assert!(survives(&long, &[]).expect_err("too long").contains("longer than 4 MB"));
    let filled = |unit: &str| unit.repeat(LONGEST_FILE / unit.len());
    for text in [
        filled("a"),
        filled("["),
        filled("{"),
        filled("=\n"),
        filled("[[variant]]\n"),
        filled("\"\"\"\n"),
        format!("a = [{}]", filled("1,").trim_end_matches("1,")),
        format!("client = {{ {} }}", filled("a.b=1,").trim_end_matches("a.b=1,")),
        format!("name = \"{}\"", "x".repeat(LONGEST_FILE - 20)),
        format!("{} = 1", "x".repeat(LONGEST_FILE - 20)),
        format!("[client.{}]\n", "x".repeat(LONGEST_FILE - 20)),
        format!("a = {}", "9".repeat(LONGEST_FILE - 20)),
        lines(150_000, |i| format!("[client.c{i}]\ncalls=7\n")),
        lines(100_000, |i| format!("[[threshold]]\nmetric = \"m{i}\"\n")),
    ] {
        assert!(survives(&text[..text.len().min(LONGEST_FILE)], &[]).is_err());
    }
}

#[test]
fn many_wrong_names_are_answered_soon() {
    let client = "[client.app]\ncalls = \"s0\"\narrivals = \"together\"\n";
    let service = |i| format!("[service.s{i}]\ncalls = [\"t{i}\", \"u{i}\"]\n");
    let text = format!("{client}{}", lines(9_000, service));
    assert!(survives(&text, &[]).expect_err("unknown names").contains("more\n"));
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    let windows = format!("\u{feff}{}", STORM.replace('\n', "\r\n"));
    let scenario = survives(&windows, &[]).expect("the same scenario").scenario;
    assert_eq!(scenario.variants.len(), 5);
    let wrong = survives(&windows.replace("count ", "cuont "), &[]).expect_err("a wrong key");
    assert!(
        wrong.contains("test.toml:21:1") && wrong.contains("similar name exists: `count`"),
        "{wrong}"
    );
    assert!(survives("\u{0}\u{1}\u{2}", &[]).is_err());
    assert!(survives("a = 1\rb = 2", &[]).is_err());
    assert!(survives("\u{202e} = \"\u{1f980}\"\n\u{1f980} = ", &[]).is_err());
}

/// Values that have broken readers before.
const ODD: &[&str] = &[
    "0",
    "-1",
    "1",
    "1.5",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    "true",
    "1979-05-27T07:32:00Z",
    "\"\"",
    "\" \"",
    "\"never\"",
    "\"none\"",
    "\"unlimited\"",
    "\"always\"",
    "\"1e18 /s\"",
    "\"1e-400 s\"",
    "\"10 ms\"",
    "\"\u{b5}s\"",
    "\"5 %\"",
    "\"-5 %\"",
    "\"a.b\"",
    "\"\\u0000\"",
    "[]",
    "[[]]",
    "[\"shop\"]",
    "[\"shop\", 3]",
    "{}",
    "{ kind = \"exponential\" }",
    "{ max_attempts = 3 }",
    "{ x = { y = { z = 1 } } }",
    "[{ service = \"shop\" }]",
];

/// Every key of every table with every odd value, in the file and as option.
#[test]
fn every_key_survives_odd_values() {
    let base = "duration = \"1 s\"\n[client.app]\ncalls = \"shop\"\narrivals = \"one-by-one\"\n\
                requests = 1\nretry = \"r\"\n[service.shop]\nqueue = {}\n[retry.r]\nmax_attempts = 2\n\
                [budget.b]\nkind = \"token-bucket\"\nratio = 1\nreserve = 1\n";
    let mut good = 0;
    for section in sections() {
        for key in section.keys {
            for value in ODD {
                let name = key.name;
                let text = match section.path {
                    "" => format!("{name} = {value}\n"),
                    "variant" | "threshold" => {
                        format!("{base}[[{}]]\n{name} = {value}\n", section.path)
                    }
                    path => format!("[{}]\n{name} = {value}\n", path.replace("NAME", "x")),
                };
                let _ = survives(&text, &[]);
                let path =
                    format!("{}.{name}", section.path.replace("retry.NAME", "client.app.retry"));
                let path = path
                    .replace("client.NAME", "client.app")
                    .replace("service.NAME", "service.shop");
                let path = path.replace("NAME", "b");
                let set = [(path.trim_start_matches('.'), *value)];
                let read = survives(base, &set);
                assert!(read.is_err() || !matches!(key.kind, Kind::Later(_)), "{set:?}");
                good += usize::from(read.is_ok());
            }
        }
    }
    assert!(good > 30, "only {good} were read: the base is broken");
}

/// One change to a text.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(usize, usize),
    Insert(usize, String),
    Copy(usize, usize, usize),
    SwapLines(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    use proptest::sample::select;
    let tokens: Vec<String> = ODD
        .iter()
        .map(|&token| token.to_owned())
        .chain(
            ["=", "[", "]", "{", "}", "\"", "'", "\n", ".", ",", "#", "\u{1f980}", "\r", "\\"]
                .map(str::to_owned),
        )
        .chain(
            sections()
                .iter()
                .flat_map(|section| section.keys)
                .map(|key| format!("\n{} = ", key.name)),
        )
        .collect();
    prop_oneof![
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (any::<usize>(), select(tokens)).prop_map(|(at, token)| Mutation::Insert(at, token)),
        (any::<usize>(), 1..80_usize, any::<usize>()).prop_map(|(a, n, b)| Mutation::Copy(a, n, b)),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Mutation::SwapLines(a, b)),
    ]
}

fn mutated(text: &str, mutations: Vec<Mutation>) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for mutation in mutations {
        let length = letters.len().max(1);
        match mutation {
            Mutation::Delete(at, count) => {
                let at = at % length;
                letters.drain(at..(at + count).min(letters.len()));
            }
            Mutation::Insert(at, token) => {
                let at = at % length;
                letters.splice(at..at, token.chars());
            }
            Mutation::Copy(from, count, to) => {
                let from = from % length;
                let copy = letters[from..(from + count).min(letters.len())].to_vec();
                let to = to % length;
                letters.splice(to..to, copy);
            }
            Mutation::SwapLines(a, b) => {
                let text: String = letters.iter().collect();
                let mut lines: Vec<&str> = text.split('\n').collect();
                let count = lines.len();
                lines.swap(a % count, b % count);
                letters = lines.join("\n").chars().collect();
            }
        }
        if letters.is_empty() {
            break;
        }
    }
    letters.into_iter().collect()
}

proptest! {
    #![proptest_config(crate::testing::cases(1_000))]

    /// Whatever is done to a scenario, it is read or refused with a message.
    #[test]
    fn a_mutated_scenario_is_read_or_refused(
        text in proptest::sample::select(vec![STORM, LAYERS, LAYERS_243, starter()]),
        mutations in proptest::collection::vec(mutation(), 1..6),
    ) {
        let _ = survives(&mutated(text, mutations), &[]);
    }

    /// The same for options, bytes and nothing but noise.
    #[test]
    fn any_option_is_read_or_refused(path in "[a-z._]{0,40}|\\PC{0,20}", value in "\\PC{0,40}") {
        let _ = survives(LAYERS, &[(&path, &value)]);
    }

    /// Noise is refused.
    #[test]
    fn noise_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let options = options(&[]);
        prop_assert!(read_bytes(&bytes, &options).is_err());
    }
}
