//! The status as the upstream autoscaler writes it into its ConfigMap: the same fields in the same order and form.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{Group, OrderPhase, Symbol};
use plimsoll_plan::{GroupHealth, GroupReport};

use super::census::{Census, Counts, census, owners};
use crate::engine::Pass;

mod yaml;

/// Longer messages of providers are cut.
const LONGEST_MESSAGE: usize = 500;

/// The status of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// When it was found.
    pub at: Timestamp,
    /// What keeps the autoscaler from acting; empty when nothing does.
    pub message: String,
    /// The whole cluster.
    pub cluster: Scope,
    /// Groups by name.
    pub groups: Vec<(Symbol, GroupScope)>,
}

/// What is said of the cluster as well as of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// `Healthy` or `Unhealthy`.
    pub health: Condition,
    /// Its nodes.
    pub counts: Counts,
    /// `InProgress`, `NoActivity`, and of a group `Backoff` or `Unhealthy`.
    pub scale_up: Condition,
    /// `CandidatesPresent` or `NoCandidates`.
    pub scale_down: Condition,
    /// How many.
    pub candidates: usize,
}

/// What is said of a group only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupScope {
    /// What is said of the cluster as well.
    pub common: Scope,
    /// How many machines the provider was asked for.
    pub target: u32,
    /// Its minimum.
    pub min: u32,
    /// Its maximum.
    pub max: u32,
    /// The code and the words of the failure after which it rests.
    pub backoff: Option<(String, String)>,
}

/// A word, and since when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The word.
    pub status: &'static str,
    /// Since when.
    pub since: Timestamp,
}

/// Since when each condition holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transitions(BTreeMap<(Option<Symbol>, Aspect), Condition>);

/// What a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Aspect {
    Health,
    ScaleUp,
    ScaleDown,
}

// === impl Transitions ===

impl Transitions {
    /// The status that a pass shows. What is no more, such as a group that was deleted, is forgotten.
    pub(crate) fn status(&mut self, pass: &Pass) -> Status {
        let census = census(pass);
        let candidates = candidates(pass);
        let before = std::mem::take(&mut self.0);
        let mut conditions = |scope, aspect, status| {
            let known = before.get(&(scope, aspect)).filter(|known| known.status == status);
            let since = known.map_or(pass.at, |known| known.since);
            let condition = Condition { status, since };
            self.0.insert((scope, aspect), condition);
            condition
        };
        let mut groups = Vec::new();
        let mut grows = false;
        for report in &pass.plan.groups {
            let Some(group) = pass.seen.groups.iter().find(|group| group.id == report.id) else {
                continue;
            };
            let in_progress = is_in_progress(pass, report);
            grows |= in_progress;
            let scope = Some(group.id);
            let candidates = candidates.get(&group.id).copied().unwrap_or_default();
            let common = Scope {
                health: conditions(scope, Aspect::Health, health_of(&report.health)),
                counts: census.groups.get(&group.id).copied().unwrap_or_default(),
                scale_up: conditions(scope, Aspect::ScaleUp, scale_up(&report.health, in_progress)),
                scale_down: conditions(scope, Aspect::ScaleDown, scale_down(candidates)),
                candidates,
            };
            groups.push((group.id, group_scope(pass, group, report, common)));
        }
        let Census { all, .. } = census;
        let candidates = pass.plan.unneeded.len();
        let cluster = Scope {
            health: conditions(
                None,
                Aspect::Health,
                word(pass.plan.healthy && pass.plan.contradiction.is_none()),
            ),
            counts: all,
            scale_up: conditions(
                None,
                Aspect::ScaleUp,
                if grows { "InProgress" } else { "NoActivity" },
            ),
            scale_down: conditions(None, Aspect::ScaleDown, scale_down(candidates)),
            candidates,
        };
        let message = pass.held_back.as_ref().map(super::held_back).unwrap_or_default();
        Status { at: pass.at, message, cluster, groups }
    }
}

// === impl Status ===

impl Status {
    /// The text of the ConfigMap.
    pub(crate) fn text(&self) -> String {
        yaml::running(self)
    }

    /// Whether it says the same, times of observation left out.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        let Self { at: _, message, cluster, groups } = self;
        (message, cluster, groups) == (&other.message, &other.cluster, &other.groups)
    }
}

/// The text of the ConfigMap before the first pass.
pub(crate) fn initializing(now: Timestamp) -> String {
    yaml::initializing(now)
}

/// A moment as Go prints it with `2006-01-02 15:04:05.999999999 -0700 MST`.
pub(crate) fn go_time(moment: Timestamp) -> String {
    // RFC 3339 in UTC has the same digits, and leaves out zeros at the end as well.
    let text = moment.to_string();
    let text = text.trim_end_matches('Z').replacen('T', " ", 1);
    format!("{text} +0000 UTC")
}

/// Nodes that nobody needs, by group.
fn candidates(pass: &Pass) -> BTreeMap<Symbol, usize> {
    let owners = owners(&pass.seen.groups);
    let mut candidates = BTreeMap::new();
    for unneeded in &pass.plan.unneeded {
        if let Some(group) = owners.get(&unneeded.node) {
            *candidates.entry(*group).or_default() += 1;
        }
    }
    candidates
}

fn is_in_progress(pass: &Pass, report: &GroupReport) -> bool {
    let is_open = |phase: OrderPhase| matches!(phase, OrderPhase::Wanted | OrderPhase::Placed);
    report.upcoming > 0
        || pass.orders.iter().any(|order| order.intent.group == report.id && is_open(order.phase))
}

fn group_scope(pass: &Pass, group: &Group, report: &GroupReport, common: Scope) -> GroupScope {
    let backoff = match &report.health {
        GroupHealth::Backoff { code, .. } => {
            Some((code.to_string(), failure_of(pass, group).unwrap_or_default()))
        }
        GroupHealth::Frozen { reason } => Some(("Frozen".to_owned(), reason.to_string())),
        GroupHealth::Healthy | GroupHealth::Unhealthy => None,
    };
    let backoff = backoff.map(|(code, mut message)| {
        message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
        (code, message)
    });
    GroupScope { common, target: group.target, min: group.min, max: group.max, backoff }
}

/// What the provider said when it last failed.
pub(crate) fn failure_of(pass: &Pass, group: &Group) -> Option<String> {
    let mut orders = pass.orders.iter().filter(|order| order.intent.group == group.id);
    let refused =
        orders.rfind(|order| order.phase == OrderPhase::Failed && !order.message.is_empty());
    let mut instances = group.instances.iter().filter_map(|instance| instance.error.as_ref());
    let message = refused.map(|order| order.message.clone());
    message.or_else(|| instances.next().map(|error| error.message.to_string()))
}

fn health_of(health: &GroupHealth) -> &'static str {
    word(matches!(health, GroupHealth::Healthy | GroupHealth::Backoff { .. }))
}

const fn word(is_healthy: bool) -> &'static str {
    if is_healthy { "Healthy" } else { "Unhealthy" }
}

fn scale_up(health: &GroupHealth, in_progress: bool) -> &'static str {
    match health {
        _ if in_progress => "InProgress",
        GroupHealth::Unhealthy | GroupHealth::Frozen { .. } => "Unhealthy",
        GroupHealth::Backoff { .. } => "Backoff",
        GroupHealth::Healthy => "NoActivity",
    }
}

const fn scale_down(candidates: usize) -> &'static str {
    if candidates == 0 { "NoCandidates" } else { "CandidatesPresent" }
}

#[cfg(test)]
mod tests;
