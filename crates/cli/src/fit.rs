//! `plimsoll fit`: asks the scheduling model about pods and nodes in a file.

use std::io::{self, BufWriter, Write as _};

use clap::ValueEnum;

use self::answer::answer;
use crate::{failure::Failure, input, printable::Lines};

mod answer;
mod json;
mod questions;
mod rows;
mod text;

/// What was typed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Kubernetes manifests (YAML or JSON), or cases as JSON lines; - is standard input.
    #[arg(long, value_name = "FILE")]
    file: String,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// How the answer is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Output {
    /// One line of JSON per case.
    Json,
    /// A table to read.
    Text,
}

/// Answers all questions in the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = input::read(&arguments.file).map_err(Failure::Input)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for (number, case) in questions::cases(&arguments.file, &text).enumerate() {
        let case = match case {
            Ok(case) => case,
            Err(error) => {
                // What was answered so far stands, also before a line that makes no sense.
                out.flush()?;
                return Err(Failure::Input(error));
            }
        };
        let answer = answer(case);
        match arguments.output {
            Output::Json => json::write(&mut out, &answer)?,
            Output::Text => {
                if number > 0 {
                    writeln!(out)?;
                }
                text::write(&mut Lines::new(&mut out), &answer)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
