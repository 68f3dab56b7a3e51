//! The books as an inventory: what the planner is told of the service's machines.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{
    ErrorClass, Group, GroupOptions, Instance, InstanceError, InstanceState, Symbol,
};
use plimsoll_provider::{GroupState, HoldBack, Inventory, Overrides};

use tracing::warn;

use super::{
    config::Prices,
    reconcile::{Books, Machine, Phase, Shelf},
    steering::Steering,
    template::{Kinds, template},
};

/// What was seen of machines that the service itself does not tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Sighting {
    machines: BTreeMap<Box<str>, Seen>,
    /// When the service was last looked at.
    last: Option<Timestamp>,
}

/// What was seen of a machine.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// At this time it was not there yet.
    absent: Option<Timestamp>,
    /// The node that it became.
    node: Option<Symbol>,
    /// Several nodes say that they are this machine: none of them is the one that it became.
    is_contested: bool,
}

/// What the user says of groups, and the service does not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms<'c> {
    /// How many machines more all groups together may have.
    pub(super) room: Option<u32>,
    /// What new nodes are closed for.
    pub(super) hold_back: Option<&'c HoldBack>,
    /// What machines cost.
    pub(super) prices: Option<&'c Prices>,
    /// Which groups pods are to keep away from.
    pub(super) steering: Option<&'c Steering>,
    /// Where the cluster is; empty where that is not known.
    pub(super) region: &'c str,
}

// === impl Sighting ===

impl Sighting {
    /// The service has these machines now.
    pub(super) fn look(&mut self, books: &Books, now: Timestamp) {
        let mut known = std::mem::take(&mut self.machines);
        let machines = books.groups.iter().flat_map(|shelf| &shelf.machines);
        self.machines = machines
            .map(|machine| {
                let new = || Seen { absent: self.last, ..Seen::default() };
                let seen = known.remove(&machine.id).unwrap_or_else(new);
                // Whoever still says so will say so again.
                (machine.id.clone(), Seen { is_contested: false, ..seen })
            })
            .collect();
        self.last = Some(now);
    }

    /// Whether a node has been seen that this machine became.
    pub(super) fn has_node(&self, machine: &str) -> bool {
        self.machines.get(machine).is_some_and(|seen| seen.node.is_some())
    }

    /// A node of this name says that it is this machine. Of two that say so neither is believed here, whichever asked last.
    pub(super) fn name(&mut self, machine: &str, node: &str) {
        let Some(seen) = self.machines.get_mut(machine) else { return };
        let node = Symbol::new(node);
        match seen.node {
            Some(known) if known != node => {
                warn!(machine, nodes = %format_args!("{known}, {node}"), "two nodes claim to be one machine");
                (seen.node, seen.is_contested) = (None, true);
            }
            None if !seen.is_contested => seen.node = Some(node),
            Some(_) | None => {}
        }
    }
}

/// The inventory.
pub(super) fn inventory(
    books: &Books,
    sighting: &Sighting,
    kinds: &Kinds,
    terms: Terms<'_>,
    now: Timestamp,
) -> Inventory {
    let groups = books.groups.iter();
    let groups = groups.map(|shelf| group(shelf, sighting, kinds, terms, now)).collect();
    Inventory { groups, ..Inventory::default() }
}

fn group(
    shelf: &Shelf,
    sighting: &Sighting,
    kinds: &Kinds,
    terms: Terms<'_>,
    now: Timestamp,
) -> GroupState {
    let pool = &shelf.pool;
    let instances = shelf.machines.iter();
    GroupState {
        group: Group {
            id: shelf.id,
            min: shelf.min,
            max: shelf.max,
            target: shelf.target(),
            price: terms.prices.and_then(|prices| prices.get(&pool.instance_size).copied()),
            template: template(shelf, kinds, terms.region),
            instances: instances.map(|machine| instance(machine, sighting, now)).collect(),
            options: GroupOptions::default(),
            stock: terms.room,
            frozen: shelf.frozen.as_deref().map(Into::into),
        },
        overrides: Overrides {
            hold_back: terms.hold_back.cloned(),
            steer: terms.steering.and_then(|steering| steering.of(shelf)),
            ..Overrides::default()
        },
        boot_time: None,
        about: about(shelf).into(),
    }
}

/// What people should know of a group.
fn about(shelf: &Shelf) -> String {
    let pool = &shelf.pool;
    let about = format!("pool {}, machines of the kind {}", pool.name, pool.instance_size);
    match &shelf.note {
        Some(note) => format!("{about}; {note}"),
        None => about,
    }
}

fn instance(machine: &Machine, sighting: &Sighting, now: Timestamp) -> Instance {
    let seen = sighting.machines.get(&machine.id).cloned().unwrap_or_default();
    let (state, error) = match machine.phase {
        Phase::Coming => (InstanceState::Creating, None),
        Phase::Running => (InstanceState::Running, None),
        Phase::Going => (InstanceState::Deleting, None),
        Phase::Failed => (InstanceState::Creating, Some(failure(machine))),
    };
    // One that runs has had a node, or is about to have it. If it has none, that counts from when it is noticed, not from when the
    // machine was made: a Node may be deleted by mistake, and after a restart nobody has told yet which node is whose.
    let is_known = || Symbol::new(&machine.id);
    let node = (machine.phase == Phase::Running).then(|| seen.node.unwrap_or_else(is_known));
    // The service's clock may be ahead or behind. No machine is younger than now, and none is older than a look that missed it.
    let created = machine.created.map(|created| created.min(now));
    let created = created.max(seen.absent);
    Instance { id: machine.id.clone(), node, state, created, error }
}

/// The service does not say why.
fn failure(machine: &Machine) -> InstanceError {
    InstanceError {
        class: ErrorClass::Other,
        code: "failed".into(),
        message: format!("the service gave it up in state {}", machine.state).into(),
    }
}

#[cfg(test)]
mod tests;
