//! How a command ends when it does not end well.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

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

// === impl Failure ===

impl Failure {
    /// Says what went wrong in one line, and gives the exit code for it.
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
        let line = text.replace(['\n', '\r'], " ");
        // Where nobody listens to errors there is nobody to tell that to.
        let _ = writeln!(io::stderr(), "error: {line}");
        code
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
