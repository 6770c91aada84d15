//! Broken scenarios and what the reader says of them, word for word.

use std::path::Path;

use super::*;

/// Data files in a folder.
#[derive(Debug)]
struct Beside<'p>(&'p Path);

impl DataFiles for Beside<'_> {
    fn read(&self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|_| "there is no such file or folder".to_owned())
    }
}

/// Every file in tests/broken is refused, and the message is the snapshot of
/// the same name.
#[test]
fn every_broken_file_has_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is part of the sources")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("plain names"))
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 40, "only {} broken files", names.len());
    for file in names {
        let text = std::fs::read_to_string(folder.join(&file)).expect("readable");
        let beside = Beside(&folder);
        let file_name = file.clone();
        let options =
            ReadOptions { file: file_name, files: Some(&beside), ..ReadOptions::default() };
        let wrong = read(&text, &options).err().unwrap_or_else(|| panic!("{file} was read"));
        insta::assert_snapshot!(file.trim_end_matches(".toml"), wrong.render(false));
    }
}
