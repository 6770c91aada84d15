//! What the tests of the binary share: how it is run, and what is looked at.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The repository's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `sim` with arguments, to be run in the repository's folder with no input.
/// What the caller's shell says about colours does not reach it.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// Runs `sim`.
pub(crate) fn sim(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// Runs `sim` in another folder.
pub(crate) fn sim_in(folder: &Path, arguments: &[&str]) -> Output {
    command(arguments).current_dir(folder).output().expect("the binary runs")
}

/// Starts `sim` with all its streams in our hands.
pub(crate) fn start(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

/// Runs `sim` with a text on standard input.
pub(crate) fn sim_reading(input: &[u8], arguments: &[&str]) -> Output {
    let mut child = start(arguments);
    let mut to = child.stdin.take().expect("it reads");
    // A reader that has seen enough closes its end, which is no mistake here.
    let _ = to.write_all(input);
    drop(to);
    child.wait_with_output().expect("the binary ends")
}

/// Runs `sim`, which must end with this exit code, and gives what it printed.
pub(crate) fn prints(expected: i32, arguments: &[&str]) -> String {
    let output = sim(arguments);
    assert_eq!(code(&output), expected, "{arguments:?}\n{}", errors(&output));
    String::from_utf8(output.stdout).expect("results are text")
}

/// The exit code; -1 if a signal ended it.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// What it said on standard error.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A temporary folder.
pub(crate) fn temporary() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

/// A place for results in a temporary folder, with nothing there yet.
pub(crate) fn place(within: &TempDir) -> String {
    within.path().join("results").to_string_lossy().into_owned()
}

/// All files of a folder, by name.
pub(crate) fn files(folder: impl AsRef<Path>) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(folder.as_ref().join(&name)).expect("it can be read");
        (name, bytes)
    };
    names(&folder).into_iter().map(read).collect()
}

/// The names of all that is in a folder, in order.
pub(crate) fn names(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("it can be read").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// The files of a folder of the repository whose names end so.
pub(crate) fn of_kind(folder: &str, end: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let all = names(&folder).into_iter().filter(|name| name.ends_with(end));
    all.map(|name| folder.join(name)).collect()
}

/// The first line of a table, split at its commas: no column's name has one.
pub(crate) fn columns(table: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(table).expect("tables are text");
    let head = text.lines().next().expect("a table has a first line");
    head.split(',').map(str::to_owned).collect()
}
