//! Every way in which a folder of results meets what is already there.

use super::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

static GO: AtomicBool = AtomicBool::new(false);

/// A temporary folder with a place for results in it.
struct Disk {
    root: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn place(&self) -> Place {
        Place::new(&self.path("storm")).unwrap()
    }

    /// Writes a file, with the folders above it.
    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A complete folder of results.
    fn results(&self, folder: &str, content: &str) {
        self.put(&format!("{folder}/run.json"), &record(&["summary.csv"]));
        self.put(&format!("{folder}/summary.csv"), content);
    }

    /// All files below the root with their text; empty folders with none.
    fn tree(&self) -> BTreeMap<String, String> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![self.root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            let entries: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
            let shown = |path: &Path| {
                path.strip_prefix(self.root.path()).unwrap().to_str().unwrap().to_owned()
            };
            if entries.is_empty() {
                tree.insert(shown(&folder) + "/", String::new());
            }
            for entry in entries {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    tree.insert(shown(&entry.path()), fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        tree
    }

    /// The text of the summary, if nothing else but results is left.
    fn only_summary(&self) -> Option<String> {
        let tree = self.tree();
        let names: Vec<&str> = tree.keys().map(String::as_str).collect();
        (names == ["storm/run.json", "storm/summary.csv"])
            .then(|| tree["storm/summary.csv"].clone())
    }
}

fn record(files: &[&str]) -> String {
    let files = [&["run.json"], files].concat();
    serde_json::json!({ "files": files }).to_string()
}

/// A whole run that writes `content` into its summary.
fn run(place: &Place, content: &str) -> Result<(), OutputError> {
    place.settle()?;
    place.check()?;
    let building = Building::begin(place, &record(&["summary.csv"]), &GO)?;
    building.write("summary.csv", |to| to.write_all(content.as_bytes()))?;
    building.finish()
}

#[test]
fn results_replace_results() {
    let disk = Disk::new();
    run(&disk.place(), "first").unwrap();
    assert_eq!(disk.only_summary().as_deref(), Some("first"));
    run(&disk.place(), "second").unwrap();
    assert_eq!(disk.only_summary().as_deref(), Some("second"));
}

#[test]
fn missing_folders_on_the_way_are_created() {
    let disk = Disk::new();
    run(&Place::new(&disk.path("a/b/storm/")).unwrap(), "x").unwrap();
    assert_eq!(disk.tree()["a/b/storm/summary.csv"], "x");
}

#[test]
fn a_check_leaves_no_trace() {
    let disk = Disk::new();
    Place::new(&disk.path("a/b/storm")).unwrap().check().unwrap();
    assert_eq!(disk.tree().keys().collect::<Vec<_>>(), ["/"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let disk = Disk::new();
    fs::create_dir(disk.path("storm")).unwrap();
    run(&disk.place(), "x").unwrap();
    assert_eq!(disk.only_summary().as_deref(), Some("x"));
}

/// What must not be replaced: nothing changes, and the message names it.
#[test]
fn what_is_not_ours_is_untouched() {
    type Prepare = fn(&Disk);
    let cases: [(&str, Prepare); 7] = [
        ("notes.txt", |disk| disk.put("storm/notes.txt", "mine")),
        ("notes.txt", |disk| {
            disk.results("storm", "old");
            disk.put("storm/notes.txt", "mine");
        }),
        ("summary.csv", |disk| {
            disk.put("storm/run.json", &record(&["summary.csv", "a"]));
            disk.put("storm/summary.csv/a", "mine");
        }),
        ("run.json", |disk| disk.put("storm/run.json", "{}")),
        ("run.json", |disk| disk.put("storm/run.json", "not json")),
        ("is not a folder", |disk| disk.put("storm", "mine")),
        (".storm.old", |disk| {
            disk.results("storm", "old");
            disk.put(".storm.old/precious", "mine");
        }),
    ];
    for (named, prepare) in cases {
        let disk = Disk::new();
        prepare(&disk);
        let before = disk.tree();
        let error = run(&disk.place(), "new").unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
        assert_eq!(disk.tree(), before, "{named}");
    }
}

#[test]
fn a_record_cannot_reach_out_of_its_folder() {
    let disk = Disk::new();
    disk.put("precious", "mine");
    disk.results("storm", "old");
    disk.put("storm/run.json", &record(&["summary.csv", "../precious"]));
    run(&disk.place(), "new").unwrap();
    assert_eq!(disk.tree()["precious"], "mine");
    assert_eq!(disk.tree()["storm/summary.csv"], "new");
}

#[test]
fn a_folder_that_is_taken_meanwhile_stays() {
    let disk = Disk::new();
    let place = disk.place();
    let building = Building::begin(&place, &record(&[]), &GO).unwrap();
    disk.put("storm/notes.txt", "mine");
    building.finish().unwrap_err();
    assert_eq!(disk.tree().into_keys().collect::<Vec<_>>(), ["storm/notes.txt"]);
}

#[test]
fn what_cannot_be_written_leaves_the_old_results() {
    let disk = Disk::new();
    run(&disk.place(), "old").unwrap();
    let place = disk.place();
    let building = Building::begin(&place, &record(&["summary.csv"]), &GO).unwrap();
    let much = vec![b'x'; 100_000];
    let full = || io::Error::from(io::ErrorKind::StorageFull);
    let error = building
        .write("summary.csv", |to| {
            to.write_all(&much)?;
            Err(full())
        })
        .unwrap_err();
    assert!(error.to_string().ends_with("storm/summary.csv: the disk is full"), "{error}");
    assert!(error.help().unwrap().starts_with("make room"));
    drop(building);
    assert_eq!(disk.only_summary().as_deref(), Some("old"));
}

#[test]
fn a_signal_stops_in_the_middle_of_a_file() {
    let disk = Disk::new();
    run(&disk.place(), "old").unwrap();
    let stop = AtomicBool::new(false);
    let place = disk.place();
    let building = Building::begin(&place, &record(&["summary.csv"]), &stop).unwrap();
    // A file that fits into the writer's memory, and one that does not.
    for (name, size) in [("small.csv", 10), ("summary.csv", 100_000)] {
        stop.store(false, Ordering::Relaxed);
        let written = building.write(name, |to| {
            to.write_all(&vec![b'x'; size])?;
            stop.store(true, Ordering::Relaxed);
            to.write_all(&vec![b'x'; size])
        });
        assert!(matches!(written, Err(OutputError::Interrupted)), "{name}");
    }
    assert!(matches!(building.finish(), Err(OutputError::Interrupted)));
    assert_eq!(disk.only_summary().as_deref(), Some("old"));
}

/// Every state in which a swap can be cut short, and what the next start makes
/// of it.
#[test]
fn the_next_start_finishes_a_swap() {
    type Prepare = fn(&Disk);
    let cases: [(&str, &str, Prepare); 7] = [
        ("complete, not begun", "new", |disk| {
            disk.results("storm", "old");
            disk.results(".storm.new", "new");
        }),
        ("the old is away", "new", |disk| {
            disk.results(".storm.old", "old");
            disk.results(".storm.new", "new");
        }),
        ("the new is in", "new", |disk| {
            disk.results(".storm.old", "old");
            disk.results("storm", "new");
        }),
        ("the old is half deleted", "new", |disk| {
            disk.put(".storm.old/run.json", &record(&["summary.csv"]));
            disk.results("storm", "new");
        }),
        ("the old is empty", "new", |disk| {
            fs::create_dir(disk.path(".storm.old")).unwrap();
            disk.results("storm", "new");
        }),
        ("only the old is left", "old", |disk| disk.results(".storm.old", "old")),
        ("the new is not complete", "old", |disk| {
            disk.results("storm", "old");
            disk.put(".storm.new/run.json", &record(&["summary.csv"]));
        }),
    ];
    for (state, expected, prepare) in cases {
        let disk = Disk::new();
        prepare(&disk);
        disk.place().settle().unwrap();
        assert_eq!(disk.only_summary().as_deref(), Some(expected), "{state}");
    }
}

#[test]
fn remains_of_the_dead_are_swept_and_the_living_left_alone() {
    let disk = Disk::new();
    let place = disk.place();
    let building = Building::begin(&place, &record(&["summary.csv"]), &GO).unwrap();
    disk.results(".storm.dead.new", "half");
    disk.put(".storm.mine.new/precious", "mine");
    disk.results(".stormy.dead.new", "another's");
    disk.place().settle().unwrap();
    let left: Vec<String> = disk.tree().into_keys().collect();
    assert!(!left.iter().any(|name| name.starts_with(".storm.dead.new")), "{left:?}");
    assert!(left.contains(&".storm.mine.new/precious".to_owned()), "{left:?}");
    assert!(left.contains(&".stormy.dead.new/summary.csv".to_owned()), "{left:?}");
    building.write("summary.csv", |to| to.write_all(b"alive")).unwrap();
    building.finish().unwrap();
    assert_eq!(disk.tree()["storm/summary.csv"], "alive");
}

#[test]
fn a_folder_needs_a_name() {
    for typed in [".", "..", "/", "a/.."] {
        let error = Place::new(Path::new(typed)).unwrap_err();
        assert!(matches!(error, OutputError::NoFolder { .. }), "{typed}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_means_its_folder() {
    let disk = Disk::new();
    run(&disk.place(), "old").unwrap();
    std::os::unix::fs::symlink(disk.path("storm"), disk.path("link")).unwrap();
    run(&Place::new(&disk.path("link")).unwrap(), "new").unwrap();
    assert!(fs::symlink_metadata(disk.path("link")).unwrap().is_symlink());
    assert_eq!(disk.tree()["storm/summary.csv"], "new");
    std::os::unix::fs::symlink(disk.path("nowhere"), disk.path("broken")).unwrap();
    Place::new(&disk.path("broken")).unwrap_err();
}

#[test]
fn a_new_file_overwrites_nothing() {
    let disk = Disk::new();
    create_file(&disk.path("a.toml"), "first").unwrap();
    let error = create_file(&disk.path("a.toml"), "second").unwrap_err();
    assert!(matches!(error, OutputError::Exists { .. }));
    assert_eq!(disk.tree()["a.toml"], "first");
    let error = create_file(&disk.path("missing/a.toml"), "x").unwrap_err();
    assert!(error.to_string().ends_with("there is no such file or folder"), "{error}");
}
