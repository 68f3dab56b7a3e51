//! Increases: written down, placed with the provider, and followed until their machines are seen.
//!
//! | phase  | leaves when                                         | to                                     |
//! |--------|-----------------------------------------------------|----------------------------------------|
//! | Wanted | the provider takes it                               | Placed                                 |
//! | Wanted | the provider refuses it, or is silent for too long  | Failed; the group rests, others are tried |
//! | Wanted | there is no answer                                  | Wanted: placed again under the same name |
//! | Wanted | it cannot be written down                           | Wanted: written again before anybody is asked |
//! | Placed | the plan waits for nothing in the group any more    | Done                                   |
//!
//! While an order is under way a decision sees the group as it will be, so that nothing is bought twice. There is never more than
//! one order of a group in phase Wanted. What is over stays for a while to be looked at, and is removed then.
//!
//! [`Ledger`] keeps the books and does nothing else; [`OrderExecutor`] makes the calls.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Order, OrderId, OrderPhase, ScaleUp, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{engine::News, settings::OrderSettings};

mod entry;
mod errand;
mod executor;
mod guard;

use self::entry::Entry;
pub(crate) use self::{
    entry::Outcome,
    errand::{Errand, errands, new_id},
    executor::{Done, OrderExecutor, turns},
    guard::Registered,
};

/// An order of an earlier run that is older than this is not placed again: what it was for has been decided anew since.
const OLDEST: SignedDuration = SignedDuration::from_mins(15);

/// The increases that are under way.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: BTreeMap<OrderId, Entry>,
    /// Groups at whose provider something is being put right.
    busy: BTreeSet<Symbol>,
    /// Groups with an order that cannot be read.
    left_alone: BTreeSet<Symbol>,
}

/// Which orders that have no answer yet count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of them.
    All,
    /// Those that are being placed, without those of which it has to be found out whether they still may be.
    Allowed,
}

/// What the books say has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Place it again.
    Place(Order<ScaleUp>),
    /// Write its phase down.
    Note(Order<ScaleUp>),
    /// Remove it.
    Remove(OrderId),
}

// === impl Ledger ===

impl Ledger {
    /// Resumes a scale-up of an earlier leader. One that was wanted is placed again, once it is known that it still may be.
    pub(crate) fn resume(&mut self, mut order: Order<ScaleUp>, now: Timestamp) {
        let is_stale =
            order.phase == OrderPhase::Wanted && now.duration_since(order.created) > OLDEST;
        if is_stale {
            order.phase = OrderPhase::Failed;
            "it was not placed in time".clone_into(&mut order.message);
        }
        let is_wanted = order.phase == OrderPhase::Wanted;
        let entry = Entry {
            tried: now,
            retry: is_wanted.then_some(now),
            ended: if is_stale { Some(now) } else { (!is_wanted).then_some(order.since) },
            seen: false,
            note: is_stale.then_some(now),
            resumed: is_wanted,
            known: Arc::default(),
            written: true,
            allowed: false,
            order,
        };
        self.entries.insert(entry.order.id.clone(), entry);
    }

    /// An order is about to be written and placed. These nodes are there already.
    pub(crate) fn begin(&mut self, order: Order<ScaleUp>, known: Arc<FxHashSet<Symbol>>) {
        let entry = Entry {
            tried: order.created,
            retry: None,
            ended: None,
            seen: false,
            note: None,
            resumed: false,
            known,
            written: false,
            allowed: true,
            order,
        };
        self.entries.insert(entry.order.id.clone(), entry);
    }

    /// Nothing is asked for a group any more: an order of it cannot be read.
    pub(crate) fn leave_alone(&mut self, group: Symbol) {
        self.left_alone.insert(group);
    }

    /// Whether an order that cannot be placed may still be waited for.
    pub(crate) fn is_patient(
        &self,
        id: &OrderId,
        settings: &OrderSettings,
        now: Timestamp,
    ) -> bool {
        let entry = self.entries.get(id);
        entry.is_some_and(|entry| now.duration_since(entry.tried) <= settings.patience)
    }

    /// Something is being put right at the group's provider, or not any more.
    pub(crate) fn set_busy(&mut self, group: Symbol, busy: bool) {
        if busy {
            self.busy.insert(group);
        } else {
            self.busy.remove(&group);
        }
    }

    /// Whether nothing more may be asked for the group now.
    pub(crate) fn is_busy(&self, group: Symbol) -> bool {
        let wanted = |entry: &Entry| {
            entry.order.intent.group == group && entry.order.phase == OrderPhase::Wanted
        };
        self.busy.contains(&group)
            || self.left_alone.contains(&group)
            || self.entries.values().any(wanted)
    }

    /// Whether orders of an earlier run have not been answered yet.
    pub(crate) fn is_resuming(&self) -> bool {
        self.entries.values().any(|entry| entry.resumed)
    }

    /// How many machines groups will have been asked for, where the inventory may not show it yet.
    pub(crate) fn expected(&self, wanted: Wanted) -> FxHashMap<Symbol, u32> {
        let mut expected: FxHashMap<Symbol, u32> = FxHashMap::default();
        let unseen = |entry: &&Entry| match entry.order.phase {
            OrderPhase::Wanted => entry.allowed || wanted == Wanted::All,
            OrderPhase::Placed => !entry.seen,
            _ => false,
        };
        for entry in self.entries.values().filter(unseen) {
            let most = expected.entry(entry.order.intent.group).or_default();
            *most = entry.order.target().max(*most);
        }
        expected
    }

    /// Takes the provider's answer. `noted` says whether the new phase is written down.
    pub(crate) fn answered(
        &mut self,
        id: &OrderId,
        outcome: Outcome,
        noted: bool,
        settings: &OrderSettings,
        now: Timestamp,
    ) -> Option<News> {
        if matches!(outcome, Outcome::NotPlaced(_)) {
            self.entries.remove(id);
            return None;
        }
        self.entries.get_mut(id)?.answered(outcome, noted, settings, now)
    }

    /// The phase of an order is written down.
    pub(crate) fn noted(&mut self, id: &OrderId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.note = None;
        }
    }

    /// An order is removed.
    pub(crate) fn removed(&mut self, id: &OrderId) {
        self.entries.remove(id);
    }

    /// Looks for what was ordered: `shown` tells a group's target and the moment it is as of; `open` the orders whose machines the
    /// plan still expects, sorted.
    pub(crate) fn review(
        &mut self,
        shown: impl Fn(Symbol) -> Option<(u32, Timestamp)>,
        open: &[OrderId],
        now: Timestamp,
    ) {
        for entry in self.entries.values_mut() {
            let order = &entry.order;
            if order.phase != OrderPhase::Placed {
                continue;
            }
            if !entry.seen {
                entry.seen = shown(order.intent.group).is_some_and(|(target, as_of)| {
                    target >= order.target() || entry.ended.is_some_and(|ended| as_of > ended)
                });
            }
            if entry.seen && open.binary_search(&order.id).is_err() {
                entry.end(OrderPhase::Done, String::new(), false, now);
            }
        }
    }

    /// The scale-ups that have not ended: what the planner goes by.
    pub(crate) fn open(&self) -> Vec<Order<ScaleUp>> {
        let open = self.entries.values().filter(|entry| !entry.order.phase.is_over());
        open.map(|entry| entry.order.clone()).collect()
    }

    /// What is to be done now. It counts as begun.
    pub(crate) fn chores(&mut self, settings: &OrderSettings, now: Timestamp) -> Vec<Chore> {
        let mut chores = Vec::new();
        for entry in self.entries.values_mut() {
            let order = &entry.order;
            let id = order.id.clone();
            if entry.retry.is_some_and(|retry| retry <= now) && entry.allowed {
                entry.retry = None;
                chores.push(Chore::Place(entry.order.clone()));
            } else if entry.note.is_some_and(|note| note <= now) {
                // Until it is known that this failed.
                entry.note = None;
                chores.push(Chore::Note(order.clone()));
            } else if order.phase.is_over()
                && entry.note.is_none()
                && !guard::is_counted(order, now)
                && entry.ended.is_none_or(|ended| now.duration_since(ended) >= settings.keep)
            {
                entry.ended = Some(now);
                chores.push(Chore::Remove(id));
            }
        }
        chores
    }

    /// Orders that are to be placed again once it is known whether they are still allowed.
    pub(crate) fn undecided(&self, now: Timestamp) -> Vec<Order<ScaleUp>> {
        let due = |entry: &&Entry| !entry.allowed && entry.retry.is_some_and(|retry| retry <= now);
        self.entries.values().filter(due).map(|entry| entry.order.clone()).collect()
    }

    /// The limits that hold now allow an order to be placed again.
    pub(crate) fn allow(&mut self, id: &OrderId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.allowed = true;
        }
    }

    /// A phase could not be written down; it is tried again after a while.
    pub(crate) fn not_noted(&mut self, id: &OrderId, settings: &OrderSettings, now: Timestamp) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.note = Some(later(now, settings.retry));
        }
    }

    /// The order of this name.
    pub(crate) fn order(&self, id: &OrderId) -> Option<Order<ScaleUp>> {
        self.entries.get(id).map(|entry| entry.order.clone())
    }

    /// Whether there is such an order.
    pub(crate) fn has(&self, id: &OrderId) -> bool {
        self.entries.contains_key(id)
    }

    /// When there is a chore again.
    pub(crate) fn wake(&self) -> Option<Timestamp> {
        // Whether an order may be placed again is found out by a pass.
        let retry = |entry: &Entry| entry.retry.filter(|_| entry.allowed);
        let moments = self.entries.values().flat_map(|entry| [retry(entry), entry.note]);
        moments.flatten().min()
    }

    /// All of them.
    pub(crate) fn orders(&self) -> Vec<Order<ScaleUp>> {
        self.entries.values().map(|entry| entry.order.clone()).collect()
    }
}

fn later(now: Timestamp, by: std::time::Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
