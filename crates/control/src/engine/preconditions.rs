//! Whether what a plan decided still holds when it is begun: the cluster and the providers go on while the planner works.
//!
//! What no longer holds is dropped with a reason, and the next pass decides anew. The rest is begun, so that a busy cluster is
//! served all the same.

use std::{collections::BTreeMap, fmt};

use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::{Purchase, Retirement};
use plimsoll_provider::Inventory;
use rustc_hash::FxHashMap;

use super::{Seen, backlog::Meanwhile};

/// What is known of the time in which a plan was made.
pub(super) struct Preconditions<'a> {
    meanwhile: &'a Meanwhile,
    /// The sizes of groups that the plan goes by.
    assumed: &'a BTreeMap<Symbol, u32>,
    /// The sizes of groups now; `None` when none of them can have changed.
    current: Option<BTreeMap<Symbol, u32>>,
}

/// Why something that was decided does not hold any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unmet {
    /// All nodes or all pods were listed again.
    Relisted,
    /// No pod that the scale-up is for is pending any more.
    NoPodPending,
    /// The group has another size than the plan goes by.
    SizeChanged {
        /// The size that the plan goes by.
        assumed: u32,
        /// The size now; `None` when the group is not listed any more.
        current: Option<u32>,
    },
    /// The node is gone, or another one has its name.
    NodeReplaced,
    /// A pod was scheduled to the node.
    Occupied(PodName),
}

/// The size of each group once the orders that are under way have arrived at their providers.
pub(super) fn targets(
    inventory: &Inventory,
    expected: &FxHashMap<Symbol, u32>,
) -> BTreeMap<Symbol, u32> {
    let groups = inventory.groups.iter().map(|state| &state.group);
    let target = |id: Symbol, own: u32, max: u32| {
        expected.get(&id).map_or(own, |expected| own.max((*expected).min(max)))
    };
    groups.map(|group| (group.id, target(group.id, group.target, group.max))).collect()
}

// === impl Preconditions ===

impl<'a> Preconditions<'a> {
    pub(super) const fn new(
        meanwhile: &'a Meanwhile,
        assumed: &'a BTreeMap<Symbol, u32>,
        current: Option<BTreeMap<Symbol, u32>>,
    ) -> Self {
        Self { meanwhile, assumed, current }
    }

    /// Whether anything may be asked of a group's provider.
    pub(super) fn check_group(&self, group: Symbol) -> Result<(), Unmet> {
        if self.meanwhile.relisted {
            return Err(Unmet::Relisted);
        }
        let Some(current) = &self.current else { return Ok(()) };
        let (assumed, current) = (self.assumed.get(&group).copied(), current.get(&group).copied());
        match assumed {
            Some(assumed) if current != Some(assumed) => {
                Err(Unmet::SizeChanged { assumed, current })
            }
            _ => Ok(()),
        }
    }

    /// How many of the pods that a scale-up is for are still pending; `None` for one that is for no pods in particular.
    pub(super) fn still_pending(
        &self,
        scale_up: &Purchase,
        mirror: &Mirror,
    ) -> Result<Option<usize>, Unmet> {
        if scale_up.pods.is_empty() {
            return Ok(None);
        }
        let pending = |pod: &&PodName| self.meanwhile.is_still_pending(pod, mirror);
        match scale_up.pods.iter().filter(pending).count() {
            0 => Err(Unmet::NoPodPending),
            count => Ok(Some(count)),
        }
    }

    /// Whether a node may still be removed. Its pods are looked at again before each step, so only what came meanwhile counts here.
    pub(super) fn check_removal(
        &self,
        removal: &Retirement,
        seen: &Seen,
        mirror: &Mirror,
    ) -> Result<(), Unmet> {
        if self.meanwhile.relisted {
            return Err(Unmet::Relisted);
        }
        let node = removal.node;
        let then = seen.node_uids.get(&node).map(|uid| &**uid);
        if self.meanwhile.has_changed(node) && mirror.node_uid(node) != then {
            return Err(Unmet::NodeReplaced);
        }
        match self.meanwhile.newcomer(node, mirror) {
            Some(pod) if !removal.evict.contains(pod) => Err(Unmet::Occupied(pod.clone())),
            _ => Ok(()),
        }
    }
}

// === impl Unmet ===

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relisted => {
                f.write_str("nodes or pods were listed again while the plan was made")
            }
            Self::NoPodPending => f.write_str("no pod that it is for is pending any more"),
            Self::SizeChanged { assumed, current: Some(current) } => {
                write!(f, "the group has {current} machines, and the plan was made for {assumed}")
            }
            Self::SizeChanged { current: None, .. } => {
                f.write_str("its provider does not list the group any more")
            }
            Self::NodeReplaced => f.write_str("the node is gone, or another one has its name"),
            Self::Occupied(pod) => {
                write!(f, "the pod {pod} was scheduled to it while the plan was made")
            }
        }
    }
}

#[cfg(test)]
mod tests;
