//! The forms of what is printed: for people with and without colours, and for
//! programs, which get every number.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::binary::{code, command, errors, place, prints, sim_reading, temporary};

const LAYERS: &str = "scenarios/layers.toml";
const STORM: &str = "scenarios/storm.toml";

/// What a run prints in a form, and its summary.csv.
fn run(scenario: &str, form: &str) -> (String, String) {
    let folder = temporary();
    let results = place(&folder);
    let printed = prints(0, &["run", scenario, "--no-charts", "-o", &results, "--format", form]);
    let summary = fs::read_to_string(Path::new(&results).join("summary.csv"));
    (printed, summary.expect("it was written"))
}

/// Whether a number of JSON and a cell of a table say the same.
fn is_same(json: &Value, cell: &str) -> bool {
    match json {
        Value::Null => cell.is_empty(),
        Value::String(text) => text == cell,
        Value::Number(number) => number.as_f64() == cell.parse().ok(),
        _ => false,
    }
}

#[test]
fn json_has_every_number_of_the_summary() {
    for scenario in [LAYERS, STORM, "scenarios/limit.toml"] {
        let (printed, summary) = run(scenario, "json");
        let json: Value = serde_json::from_str(&printed).expect("it is JSON");
        let variants = json["variants"].as_array().expect("it has variants");
        let mut table = csv::Reader::from_reader(summary.as_bytes());
        let head = table.headers().expect("it has a head").clone();
        let rows: Vec<_> = table.records().map(|row| row.expect("a row")).collect();
        assert_eq!(variants.len(), rows.len(), "{scenario}");
        for (variant, row) in variants.iter().zip(&rows) {
            assert_eq!(variant.as_object().map(serde_json::Map::len), Some(head.len()));
            for (name, cell) in head.iter().zip(row) {
                assert!(is_same(&variant[name], cell), "{scenario}: {name} is {cell}\n{variant}");
            }
        }
    }
    assert!(is_same(&Value::from(1.5), "1.5") && !is_same(&Value::from(1.5), "1.6"));
}

#[test]
fn csv_is_the_summary() {
    let (printed, summary) = run(STORM, "csv");
    assert_eq!(printed, summary);
}

#[test]
fn markdown_is_a_table() {
    let (printed, _) = run(LAYERS, "markdown");
    let rows: Vec<_> = printed.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 5, "{printed}");
    let bars = |row: &&str| row.matches('|').count();
    assert!(rows.iter().all(|row| bars(row) == bars(&rows[0])), "{printed}");
    assert_eq!(rows[2], "| every layer retries | 27 | 27,000 | 27.0 |");
}

/// The names of elements, each opened and closed in its turn; a mark that is
/// not written as an entity is found by what it breaks.
fn assert_well_formed(document: &str) {
    let body = document.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut open: Vec<&str> = Vec::new();
    for part in body.expect("it begins as XML").split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{document}");
        for entity in part.split('&').skip(1) {
            let known = ["lt;", "gt;", "amp;", "quot;", "apos;", "#"];
            assert!(known.iter().any(|known| entity.starts_with(known)), "{document}");
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{document}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("it has a name"));
        }
    }
    assert!(open.is_empty(), "{document}");
}

#[test]
fn junit_is_well_formed() {
    let (printed, _) = run(STORM, "junit");
    assert_well_formed(&printed);
    assert!(printed.contains("tests=\"1\" failures=\"0\""), "{printed}");
    let folder = temporary();
    let fewer = ["--no-charts", "-o", &place(&folder), "--set", "client.app.count=20_000"];
    let missed = prints(1, &[&["run", STORM, "--format", "junit"], &fewer[..]].concat());
    assert_well_formed(&missed);
    assert!(missed.contains("failures=\"1\"") && missed.contains("<failure"), "{missed}");
    assert_well_formed(&prints(0, &["reproduce", "layers", "--format", "junit"]));
}

/// Names that would break a table, a page or a test report.
#[test]
fn names_break_no_form() {
    let text = br#"
        name = "<a> & \"b\" | c, d * _e_ 'f'"
        [client.app]
        calls = "shop"
        arrivals = "together"
        count = 3
        [service.shop]
        [[variant]]
        name = "x, \"y\" | <z> & =1+1"
        [[variant]]
        name = "same"
        [[threshold]]
        metric = "answered"
        of = "x, \"y\" | <z> & =1+1"
        min = 9
    "#;
    let folder = temporary();
    let print = |form: &str| {
        let arguments = ["run", "-", "-o", &place(&folder), "--format", form];
        let output = sim_reading(text, &arguments);
        assert_eq!(code(&output), 1, "{form}\n{}", errors(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    let name = "x, \"y\" | <z> & =1+1";
    let json: Value = serde_json::from_str(&print("json")).expect("it is JSON");
    assert_eq!(json["variants"][0]["variant"], name);
    let csv = print("csv");
    let mut table = csv::Reader::from_reader(csv.as_bytes());
    let first = table.records().next().expect("a row").expect("a whole row");
    assert_eq!(&first[0], name);
    assert_well_formed(&print("junit"));
    let markdown = print("markdown");
    let bars = |row: &str| row.replace("\\|", "").matches('|').count();
    let rows: Vec<_> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 4 && rows.iter().all(|row| bars(row) == bars(rows[0])), "{markdown}");
    for picture in fs::read_dir(place(&folder)).expect("it is there") {
        let path = picture.expect("a file").path();
        if path.extension().is_some_and(|end| end == "svg") {
            let svg = fs::read_to_string(path).expect("text");
            assert!(!svg.contains("<z>") && !svg.contains("& "), "a name breaks the picture");
        }
    }
}

#[test]
fn colours_are_for_who_wants_them() {
    let folder = temporary();
    let run = ["run", STORM, "--no-charts", "-o", &place(&folder)];
    let print = |color: &[&str], no_color: Option<&str>| {
        let mut command = command(&[&run, color].concat());
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        String::from_utf8(command.output().expect("the binary runs").stdout).expect("text")
    };
    let plain = print(&[], None);
    assert!(!plain.contains('\u{1b}'), "colours in a pipe");
    let coloured = print(&["--color", "always"], None);
    assert!(coloured.contains("\u{1b}["), "no colours, though asked for");
    assert_eq!(print(&["--color", "never"], None), plain);
    assert_eq!(print(&[], Some("1")), plain);
    assert_eq!(print(&["--color", "auto"], Some("1")), plain);
    let mut bare = String::new();
    for part in coloured.split('\u{1b}') {
        bare.push_str(if bare.is_empty() && coloured.starts_with(part) {
            part
        } else {
            part.split_once('m').map_or("", |(_, text)| text)
        });
    }
    assert_eq!(bare, plain, "colours move the table");
    for form in ["json", "csv", "markdown", "junit"] {
        let printed = print(&["--color", "always", "--format", form], None);
        assert!(!printed.contains('\u{1b}'), "{form} is for programs");
    }
}

#[test]
fn quiet_is_quiet_and_verbose_tells_more() {
    let folder = temporary();
    let run = ["run", LAYERS, "--no-charts", "-o", &place(&folder)];
    let output = |more: &str| command(&[&run[..], &[more]].concat()).output().expect("it runs");
    let quiet = output("-q");
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{}", errors(&quiet));
    let verbose = errors(&output("-v"));
    assert!(verbose.contains("million a second") && verbose.contains("summary.csv"), "{verbose}");
}

#[test]
fn help_lists_only_what_works() {
    let help = prints(0, &["--help"]);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let list = list.expect("it lists commands").lines();
    let mut listed: Vec<_> = list.filter_map(|line| line.split_whitespace().next()).collect();
    listed.sort_unstable();
    assert_eq!(listed, ["check", "completions", "help", "new", "reproduce", "run", "schema"]);
    for name in listed {
        assert!(prints(0, &["help", name]).contains("Usage: "), "{name}");
    }
    for later in ["compare", "sweep", "find", "trace", "diff", "explain", "presets", "merge"] {
        prints(2, &[later, STORM]);
    }
}

#[test]
fn the_schema_is_for_editors() {
    let schema: Value = serde_json::from_str(&prints(0, &["schema"])).expect("it is JSON");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    for table in ["client", "service", "threshold", "variant", "compare"] {
        assert!(schema["properties"][table].is_object(), "{table} is not in it");
    }
}

#[test]
fn completions_know_the_commands() {
    for (shell, part) in [("bash", "complete -F"), ("zsh", "#compdef sim"), ("fish", "complete -c")]
    {
        let printed = prints(0, &["completions", shell]);
        for part in [part, "reproduce", "no-charts"] {
            assert!(printed.contains(part), "{shell}: {part}");
        }
    }
    prints(2, &["completions", "tcsh"]);
}
