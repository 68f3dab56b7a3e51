//! What changes mean: whether they call for a pass, and when.

use std::{
    hash::{Hash as _, Hasher as _},
    sync::Arc,
    time::Duration,
};

use plimsoll_cluster::{lease::Standing, mirror::Effect, source::Change};
use plimsoll_model::{Money, Symbol};
use plimsoll_provider::Inventory;
use rustc_hash::FxHasher;
use tracing::{info, warn};

use super::{Cause, Engine, later, reign::Reign};
use crate::orders::turns;

// === impl Engine ===

impl Engine {
    /// Takes what the user wants from now on.
    pub(super) fn wish(&mut self) {
        let wanted = Arc::clone(&self.wishes.borrow_and_update());
        if wanted == self.settings {
            return;
        }
        let before = std::mem::replace(&mut self.settings, wanted);
        info!("goes on with other settings");
        if before.mode != self.settings.mode && self.reign.is_some() {
            // A dry run knows nothing of orders: what there is to take up is read anew.
            self.abdicate();
            self.stand();
        }
        if before.orders.calls != self.settings.orders.calls {
            self.clerk.turns = turns(self.settings.orders.calls);
        }
        self.call(Cause::Settings);
    }

    /// Takes over, if it is our turn.
    pub(super) fn stand(&mut self) {
        let leads = *self.standing.borrow_and_update() == Standing::Leading;
        if leads && self.reign.is_none() {
            self.reign = Some(Reign::new(self.clock.now()));
            self.call(Cause::Leading);
        }
    }

    /// Steps back. Who steps back does nothing more, not even tidy up: calls under way end, and what they were for is written down.
    pub(super) fn abdicate(&mut self) {
        if self.reign.take().is_some() {
            warn!("leads no more, and leaves everything as it is");
        }
        self.sight.owners.forget_questions();
        self.due = None;
        self.called = None;
        self.step_at = None;
    }

    /// Takes a change of the cluster.
    pub(super) fn see(&mut self, change: Change) {
        let now = self.clock.now();
        // Every kind shows life in one of these ways every few seconds, whatever else is told of it.
        let shows_life =
            matches!(change, Change::Complete(_) | Change::Absent(_) | Change::Alive(_));
        let effect = self.sight.mirror.apply(change, now);
        if shows_life {
            let until = self.sight.mirror.fresh_until(self.settings.pace.stale_after);
            self.handle.set_warm(until);
        }
        if effect == Effect::Urgent {
            self.call(Cause::Cluster);
        }
        if effect >= Effect::Changed {
            self.step_soon();
        }
    }

    /// Looks whether the providers show something new.
    pub(super) fn look(&mut self) {
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let fingerprint = fingerprint(&inventory);
        if fingerprint != self.fingerprint {
            self.fingerprint = fingerprint;
            self.sight.owners.inventory_changed();
            self.call(Cause::Fleet);
        }
        self.step_soon();
    }

    /// Something calls for a pass. It is made soon, and not at once: more may follow.
    pub(super) fn call(&mut self, cause: Cause) {
        self.call_after(cause, self.settings.pace.batch);
    }

    /// Something calls for a pass after a while.
    pub(super) fn call_after(&mut self, cause: Cause, pause: Duration) {
        if self.reign.is_none() {
            return;
        }
        let now = self.clock.now();
        self.called.get_or_insert(now);
        let at = later(now, pause).max(self.rested);
        let patient = matches!(cause, Cause::Cluster | Cause::Fleet | Cause::Outcome)
            && !self.settings.pace.eager;
        match &mut self.due {
            Some((due, known)) if *due <= at || patient => *known = (*known).max(cause),
            due => *due = Some((at, cause)),
        }
    }

    /// Nodes on their way out are to be looked at.
    fn step_soon(&mut self) {
        let at = later(self.clock.now(), self.settings.pace.batch);
        let concerned = |reign: &Reign| !reign.retiring.is_empty() || !reign.holding.is_empty();
        if self.reign.as_ref().is_some_and(concerned) {
            self.step_at = Some(self.step_at.map_or(at, |known| known.min(at)));
        }
    }
}

/// What tells an inventory from another, as far as a decision can tell.
fn fingerprint(inventory: &Inventory) -> u64 {
    let mut hasher = FxHasher::default();
    for state in &inventory.groups {
        let group = &state.group;
        (group.id.as_str(), group.min, group.max, group.target).hash(&mut hasher);
        (group.stock, &group.frozen, group.price.map(Money::micros)).hash(&mut hasher);
        for instance in &group.instances {
            (&instance.id, instance.node.map(Symbol::as_str)).hash(&mut hasher);
            std::mem::discriminant(&instance.state).hash(&mut hasher);
            instance.error.as_ref().map(|error| &error.code).hash(&mut hasher);
        }
    }
    hasher.finish()
}
