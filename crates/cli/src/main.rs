//! The binary `plimsoll`: takes what was typed, hands it to the part that knows, and prints what went wrong once.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Parser, Subcommand, error::ErrorKind};

mod ask;
#[cfg(feature = "lab")]
mod demo;
#[cfg(feature = "lab")]
mod emulate;
mod explain;
mod failure;
mod fit;
mod input;
mod invocation;
mod lab;
mod listen;
mod log;
#[cfg(feature = "lab")]
mod minicluster;
mod plan;
mod printable;
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
    /// Infrastructures on their own.
    #[command(subcommand)]
    Provider(provider::Command),
    #[command(flatten)]
    Lab(lab::Command),
}

fn main() -> ExitCode {
    let line = invocation::understood(std::env::args_os());
    let arguments = match Arguments::try_parse_from(line) {
        Ok(arguments) => arguments,
        // Help and the version are answers.
        Err(asked)
            if !asked.use_stderr()
                || asked.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            asked.exit()
        }
        Err(error) => return failure::Failure::Input(anyhow!(one_line(&error))).report(),
    };
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Provider(command) => provider::run(&command),
        Command::Lab(command) => lab::run(&command),
    };
    outcome.map_or_else(failure::Failure::report, |()| ExitCode::SUCCESS)
}

/// What is wrong with what was typed, without how to type it right: there is `--help` for that.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let told = text.split("\n\nUsage:").next().unwrap_or_default();
    let told = told.split("\n\nFor more information").next().unwrap_or_default();
    let told = told.replace("\n\n  tip: ", "; ");
    let words: Vec<&str> = told.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}
