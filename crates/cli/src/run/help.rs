//! What `plimsoll run --help` shows: every flag, by topic.

use std::io::{self, IsTerminal as _, Write as _};

use clap::{Arg, ArgAction, Command};
use plimsoll_manifest::flags::Topic;

use super::{flags::Known, words::Shape};

const ABOUT: &str = "\
Keeps a cluster loaded to its line: buys nodes for pods that cannot be placed, and gives back nodes that are not needed.

Flags are those of the upstream cluster-autoscaler, and a few of our own. They may be written --name=value or --name value, \
and may stand in a file, see --config.";

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
        .disable_help_flag(true);
    for topic in Topic::ALL {
        for flag in Known::all().filter(|flag| flag.topic() == topic) {
            command = command.arg(argument(flag).help_heading(topic.heading()));
        }
    }
    command
}

fn argument(flag: Known) -> Arg {
    let default = flag.default_text();
    let help = match default.as_str() {
        _ if flag.topic() == Topic::Accepted => flag.help().to_owned(),
        "" => flag.help().to_owned(),
        default => format!("{} [{default}]", flag.help()),
    };
    let argument = Arg::new(flag.name()).long(flag.name()).help(help);
    let argument = if flag.name() == "v" { argument.short('v') } else { argument };
    match flag.shape() {
        Shape::Switch => argument.action(ArgAction::SetTrue),
        Shape::Value => argument.action(ArgAction::Append).value_name("VALUE"),
    }
}
