//! The commands of a build that has no lab: each is refused, whatever its flags.

use std::ffi::OsString;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use crate::failure::{Failure, HELP};

/// What this build cannot do. `--help` does not list it.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(hide = true, disable_help_flag = true)]
    Demo(Ignored),
    #[command(hide = true, disable_help_flag = true)]
    Minicluster(Ignored),
    #[command(hide = true, disable_help_flag = true)]
    Emulate(Ignored),
}

/// Flags of a command that is refused; they are accepted so that the error is about the command.
#[derive(Debug, Args)]
pub(crate) struct Ignored {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    let name = match command {
        Command::Demo(_) => "demo",
        Command::Minicluster(_) => "minicluster",
        Command::Emulate(_) => "emulate",
    };
    Err(Failure::Input(anyhow!(
        "this build has no lab; `plimsoll {name}` is part of it{HELP}build plimsoll with the feature `lab`, which is on by default: cargo build --release"
    )))
}
