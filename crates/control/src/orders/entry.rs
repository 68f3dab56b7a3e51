//! One order in the books.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_model::{Order, OrderPhase, ScaleUp, Symbol};
use plimsoll_provider::{Class, Error};
use rustc_hash::FxHashSet;

use super::later;
use crate::{engine::News, settings::OrderSettings};

/// What became of an attempt to place an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The provider took the order, and brought so many machines.
    Placed(u32),
    /// The provider refused, or did not answer.
    Failed(Error),
    /// The order could not be written down, or nobody knows whether it is: the provider was not asked.
    Unwritten(String),
    /// The API server does not know what an order is: the provider was not asked.
    Undefined(String),
    /// What had to be put right before was not: neither was the order written nor the provider asked.
    NotPlaced(String),
    /// What was allowed when it was decided is not any more: the provider was not asked again.
    NotAllowed(String),
}

/// One order in the books.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with each other")]
pub(super) struct Entry {
    pub order: Order<ScaleUp>,
    /// When it was first tried by this process.
    pub tried: Timestamp,
    /// When it is to be placed again.
    pub retry: Option<Timestamp>,
    /// When the provider answered, or it was given up.
    pub ended: Option<Timestamp>,
    /// The provider's inventory shows it.
    pub seen: bool,
    /// When the phase is to be written down; `None` when it is.
    pub note: Option<Timestamp>,
    /// It was found from an earlier run, and nobody has answered yet.
    pub resumed: bool,
    /// The nodes that were there when it was begun: none of them is what it brings. Of an order of an earlier run nobody knows.
    pub known: Arc<FxHashSet<Symbol>>,
    /// The order itself is written down.
    pub written: bool,
    /// The limits that hold now allow it: those of the moment when it was decided may have been others.
    pub allowed: bool,
}

// === impl Entry ===

impl Entry {
    /// Takes what became of an attempt to place it. `noted` says whether the new phase is written down.
    pub(super) fn answered(
        &mut self,
        outcome: Outcome,
        noted: bool,
        settings: &OrderSettings,
        now: Timestamp,
    ) -> Option<News> {
        self.resumed = false;
        self.written |= !matches!(outcome, Outcome::Unwritten(_) | Outcome::Undefined(_));
        let patient = now.duration_since(self.tried) <= settings.patience;
        match outcome {
            Outcome::Placed(made) => {
                let wanted = self.order.intent.count;
                self.order.made = Some(made.min(wanted));
                let message = if made < wanted {
                    format!("{made} of {wanted} machines")
                } else {
                    String::new()
                };
                self.end(OrderPhase::Placed, message, noted, now);
                Some(News::Placed(self.order.clone()))
            }
            Outcome::Failed(error) if error.class() == Class::Retry && patient => {
                self.order.message = error.to_string();
                // Who asks again asks first whether it is still allowed.
                self.allowed = false;
                let pause = error.retry_after().unwrap_or_default().max(settings.retry);
                self.retry = Some(later(now, pause));
                None
            }
            Outcome::Failed(error) => {
                let noted = noted && error.class() != Class::Retry;
                self.end(OrderPhase::Failed, error.to_string(), noted, now);
                let (class, code) = (error.class(), error.code().to_owned());
                Some(News::OrderFailed { order: self.order.clone(), class, code })
            }
            // It may have been written all the same, so its name is kept.
            Outcome::Unwritten(why) | Outcome::Undefined(why) if patient => {
                self.order.message = why;
                self.retry = Some(later(now, settings.retry));
                None
            }
            // No group is to blame for that.
            Outcome::Unwritten(why)
            | Outcome::Undefined(why)
            | Outcome::NotPlaced(why)
            | Outcome::NotAllowed(why) => {
                self.end(OrderPhase::Failed, why, false, now);
                None
            }
        }
    }

    pub(super) fn end(&mut self, phase: OrderPhase, message: String, noted: bool, now: Timestamp) {
        self.order.phase = phase;
        self.order.message = message;
        self.order.since = now;
        self.note = (!noted).then_some(now);
        self.retry = None;
        self.ended = Some(now);
    }
}
