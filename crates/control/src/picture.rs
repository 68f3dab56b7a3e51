//! The whole at a glance, as data: groups, nodes with their load, pods that wait, what is under way and what was decided last.
//!
//! `/status` answers with it; `plimsoll status` and others draw it.

use jiff::Timestamp;
use plimsoll_cluster::lease::Standing;
use plimsoll_model::{Node, Resources, Symbol, resource};
use plimsoll_plan::words;
use serde::Serialize;

use crate::{
    engine::{OpenRetirement, Pass},
    explain::{GroupFacts, NodeTeller, facts_of_group},
    record::{self, Line, census::owners},
};

/// Of more pods that wait than this, only the number is told.
const MOST_PODS: usize = 500;

/// The whole at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// `Leading` or `Standby`.
    pub standing: &'static str,
    /// Who leads, when it is somebody else and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader: Option<String>,
    /// The rest follows from the latest pass; there is none before the first, and none where somebody else leads.
    #[serde(flatten)]
    pub scene: Option<Scene>,
    /// The last decisions and what came of them, the oldest first.
    pub decisions: Vec<Line>,
}

/// What a pass shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scene {
    /// The pass.
    pub pass: u64,
    /// Its moment.
    pub at: Timestamp,
    /// What keeps plans from being acted on, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<String>,
    /// Whether the cluster as a whole can be trusted.
    pub healthy: bool,
    /// What all nodes cost per hour.
    pub cost_per_hour: f64,
    /// What they will cost once the plan is carried out.
    pub planned_cost_per_hour: f64,
    /// How many pods there are.
    pub pods: usize,
    /// Groups by name.
    pub groups: Vec<GroupPicture>,
    /// Nodes by group and name.
    pub nodes: Vec<NodePicture>,
    /// How many pods have no node.
    pub pending_count: usize,
    /// The first of them.
    pub pending: Vec<PodPicture>,
    /// Nodes on their way out.
    pub leaving: Vec<LeavingPicture>,
    /// What could not be read, and why.
    pub unreadable: Vec<String>,
    /// What is contradictory in what was seen, in sentences; machines and nodes are left alone for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupPicture {
    /// Its name.
    pub name: &'static str,
    /// Its state in words.
    pub words: String,
    /// Its state as data.
    #[serde(flatten)]
    pub facts: GroupFacts,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodePicture {
    /// Its name.
    pub name: &'static str,
    /// Its group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// Whether it is ready by its own word.
    pub ready: bool,
    /// The share of its cpu that pods ask for: 0 to 1.
    pub cpu: f64,
    /// The share of its memory that pods ask for: 0 to 1.
    pub memory: f64,
    /// `Kept`, `Unneeded` or `Leaving`.
    pub state: &'static str,
    /// Why, in a sentence.
    pub words: String,
}

/// A pod without a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PodPicture {
    /// Its name.
    pub name: String,
    /// What becomes of it, in a word.
    pub outcome: &'static str,
    /// What becomes of it, in a sentence.
    pub words: String,
}

/// A node on its way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeavingPicture {
    /// The node.
    pub node: &'static str,
    /// Its group.
    pub group: &'static str,
    /// Why it leaves.
    pub why: String,
    /// How far it has come.
    pub stage: &'static str,
    /// Since when it is on its way.
    pub since: Timestamp,
    /// What it waits for.
    pub waits_for: String,
}

// === impl Picture ===

impl Picture {
    /// What is known now.
    pub fn of(pass: Option<&Pass>, standing: &Standing, decisions: Vec<Line>) -> Self {
        let (standing, leader, pass) = match standing {
            Standing::Leading => ("Leading", None, pass),
            Standing::Standby { leader } => ("Standby", leader.clone(), None),
        };
        Self { standing, leader, scene: pass.map(Scene::of), decisions }
    }
}

// === impl Scene ===

impl Scene {
    /// What a pass shows.
    pub fn of(pass: &Pass) -> Self {
        let pending = pass.plan.pods.iter().take(MOST_PODS).map(|report| PodPicture {
            name: report.pod.to_string(),
            outcome: words::outcome_name(report.outcome),
            words: words::pod(report),
        });
        Self {
            pass: pass.number,
            at: pass.at,
            held_back: pass.held_back.as_ref().map(record::held_back),
            healthy: pass.plan.healthy,
            cost_per_hour: pass.plan.cost.before.units(),
            planned_cost_per_hour: pass.plan.cost.after.units(),
            pods: pass.seen.pods,
            groups: groups(pass),
            nodes: nodes(pass),
            pending_count: pass.plan.pods.len(),
            pending: pending.collect(),
            leaving: pass.retirements.iter().map(LeavingPicture::of).collect(),
            unreadable: pass.seen.unreadable.clone(),
            warnings: record::doubts(&pass.plan, pass.at),
        }
    }
}

// === impl LeavingPicture ===

impl LeavingPicture {
    fn of(leaving: &OpenRetirement) -> Self {
        Self {
            node: leaving.node.as_str(),
            group: leaving.group.as_str(),
            why: leaving.why.clone(),
            stage: leaving.stage,
            since: leaving.since,
            waits_for: leaving.waits_for.clone(),
        }
    }
}

fn groups(pass: &Pass) -> Vec<GroupPicture> {
    let mut groups: Vec<GroupPicture> = (pass.seen.groups.iter())
        .map(|group| {
            let report = pass.plan.groups.iter().find(|report| report.id == group.id);
            let state = |report| words::group_state(report, Some((group.min, group.max)), pass.at);
            GroupPicture {
                name: group.id.as_str(),
                words: report.map(state).unwrap_or_default(),
                facts: facts_of_group(pass, group),
            }
        })
        .collect();
    groups.sort_by_key(|group| group.name);
    groups
}

fn nodes(pass: &Pass) -> Vec<NodePicture> {
    let owners = owners(&pass.seen.groups);
    let teller = NodeTeller::new(pass, &owners);
    let mut nodes: Vec<NodePicture> = (pass.seen.nodes.iter())
        .map(|node| {
            let (words, facts) = teller.about(node.name);
            let load = |name| load(node, pass.seen.requested.get(&node.name), name);
            NodePicture {
                name: node.name.as_str(),
                group: facts.group,
                ready: node.conditions.ready,
                cpu: load(resource::CPU),
                memory: load(resource::MEMORY),
                state: facts.state,
                words,
            }
        })
        .collect();
    nodes.sort_by_key(|node| (node.group, node.name));
    nodes
}

/// The share of a node's resource that pods ask for.
#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn load(node: &Node, requested: Option<&Resources>, name: &str) -> f64 {
    let name = Symbol::new(name);
    let has = node.allocatable.get(name);
    let asked = requested.map_or(0, |requested| requested.get(name));
    if has <= 0 { 0.0 } else { asked as f64 / has as f64 }
}
