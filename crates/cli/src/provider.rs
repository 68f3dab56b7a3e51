//! `plimsoll provider`: infrastructures on their own.

use clap::Subcommand;

use crate::failure::Failure;

pub(crate) mod open;
mod serve;

/// What to do with an infrastructure.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serves it over externalgrpc, so that the upstream Cluster Autoscaler can use it.
    Serve(serve::Arguments),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Serve(arguments) => serve::run(arguments),
    }
}
