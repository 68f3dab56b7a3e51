//! What `plimsoll run --help` shows: every flag, by topic.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use clap::{Arg, ArgAction, Command};
use plimsoll_manifest::flags::Topic;

use super::{flags::Known, words::Shape};

const ABOUT: &str = "\
Keeps a cluster loaded to its line: buys nodes for pods that cannot be placed, and gives back nodes that are not needed.

Flags are those of the upstream cluster-autoscaler, and a few of our own. They are written --name=value or --name value, and may \
stand in a file, see --config. A switch is turned on by its name and off by --name=false. Durations are like 90s or 1h30m. \
What holds when a flag is left out is in brackets.";

const FIRST: &str = "\
Try it first: --dry-run plans and tells, and touches nothing; plimsoll status and plimsoll explain ask the running process.";

/// Shows it.
pub(super) fn show() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let help = command().render_help();
    if out.is_terminal() {
        write!(out, "{}", help.ansi())?;
    } else {
        write!(out, "{help}")?;
    }
    out.flush()
}

fn command() -> Command {
    let mut command = Command::new("plimsoll run")
        .about(ABOUT)
        .override_usage("plimsoll run --cloud-provider=NAME --cloud-config=FILE [--flag=value]…")
        .after_help(format!("{}\n{FIRST}", idle()))
        .disable_help_flag(true);
    for topic in Topic::ALL.into_iter().filter(|topic| *topic != Topic::Accepted) {
        for flag in Known::all().filter(|flag| flag.topic() == topic) {
            command = command.arg(argument(flag).help_heading(topic.heading()));
        }
    }
    command
}

fn argument(flag: Known) -> Arg {
    let help = match flag.default_text().as_str() {
        "" => flag.help().to_owned(),
        default => format!("{} [{default}]", flag.help()),
    };
    let argument = Arg::new(flag.name()).long(flag.name()).help(help);
    let argument = if flag.name() == "v" { argument.short('v') } else { argument };
    match flag.shape() {
        Shape::Switch => argument.action(ArgAction::SetTrue),
        Shape::Value => argument.action(ArgAction::Append).value_name(flag.value_name()),
    }
}

/// Flags that are taken without effect, those together for which the same is to be said.
fn idle() -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for flag in Known::all().filter(|flag| flag.topic() == Topic::Accepted) {
        match reasons.iter_mut().find(|(reason, _)| *reason == flag.help()) {
            Some((_, names)) => names.push(flag.name()),
            None => reasons.push((flag.help(), vec![flag.name()])),
        }
    }
    let mut text = format!("{}:\n", Topic::Accepted.heading());
    for (reason, names) in reasons {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {reason}:\n      --{}", names.join(", --"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Known, command};

    #[test]
    fn every_flag_is_found_once_under_its_heading() {
        let help = command().render_help().to_string();
        for flag in Known::all() {
            let name = format!("--{}", flag.name());
            let is_it = |word: &&str| word.trim_end_matches(',') == name;
            let head = |line: &str| line.trim_start().starts_with('-');
            let lines = help.lines().filter(|line| head(line));
            let found = lines.flat_map(str::split_whitespace).filter(is_it).count();
            assert_eq!(found, 1, "{name}");
        }
        let headings = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' '));
        assert_eq!(
            headings.collect::<Vec<_>>(),
            [
                "Infrastructures and their node groups:",
                "The process and its way to the cluster:",
                "Scale-up: what to buy:",
                "Scale-up: what comes up, and what does not:",
                "Limits of the whole cluster:",
                "Scale-down: what to give back:",
                "Scale-down: how a node leaves:",
                "Status, metrics, events and health:",
                "Leader election:",
                "Logging:",
                "Accepted without effect:",
            ]
        );
    }
}
