//! Devices of pods that come and go.

use std::sync::Arc;

use super::{Assignment, ClaimKey, ClaimState, Wanted, ledger::Allotment, wanted::Source};
use crate::{
    Snapshot,
    ids::{NodeId, PodId, ShapeId},
};

impl Snapshot {
    /// Gives a pod what it claims, as far as it can be had on its node.
    pub(crate) fn reserve_devices(&mut self, pod: PodId, shape: ShapeId, node: NodeId) {
        let Some(Ok(wanted)) = self.shapes.entry(shape).claims.as_deref() else { return };
        let found = self.devices.assign(wanted, &self.rows[node.index()].node, node);
        let Assignment { own, named } = found.unwrap_or_default();
        let mut named: Vec<(ClaimKey, Option<Arc<Allotment>>)> =
            named.into_iter().map(|(key, allotment)| (key, Some(Arc::new(allotment)))).collect();
        for key in named_claims(wanted) {
            if named.iter().all(|(known, _)| *known != key) {
                named.push((key, None));
            }
        }
        for (key, allotment) in named {
            let mut state = self.devices.claim_state(key);
            state.users += 1;
            state.allotment = state.allotment.or(allotment);
            self.change_claim(key, state);
        }
        if !own.is_empty() {
            self.change_own(pod, Some(own.into()));
        }
    }

    /// Takes a pod's devices back. A named claim loses them with its last pod.
    pub(crate) fn release_devices(&mut self, pod: PodId, shape: ShapeId) {
        let Some(Ok(wanted)) = self.shapes.entry(shape).claims.as_deref() else { return };
        let keys: Vec<ClaimKey> = named_claims(wanted).collect();
        for key in keys {
            let mut state = self.devices.claim_state(key);
            state.users = state.users.saturating_sub(1);
            if state.users == 0 && !state.kept {
                state.allotment = None;
            }
            self.change_claim(key, state);
        }
        if self.devices.own_of(pod).is_some() {
            self.change_own(pod, None);
        }
    }

    fn change_claim(&mut self, key: ClaimKey, state: ClaimState) {
        let before = self.devices.ledger.set_claim(key, state);
        self.journal.claimed(key, before);
    }

    fn change_own(&mut self, pod: PodId, own: Option<Arc<[Allotment]>>) {
        let before = self.devices.ledger.set_own(pod, own);
        self.journal.owned(pod, before);
    }

    /// Undoes a change of a claim.
    pub(crate) fn take_claim_back(&mut self, key: ClaimKey, before: ClaimState) {
        self.devices.ledger.set_claim(key, before);
    }

    /// Undoes a change of what a pod has of its own.
    pub(crate) fn take_own_back(&mut self, pod: PodId, before: Option<Arc<[Allotment]>>) {
        self.devices.ledger.set_own(pod, before);
    }
}

fn named_claims(wanted: &Wanted) -> impl Iterator<Item = ClaimKey> + '_ {
    wanted.claims.iter().filter_map(|claim| match claim.source {
        Source::Named(key) => Some(key),
        Source::Own => None,
    })
}
