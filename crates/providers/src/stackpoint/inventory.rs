//! The books as an inventory: what the planner is told of the service's machines.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{
    ErrorClass, Group, GroupOptions, Instance, InstanceError, InstanceState, Symbol,
};
use plimsoll_provider::{GroupState, HoldBack, Inventory, Overrides};

use super::{
    reconcile::{Books, Machine, Phase, Shelf},
    template::{Catalogue, template},
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
}

// === impl Sighting ===

impl Sighting {
    /// The service has these machines now.
    pub(super) fn look(&mut self, books: &Books, now: Timestamp) {
        let mut known = std::mem::take(&mut self.machines);
        let machines = books.groups.iter().flat_map(|shelf| &shelf.machines);
        self.machines = machines
            .map(|machine| {
                let new = || Seen { absent: self.last, node: None };
                (machine.id.clone(), known.remove(&machine.id).unwrap_or_else(new))
            })
            .collect();
        self.last = Some(now);
    }

    /// A machine has become a node of this name.
    pub(super) fn name(&mut self, machine: &str, node: &str) {
        if let Some(seen) = self.machines.get_mut(machine) {
            seen.node = Some(Symbol::new(node));
        }
    }
}

/// The inventory.
pub(super) fn inventory(
    books: &Books,
    sighting: &Sighting,
    catalogue: &Catalogue,
    room: Option<u32>,
    hold_back: Option<&HoldBack>,
    now: Timestamp,
) -> Inventory {
    let overrides = Overrides { hold_back: hold_back.cloned(), ..Overrides::default() };
    let told = |shelf: &Shelf| GroupState {
        overrides: overrides.clone(),
        ..group(shelf, sighting, catalogue, room, now)
    };
    let groups = books.groups.iter().map(told).collect();
    Inventory { groups, ..Inventory::default() }
}

fn group(
    shelf: &Shelf,
    sighting: &Sighting,
    catalogue: &Catalogue,
    room: Option<u32>,
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
            price: None,
            template: template(shelf, catalogue),
            instances: instances.map(|machine| instance(machine, sighting, now)).collect(),
            options: GroupOptions::default(),
            stock: room,
            frozen: None,
        },
        overrides: Overrides::default(),
        boot_time: None,
        about: format!("pool {}, machines of the kind {}", pool.name, pool.instance_size).into(),
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
