//! The binary `plimsoll`: takes what was typed, hands it to the part that knows, and prints what went wrong once.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod ask;
mod demo;
mod emulate;
mod explain;
mod failure;
mod fit;
mod input;
mod listen;
mod log;
mod minicluster;
mod plan;
mod provider;
mod run;
mod status;

/// Keeps a Kubernetes cluster loaded to its line.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The autoscaler: buys nodes for pods that cannot be placed, gives back nodes that are not needed.
    Run(run::Arguments),
    /// Why is this pod, node or group as it is? Asks the running autoscaler.
    Explain(explain::Arguments),
    /// The running autoscaler at a glance: groups, nodes, pods that wait, the last decisions.
    Status(status::Arguments),
    /// Would the scheduler put these pods on these nodes? Asks about a file, and nothing else.
    Fit(fit::Arguments),
    /// What would the autoscaler do with this cluster, and why? Plans one pass on a file, and does nothing.
    Plan(plan::Arguments),
    /// Shows the autoscaler at work, in a cluster of its own: a play of seven acts, live in the terminal.
    Demo(demo::Arguments),
    /// A Kubernetes cluster in one process, for kubectl, for a try-out, for tests. Its nodes are fake.
    Minicluster(minicluster::Arguments),
    /// Infrastructures on their own.
    #[command(subcommand)]
    Provider(provider::Command),
    /// The service of an infrastructure without the infrastructure, for tests and for a try-out.
    #[command(subcommand)]
    Emulate(emulate::Command),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Minicluster(arguments) => minicluster::run(&arguments),
        Command::Provider(command) => provider::run(&command),
        Command::Emulate(command) => emulate::run(&command),
    };
    outcome.map_or_else(failure::Failure::report, |()| ExitCode::SUCCESS)
}
