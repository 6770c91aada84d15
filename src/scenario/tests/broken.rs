//! Broken scenarios and what the reader says of them, word for word.

use std::path::Path;

use super::*;

/// Every file in tests/broken is refused, and the message is the snapshot of
/// the same name.
#[test]
fn every_broken_file_has_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is part of the sources")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("plain names"))
        .collect();
    names.sort();
    assert!(names.len() >= 40, "only {} broken files", names.len());
    for file in names {
        let text = std::fs::read_to_string(folder.join(&file)).expect("readable");
        let options = ReadOptions { file: file.clone(), ..ReadOptions::default() };
        let wrong = read(&text, &options).err().unwrap_or_else(|| panic!("{file} was read"));
        insta::assert_snapshot!(file.trim_end_matches(".toml"), wrong.render(false));
    }
}
