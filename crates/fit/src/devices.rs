//! Devices (dynamic resource allocation): who has which, and what is left for a pod on a node.
//!
//! ```text
//! slices ──▶ pools as a node sees them          pools.rs
//! classes, claims ──▶ what a shape wants        wanted.rs
//! selectors × looks of devices ──▶ verdicts     looks.rs, selector.rs
//! wanted + pools + ledger ──▶ search            search.rs: constraint.rs, counters.rs, capacity.rs
//! what the search finds, for a pod that is placed ──▶ ledger.rs
//! ```
//!
//! A cluster without claims pays for none of it: shapes without claims are not looked at here.

mod capacity;
mod constraint;
mod counters;
mod ledger;
mod looks;
mod pools;
mod problem;
mod reserve;
mod search;
mod selector;
mod wanted;

use std::sync::Arc;

use plimsoll_model::{Devices, Node, PodShape, ResourceSlice, Symbol};

pub(crate) use self::{
    ledger::{Allotment, ClaimKey, ClaimState, Given},
    wanted::Wanted,
};
pub use self::{pools::Equipment, problem::DeviceProblem};

use self::{
    ledger::Ledger,
    looks::Looks,
    pools::Pools,
    wanted::{Source, WantedClaim},
};
use crate::ids::{NodeId, PodId};

/// No claim has more pods than this.
const MOST_USERS: u32 = 256;

/// Everything about devices in a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Stock {
    /// Classes, claims and templates by name.
    objects: Devices,
    pools: Pools,
    looks: Looks,
    ledger: Ledger,
}

/// What a pod would be given on a node: by claim of its own, and by named claim that has nothing yet.
#[derive(Debug, Default)]
pub(crate) struct Assignment {
    own: Vec<Allotment>,
    named: Vec<(ClaimKey, Allotment)>,
}

// === impl Stock ===

impl Stock {
    pub(crate) fn new(objects: &Devices) -> Self {
        let mut stock = Self { objects: objects.clone(), ..Self::default() };
        stock.pools.publish(&stock.objects);
        for claim in stock.objects.claims.values() {
            let allotment = claim.allocation.as_ref().map(|given| {
                let given_devices = given.devices.iter().map(|device| Given {
                    id: stock.pools.id((device.driver, device.pool, device.device)),
                    admin: device.admin,
                    shared: device.shared,
                    consumed: device.consumed.clone(),
                });
                let devices = given_devices.collect();
                Arc::new(Allotment { devices, reach: given.reach.clone() })
            });
            let state = ClaimState { allotment, users: 0, kept: claim.other_users > 0 };
            stock.ledger.set_claim(claim.id, state);
        }
        stock
    }

    /// A node was added, after all others.
    pub(crate) fn push(&mut self, node: &Node, equipment: &Equipment) {
        self.pools.push(node, equipment, &mut self.looks);
    }

    /// The last node is withdrawn.
    pub(crate) fn pop(&mut self) {
        self.pools.pop();
    }

    /// What a shape wants; `None` if it claims nothing.
    pub(crate) fn wanted(&mut self, shape: &PodShape) -> Option<Result<Wanted, DeviceProblem>> {
        if shape.device_claims.is_empty() {
            return None;
        }
        Some(Wanted::new(shape, &self.objects, &mut self.looks))
    }

    /// The shape without what distinguishes it from others of its kind: claims that were made for the pod from a template and
    /// have nothing yet. `None` if nothing is to be left out.
    pub(crate) fn canonical(&self, shape: &PodShape) -> Option<PodShape> {
        wanted::canonical(shape, &self.objects)
    }

    /// What a pod would be given on a node.
    pub(crate) fn assign(
        &self,
        wanted: &Wanted,
        node: &Node,
        id: NodeId,
    ) -> Result<Assignment, DeviceProblem> {
        let mut missing: Vec<&WantedClaim> = Vec::new();
        for claim in &wanted.claims {
            match claim.source {
                Source::Own => missing.push(claim),
                Source::Named(key) => match self.ledger.claim(key) {
                    Some(ClaimState { allotment: Some(allotment), users, .. }) => {
                        if *users >= MOST_USERS {
                            return Err(DeviceProblem::ClaimInUse { claim: claim.name });
                        }
                        if !allotment.reaches(node) {
                            return Err(DeviceProblem::OutOfReach { claim: claim.name });
                        }
                    }
                    _ => missing.push(claim),
                },
            }
        }
        let mut assignment = Assignment::default();
        if missing.is_empty() {
            return Ok(assignment);
        }
        let view = self.pools.view(id);
        let found = search::search(view, &self.looks, &self.ledger, node.name, &missing)
            .map_err(|problem| view.explain(problem))?;
        for (claim, allotment) in missing.into_iter().zip(found) {
            match claim.source {
                Source::Own => assignment.own.push(allotment),
                Source::Named(key) => assignment.named.push((key, allotment)),
            }
        }
        Ok(assignment)
    }

    /// How many devices of a class are free on a node.
    pub(crate) fn supply(&mut self, id: NodeId, class: Symbol) -> i64 {
        let Some(class) = self.objects.classes.get(&class) else { return 0 };
        let selectors: Vec<_> =
            class.selectors.iter().map(|one| self.looks.expression(*one)).collect();
        let devices = self.pools.view(id).usable();
        let free = devices.filter(|device| {
            !self.ledger.is_taken(device.id)
                && selectors.iter().all(|one| *self.looks.verdict(*one, device.look) == Ok(true))
        });
        i64::try_from(free.count()).unwrap_or(i64::MAX)
    }

    pub(crate) fn claim_state(&self, key: ClaimKey) -> ClaimState {
        self.ledger.claim(key).cloned().unwrap_or_default()
    }

    pub(crate) fn own_of(&self, pod: PodId) -> Option<&Arc<[Allotment]>> {
        self.ledger.own(pod)
    }
}

/// The slices of a node's own, as a new node like it would publish them.
pub fn local_slices(devices: &Devices, node: Symbol) -> Arc<[Arc<ResourceSlice>]> {
    devices.local_slices(node).cloned().collect()
}
