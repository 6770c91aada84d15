//! The rules of the house, as a program: reads the sources and says where they
//! break a rule that no compiler checks. The rules and their reasons stand in
//! ARCHITECTURE.md.

use std::fs;
use std::path::PathBuf;

/// The rooms from the ground up. A room may use the rooms before it.
/// The lowest is there in tests only.
const ROOMS: &[&str] = &[
    "testing",
    "time",
    "math",
    "law",
    "draw",
    "stats",
    "theory",
    "des",
    "policy",
    "model",
    "scenario",
    "experiment",
    "published",
    "explain",
    "report",
    "output",
    "cli",
    "command",
    "main",
    "executor",
];

/// Rooms of one floor that must not know each other, though one comes first.
const STRANGERS: &[(&str, &str)] = &[("policy", "des")];

/// Rooms that may use a few others only, wherever they stand. The executor
/// stands above all, so that nothing of the simulator can use it.
const ONLY: &[(&str, &[&str])] = &[("executor", &["time", "draw", "policy", "executor"])];

/// The one file of the library that reads a clock, sleeps and asks for chance.
const REAL: &str = "src/executor/system.rs";

const LONGEST_FUNCTION: usize = 70;
const LONGEST_FILE: usize = 400;
const LARGEST_CORE: usize = 800;

/// One source file of the crate.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The room it belongs to: the first part of its path under src.
    fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src").expect("only src is read");
        let first = inside.iter().next().and_then(|part| part.to_str()).expect("it has a name");
        first.trim_end_matches(".rs")
    }

    /// The lines before its unit tests, numbered from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().zip(1..).map(|(line, number)| (number, line));
        lines.take_while(|(_, line)| *line != "#[cfg(test)]")
    }

    /// Unit tests, and the data they share, in files of their own.
    fn is_test(&self) -> bool {
        let named = ["tests.rs", "sample.rs"].iter().any(|name| self.path.ends_with(name));
        named || self.path.iter().any(|part| part == "tests")
    }

    fn complain(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 20, "the sources were not found");
    found
}

/// Gathers what `check` has to say of every file, and fails if it is anything.
fn every_source(check: impl Fn(&Source, &mut Vec<String>)) {
    let mut complaints = Vec::new();
    for source in sources() {
        check(&source, &mut complaints);
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Names of rooms that follow `crate::` or `retry_storm::` in a line.
fn rooms_used(line: &str) -> impl Iterator<Item = &str> {
    ["crate::", "retry_storm::"].into_iter().flat_map(move |prefix| {
        line.match_indices(prefix).filter_map(move |(at, _)| {
            let rest = &line[at + prefix.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            ROOMS.iter().any(|room| *room == &rest[..end]).then_some(&rest[..end])
        })
    })
}

#[test]
fn imports_go_downwards_only() {
    let floor = |room: &str| ROOMS.iter().position(|known| *known == room);
    every_source(|source, complaints| {
        let own = source.room();
        if own == "lib" || source.is_test() {
            return;
        }
        let Some(own_floor) = floor(own) else {
            complaints.push(source.complain(1, "belongs to no room that tests/tidy.rs knows"));
            return;
        };
        for (number, line) in source.code().filter(|(_, line)| !line.trim().starts_with("//")) {
            for used in rooms_used(line) {
                let stranger = STRANGERS.contains(&(own, used))
                    || ONLY.iter().any(|(room, only)| own == *room && !only.contains(&used));
                if floor(used).is_some_and(|floor| floor > own_floor) || stranger {
                    complaints.push(source.complain(number, &format!("{own} must not use {used}")));
                }
            }
        }
    });
}

/// A word that must not stand in the code outside some files, and why.
struct Ban {
    words: &'static [&'static str],
    except: &'static [&'static str],
    why: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        words: &["HashMap", "HashSet"],
        except: &[],
        why: "its order changes from run to run: use a BTreeMap or a Vec",
    },
    Ban {
        words: &["RandomState"],
        except: &[REAL],
        why: "it changes from run to run: draw from crate::draw",
    },
    Ban {
        words: &[
            ".ln()",
            ".exp()",
            ".powf(",
            ".powi(",
            ".tanh()",
            ".cbrt()",
            ".log2()",
            ".log10()",
            ".log(",
            ".exp2()",
            ".sin()",
            ".cos()",
            ".exp_m1()",
            ".ln_1p()",
        ],
        except: &["src/math.rs"],
        why: "its bits differ between machines: use crate::math",
    },
    Ban {
        words: &["libm::"],
        except: &["src/math.rs", "src/math"],
        why: "mathematics comes from crate::math",
    },
    Ban {
        words: &["SystemTime", "std::time", "Instant::now"],
        except: &["src/main.rs", "src/command/progress.rs", REAL],
        why: "no clock may reach a result",
    },
    Ban {
        words: &["std::fs", "File::"],
        except: &["src/output", "src/output.rs", "src/command/source.rs"],
        why: "only the output folder and the input file touch the disk",
    },
    Ban {
        words: &["std::thread", "thread::spawn"],
        except: &[REAL],
        why: "parallelism is across runs, in experiment, by rayon",
    },
    Ban {
        words: &["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX", "dbg!("],
        except: &[],
        why: "finish it",
    },
];

#[test]
fn banned_words_do_not_occur() {
    every_source(|source, complaints| {
        for ban in BANS {
            let excepted = ban.except.iter().any(|path| source.path.starts_with(path));
            if excepted || source.is_test() {
                continue;
            }
            for (number, line) in source.code() {
                let code = line.split("//").next().unwrap_or(line);
                for word in ban.words.iter().filter(|word| code.contains(**word)) {
                    complaints.push(source.complain(number, &format!("{word}: {}", ban.why)));
                }
            }
        }
    });
}

#[test]
fn functions_are_short() {
    every_source(|source, complaints| {
        let lines: Vec<&str> = source.text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let is_function = ["fn ", "pub fn ", "pub const fn ", "const fn ", "pub(super) fn "]
                .iter()
                .chain(&["pub(crate) fn ", "async fn ", "pub async fn "])
                .any(|head| code.starts_with(head));
            if !is_function {
                continue;
            }
            let close = format!("{}}}", " ".repeat(line.len() - code.len()));
            let length = lines[start..].iter().position(|line| *line == close).unwrap_or(0) + 1;
            if length > LONGEST_FUNCTION {
                complaints.push(source.complain(start + 1, &format!("{length} lines long")));
            }
        }
    });
}

#[test]
fn files_are_short_and_say_what_they_are() {
    every_source(|source, complaints| {
        let length = source.code().count();
        if length > LONGEST_FILE {
            complaints.push(source.complain(1, &format!("{length} lines of code in one file")));
        }
        if !source.text.starts_with("//! ") {
            complaints.push(source.complain(1, "does not begin by saying what it is (//!)"));
        }
    });
}

#[test]
fn the_core_stays_small() {
    let sources = sources();
    let core = sources.iter().filter(|source| source.room() == "des" && !source.is_test());
    // Comments are free: the core should explain itself.
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let core: usize =
        core.map(|source| source.code().filter(|(_, line)| is_code(line)).count()).sum();
    assert!(core <= LARGEST_CORE, "des has {core} lines, of {LARGEST_CORE} at most");
}

/// The checks above must be able to fail.
#[test]
fn the_rules_find_what_breaks_them() {
    assert_eq!(rooms_used("use crate::report::csv; // crate::nothing").next(), Some("report"));
    let source = |text: &str| Source { path: "src/des/x.rs".into(), text: text.into() };
    assert_eq!(source("").room(), "des");
    assert_eq!(source("a\n#[cfg(test)]\nb").code().count(), 1);
}
