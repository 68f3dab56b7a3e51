//! Who has which device.

use std::sync::Arc;

use plimsoll_model::{AllocatedWhere, Node, Quantity, Symbol};
use rustc_hash::FxHashMap;

use crate::ids::{DeviceId, PodId};

/// A claim's namespace and name.
pub(crate) type ClaimKey = (Symbol, Symbol);

/// All allocations.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// By device; those beyond the end are free.
    usage: Vec<Usage>,
    claims: FxHashMap<ClaimKey, ClaimState>,
    /// What pods have by claims of their own.
    own: FxHashMap<PodId, Arc<[Allotment]>>,
}

/// What a claim was given.
#[derive(Debug)]
pub(crate) struct Allotment {
    pub devices: Box<[Given]>,
    pub reach: AllocatedWhere,
}

/// A device that was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub id: DeviceId,
    /// For administration: it does not count.
    pub admin: bool,
    /// Only a share of it.
    pub shared: bool,
    pub consumed: Box<[(Symbol, Quantity)]>,
}

/// A claim that pods use by its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimState {
    pub allotment: Option<Arc<Allotment>>,
    /// Pods of the snapshot that use it.
    pub users: u32,
    /// Somebody else uses it: it keeps its devices without pods.
    pub kept: bool,
}

/// What is in use of a device.
#[derive(Clone, Debug, Default)]
struct Usage {
    /// Claims that have all of it.
    whole: u32,
    /// Claims that have a share.
    shares: u32,
    consumed: Vec<(Symbol, Quantity)>,
}

// === impl Allotment ===

impl Allotment {
    /// Whether it can be used on the node.
    pub(crate) fn reaches(&self, node: &Node) -> bool {
        match &self.reach {
            AllocatedWhere::Everywhere => true,
            AllocatedWhere::Nodes(nodes) => nodes.matches(node.name, &node.labels),
        }
    }
}

// === impl Ledger ===

impl Ledger {
    pub(crate) fn claim(&self, key: ClaimKey) -> Option<&ClaimState> {
        self.claims.get(&key)
    }

    pub(crate) fn own(&self, pod: PodId) -> Option<&Arc<[Allotment]>> {
        self.own.get(&pod)
    }

    /// Somebody has all of the device.
    pub(crate) fn is_taken(&self, device: DeviceId) -> bool {
        self.usage.get(device.index()).is_some_and(|usage| usage.whole > 0)
    }

    /// Somebody has a share of the device.
    pub(crate) fn is_shared(&self, device: DeviceId) -> bool {
        self.usage.get(device.index()).is_some_and(|usage| usage.shares > 0)
    }

    /// What shares of the device take of its capacity.
    pub(crate) fn consumed(&self, device: DeviceId) -> &[(Symbol, Quantity)] {
        self.usage.get(device.index()).map_or(&[], |usage| &usage.consumed)
    }

    /// Changes a claim; answers with what it was.
    pub(crate) fn set_claim(&mut self, key: ClaimKey, state: ClaimState) -> ClaimState {
        if let Some(allotment) = &state.allotment {
            count(&mut self.usage, allotment, More);
        }
        let before = self.claims.insert(key, state).unwrap_or_default();
        if let Some(allotment) = &before.allotment {
            count(&mut self.usage, allotment, Less);
        }
        before
    }

    /// Changes what a pod has by claims of its own; answers with what it was.
    pub(crate) fn set_own(
        &mut self,
        pod: PodId,
        own: Option<Arc<[Allotment]>>,
    ) -> Option<Arc<[Allotment]>> {
        for allotment in own.iter().flat_map(|own| own.iter()) {
            count(&mut self.usage, allotment, More);
        }
        let before = match own {
            Some(own) => self.own.insert(pod, own),
            None => self.own.remove(&pod),
        };
        for allotment in before.iter().flat_map(|own| own.iter()) {
            count(&mut self.usage, allotment, Less);
        }
        before
    }
}

/// Whether something is taken or given back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    More,
    Less,
}

use Direction::{Less, More};

fn count(usage: &mut Vec<Usage>, allotment: &Allotment, direction: Direction) {
    for device in allotment.devices.iter().filter(|device| !device.admin) {
        let place = device.id.index();
        if usage.len() <= place {
            usage.resize(place + 1, Usage::default());
        }
        let usage = &mut usage[place];
        let users = if device.shared { &mut usage.shares } else { &mut usage.whole };
        *users = if direction == More { *users + 1 } else { users.saturating_sub(1) };
        for (name, amount) in device.consumed.iter().filter(|_| device.shared) {
            consume(&mut usage.consumed, *name, *amount, direction);
        }
    }
}

/// Amounts that are too large to be added up stay as they are: more than there is cannot be given out anyway.
fn consume(
    consumed: &mut Vec<(Symbol, Quantity)>,
    name: Symbol,
    amount: Quantity,
    direction: Direction,
) {
    let place = consumed.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
        consumed.push((name, Quantity::ZERO));
        consumed.len() - 1
    });
    let total = &mut consumed[place].1;
    let after = match direction {
        More => total.checked_add(&amount),
        Less => total.checked_sub(&amount),
    };
    *total = after.unwrap_or(*total);
    if total.is_zero() {
        consumed.swap_remove(place);
    }
}
