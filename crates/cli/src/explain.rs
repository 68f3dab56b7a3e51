//! `plimsoll explain`: asks the running autoscaler why a pod, a node or a group is as it is.

use std::io::{self, BufWriter, Write as _};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::{
    ask::{self, Output},
    failure::Failure,
    printable::Lines,
};

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What it is.
    #[arg(value_enum)]
    kind: Kind,
    /// Its name; a pod may be named namespace/name.
    name: String,
    /// The namespace of a pod.
    #[arg(long, short)]
    namespace: Option<String>,
    #[command(flatten)]
    ask: ask::Arguments,
}

/// What can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Why it waits, or where it goes.
    Pod,
    /// Why it is kept, or leaves.
    Node,
    /// How it is, and what was decided about it.
    Group,
}

/// Asks, and tells.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = full_name(arguments).map_err(|problem| Failure::Input(anyhow!(problem)))?;
    let key = match arguments.kind {
        Kind::Pod => "pod",
        Kind::Node => "node",
        Kind::Group => "group",
    };
    let answer = arguments.ask.ask("/explain", &[(key, &name)])?;
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.ask.output {
        Output::Json => writeln!(out, "{answer:#}")?,
        Output::Text => {
            let mut out = Lines::new(&mut out);
            let sentences = answer.get("sentences").and_then(Value::as_array);
            for sentence in sentences.into_iter().flatten().filter_map(Value::as_str) {
                writeln!(out, "{sentence}")?;
            }
        }
    }
    Ok(out.flush()?)
}

fn full_name(arguments: &Arguments) -> Result<String, &'static str> {
    let Arguments { kind, name, namespace, .. } = arguments;
    match (kind, namespace) {
        (_, None) => Ok(name.clone()),
        (Kind::Pod, Some(_)) if name.contains('/') => {
            Err("--namespace: the name of the pod has a namespace already")
        }
        (Kind::Pod, Some(namespace)) => Ok(format!("{namespace}/{name}")),
        (_, Some(_)) => Err("--namespace: only pods are in namespaces"),
    }
}
