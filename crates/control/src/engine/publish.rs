//! What others are told of a pass, and what is written because of it: chores of orders, and memory.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_cluster::orders::Progress;
use plimsoll_model::{Order, Symbol};
use plimsoll_provider::Provider as _;
use tracing::debug;

use super::{
    Begun, Context, HeldBack, Pass, Took,
    decide::Decision,
    iterate::PassUnderWay,
    later,
    leader::{Event, Leader},
};
use crate::{orders::Chore, retire::Retirement, settings::Mode};

/// A pass that is over.
pub(super) struct Finished {
    pub pass: PassUnderWay,
    pub held_back: Option<HeldBack>,
    pub decision: Decision,
    /// Groups that pods are kept away from, with the reason in words.
    pub steered: BTreeMap<Symbol, String>,
    pub begun: Begun,
    /// How long it took to begin what was decided.
    pub acting: Duration,
}

// === impl Leader ===

impl Leader {
    /// Publishes a pass that is over.
    pub(super) fn publish(&mut self, context: &Context, finished: Finished) {
        let Finished { pass, held_back, decision, steered, begun, acting } = finished;
        let PassUnderWay { number, cause, at, waited, .. } = pass;
        let something = !begun.orders.is_empty() || !begun.retirements.is_empty();
        let pause = if something { Duration::ZERO } else { context.settings.pace.notes };
        self.save_by(later(at, pause));
        debug!(number, ?cause, ?held_back, "pass finished");
        let groups = decision.seen.groups.iter().map(|group| group.id);
        let remarks = groups.map(|group| (group, context.fleet.remarks(group)));
        let remarks = remarks.filter(|(_, remarks)| !remarks.is_empty()).collect();
        context.handle.publish(Pass {
            number,
            cause,
            at,
            held_back,
            settings: Arc::clone(&context.settings),
            seen: decision.seen,
            plan: Arc::new(decision.plan),
            memory: Arc::new(self.memory.clone()),
            steered,
            remarks,
            begun,
            orders: self.ledger.orders(),
            retirements: self.retiring.values().map(Retirement::view).collect(),
            took: Took {
                waited,
                observe: decision.observing,
                plan: decision.planning,
                act: acting,
            },
            world: decision.world,
        });
    }

    /// Places orders again, writes phases, deletes NodeOrders that have ended.
    pub(super) fn do_chores(&mut self, context: &Context, now: Timestamp) {
        for chore in self.ledger.chores(&context.settings.orders, now) {
            let order_executor = context.order_executor.clone();
            self.spawn(async move {
                match chore {
                    Chore::Place(order) => {
                        let (outcome, noted) = order_executor.order(&order).await;
                        Event::OrderPlaced(order.id, outcome, noted)
                    }
                    Chore::Note(Order { id, phase, message, made, .. }) => {
                        let progress = Progress { phase, message: &message, made };
                        let is_written = order_executor.note(&id, &progress).await;
                        if is_written { Event::PhaseWritten(id) } else { Event::PhaseUnwritten(id) }
                    }
                    Chore::Remove(id) => {
                        let is_deleted = order_executor.remove(&id).await;
                        if is_deleted { Event::OrderDeleted(id) } else { Event::OrderKept(id) }
                    }
                }
            });
        }
        let keep = context.settings.orders.keep;
        let old = self.ended.extract_if(.., |_, since| now.duration_since(*since) >= keep);
        let old: Vec<_> = old.map(|(id, _)| id).collect();
        for id in old {
            let order_executor = context.order_executor.clone();
            self.spawn(async move {
                let is_deleted = order_executor.remove(&id).await;
                if is_deleted { Event::OrderDeleted(id) } else { Event::OrderKept(id) }
            });
        }
    }

    /// Saves the memory if it is time.
    pub(super) fn save(&mut self, context: &Context, now: Timestamp) {
        if context.settings.mode == Mode::DryRun {
            self.save_at = None;
        }
        if self.saving || self.save_at.is_none_or(|at| at > now) {
            return;
        }
        (self.saving, self.save_at) = (true, None);
        let (saved_state, memory) = (context.saved_state.clone(), Box::new(self.memory.clone()));
        self.spawn(async move {
            let saved = saved_state.save(&memory).await.map_err(|error| error.to_string());
            Event::MemorySaved(memory, saved)
        });
    }
}
