//! Why things are as they are: what the latest pass says of a pod, a node or a group, in sentences and as data.

use jiff::Timestamp;
use serde::Serialize;

use crate::{engine::Pass, record};

mod group;
mod near;
mod node;
mod pod;

pub use self::{
    group::{GroupFacts, InstanceFacts, OrderFacts},
    node::NodeFacts,
    pod::{PodFacts, RejectionFacts},
};

pub(crate) use self::{group::facts as facts_of_group, node::NodeTeller};

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A pod, `namespace/name`; the namespace may be left out where only one pod has the name, or one of `default`.
    Pod(String),
    /// A node.
    Node(String),
    /// A group.
    Group(String),
}

/// What there is to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// `pod`, `node` or `group`.
    pub kind: &'static str,
    /// The whole name.
    pub name: String,
    /// The pass that it follows from.
    pub pass: u64,
    /// The moment of that pass.
    pub at: Timestamp,
    /// What keeps plans from being acted on, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<String>,
    /// For people, in their order; lines that begin with two spaces belong to the one before.
    pub sentences: Vec<String>,
    /// For programs.
    #[serde(flatten)]
    pub facts: Facts,
}

/// The same as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Facts {
    /// Of a pod.
    Pod(PodFacts),
    /// Of a node.
    Node(NodeFacts),
    /// Of a group.
    Group(Box<GroupFacts>),
}

/// Nothing of this name is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name}{}", hint(.nearest))]
pub struct Unknown {
    /// `pod`, `node` or `group`.
    pub kind: &'static str,
    /// What was asked for.
    pub name: String,
    /// Known names that are like it, the likeliest first.
    pub nearest: Vec<String>,
}

/// What a pass says of something.
pub fn explain(pass: &Pass, subject: &Subject) -> Result<Explained, Unknown> {
    match subject {
        Subject::Pod(name) => pod::explain(pass, name),
        Subject::Node(name) => node::explain(pass, name),
        Subject::Group(name) => group::explain(pass, name),
    }
}

// === impl Explained ===

impl Explained {
    fn new(
        pass: &Pass,
        kind: &'static str,
        name: String,
        mut sentences: Vec<String>,
        facts: Facts,
    ) -> Self {
        let held_back = pass.held_back.as_ref().map(record::held_back);
        sentences.extend(held_back.clone());
        Self { kind, name, pass: pass.number, at: pass.at, held_back, sentences, facts }
    }
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

#[cfg(test)]
mod tests;
