//! Results that are kept: the screens of the main scenarios, and the folders
//! under output/ that the README shows.

use crate::binary::{files, place, prints, root, temporary};

/// What `sim run` prints, without the place of its results.
fn screen(arguments: &[&str]) -> String {
    let folder = temporary();
    let results = place(&folder);
    let printed = prints(0, &[&["run", "-o", &results], arguments].concat());
    printed.replace(&results, "output/NAME")
}

/// Compares a screen with the one in tests/golden. To renew it:
/// `INSTA_UPDATE=always cargo test --test main golden`, and read the difference.
fn assert_screen(name: &str, arguments: &[&str]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, screen(arguments)));
}

#[test]
fn the_screen_of_the_storm() {
    assert_screen("storm", &["scenarios/storm.toml"]);
}

#[test]
fn the_screen_of_the_storm_as_published() {
    assert_screen("storm-cpython", &["scenarios/storm.toml", "--set", "random=cpython"]);
}

#[test]
fn the_screen_of_the_layers() {
    assert_screen("layers", &["scenarios/layers.toml"]);
}

/// The published numbers stand here once more, in words of their own: a renewed
/// snapshot must not carry a wrong one away.
#[test]
fn the_published_numbers_come_out() {
    let storm = ["scenarios/storm.toml", "--no-charts", "--set", "random=cpython"];
    let layers = ["scenarios/layers.toml", "--no-charts"];
    let rows: [(&[&str], &str, &[&str]); 8] = [
        (&storm, "constant", &["10,000 retries", "500 ms", "500 ms", "500 ms"]),
        (&storm, "exponential", &["10,000 retries", "2,500 ms", "2,500 ms", "2,500 ms"]),
        (&storm, "full-jitter", &["1,461 retries", "1,241 ms", "2,099 ms", "2,357 ms"]),
        (&storm, "equal-jitter", &["2,048 retries", "1,870 ms", "2,300 ms", "2,429 ms"]),
        (&storm, "decorrelated-jitter", &["647 retries", "2,371 ms", "4,007 ms", "4,182 ms"]),
        (&layers, "every layer retries", &["27", "27,000", "27.0"]),
        (&layers, "only payments retries", &["3", "3,000", "3.0"]),
        (&layers, "only payments, 10 % budget", &["3", "1,109", "1.1"]),
    ];
    for (arguments, name, cells) in rows {
        let screen = screen(arguments);
        let parts = |line: &str| -> Vec<String> {
            let parts = line.split("  ").map(str::trim).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        };
        let row =
            screen.lines().map(parts).find(|row| row.first().is_some_and(|cell| cell == name));
        assert_eq!(row.expect("there is a row of this name")[1..], *cells, "{name}\n{screen}");
    }
}

/// Byte for byte, and pictures by their pixels: how they are compressed may
/// change with a library.
#[test]
fn the_committed_results_are_current() {
    for name in ["storm", "layers"] {
        let folder = temporary();
        let scenario = format!("scenarios/{name}.toml");
        prints(0, &["run", &scenario, "-o", &place(&folder)]);
        let fresh = files(place(&folder));
        let committed = files(root().join("output").join(name));
        let renew = format!("renew it: cargo run --release -- run {scenario}");
        assert!(fresh.keys().eq(committed.keys()), "output/{name} has other files; {renew}");
        for (file, bytes) in &fresh {
            let same = if file.rsplit('.').next() == Some("png") {
                pixels(bytes) == pixels(&committed[file])
            } else {
                bytes == &committed[file]
            };
            assert!(same, "output/{name}/{file} is old; {renew}");
        }
    }
}

/// The pictures of docs/overloads.md, each with the one of its scenario.
#[test]
fn the_pictures_of_the_overloads_are_current() {
    for (name, picture) in [
        ("metastable", "timeline"),
        ("cascading-timeouts", "timeline"),
        ("reconnect-storm", "strategies"),
        ("cold-restart", "timeline"),
        ("aggressive-timeout", "timeline"),
    ] {
        let folder = temporary();
        prints(0, &["run", &format!("scenarios/teach/{name}.toml"), "-o", &place(&folder)]);
        let fresh = &files(place(&folder))[&format!("{picture}.png")];
        let path = root().join("docs/overloads").join(format!("{name}.png"));
        if std::env::var_os("SIM_RENEW").is_some() {
            std::fs::write(&path, fresh).expect("the picture can be written");
        }
        let committed = std::fs::read(&path).expect("the picture is there");
        let renew = "renew it: SIM_RENEW=1 cargo test --test main golden";
        assert!(pixels(fresh) == pixels(&committed), "{} is old; {renew}", path.display());
    }
}

fn pixels(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().expect("it is a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut pixels).expect("it can be decoded");
    (info.width, info.height, pixels)
}
