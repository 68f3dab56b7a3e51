//! The answer of `/status`, as far as it is drawn. An older or newer autoscaler may leave things out.

use serde::Deserialize;

/// The whole at a glance.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Picture {
    pub standing: String,
    pub leader: Option<String>,
    /// None before the first pass, and where somebody else leads.
    pub pass: Option<u64>,
    pub at: String,
    pub held_back: Option<String>,
    pub healthy: bool,
    pub cost_per_hour: f64,
    pub planned_cost_per_hour: f64,
    pub pods: usize,
    pub groups: Vec<Group>,
    pub nodes: Vec<Node>,
    pub pending_count: usize,
    pub pending: Vec<Pod>,
    pub leaving: Vec<Leaving>,
    pub unreadable: Vec<String>,
    pub warnings: Vec<String>,
    pub decisions: Vec<Decision>,
}

/// A group.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Group {
    pub name: String,
    pub words: String,
    pub min: u32,
    pub max: u32,
    pub target: u32,
    pub ready: u32,
    pub upcoming: u32,
    pub price: Option<f64>,
}

/// A node.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub name: String,
    pub group: Option<String>,
    pub ready: bool,
    pub cpu: f64,
    pub memory: f64,
    pub words: String,
}

/// A pod without a node.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pod {
    pub name: String,
    pub words: String,
}

/// A node on its way out.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Leaving {
    pub node: String,
    pub why: String,
    pub stage: String,
    pub waits_for: String,
}

/// A decision, or what came of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Decision {
    pub at: String,
    pub text: String,
}
