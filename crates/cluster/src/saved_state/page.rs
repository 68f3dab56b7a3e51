//! A memory as it is written: times and names as text, pairs as entries of a list.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{
    Activity, Backoff, Contradicted, Memory, Origin, PodName, Replacement, Symbol, Unregistered,
};
use serde::{Deserialize, Serialize};

/// The format. Another one is not read.
const VERSION: u32 = 1;

/// A machine that was made for an order of ours.
const ORDERED: &str = "ordered";
/// A machine that had a node.
const LOST: &str = "lost";

/// The memory as it is saved. A field that is missing has its first value, and one that is not known is left out, so that versions
/// next to each other read what the other one saved. Versions before 0.2 also saved `orders`, which are objects of their own.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Page {
    version: u32,
    unneeded_since: BTreeMap<String, String>,
    unready_since: BTreeMap<String, String>,
    /// Left out when there are none, as earlier versions wrote it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    departed_since: BTreeMap<String, String>,
    unregistered_since: Vec<UnregisteredEntry>,
    /// Left out when there is none, as earlier versions wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contradiction: Option<ContradictionEntry>,
    /// Left out when there are none, as earlier versions wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lost_deletions: Vec<LostDeletion>,
    last_scale_up: Option<String>,
    last_scale_down: Option<String>,
    last_scale_down_failure: Option<String>,
    group_activity: BTreeMap<String, ActivityEntry>,
    backoff: BTreeMap<String, BackoffEntry>,
    size_mismatch_since: BTreeMap<String, String>,
    replacement: Option<ReplacementEntry>,
    consolidated: Option<String>,
    /// Left out when there are none, as earlier versions wrote it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    stayed: BTreeMap<String, String>,
    recent_evictions: Vec<Eviction>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnregisteredEntry {
    group: String,
    instance: Box<str>,
    since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// Earlier versions did not write it, and later ones may write another: then nothing is known, and the machine is spared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContradictionEntry {
    since: String,
    seen: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LostDeletion {
    group: String,
    instance: Box<str>,
    at: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActivityEntry {
    scale_up: Option<String>,
    scale_down: Option<String>,
    failure: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BackoffEntry {
    until: String,
    step: String,
    failed: String,
    code: Box<str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReplacementEntry {
    nodes: Vec<String>,
    groups: BTreeMap<String, u32>,
    at: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Eviction {
    namespace: String,
    pod: Box<str>,
    at: String,
}

// === impl Page ===

impl Page {
    pub(super) fn of(memory: &Memory) -> Self {
        // Every field is named, so that none is forgotten when one is added.
        let Memory {
            unneeded_since,
            unready_since,
            departed_since,
            unregistered,
            contradiction,
            lost_deletions,
            last_scale_up,
            last_scale_down,
            last_scale_down_failure,
            group_activity,
            backoff,
            size_mismatch_since,
            replacement,
            consolidated,
            stayed,
            recent_evictions,
            // What is decided about them is written on them. Whoever finds it missing there decides anew.
            requests: _,
            // Nodes that are there are looked at again, and tried again.
            exemplars: _,
            unremovable_until: _,
            // Whoever starts anew has not looked yet.
            watched_since: _,
            registered: _,
        } = memory;
        Self {
            version: VERSION,
            unneeded_since: moments(unneeded_since),
            unready_since: moments(unready_since),
            departed_since: moments(departed_since),
            unregistered_since: (unregistered.iter())
                .map(|((group, instance), machine)| {
                    UnregisteredEntry::of(*group, instance, machine)
                })
                .collect(),
            contradiction: contradiction.as_ref().map(|found| ContradictionEntry {
                since: found.since.to_string(),
                seen: found.seen.to_string(),
            }),
            lost_deletions: (lost_deletions.iter())
                .map(|((group, instance), at)| LostDeletion {
                    group: group.to_string(),
                    instance: instance.clone(),
                    at: at.to_string(),
                })
                .collect(),
            last_scale_up: text(last_scale_up.as_ref()),
            last_scale_down: text(last_scale_down.as_ref()),
            last_scale_down_failure: text(last_scale_down_failure.as_ref()),
            group_activity: (group_activity.iter())
                .map(|(group, activity)| (group.to_string(), ActivityEntry::of(activity)))
                .collect(),
            backoff: (backoff.iter())
                .map(|(group, backoff)| (group.to_string(), BackoffEntry::of(backoff)))
                .collect(),
            size_mismatch_since: moments(size_mismatch_since),
            replacement: replacement.as_ref().map(ReplacementEntry::of),
            consolidated: text(consolidated.as_ref()),
            stayed: moments(stayed),
            recent_evictions: (recent_evictions.iter())
                .map(|(pod, at)| Eviction {
                    namespace: pod.namespace.to_string(),
                    pod: pod.name.clone(),
                    at: at.to_string(),
                })
                .collect(),
        }
    }

    pub(super) fn memory(self) -> Result<Memory, String> {
        if self.version != VERSION {
            return Err(format!("it is of version {}, not {VERSION}", self.version));
        }
        Ok(Memory {
            unneeded_since: by_name(self.unneeded_since, |since| parse(&since))?,
            unready_since: by_name(self.unready_since, |since| parse(&since))?,
            departed_since: by_name(self.departed_since, |since| parse(&since))?,
            unregistered: (self.unregistered_since.into_iter())
                .map(UnregisteredEntry::machine)
                .collect::<Result<_, String>>()?,
            contradiction: (self.contradiction)
                .map(|entry| {
                    let (since, seen) = (parse(&entry.since)?, parse(&entry.seen)?);
                    Ok::<_, String>(Contradicted { since, seen })
                })
                .transpose()?,
            lost_deletions: (self.lost_deletions.into_iter())
                .map(|entry| Ok(((Symbol::new(&entry.group), entry.instance), parse(&entry.at)?)))
                .collect::<Result<_, String>>()?,
            last_scale_up: parse_some(self.last_scale_up)?,
            last_scale_down: parse_some(self.last_scale_down)?,
            last_scale_down_failure: parse_some(self.last_scale_down_failure)?,
            group_activity: by_name(self.group_activity, ActivityEntry::activity)?,
            backoff: by_name(self.backoff, BackoffEntry::backoff)?,
            size_mismatch_since: by_name(self.size_mismatch_since, |since| parse(&since))?,
            replacement: self.replacement.map(ReplacementEntry::replacement).transpose()?,
            consolidated: parse_some(self.consolidated)?,
            stayed: by_name(self.stayed, |at| parse(&at))?,
            recent_evictions: (self.recent_evictions.into_iter())
                .map(|entry| {
                    let namespace = Symbol::new(&entry.namespace);
                    Ok((PodName { namespace, name: entry.pod }, parse(&entry.at)?))
                })
                .collect::<Result<_, String>>()?,
            ..Memory::default()
        })
    }
}

// === impl UnregisteredEntry ===

impl UnregisteredEntry {
    fn of(group: Symbol, instance: &str, machine: &Unregistered) -> Self {
        let origin = match machine.origin {
            Origin::Ordered => Some(ORDERED),
            Origin::Lost => Some(LOST),
            Origin::Found => None,
        };
        Self {
            group: group.to_string(),
            instance: instance.into(),
            since: machine.since.to_string(),
            created: text(machine.created.as_ref()),
            origin: origin.map(str::to_owned),
        }
    }

    fn machine(self) -> Result<((Symbol, Box<str>), Unregistered), String> {
        let origin = match self.origin.as_deref() {
            Some(ORDERED) => Origin::Ordered,
            Some(LOST) => Origin::Lost,
            _ => Origin::Found,
        };
        let (since, created) = (parse(&self.since)?, parse_some(self.created)?);
        let machine = Unregistered { since, created, origin };
        Ok(((Symbol::new(&self.group), self.instance), machine))
    }
}

// === impl ActivityEntry ===

impl ActivityEntry {
    fn of(activity: &Activity) -> Self {
        Self {
            scale_up: text(activity.scale_up.as_ref()),
            scale_down: text(activity.scale_down.as_ref()),
            failure: text(activity.failure.as_ref()),
        }
    }

    fn activity(self) -> Result<Activity, String> {
        Ok(Activity {
            scale_up: parse_some(self.scale_up)?,
            scale_down: parse_some(self.scale_down)?,
            failure: parse_some(self.failure)?,
        })
    }
}

// === impl BackoffEntry ===

impl BackoffEntry {
    fn of(backoff: &Backoff) -> Self {
        Self {
            until: backoff.until.to_string(),
            step: backoff.step.to_string(),
            failed: backoff.failed.to_string(),
            code: backoff.code.clone(),
        }
    }

    fn backoff(self) -> Result<Backoff, String> {
        let step: SignedDuration = parse(&self.step)?;
        let (until, failed) = (parse(&self.until)?, parse(&self.failed)?);
        Ok(Backoff { until, step, failed, code: self.code })
    }
}

// === impl ReplacementEntry ===

impl ReplacementEntry {
    fn of(replacement: &Replacement) -> Self {
        let groups = replacement.groups.iter();
        Self {
            nodes: replacement.nodes.iter().map(ToString::to_string).collect(),
            groups: groups.map(|(group, nodes)| (group.to_string(), *nodes)).collect(),
            at: replacement.at.to_string(),
        }
    }

    fn replacement(self) -> Result<Replacement, String> {
        let groups = self.groups.into_iter();
        Ok(Replacement {
            nodes: self.nodes.iter().map(|node| Symbol::new(node)).collect(),
            groups: groups.map(|(group, nodes)| (Symbol::new(&group), nodes)).collect(),
            at: parse(&self.at)?,
        })
    }
}

fn moments(map: &BTreeMap<Symbol, Timestamp>) -> BTreeMap<String, String> {
    map.iter().map(|(name, at)| (name.to_string(), at.to_string())).collect()
}

fn text(value: Option<&Timestamp>) -> Option<String> {
    value.map(ToString::to_string)
}

fn by_name<T, V>(
    map: BTreeMap<String, T>,
    value: impl Fn(T) -> Result<V, String>,
) -> Result<BTreeMap<Symbol, V>, String> {
    map.into_iter().map(|(name, entry)| Ok((Symbol::new(&name), value(entry)?))).collect()
}

fn parse_some(text: Option<String>) -> Result<Option<Timestamp>, String> {
    text.map(|text| parse(&text)).transpose()
}

fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{text:?}: {error}"))
}
