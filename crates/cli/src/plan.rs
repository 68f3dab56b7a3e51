//! `plimsoll plan`: one planning pass on a file.

use std::{
    io::{self, BufWriter, Write as _},
    time::Instant,
};

use anyhow::anyhow;
use clap::ValueEnum;
use plimsoll_manifest::scenario;
use plimsoll_model::World;
use plimsoll_plan::plan;

use crate::{failure::Failure, input, printable::Lines};

mod crowd;
mod full_name;
mod json;
mod text;
mod why;

/// What was typed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A scenario (YAML or JSON): flags, groups, Kubernetes objects; - is standard input.
    #[arg(long, value_name = "FILE")]
    file: String,
    /// How the plan is written.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Say also which node each pod gets.
    #[arg(long)]
    placements: bool,
    /// Explain one pod (namespace/name), node or group, and nothing else.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["output", "placements"])]
    why: Option<String>,
    /// Say on standard error how long reading and planning took.
    #[arg(long)]
    timings: bool,
}

/// How the plan is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Output {
    /// One JSON object.
    Json,
    /// Sentences.
    Text,
}

/// Plans the scenario in the file.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (world, parsing) = timed(|| read(&arguments.file));
    let world = world?;
    if let Some(name) = &arguments.why
        && !why::is_known(name, &world)
    {
        let text = "there is no pod, node or group of this name; pods are named namespace/name";
        return Err(Failure::Input(anyhow!("--why {name}: {text}")));
    }
    let (plan, planning) = timed(|| plan(&world));
    if arguments.timings {
        // Whoever asks for times and closes the channel does without.
        let _ = writeln!(io::stderr(), "parse {parsing:.3}s, plan {planning:.3}s");
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match (&arguments.why, arguments.output) {
        (Some(name), _) => {
            let mut out = Lines::new(&mut out);
            for sentence in why::why(name, &world, &plan) {
                writeln!(out, "{sentence}")?;
            }
        }
        (None, Output::Json) => json::write(&mut out, &plan, arguments.placements)?,
        (None, Output::Text) => {
            text::write(Lines::new(&mut out), &world, &plan, arguments.placements)?;
        }
    }
    Ok(out.flush()?)
}

/// The text of the file is given back before the planning begins: it may be larger than the world.
fn read(file: &str) -> Result<World, Failure> {
    let text = input::read(file).map_err(Failure::Input)?;
    scenario::read(&text).map_err(|error| Failure::Input(anyhow!("{file}: {error}")))
}

/// What `work` gives, and how many seconds it took.
#[expect(clippy::disallowed_methods, reason = "the time is for the user; no decision sees it")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
