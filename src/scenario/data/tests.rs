//! What is read from data files, and what is said of those that are none.

use super::*;

/// Files that are at hand, each with its content.
#[derive(Debug)]
struct Shelf(Vec<(&'static str, &'static [u8])>);

impl DataFiles for Shelf {
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        let file = self.0.iter().find(|(name, _)| *name == path);
        let (_, bytes) = file.ok_or("there is no such file or folder")?;
        Ok(bytes[..bytes.len().min(most + 1)].to_vec())
    }
}

/// Reads a file as a trace; with what is wrong with it as it is shown.
fn trace(content: &'static [u8]) -> Result<Trace, String> {
    let shelf = Shelf(vec![("a.csv", content)]);
    let (mut data, mut report) = (Data::new(Some(&shelf)), Report::default());
    let source = report.source("scenario.toml", "file = \"a.csv\"\n");
    let trace = data.trace("a.csv", Span::new(source, &(7..14)), &mut report);
    let errors = report.has_errors();
    assert_eq!(errors, trace.is_none());
    trace.ok_or_else(|| report.finish().render(false))
}

fn starts(content: &'static [u8]) -> Vec<(u64, Option<u64>)> {
    let trace = trace(content).unwrap_or_else(|wrong| panic!("{wrong}"));
    trace.starts.iter().map(|start| (start.at.as_nanos(), start.process)).collect()
}

#[test]
fn a_trace_is_read_to_the_nanosecond_and_sorted() {
    let expected = [(0, None), (250_000_000, None), (1_500_000_001, None)];
    assert_eq!(starts(b"time_s\n0.25\n0\n1.500000001\n"), expected);
    let rounded = [(1, None), (1, None), (2_000_000_000, None)];
    assert_eq!(starts(b"time_s\n1.4e-9\n0.6e-9\n2\n"), rounded);
}

#[test]
fn processes_are_read_where_they_are_named() {
    let named = [(1_000_000_000, Some(3)), (2_000_000_000, None), (3_000_000_000, Some(0))];
    assert_eq!(starts(b"client,time_s,other\n3,1,x\n,2,\n0,3,y\n"), named);
    let highest = |content| trace(content).expect("a trace").highest;
    assert_eq!(highest(b"time_s,client\n1,3\n\n# late\n\n2,5\n3,4\n"), Some((5, 6)));
    assert_eq!(highest(b"time_s\n1\n"), None);
}

/// Whatever wrote the file: marks, line ends, blanks, quotes, comments.
#[test]
fn files_of_other_programs_are_read() {
    for content in [
        b"\xef\xbb\xbftime_s\r\n1\r\n2\r\n".as_slice(),
        b"# written by hand\n\ntime_s\n 1 \n\n2",
        b"\"time_s\",client\n\"1\",\"\"\n2,\n",
        b"time_s,client\n1\n2\n",
    ] {
        let expected = [(1_000_000_000, None), (2_000_000_000, None)];
        assert_eq!(starts(content), expected, "{}", String::from_utf8_lossy(content));
    }
}

#[test]
fn a_file_is_read_once() {
    #[derive(Debug)]
    struct Once(std::cell::Cell<bool>);
    impl DataFiles for Once {
        fn read(&self, _: &str, _: usize) -> Result<Vec<u8>, String> {
            assert!(!self.0.replace(true), "it is read twice");
            Ok(b"time_s\n1\n3\n".to_vec())
        }
    }
    let once = Once(false.into());
    let (mut data, mut report) = (Data::new(Some(&once)), Report::default());
    let source = report.source("scenario.toml", "file = \"a.csv\"\n");
    let mut mean = || {
        let law = data.sample("a.csv", Span::new(source, &(7..14)), &mut report);
        law.expect("a law").mean_nanos()
    };
    assert_eq!((mean(), mean()), (2e9, 2e9));
}

#[test]
fn what_is_no_trace_is_shown_where_it_is_wrong() {
    let cases: &[&'static [u8]] = &[
        b"",
        b"time_s\n",
        b"seconds;client\n1;2\n",
        b"time_s,client\n1,0\n\nsoon,0\n-1,0\n2,web\n1e12,0\n,0\n0.1234567890123456789012,1\n",
        b"time_s\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n",
        b"time_s,\"a\"\n\"1 s\",b\n",
        b"time_s\n\xff\n",
    ];
    let shown = |content: &&'static [u8]| {
        let wrong = trace(content).expect_err("no trace");
        format!("## {}\n{wrong}", String::from_utf8_lossy(content).escape_debug())
    };
    insta::assert_snapshot!("no-trace", cases.iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_cannot_be_read_is_told_apart_from_what_is_wrong() {
    let refused = |data: &mut Data<'_>, path: &str| {
        let mut report = Report::default();
        let source = report.source("scenario.toml", "file = \"a.csv\"\n");
        assert!(data.trace(path, Span::new(source, &(7..14)), &mut report).is_none());
        report.finish()
    };
    let shelf = Shelf(vec![("bad.csv", b"time_s\nx\n"), ("long.csv", b"time_s\n1\n")]);
    let mut data = Data::new(Some(&shelf));
    let missing = refused(&mut data, "missing.csv");
    assert!(missing.only_unreadable());
    assert!(missing.render(false).contains("cannot read missing.csv: there is no such file"));
    assert!(!refused(&mut data, "bad.csv").only_unreadable());
    data.bytes_left = 8;
    let long = refused(&mut data, "long.csv");
    assert!(long.render(false).contains("long.csv is too long"), "{}", long.render(false));
    assert!(refused(&mut Data::new(None), "a.csv").render(false).contains("no data files"));
    let mut data = Data::new(Some(&shelf));
    data.rows_left = 0;
    assert!(refused(&mut data, "long.csv").render(false).contains("too many rows"));
}
