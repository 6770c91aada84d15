//! The folder of results: only ours is replaced, and only by a complete one.

use std::fs;
use std::path::Path;

use crate::binary::{code, errors, files, names, place, prints, sim, sim_in, start, temporary};

const STORM: &str = "scenarios/storm.toml";

/// Quick runs that differ by their seed.
fn run<'a>(results: &'a str, seed: &'a str) -> Vec<&'a str> {
    let quick = ["--no-charts", "-q", "--set", "client.app.count=100", "--seed", seed];
    [&["run", STORM, "-o", results], &quick[..]].concat()
}

#[test]
fn its_own_results_are_replaced() {
    let folder = temporary();
    let results = place(&folder);
    prints(0, &["run", STORM, "-o", &results]);
    assert!(names(&results).iter().any(|name| name == "strategies.png"));
    let first = files(&results);
    prints(0, &["run", STORM, "-o", &results]);
    assert!(files(&results) == first);
    prints(0, &["run", STORM, "-o", &results, "--no-charts", "--seed", "3"]);
    let names_now = names(&results);
    assert!(
        !names_now.iter().any(|name| name == "strategies.png"),
        "old files stay: {names_now:?}"
    );
    assert!(files(&results)["summary.csv"] != first["summary.csv"]);
    assert_eq!(names(folder.path()), ["results"], "something is left beside it");
}

/// One foreign entry, or a record that says nothing of the files: hands off.
#[test]
fn a_folder_with_anything_else_in_it_is_left_alone() {
    type Prepare = fn(&Path);
    let cases: &[(&str, Prepare)] = &[
        ("diary.txt", |folder| fs::write(folder.join("diary.txt"), "mine").expect("written")),
        (".hidden", |folder| fs::write(folder.join(".hidden"), "").expect("written")),
        ("notes", |folder| fs::create_dir(folder.join("notes")).expect("made")),
        (".csv", |folder| fs::write(folder.join("run.json"), "{}").expect("written")),
        (".csv", |folder| fs::write(folder.join("run.json"), "\u{1}garbage").expect("written")),
        (".csv", |folder| fs::remove_file(folder.join("run.json")).expect("removed")),
    ];
    for (told, prepare) in cases {
        let folder = temporary();
        let results = place(&folder);
        prints(0, &run(&results, "1"));
        prepare(Path::new(&results));
        let snapshot = || -> Vec<_> {
            let read = |name: String| (fs::read(Path::new(&results).join(&name)).ok(), name);
            names(&results).into_iter().map(read).collect()
        };
        let before = snapshot();
        let output = sim(&run(&results, "2"));
        assert_eq!(code(&output), 3, "{told}\n{}", errors(&output));
        // Without a record no file is listed, and any of them may be named.
        assert!(errors(&output).contains(told), "{told}\n{}", errors(&output));
        assert!(snapshot() == before, "{told}: something was touched");
        assert_eq!(names(folder.path()), ["results"], "{told}");
    }
}

/// A folder of somebody who never heard of this program.
#[test]
fn a_foreign_folder_is_left_alone() {
    let folder = temporary();
    let output = sim_in(folder.path(), &["new", "x.toml"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let before = files(folder.path());
    let itself = folder.path().to_string_lossy().into_owned();
    for place in [itself.as_str(), ".", "..", "/", "./", "x.toml", "x.toml/results", "none/.."] {
        let output = sim_in(folder.path(), &["run", "x.toml", "--no-charts", "-o", place]);
        assert_eq!(code(&output), 3, "{place}\n{}", errors(&output));
        assert!(errors(&output).contains("= help: "), "{place}\n{}", errors(&output));
        assert!(files(folder.path()) == before, "{place}: something was touched");
    }
}

/// Not even a user who may do everything can write there.
#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_is_named_as_it_was_typed() {
    let long = "x".repeat(252);
    for place in ["/proc/results", "/dev/null/results", "/dev/null", long.as_str()] {
        let output = sim(&["run", STORM, "--no-charts", "-o", place]);
        assert_eq!(code(&output), 3, "{place}\n{}", errors(&output));
        let errors = errors(&output);
        let named = [format!("cannot write {place}: "), format!("{place} is not a folder")];
        assert!(named.iter().any(|named| errors.contains(named)), "{errors}");
    }
}

/// A limit on the size of files stands in for a disk that is full: the system
/// refuses in the middle of a file.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_the_old_results() {
    use std::process::Command;

    let folder = temporary();
    let results = place(&folder);
    prints(0, &run(&results, "1"));
    let before = files(&results);
    // The signal that comes with the limit is ignored, as a full disk has none.
    let line = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", line, env!("CARGO_BIN_EXE_sim"), "run", STORM, "-o", &results]);
    let output = shell.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("a shell");
    assert_eq!(code(&output), 3, "{}", errors(&output));
    let wrote = format!("cannot write {results}");
    assert!(errors(&output).contains(&wrote), "{}", errors(&output));
    assert!(output.stdout.is_empty(), "results are printed that were not written");
    assert!(files(&results) == before, "something was touched");
    assert_eq!(names(folder.path()), ["results"], "something half-written is left");
}

/// Whatever step the swap was cut short at, the next start goes on from there,
/// even if it then finds nothing to run.
#[test]
fn a_swap_that_was_cut_short_is_finished() {
    let folder = temporary();
    let results = place(&folder);
    let beside = |name: &str| folder.path().join(name);
    prints(0, &run(&results, "1"));
    let first = files(&results);
    fs::rename(&results, beside(".results.old")).expect("renamed");
    prints(3, &["run", "scenarios/none.toml", "-o", &results]);
    assert!(files(&results) == first, "the old results were not put back");

    prints(0, &run(&beside("other").to_string_lossy(), "2"));
    let second = files(beside("other"));
    fs::rename(beside("other"), beside(".results.new")).expect("renamed");
    prints(3, &["run", "scenarios/none.toml", "-o", &results]);
    assert!(files(&results) == second, "the complete results were not put in their place");
    assert_eq!(names(folder.path()), ["results"]);

    fs::rename(&results, beside(".results.old")).expect("renamed");
    prints(0, &run(&results, "1"));
    assert!(files(&results) == first);
    assert_eq!(names(folder.path()), ["results"]);
}

/// Many at once: everybody succeeds, and what is there is of one of them.
#[test]
fn runs_into_the_same_folder_take_turns() {
    let folder = temporary();
    let seeds = ["1", "2", "3", "4", "5", "6"];
    let alone = seeds.map(|seed| {
        let folder = temporary();
        prints(0, &run(&place(&folder), seed));
        files(place(&folder))
    });
    let results = place(&folder);
    for _ in 0..8 {
        let children = seeds.map(|seed| start(&run(&results, seed)));
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(code(&output), 0, "{}", errors(&output));
        }
        let found = files(&results);
        assert!(alone.contains(&found), "the folder is a mixture");
        assert_eq!(names(folder.path()), ["results"], "something is left beside it");
    }
}

/// What a killed run leaves of its lock does not stop the next one, and a file
/// of that name which is somebody's own stays.
#[test]
fn a_lock_that_was_left_is_no_obstacle() {
    let folder = temporary();
    let (results, lock) = (place(&folder), folder.path().join(".results.lock"));
    fs::write(&lock, "").expect("written");
    prints(0, &run(&results, "1"));
    assert!(!lock.exists());
    fs::write(&lock, "mine").expect("written");
    prints(0, &run(&results, "2"));
    assert_eq!(fs::read_to_string(&lock).expect("it is there"), "mine");
    fs::remove_file(&lock).expect("removed");
    fs::create_dir(&lock).expect("made");
    prints(0, &run(&results, "3"));
    assert!(lock.is_dir());
}

/// Folders on the way are made, links are followed, and an odd name is a name.
#[test]
fn odd_places_work() {
    let folder = temporary();
    let text = fs::read_to_string(STORM).expect("it is there");
    fs::write(folder.path().join("ünï 風.toml"), text).expect("written");
    let within = |arguments: &[&str]| {
        let output = sim_in(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{arguments:?}\n{}", errors(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    let printed = within(&["run", "ünï 風.toml"]);
    assert!(printed.contains("wrote output/ünï 風/ (7 files)"), "{printed}");
    assert!(folder.path().join("output/ünï 風/run.json").is_file());
    for (place, real) in [("a/b/c", "a/b/c"), ("d/", "d"), ("./e", "e"), ("a/../f", "f")] {
        within(&["run", "ünï 風.toml", "--no-charts", "-o", place]);
        assert!(folder.path().join(real).join("run.json").is_file(), "{place}");
    }
    fs::create_dir(folder.path().join("empty")).expect("made");
    within(&["run", "ünï 風.toml", "--no-charts", "-o", "empty"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("empty", folder.path().join("link")).expect("linked");
        within(&["run", "ünï 風.toml", "--no-charts", "-o", "link", "--seed", "9"]);
        assert!(folder.path().join("link").is_symlink(), "the link was replaced");
        assert!(files(folder.path().join("empty")) != files(folder.path().join("d")));
    }
}
