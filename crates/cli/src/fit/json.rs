//! The answer as a line of JSON.

use std::io::{self, Write};

use plimsoll_fit::Rejection;
use serde::{Serialize, Serializer};

use super::answer::{Answer, PodAnswer};

/// Writes one line: the plugins that reject for each pod and node, and what they say.
pub(super) fn write(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let line = Line { id: &answer.id, verdicts: Verdicts(answer), messages: Messages(answer) };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    verdicts: Verdicts<'a>,
    messages: Messages<'a>,
}

/// By pod and node, in the order of the input; a node that takes the pod has an empty list.
struct Verdicts<'a>(&'a Answer);

/// By pod and node, only for nodes that do not take the pod.
struct Messages<'a>(&'a Answer);

/// A map in the order of its pairs.
struct Ordered<T>(T);

impl Serialize for Verdicts<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let nodes = |pod: &PodAnswer| {
            let plugins = |all: &[Rejection]| -> Vec<&str> {
                all.iter().map(|rejection| rejection.plugin().as_str()).collect()
            };
            let nodes = pod.nodes.iter();
            Ordered(nodes.map(|(name, all)| (name.as_str(), plugins(all))).collect::<Vec<_>>())
        };
        to.collect_map(self.0.pods.iter().map(|pod| (pod.pod.to_string(), nodes(pod))))
    }
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let nodes = |pod: &PodAnswer| {
            let words = |all: &[Rejection]| all.iter().map(Rejection::to_string).collect();
            let refusing = pod.nodes.iter().filter(|(_, all)| !all.is_empty());
            let nodes: Vec<(&str, Vec<String>)> =
                refusing.map(|(name, all)| (name.as_str(), words(all))).collect();
            (!nodes.is_empty()).then_some((pod.pod.to_string(), Ordered(nodes)))
        };
        to.collect_map(self.0.pods.iter().filter_map(nodes))
    }
}

impl<K: Serialize, V: Serialize> Serialize for Ordered<Vec<(K, V)>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
