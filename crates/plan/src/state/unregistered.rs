//! Machines without a node: which of them are still to be waited for.

use plimsoll_model::{Instance, InstanceError, Memory, Timestamp, World};

use super::{is_over, membership::Unjoined};

/// A machine that is not being deleted and has no node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stray<'w> {
    pub instance: &'w Instance,
    /// When a pass first saw it without a node.
    pub seen: Timestamp,
    /// Since when it has owed us a node.
    pub since: Timestamp,
    pub fate: Fate<'w>,
}

/// What becomes of a machine without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate<'w> {
    /// The provider says that it will not come up.
    Failed(&'w InstanceError),
    /// It has had its time.
    Overdue,
    /// It may still become a node.
    Waiting,
}

/// The machines of a group at these places of its list of instances.
///
/// A failed machine counts as such only without a node: one that has become a node may carry pods, and leaves by a drain.
pub(super) fn strays<'w>(world: &'w World, group: usize, places: &[Unjoined]) -> Vec<Stray<'w>> {
    let group = &world.groups[group];
    let ordered = world.memory.orders.iter().filter(|order| order.group == group.id);
    let ordered = ordered.map(|order| order.at).min();
    let machines = places.iter().map(|machine| (&group.instances[machine.place], *machine));
    machines
        .map(|(instance, Unjoined { is_doubtful, .. })| {
            let key = (group.id, instance.id.clone());
            let seen = world.memory.unregistered_since.get(&key).copied().unwrap_or(world.now);
            let since = owed_since(instance, seen, ordered);
            let fate = match &instance.error {
                _ if is_doubtful => Fate::Waiting,
                Some(error) => Fate::Failed(error),
                None if is_over(world.now, since, group.options.provision_time) => Fate::Overdue,
                None => Fate::Waiting,
            };
            Stray { instance, seen, since, fate }
        })
        .collect()
}

/// A machine owes a node from the moment it was asked for. One that names a node which is not there has had it, and lost it
/// later than it was made: its clock starts when that is first seen, so that a Node deleted by mistake, or a list of nodes
/// that was short for a moment, does not cost a running machine. One that was first seen after an order and says that it is older
/// than the order comes from a provider whose clock is behind: its own word would make every new machine overdue.
fn owed_since(instance: &Instance, seen: Timestamp, ordered: Option<Timestamp>) -> Timestamp {
    let is_behind = |created| ordered.is_some_and(|at| created < at && at <= seen);
    match instance.created {
        Some(created) if instance.node.is_none() && !is_behind(created) => created,
        Some(created) => seen.max(created),
        None => seen,
    }
}

// === impl Stray ===

impl Stray<'_> {
    /// When it came into being, as far as anybody knows.
    pub(super) fn appeared(&self) -> Timestamp {
        self.instance.created.unwrap_or(self.seen)
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self.fate, Fate::Failed(_))
    }
}

/// Keeps when the machines of a group were first seen. Those that became nodes or went away are forgotten.
pub(super) fn remember(world: &World, group: usize, strays: &[Stray<'_>], memory: &mut Memory) {
    let id = world.groups[group].id;
    let entries = strays.iter().map(|stray| ((id, stray.instance.id.clone()), stray.seen));
    memory.unregistered_since.extend(entries);
}
