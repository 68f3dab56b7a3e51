//! Increases: written down, placed with the provider, and followed until their machines are seen.
//!
//! | phase  | leaves when                                         | to                                     |
//! |--------|-----------------------------------------------------|----------------------------------------|
//! | Wanted | the provider takes it                               | Placed                                 |
//! | Wanted | the provider refuses it, or is silent for too long  | Failed; the group rests, others are tried |
//! | Wanted | there is no answer                                  | Wanted: placed again under the same name |
//! | Placed | the plan waits for nothing in the group any more    | Done                                   |
//!
//! While an order is under way a decision sees the group as it will be, so that nothing is bought twice. There is never more than
//! one order of a group in phase Wanted. What is over stays for a while to be looked at, and is removed then.
//!
//! [`Ledger`] keeps the books and does nothing else; [`Clerk`] makes the calls.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::orders::{Intent, Phase, StoredOrder};
use plimsoll_model::{Memory, Symbol};
use plimsoll_provider::{Class, Error, Order, OrderId};
use rustc_hash::FxHashMap;

use crate::{
    engine::{News, OpenOrder},
    settings::OrderSettings,
};

mod clerk;
mod errand;

pub(crate) use self::{
    clerk::{Clerk, Done},
    errand::{Errand, errands, new_id},
};

/// An order of an earlier run that is older than this is not placed again: what it was for has been decided anew since.
const OLDEST: SignedDuration = SignedDuration::from_mins(15);

/// The increases that are under way.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: BTreeMap<OrderId, Entry>,
    /// Groups at whose provider something is being put right.
    busy: BTreeSet<Symbol>,
}

/// What became of a call to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It took the order.
    Placed,
    /// It refused, or did not answer.
    Failed(Error),
    /// The order could not be written down, or what had to be put right before it was not: the provider was not asked.
    NotPlaced(String),
}

#[derive(Debug)]
struct Entry {
    order: OpenOrder,
    /// When it was first tried by this process.
    tried: Timestamp,
    /// When it is to be placed again.
    retry: Option<Timestamp>,
    /// When the provider answered, or it was given up.
    ended: Option<Timestamp>,
    /// The provider's inventory shows it.
    seen: bool,
    /// The phase is written down.
    noted: bool,
    /// It was found from an earlier run, and nobody has answered yet.
    resumed: bool,
}

/// What the books say has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Place it again.
    Place(Order),
    /// Write its phase down.
    Note(OrderId, Phase, String),
    /// Remove it.
    Remove(OrderId),
}

// === impl Ledger ===

impl Ledger {
    /// Takes over what an earlier run left. What was wanted is placed again at once.
    pub(crate) fn resume(&mut self, stored: &StoredOrder, memory: &mut Memory, now: Timestamp) {
        let Intent::Increase { group, count, from, .. } = &stored.intent else { return };
        let (group, count, from) = (*group, *count, *from);
        let at = stored.created.unwrap_or(now);
        let (mut phase, mut message) = (stored.phase, String::new());
        let is_old = now.duration_since(at) > OLDEST;
        let stale = phase == Phase::Wanted && is_old;
        if stale {
            phase = Phase::Failed;
            "nobody placed it in time".clone_into(&mut message);
        }
        let wanted = phase == Phase::Wanted;
        // The memory may have been written before the order was.
        let is_same = |known: &plimsoll_model::Order| {
            known.group == group
                && known.increase == count
                && at.duration_since(known.at).abs() < SignedDuration::from_mins(1)
        };
        if !phase.is_over() && !memory.orders.iter().any(is_same) {
            memory.orders.push(plimsoll_model::Order { group, increase: count, at });
        }
        let id = stored.id.clone();
        let order = OpenOrder { id: id.clone(), group, count, from, at, phase, message };
        let ended = (!wanted).then(|| stored.since.unwrap_or(now).min(now));
        let entry = Entry {
            order,
            tried: now,
            retry: wanted.then_some(now),
            ended: if stale { Some(now) } else { ended },
            seen: false,
            noted: !stale,
            resumed: wanted,
        };
        self.entries.insert(id, entry);
    }

    /// An order is about to be written down and placed.
    pub(crate) fn begin(&mut self, order: &Order, now: Timestamp) {
        let order = OpenOrder {
            id: order.id.clone(),
            group: order.group,
            count: order.count,
            from: order.from,
            at: now,
            phase: Phase::Wanted,
            message: String::new(),
        };
        let entry = Entry {
            order,
            tried: now,
            retry: None,
            ended: None,
            seen: false,
            noted: true,
            resumed: false,
        };
        self.entries.insert(entry.order.id.clone(), entry);
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
        let wanted =
            |entry: &Entry| entry.order.group == group && entry.order.phase == Phase::Wanted;
        self.busy.contains(&group) || self.entries.values().any(wanted)
    }

    /// Whether orders of an earlier run have not been answered yet.
    pub(crate) fn is_resuming(&self) -> bool {
        self.entries.values().any(|entry| entry.resumed)
    }

    /// How many machines groups will have been asked for, where the inventory may not show it yet.
    pub(crate) fn expected(&self) -> FxHashMap<Symbol, u32> {
        let mut expected: FxHashMap<Symbol, u32> = FxHashMap::default();
        let unseen = |entry: &&Entry| match entry.order.phase {
            Phase::Wanted => true,
            Phase::Placed => !entry.seen,
            _ => false,
        };
        for entry in self.entries.values().filter(unseen) {
            let target = entry.order.from.saturating_add(entry.order.count);
            let most = expected.entry(entry.order.group).or_default();
            *most = target.max(*most);
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
        let entry = self.entries.get_mut(id)?;
        entry.resumed = false;
        match outcome {
            Outcome::Placed => {
                entry.end(Phase::Placed, String::new(), noted, now);
                Some(News::Placed(entry.order.clone()))
            }
            Outcome::Failed(error) if error.class() == Class::Retry => {
                entry.order.message = error.to_string();
                if now.duration_since(entry.tried) <= settings.patience {
                    let pause = error.retry_after().unwrap_or_default().max(settings.retry);
                    entry.retry = Some(later(now, pause));
                    return None;
                }
                entry.end(Phase::Failed, error.to_string(), false, now);
                Some(entry.failed(&error))
            }
            Outcome::Failed(error) => {
                entry.end(Phase::Failed, error.to_string(), noted, now);
                Some(entry.failed(&error))
            }
            Outcome::NotPlaced(_) => {
                self.entries.remove(id);
                None
            }
        }
    }

    /// The phase of an order is written down.
    pub(crate) fn noted(&mut self, id: &OrderId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.noted = true;
        }
    }

    /// An order is removed.
    pub(crate) fn removed(&mut self, id: &OrderId) {
        self.entries.remove(id);
    }

    /// Looks for what was ordered: `shown` tells a group's target and the moment it is as of; `memory` what the plan waits for.
    pub(crate) fn review(
        &mut self,
        shown: impl Fn(Symbol) -> Option<(u32, Timestamp)>,
        memory: &Memory,
        now: Timestamp,
    ) {
        for entry in self.entries.values_mut() {
            let order = &entry.order;
            if order.phase != Phase::Placed {
                continue;
            }
            if !entry.seen {
                entry.seen = shown(order.group).is_some_and(|(target, as_of)| {
                    target >= order.from.saturating_add(order.count)
                        || entry.ended.is_some_and(|ended| as_of > ended)
                });
            }
            let awaited = memory.orders.iter().any(|known| known.group == order.group);
            if entry.seen && !awaited {
                entry.end(Phase::Done, String::new(), false, now);
            }
        }
    }

    /// What is to be done now. It counts as begun.
    pub(crate) fn chores(&mut self, settings: &OrderSettings, now: Timestamp) -> Vec<Chore> {
        let mut chores = Vec::new();
        for entry in self.entries.values_mut() {
            let order = &entry.order;
            let id = order.id.clone();
            if entry.retry.is_some_and(|retry| retry <= now) {
                entry.retry = None;
                let (group, count, from) = (order.group, order.count, order.from);
                chores.push(Chore::Place(Order { id, group, count, from }));
            } else if !entry.noted {
                // Until it is known that this failed.
                entry.noted = true;
                chores.push(Chore::Note(id, order.phase, order.message.clone()));
            } else if order.phase.is_over()
                && entry.ended.is_none_or(|ended| now.duration_since(ended) >= settings.keep)
            {
                entry.ended = Some(now);
                chores.push(Chore::Remove(id));
            }
        }
        chores
    }

    /// A phase could not be written down; it is tried again with the next chores.
    pub(crate) fn not_noted(&mut self, id: &OrderId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.noted = false;
        }
    }

    /// When an order is to be placed again.
    pub(crate) fn wake(&self) -> Option<Timestamp> {
        self.entries.values().filter_map(|entry| entry.retry).min()
    }

    /// All of them.
    pub(crate) fn orders(&self) -> Vec<OpenOrder> {
        self.entries.values().map(|entry| entry.order.clone()).collect()
    }
}

// === impl Entry ===

impl Entry {
    fn end(&mut self, phase: Phase, message: String, noted: bool, now: Timestamp) {
        self.order.phase = phase;
        self.order.message = message;
        self.noted = noted;
        self.retry = None;
        self.ended = Some(now);
    }

    fn failed(&self, error: &Error) -> News {
        let (class, code) = (error.class(), error.code().to_owned());
        News::OrderFailed { order: self.order.clone(), class, code }
    }
}

fn later(now: Timestamp, by: std::time::Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
