//! The command line as it is typed. What it means is the commands' business.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{
    Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
};
use clap_complete::Shell;

/// Simulate what a retry policy does in an outage, before it ships
#[derive(Debug, Parser)]
#[command(
    name = "sim",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "The same scenario and seed give the same results on every machine.\n\
                  Exit codes: 0 done, 1 a threshold was missed or a published number differs, 2 wrong usage or scenario, \
                  3 a file could not be read or written, 4 a limit stopped the run, \
                  70 a bug, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scenario with its variants: print the table, write CSV, PNG, SVG
    Run {
        /// The scenario; `-` is standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Say all that is wrong or suspicious with a scenario, without running it
    Check {
        /// The scenario; `-` is standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Rebuild published tables and compare every number
    Reproduce {
        /// One table, by its name; all if left out
        id: Option<String>,
    },
    /// Write a scenario with comments to start from
    New {
        /// The file, which must not exist; `-` is standard output
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print the JSON schema of scenario files, for editors
    Schema,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Options that stand before or after the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Change a setting of the scenario, as in `--set service.shop.workers=20`
    #[arg(long = "set", value_name = "PATH=VALUE", global = true, value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// The seed of every draw, instead of the scenario's
    #[arg(long, value_name = "N", global = true)]
    pub(crate) seed: Option<u64>,
    /// Use so many threads; results do not depend on it
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// The folder for the results [default: output/ and the scenario's name]
    #[arg(short, long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// What to print: tables, all numbers, summary.csv, or thresholds as test cases
    #[arg(long, value_enum, default_value_t, global = true)]
    pub(crate) format: Format,
    /// Draw no charts
    #[arg(long, global = true)]
    pub(crate) no_charts: bool,
    /// Print only what is wrong: errors and missed thresholds
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say what is done, and how fast
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Colours; NO_COLOR is respected
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    pub(crate) color: Color,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Comments, not docs: with docs on its values the whole help grows long.
    // The tables, for people.
    #[default]
    Text,
    // Every number, for programs.
    Json,
    // The same as summary.csv.
    Csv,
    // The tables, for a page or a merge request.
    Markdown,
    // Thresholds as test cases.
    Junit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// Options that a command has no use for: they are not in its help, and an
/// error when they are typed.
fn useless(command: &str) -> &'static [&'static str] {
    match command {
        "check" => &["threads", "output", "no_charts", "verbose"],
        "new" | "schema" | "completions" => {
            &["set", "seed", "threads", "output", "format", "no_charts", "quiet", "verbose"]
        }
        _ => &[],
    }
}

/// The command line as clap knows it.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command();
    let options: Vec<Arg> = command.get_arguments().cloned().collect();
    let names: Vec<String> =
        command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        // A global option is handed to each command that has none of its name,
        // so these take the place of what should not be seen there.
        let hidden =
            options.iter().filter(|option| useless(&name).contains(&option.get_id().as_str()));
        let hidden: Vec<Arg> = hidden.map(|option| option.clone().hide(true)).collect();
        command = command.mut_subcommand(&name, |command| command.args(hidden));
    }
    let format = options.into_iter().find(|option| option.get_id() == "format");
    command.mut_subcommand("check", |check| check.args(format.map(checks_format)))
}

/// The option `--format` of `sim check`, which has no numbers to print.
fn checks_format(format: Arg) -> Arg {
    let parser = PossibleValuesParser::new(["text", "json"]);
    let parser = parser.map(|word| if word == "json" { Format::Json } else { Format::Text });
    format.value_parser(parser).help("What to print")
}

/// Reads the command line.
///
/// # Errors
/// If it is wrong, or asks for help: what to print is in the error.
pub(crate) fn parse(
    line: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(line)?;
    if let Some((name, given)) = matches.subcommand()
        && let Some(option) = useless(name).iter().find(|option| is_typed(given, option))
    {
        let flag = format!("--{}", option.replace('_', "-"));
        return Err(refusal(&mut command, name, flag));
    }
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    let is_check = matches!(cli.command, Command::Check { .. });
    if is_check && !matches!(cli.options.format, Format::Text | Format::Json) {
        return Err(command.error(ErrorKind::InvalidValue, "`check` prints text or json"));
    }
    Ok(cli)
}

fn is_typed(given: &ArgMatches, option: &str) -> bool {
    given.value_source(option) == Some(ValueSource::CommandLine)
}

/// The error about an option that a command has no use for, in clap's words.
fn refusal(command: &mut clap::Command, name: &str, flag: String) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::UnknownArgument);
    error.insert(ContextKind::InvalidArg, ContextValue::String(flag));
    match command.find_subcommand_mut(name) {
        Some(command) => error.with_cmd(command),
        None => error.with_cmd(command),
    }
}

/// Splits `PATH=VALUE` at the first sign.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => {
            Ok((path.trim().to_owned(), value.to_owned()))
        }
        _ => Err("it is written PATH=VALUE, as in client.app.count=500".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Cli, clap::Error> {
        parse(line.split(' '))
    }

    fn complaint(line: &str) -> String {
        parsed(line).unwrap_err().render().to_string()
    }

    fn help(line: &str) -> String {
        let error = parsed(line).unwrap_err();
        assert_eq!(error.exit_code(), 0);
        error.render().to_string()
    }

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn options_stand_before_or_after_the_command() {
        for line in [
            "sim run f.toml --seed 5 --set a=1 --set b=c=d -q",
            "sim --seed 5 --set a=1 --set b=c=d -q run f.toml",
        ] {
            let cli = parsed(line).unwrap();
            assert_eq!(cli.options.seed, Some(5), "{line}");
            assert!(cli.options.quiet, "{line}");
            let set = [("a".to_owned(), "1".to_owned()), ("b".to_owned(), "c=d".to_owned())];
            assert_eq!(cli.options.set, set, "{line}");
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for line in [
            "sim",
            "sim run",
            "sim fly f.toml",
            "sim run f.toml --set jitter",
            "sim run f.toml --seed -1",
            "sim run f.toml --threads 0",
            "sim run f.toml --format xml",
            "sim schema --threads 4",
            "sim --threads 4 schema",
            "sim check f.toml --output x",
            "sim check f.toml --format csv",
            "sim --format csv check f.toml",
            "sim new f.toml --seed 3",
        ] {
            assert_eq!(parsed(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert!(complaint("sim schema --threads 4").contains("unexpected argument '--threads'"));
    }

    #[test]
    fn help_lists_only_what_works() {
        for (line, present, absent) in [
            ("sim run --help", "--threads", "--replications"),
            ("sim check --help", "--set", "--threads"),
            ("sim check --help", "[possible values: text, json]", "junit"),
            ("sim schema --help", "--color", "--set"),
            ("sim --help", "completions", "sweep"),
        ] {
            let help = help(line);
            assert!(help.contains(present), "{line}\n{help}");
            assert!(!help.contains(absent), "{line}\n{help}");
        }
    }
}
