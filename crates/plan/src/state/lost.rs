//! Machines that have no node and may have had one: how many of them may be deleted, and when none.
//!
//! Such a machine may run pods, and that it has no node is the word of one API server. If most machines have none, that API server
//! is empty, rebuilt or another cluster's, and nothing is deleted on its word until it has stood for long or a person confirms it.
//! And however few they are, only a small share of them is deleted within an hour.

use std::collections::BTreeMap;

use plimsoll_model::{
    Contradicted, Group, InstanceState, Memory, Origin, SignedDuration, Symbol, Timestamp, World,
};

use super::{
    count, is_over,
    unregistered::{Fate, Stray},
};
use crate::plan::{Contradiction, HoldReason};

/// The time in which only a share of the machines may be deleted.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// One in so many machines, of a group and of all, may be deleted within [`WINDOW`], but always one.
const SHARE: u32 = 10;

/// A time for which nobody looked interrupts a contradiction.
const GAP: SignedDuration = SignedDuration::from_hours(1);

/// How exactly it is remembered when a contradiction was last seen, so that memory does not change with every pass.
const RESOLUTION: SignedDuration = SignedDuration::from_mins(10);

/// Which machines that may have had a node may be deleted in this pass.
#[derive(Debug)]
pub(super) struct Ration<'w> {
    world: &'w World,
    /// What speaks against deleting any.
    contradiction: Option<Contradiction>,
    /// The same as it is remembered: a contradiction that has stood for long enough is still one.
    contradicted: Option<Contradicted>,
    /// Machines that may be deleted, those of the last hour included.
    deletions: BTreeMap<(Symbol, Box<str>), Timestamp>,
    /// How many of them are of each group.
    by_group: BTreeMap<Symbol, u32>,
    /// How many machines there are in groups that can be read.
    machines: u32,
}

// === impl Ration ===

impl<'w> Ration<'w> {
    /// Weighs the machines without a node, by group of the World, against those with one.
    pub(super) fn new(world: &'w World, strays: &[Vec<Stray<'w>>]) -> Self {
        let contradiction = contradiction(world, strays);
        let seen = known(world).map(|known| known.seen);
        let seen = seen.filter(|seen| !is_over(world.now, *seen, RESOLUTION)).unwrap_or(world.now);
        let contradicted = contradiction.map(|found| Contradicted { since: found.since, seen });
        let is_proven = |since| is_over(world.now, since, world.settings.lost_node_proof);
        let confirmed = &world.settings.confirmed_cluster;
        let is_confirmed = confirmed.is_some() && *confirmed == world.cluster_uid;
        let contradiction = contradiction.filter(|found| !is_confirmed && !is_proven(found.since));
        let deletions: BTreeMap<_, _> = (world.memory.lost_deletions.iter())
            .filter(|(_, at)| !is_over(world.now, **at, WINDOW))
            .map(|(machine, at)| (machine.clone(), *at))
            .collect();
        let mut by_group = BTreeMap::new();
        for (group, _) in deletions.keys() {
            *by_group.entry(*group).or_default() += 1;
        }
        let machines = readable(world).map(size).sum();
        Self { world, contradiction, contradicted, deletions, by_group, machines }
    }

    /// Whether most machines have no node, so that little is to be believed of what the API server says.
    pub(super) fn is_contradicted(&self) -> bool {
        self.contradicted.is_some()
    }

    /// Whether the machine may be deleted now; it counts from then on. A deletion that has not come about yet is allowed again.
    pub(super) fn take(&mut self, group: &Group, stray: &Stray<'_>) -> Result<(), HoldReason> {
        // Nothing is deleted in a group that cannot be read, so nothing of it counts.
        if !stray.may_carry_pods() || group.frozen.is_some() {
            return Ok(());
        }
        if self.contradiction.is_some() {
            return Err(HoldReason::Contradiction);
        }
        let machine = (group.id, stray.instance.id.clone());
        if self.deletions.contains_key(&machine) {
            return Ok(());
        }
        let of_group = self.by_group.entry(group.id).or_default();
        if *of_group >= share(size(group)) || count(self.deletions.len()) >= share(self.machines) {
            return Err(HoldReason::HourlyLimit);
        }
        *of_group += 1;
        self.deletions.insert(machine, self.world.now);
        Ok(())
    }

    /// What the next pass has to remember, and what is reported.
    pub(super) fn settle(self, memory: &mut Memory) -> Option<Contradiction> {
        memory.contradiction = self.contradicted;
        memory.lost_deletions = self.deletions;
        self.contradiction
    }
}

/// Whether most machines that should have a node have none.
///
/// Machines of orders of ours may be on their way, and those that failed need no other explanation: both are left out. A single
/// machine whose node went before our eyes is a node that somebody deleted, however small the cluster is.
fn contradiction(world: &World, strays: &[Vec<Stray<'_>>]) -> Option<Contradiction> {
    let (mut machines, mut without_node, mut lost) = (0_u32, 0_u32, 0_u32);
    for (group, strays) in world.groups.iter().zip(strays) {
        if group.frozen.is_some() {
            continue;
        }
        let running = |state: InstanceState| state == InstanceState::Running;
        let all = group.instances.iter().filter(|instance| running(instance.state)).count();
        let strays = || strays.iter().filter(|stray| running(stray.instance.state));
        let counts =
            |stray: &&Stray<'_>| stray.may_carry_pods() && !matches!(stray.fate, Fate::Failed(_));
        let of_group = count(strays().filter(counts).count());
        machines += count(all) - count(strays().count()) + of_group;
        without_node += of_group;
        let is_lost = |stray: &&Stray<'_>| stray.origin == Origin::Lost;
        lost += count(strays().filter(counts).filter(is_lost).count());
    }
    let is_one_deleted = without_node == 1 && lost == 1;
    if without_node.saturating_mul(2) <= machines || is_one_deleted {
        return None;
    }
    let since = known(world).map_or(world.now, |known| known.since);
    Some(Contradiction { machines, without_node, since })
}

/// What is remembered of a contradiction, unless nobody has looked for a while.
fn known(world: &World) -> Option<Contradicted> {
    world.memory.contradiction.filter(|known| !is_over(world.now, known.seen, GAP))
}

fn readable(world: &World) -> impl Iterator<Item = &Group> {
    world.groups.iter().filter(|group| group.frozen.is_none())
}

/// The machines of a group that are not being deleted.
fn size(group: &Group) -> u32 {
    let kept = group.instances.iter().filter(|one| one.state != InstanceState::Deleting);
    count(kept.count())
}

fn share(machines: u32) -> u32 {
    (machines / SHARE).max(1)
}
