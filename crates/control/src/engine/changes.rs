//! What changes mean: leadership, settings, the cluster, the providers.

use std::{
    hash::{Hash as _, Hasher as _},
    sync::Arc,
};

use plimsoll_cluster::{lease::Standing, mirror::Effect, source::Change};
use plimsoll_model::{Money, Symbol};
use plimsoll_provider::Inventory;
use rustc_hash::FxHasher;
use tracing::{info, warn};

use super::{Cause, Engine, leader::Leader};
use crate::orders::turns;

// === impl Engine ===

impl Engine {
    /// Takes the settings that hold from now on.
    pub(super) fn reload_settings(&mut self) {
        let wanted = Arc::clone(&self.reloads.borrow_and_update());
        let context = &mut self.context;
        if wanted == context.settings {
            return;
        }
        let before = std::mem::replace(&mut context.settings, wanted);
        info!("settings reloaded");
        if before.orders.calls != context.settings.orders.calls {
            context.order_executor.turns = turns(context.settings.orders.calls);
        }
        if before.mode != context.settings.mode && self.leader.is_some() {
            // A dry run knows nothing of orders: what there is to resume is read anew.
            self.step_down();
            self.take_over();
        }
        self.schedule_pass(Cause::Settings);
    }

    /// Takes over, if this replica leads.
    pub(super) fn take_over(&mut self) {
        let leads = *self.standing.borrow_and_update() == Standing::Leading;
        if leads && self.leader.is_none() {
            self.leader = Some(Leader::new(self.context.clock.now()));
            self.schedule_pass(Cause::Leading);
        }
    }

    /// Stops leading. Nothing more is done, not even tidying up: calls under way end, and what they were for is in orders.
    pub(super) fn step_down(&mut self) {
        if self.leader.take().is_some() {
            warn!("lost leadership; orders are left to the next leader");
        }
        if let Some(observation) = self.planner.observation() {
            observation.owners.forget_questions();
        }
    }

    /// Takes a change of the cluster.
    pub(super) fn apply_change(&mut self, change: Change) {
        let now = self.context.clock.now();
        match self.planner.observation_or_backlog() {
            Ok(observation) => {
                // Every kind shows life in one of these ways every few seconds, whatever else is told of it.
                let shows_life =
                    matches!(change, Change::Complete(_) | Change::Absent(_) | Change::Alive(_));
                let effect = observation.mirror.apply(change, now);
                if shows_life {
                    self.show_freshness();
                }
                self.react(effect);
            }
            Err(backlog) => backlog.push_change(change, now),
        }
    }

    /// Shows others until when the observation is fresh.
    pub(super) fn show_freshness(&mut self) {
        if let Some(observation) = self.planner.observation() {
            let limit = self.context.settings.pace.stale_after;
            self.context.handle.set_warm(observation.mirror.fresh_until(limit));
        }
    }

    /// Does what a change of the cluster calls for.
    pub(super) fn react(&mut self, effect: Effect) {
        let Some(leader) = &mut self.leader else { return };
        if effect == Effect::Urgent {
            leader.schedule_pass(Cause::Cluster, &self.context);
        }
        if effect >= Effect::Changed {
            leader.schedule_step(&self.context);
        }
    }

    /// Looks whether the providers show something new.
    pub(super) fn compare_inventory(&mut self) {
        let inventory = self.context.fleet.inventory(&self.context.settings.plan.group);
        let fingerprint = fingerprint(&inventory);
        if fingerprint != self.fingerprint {
            self.fingerprint = fingerprint;
            match self.planner.observation_or_backlog() {
                Ok(observation) => observation.owners.inventory_changed(),
                Err(backlog) => backlog.push_inventory(),
            }
            self.schedule_pass(Cause::Fleet);
        }
        if let Some(leader) = &mut self.leader {
            leader.schedule_step(&self.context);
        }
    }

    /// Something calls for a pass, if this replica leads.
    pub(super) fn schedule_pass(&mut self, cause: Cause) {
        if let Some(leader) = &mut self.leader {
            leader.schedule_pass(cause, &self.context);
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
