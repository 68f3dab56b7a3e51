//! Wishes about groups and machines, beside more of them.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_model::Symbol;
use plimsoll_provider::{Deletion, Error, GroupSpec};

use super::{
    journal::Happening,
    state::{Number, Phase, Shelf, State},
};
use crate::simulated::{
    catalogue::{MOST_MACHINES, Offer},
    template::Template,
};

/// What is known of a machine that is to be deleted.
#[derive(Clone, Copy, Debug)]
enum Named {
    Unknown,
    Protected,
    Going,
    Here(Number),
}

// === impl State ===

impl State {
    /// Gives up orders, the last ones first, until the target is this low; tells the target.
    pub(in crate::simulated) fn lower_target(
        &mut self,
        group: Symbol,
        target: u32,
        now: Timestamp,
    ) -> Result<u32, Error> {
        self.shelf(group)?;
        let mut current = self.target(group);
        let waiting = self
            .machines
            .iter()
            .rev()
            .filter(|(_, held)| held.machine.group == group && held.phase == Phase::Ordered);
        let waiting: Vec<Number> = waiting.map(|(number, _)| *number).collect();
        for number in waiting {
            if current <= target {
                break;
            }
            self.remove(number, Happening::GivenUp, now);
            current -= 1;
        }
        Ok(current)
    }

    /// Deletes machines of a group; none of them when one is known to belong elsewhere.
    pub(in crate::simulated) fn delete(
        &mut self,
        group: Symbol,
        ids: &[Box<str>],
        now: Timestamp,
    ) -> Result<Vec<Deletion>, Error> {
        self.shelf(group)?;
        for id in ids {
            self.named(group, id)?;
        }
        let delete = |id: &str| {
            let outcome = match self.named(group, id)? {
                Named::Unknown => Err(Error::not_found(format!("there is no machine {id}"))),
                Named::Protected => Err(Error::invalid(format!("{id} is protected"))),
                Named::Going => Ok(()),
                Named::Here(number) => {
                    self.begin_deletion(number, now);
                    Ok(())
                }
            };
            Ok(Deletion { instance: id.into(), outcome })
        };
        ids.iter().map(|id| &**id).map(delete).collect()
    }

    /// What is known of a machine of this group; refused when it belongs elsewhere.
    fn named(&self, group: Symbol, id: &str) -> Result<Named, Error> {
        if self.foreign.contains(id) {
            return Err(Error::invalid(format!("{id} belongs to no group")));
        }
        let Some((number, held)) = self.find(id) else { return Ok(Named::Unknown) };
        if held.machine.group != group {
            let owner = held.machine.group;
            return Err(Error::invalid(format!("{id} belongs to {owner}, not to {group}")));
        }
        Ok(match held.phase {
            Phase::Deleting => Named::Going,
            _ if held.is_protected => Named::Protected,
            _ => Named::Here(number),
        })
    }

    /// Makes a group whose machines are like those of the catalogue's group `spec.machine`.
    pub(in crate::simulated) fn create_group(&mut self, spec: &GroupSpec) -> Result<Symbol, Error> {
        let id = Symbol::new(&spec.name);
        if let Ok(shelf) = self.shelf(id) {
            return match &shelf.spec {
                Some(known) if known == spec => Ok(id),
                _ => Err(Error::invalid(format!("there is another group {id} already"))),
            };
        }
        let refuse = |problem: String| Err(Error::invalid(format!("the group {id} {problem}")));
        let GroupSpec { name, min, max, machine, template } = spec;
        if name.is_empty() {
            return Err(Error::invalid("a group needs a name"));
        }
        if min > max {
            return refuse(format!("has the minimum {min}, which is above its maximum {max}"));
        }
        if *max > MOST_MACHINES {
            return refuse(format!("may have {max} machines, which is more than {MOST_MACHINES}"));
        }
        let catalogue = Arc::clone(&self.catalogue);
        let Some(kind) = catalogue.groups.iter().find(|offer| offer.id.as_str() == &**machine)
        else {
            return refuse(format!("wants machines like {machine}, which is no group to copy"));
        };
        let template = match template {
            Some(node) => Template::new(
                name,
                &node.labels,
                node.taints.to_vec(),
                node.capacity.clone(),
                node.allocatable.clone(),
            ),
            None => kind.template.in_group(name),
        };
        let template = Arc::new(template);
        let offer = Offer { id, min: *min, max: *max, initial: 0, template, ..kind.clone() };
        self.groups.push(Shelf::new(offer, Some(spec.clone())));
        Ok(id)
    }

    /// Removes a group that has no machines, not even ordered ones.
    pub(in crate::simulated) fn delete_group(&mut self, group: Symbol) -> Result<(), Error> {
        if self.machines.values().any(|held| held.machine.group == group) {
            return Err(Error::invalid(format!("{group} still has machines")));
        }
        self.groups.retain(|shelf| shelf.offer.id != group);
        Ok(())
    }
}
