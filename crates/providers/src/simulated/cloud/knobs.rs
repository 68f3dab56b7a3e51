//! What can be done to the infrastructure from outside, behind the back of whoever uses it.

use std::time::Duration;

use jiff::SignedDuration;
use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Error};

use super::{
    Cloud, Happening,
    state::{Number, Phase, State, count},
};
use crate::faults::Failing;

/// Whether the service can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every request fails, and nothing takes effect.
    Down,
    /// It answers.
    Up,
}

/// What becomes of new orders in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// They are on record, and no machine is begun for them.
    Queued,
    /// Machines are begun for them, and for those that waited.
    Served,
}

// === impl Cloud ===

impl Cloud {
    /// Cuts the service off, or brings it back.
    pub fn set_reach(&self, reach: Reach) {
        self.change(|state, _| state.faults.is_down = reach == Reach::Down);
    }

    /// Makes every request take this much longer, before it takes effect.
    pub fn set_latency(&self, latency: Duration) {
        self.change(|state, _| state.faults.latency = latency);
    }

    /// After `after` requests, makes so many of them fail without effect.
    pub fn fail_requests(&self, after: u32, requests: u32, class: Class) {
        let failing = Failing::new(after, requests, class);
        self.change(|state, _| state.faults.failing = failing);
    }

    /// Loses the answers to so many requests that change something.
    pub fn lose_replies(&self, requests: u32) {
        self.change(|state, _| state.faults.lost_replies = requests);
    }

    /// After so many whole pages of lists, cuts one in the middle.
    pub fn cut_page(&self, after: u32) {
        self.change(|state, _| state.faults.cut_after = Some(after));
    }

    /// Gives out lists in pages of so many entries.
    pub fn set_page_size(&self, entries: usize) {
        self.change(|state, _| state.faults.page_size = entries);
    }

    /// Sets the service's clock ahead of ours.
    pub fn set_clock_skew(&self, ahead: SignedDuration) {
        self.change(|state, _| state.faults.skew = ahead);
    }

    /// Sets how many more machines of a group can be had; `None` for as many as anybody wants.
    pub fn set_stock(&self, group: Symbol, stock: Option<u32>) -> Result<(), Error> {
        self.change(|state, _| {
            state.shelf_mut(group)?.stock = stock;
            Ok(())
        })
    }

    /// Sets how many more machines the account may have.
    pub fn set_quota_left(&self, machines: u32) {
        self.change(|state, _| {
            state.quota = Some(count(state.machines.len()).saturating_add(machines));
        });
    }

    /// Makes so many of the machines that are begun next in a group fail to come up.
    pub fn fail_machines(&self, group: Symbol, machines: u32, class: Class) -> Result<(), Error> {
        self.change(|state, _| {
            state.shelf_mut(group)?.doomed = Some((machines, class));
            Ok(())
        })
    }

    /// Makes the orders of a group wait, or serves them.
    pub fn set_delivery(&self, group: Symbol, delivery: Delivery) -> Result<(), Error> {
        self.change(|state, now| {
            state.shelf_mut(group)?.queues = delivery == Delivery::Queued;
            for number in state.waiting(group) {
                state.deliver(number, now);
            }
            Ok(())
        })
    }

    /// Forbids the deletion of a machine.
    pub fn protect(&self, id: &str) -> Result<(), Error> {
        self.change(|state, _| {
            let number = state.existing(id)?;
            if let Some(held) = state.machines.get_mut(&number) {
                held.is_protected = true;
            }
            Ok(())
        })
    }

    /// Adds a machine that belongs to no group; tells its id.
    pub fn add_foreign(&self) -> Box<str> {
        self.change(|state, _| {
            let id: Box<str> = format!("simulated:///foreign-{}", state.foreign.len()).into();
            state.foreign.insert(id.clone());
            id
        })
    }

    /// The machines that belong to no group.
    pub fn foreign(&self) -> Vec<Box<str>> {
        self.state().foreign.iter().cloned().collect()
    }

    /// Makes a machine vanish, whatever it is doing. Its group's target falls with it: nobody replaces it.
    pub fn vanish(&self, id: &str) -> Result<(), Error> {
        self.change(|state, now| {
            if state.foreign.remove(id) {
                return Ok(());
            }
            let number = state.existing(id)?;
            state.remove(number, Happening::Vanished, now);
            Ok(())
        })
    }

    /// Changes the bounds of a group.
    pub fn set_bounds(&self, group: Symbol, min: u32, max: u32) -> Result<(), Error> {
        self.change(|state, _| {
            let offer = &mut state.shelf_mut(group)?.offer;
            (offer.min, offer.max) = (min, max);
            Ok(())
        })
    }
}

// === impl State ===

impl State {
    fn existing(&self, id: &str) -> Result<Number, Error> {
        let found = self.find(id).map(|(number, _)| number);
        found.ok_or_else(|| Error::not_found(format!("there is no machine {id}")))
    }

    /// Orders of a group for which no machine was begun.
    fn waiting(&self, group: Symbol) -> Vec<Number> {
        let waits = self
            .machines
            .iter()
            .filter(|(_, held)| held.machine.group == group && held.phase == Phase::Ordered);
        waits.map(|(number, _)| *number).collect()
    }
}
