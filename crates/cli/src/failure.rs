//! How a command ends when it does not end well.

use std::{io, process::ExitCode};

use crate::printable::Lines;

/// What went wrong, by whose fault it is.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is not valid, or cannot be read.
    Input(anyhow::Error),
    /// The answer could not be written.
    Output(io::Error),
    /// The input is fine, and what it asks for does not work here and now.
    Running(anyhow::Error),
}

/// The command did its part, the input did not.
const INVALID_INPUT: u8 = 2;

/// What stands between a problem and what to do about it.
pub(crate) const HELP: &str = "\nhelp: ";

// === impl Failure ===

impl Failure {
    /// Says what went wrong in one line, what to do about it in a second where that is known, and gives the exit code for it.
    pub(crate) fn report(self) -> ExitCode {
        let (text, code) = match self {
            Self::Input(error) => (format!("{error:#}"), ExitCode::from(INVALID_INPUT)),
            Self::Running(error) => (format!("{error:#}"), ExitCode::FAILURE),
            // Whoever stops reading has seen enough: `plimsoll fit … | head` is fine.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::Output(error) => {
                (format!("the answer cannot be written: {error}"), ExitCode::FAILURE)
            }
        };
        let (problem, help) = match text.split_once(HELP) {
            Some((problem, help)) => (problem, Some(help)),
            None => (&*text, None),
        };
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut out = Lines::new(io::stderr());
        // Where nobody listens to errors there is nobody to tell that to.
        let _ = writeln!(out, "error: {}", one_line(problem));
        if let Some(help) = help {
            let _ = writeln!(out, "  help: {}", one_line(help));
        }
        code
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
