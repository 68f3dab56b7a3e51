//! The commands of a build that has the lab.

use clap::Subcommand;

use crate::{demo, emulate, failure::Failure, minicluster};

/// What to try out.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows the autoscaler at work, in a cluster of its own: a play of seven acts, live in the terminal.
    Demo(demo::Arguments),
    /// A Kubernetes cluster in one process, for kubectl, for a try-out, for tests. Its nodes are fake.
    Minicluster(minicluster::Arguments),
    /// The service of an infrastructure without the infrastructure, for tests and for a try-out.
    #[command(subcommand)]
    Emulate(emulate::Command),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Demo(arguments) => demo::run(arguments),
        Command::Minicluster(arguments) => minicluster::run(arguments),
        Command::Emulate(command) => emulate::run(command),
    }
}
