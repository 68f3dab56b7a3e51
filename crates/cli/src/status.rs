//! `plimsoll status`: the running autoscaler at a glance.

use std::io::{self, BufWriter, Write as _};

use anyhow::Context as _;
use clap::Args;

use crate::{
    ask::{self, Output},
    failure::Failure,
};

mod draw;
mod picture;

use self::picture::Picture;

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    ask: ask::Arguments,
}

/// Asks, and draws.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let answer = arguments.ask.ask("/status", &[])?;
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.ask.output {
        Output::Json => writeln!(out, "{answer:#}")?,
        Output::Text => {
            let picture: Picture = serde_json::from_value(answer)
                .context("the autoscaler answers in words that this version does not know")
                .map_err(Failure::Running)?;
            write!(out, "{}", draw::draw(&picture))?;
        }
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests;
