//! The last line against ordering without bound, whatever the planner believes.
//!
//! A scale-up is for pods, and a pod needs one machine. So the uids of pods are what machines are counted against:
//!
//! - A group gets no second scale-up for the same pods before the first has registered or failed.
//! - All scale-ups of a window together bring no more machines than twice the pods that they were for. What failed does not count.
//!
//! What has registered is counted by Nodes that were not there when the order was begun: a Node that was, whoever it is taken for,
//! never makes an order look served. Being late is the price: a pod that really needs a second machine waits.

use std::{collections::BTreeSet, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Group, Instance, InstanceState, Node, Order, OrderPhase, ScaleUp, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Ledger, entry::Entry};

/// How far the clock of a provider may be behind ours. A machine that is older than an order by more than this is not what was
/// ordered.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

/// How long scale-ups are counted together.
const WINDOW: SignedDuration = SignedDuration::from_mins(15);

/// So many machines a window are never too many.
const ALWAYS: usize = 5;

/// Why a scale-up is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TooMuch {
    /// An order for the same pods has neither registered nor failed.
    SamePods {
        /// Machines of earlier orders that are still to register.
        outstanding: u32,
    },
    /// More machines were ordered lately than pods can need.
    Window {
        /// How many were ordered.
        ordered: usize,
        /// For how many pods.
        pods: usize,
    },
}

/// What is seen of groups: what the guard goes by.
#[derive(Debug)]
pub(crate) struct Registered<'p> {
    groups: FxHashMap<Symbol, &'p Group>,
    by_name: FxHashMap<Symbol, &'p Node>,
    /// The names of the nodes that are there.
    pub nodes: Arc<FxHashSet<Symbol>>,
    now: Timestamp,
}

// === impl Registered ===

impl<'p> Registered<'p> {
    pub(crate) fn new(
        groups: &'p [Group],
        nodes: impl IntoIterator<Item = &'p Node>,
        now: Timestamp,
    ) -> Self {
        let by_name: FxHashMap<_, _> = nodes.into_iter().map(|node| (node.name, node)).collect();
        Self {
            groups: groups.iter().map(|group| (group.id, group)).collect(),
            nodes: Arc::new(by_name.keys().copied().collect()),
            by_name,
            now,
        }
    }

    /// How many machines of an order may still register.
    fn outstanding(&self, entry: &Entry) -> u32 {
        let order = &entry.order;
        if !entry.seen {
            return order.machines();
        }
        let Some(group) = self.groups.get(&order.intent.group) else { return order.machines() };
        let begun = order.created.checked_sub(SKEW).unwrap_or(Timestamp::MIN);
        let is_of_order = |instance: &&Instance| {
            instance.created.is_none_or(|created| created >= begun)
                && instance.state != InstanceState::Deleting
                && instance.error.is_none()
        };
        // A kubelet may register under a Node that was there before. That is certain when the Node has been Ready for longer than it
        // would be without one.
        let has_registered = |instance: &Instance| {
            let node = instance.node.and_then(|node| self.by_name.get(&node));
            node.is_some_and(|node| {
                let made = instance.created.unwrap_or(order.created);
                !entry.known.contains(&node.name) || node.was_alive_after(made, self.now)
            })
        };
        let staying = |instance: &&Instance| instance.state != InstanceState::Deleting;
        let unlisted = count(group.target, group.instances.iter().filter(staying).count());
        let machines = group.instances.iter().filter(is_of_order);
        let silent = machines.filter(|instance| !has_registered(instance)).count();
        order.machines().min(u32::try_from(silent).unwrap_or(u32::MAX).saturating_add(unlisted))
    }
}

fn count(target: u32, listed: usize) -> u32 {
    target.saturating_sub(u32::try_from(listed).unwrap_or(u32::MAX))
}

// === impl Ledger ===

impl Ledger {
    /// Whether one more scale-up of a group is too much.
    pub(crate) fn guard(
        &self,
        scale_up: &ScaleUp,
        fleet: &Registered<'_>,
        now: Timestamp,
    ) -> Result<(), TooMuch> {
        let ScaleUp { group, count: machines, pods, .. } = scale_up;
        let open = self.entries.values().filter(|entry| {
            entry.order.intent.group == *group
                && entry.order.phase != OrderPhase::Failed
                && !is_over(entry, fleet, now)
        });
        let mut spent: BTreeSet<&str> = BTreeSet::new();
        let mut outstanding: u32 = 0;
        for entry in open {
            let left = fleet.outstanding(entry);
            if left > 0 && entry.order.intent.pods.is_empty() == pods.is_empty() {
                outstanding = outstanding.saturating_add(left);
                spent.extend(entry.order.intent.pods.iter().map(|uid| &**uid));
            }
        }
        let fresh = pods.iter().filter(|uid| !spent.contains(&***uid)).count();
        if outstanding > 0 && fresh == 0 {
            return Err(TooMuch::SamePods { outstanding });
        }
        if pods.is_empty() {
            return Ok(());
        }
        self.guard_window(*machines, pods, now)
    }

    fn guard_window(
        &self,
        machines: u32,
        pods: &[Box<str>],
        now: Timestamp,
    ) -> Result<(), TooMuch> {
        let recent = self.entries.values().filter(|entry| is_counted(&entry.order, now));
        let (mut ordered, mut served): (usize, BTreeSet<&str>) =
            (wide(machines).min(pods.len()), pods.iter().map(|uid| &**uid).collect());
        for entry in recent {
            // A group that scales as a whole may get more machines for a pod than the pod needs, at once and by design.
            ordered = ordered
                .saturating_add(wide(entry.order.machines()).min(entry.order.intent.pods.len()));
            served.extend(entry.order.intent.pods.iter().map(|uid| &**uid));
        }
        let pods = served.len();
        if ordered > pods.saturating_mul(2).max(ALWAYS) {
            return Err(TooMuch::Window { ordered, pods });
        }
        Ok(())
    }
}

/// Whether a scale-up counts among those of the window. As long as it does, its order is kept, or the guard would forget it.
pub(super) fn is_counted(order: &Order<ScaleUp>, now: Timestamp) -> bool {
    !order.intent.pods.is_empty()
        && order.phase != OrderPhase::Failed
        && now.duration_since(order.created) <= WINDOW
}

/// Whether nothing is to be waited for any more: everything has registered or failed, or should have long ago.
fn is_over(entry: &Entry, fleet: &Registered<'_>, now: Timestamp) -> bool {
    let group = fleet.groups.get(&entry.order.intent.group);
    let patience = group.map_or(WINDOW, |group| group.options.provision_time);
    now.duration_since(entry.order.created) > patience.saturating_add(SKEW)
}

fn wide(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SamePods { outstanding } => write!(
                f,
                "{outstanding} machines that were ordered for the same pods have neither registered nor failed"
            ),
            Self::Window { ordered, pods } => write!(
                f,
                "{ordered} machines within {} minutes are more than {pods} pods can need",
                WINDOW.as_mins()
            ),
        }
    }
}

#[cfg(test)]
mod tests;
