//! The command `sim`: from the command line to the exit code.

mod cli;
mod command;
mod output;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(command::guarded(|| match cli::parse(std::env::args_os()) {
        Ok(cli) => {
            command::set_color(cli.options.color);
            command::execute(&cli).map_or_else(
                |failure| {
                    failure.report();
                    failure.code()
                },
                command::Status::code,
            )
        }
        Err(refusal) => {
            // Help goes to standard output, complaints to standard error. If
            // nobody reads them there is nobody to tell.
            let _ = refusal.print();
            u8::try_from(refusal.exit_code()).unwrap_or(2)
        }
    }))
}
