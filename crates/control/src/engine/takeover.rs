//! A new leader resumes what an earlier one left: memory and orders.

use jiff::Timestamp;
use plimsoll_cluster::{
    orders::{Found as Stored, Orders, OrdersError, Progress, Unreadable},
    saved_state::{Found, SavedState},
};
use plimsoll_model::{Intent, Order, OrderPhase, RemoveNode};
use plimsoll_plan::words;
use plimsoll_provider::Fleet;
use tracing::{info, warn};

use super::{clock_skew::no_later, leader::Leader};
use crate::{retire::Retirement, settings::Mode};

/// How far a leader has come with what an earlier one left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takeover {
    /// It is being read.
    Loading,
    /// It could not be read; it is tried again then.
    Waiting(Timestamp),
    /// It is known.
    Complete {
        /// No memory was saved, and taints of nodes may say more.
        blank: bool,
    },
}

/// What an earlier leader left.
#[derive(Debug)]
pub(super) struct Loaded {
    pub found: Found,
    pub orders: Vec<Order>,
    /// Orders that cannot be read.
    pub unreadable: Vec<Unreadable>,
}

// === impl Leader ===

impl Leader {
    /// Resumes what an earlier leader left.
    pub(super) fn resume(&mut self, loaded: Loaded, now: Timestamp) {
        let mut blank = false;
        match loaded.found {
            Found::Memory(memory) => {
                self.saved = Some((*memory).clone());
                self.memory = no_later(*memory, now);
            }
            Found::Nothing => blank = true,
            Found::Broken(error) => {
                warn!(%error, "saved state cannot be read, and is lost");
                blank = true;
            }
        }
        for unreadable in loaded.unreadable {
            let Unreadable { name, group, problem } = &unreadable;
            let in_words = group.map_or_else(|| "unknown".to_owned(), |group| group.to_string());
            warn!(
                order = name,
                group = in_words,
                problem,
                "order cannot be read; its group is left alone"
            );
            if let Some(group) = group {
                self.ledger.leave_alone(*group);
            }
            self.unreadable.push(unreadable);
        }
        for stored in &loaded.orders {
            self.resume_order(stored, now);
        }
        self.takeover = Takeover::Complete { blank };
    }

    fn resume_order(&mut self, order: &Order, now: Timestamp) {
        if let Some(scale_up) = order.as_scale_up() {
            return self.ledger.resume(scale_up, now);
        }
        let removal = match &order.intent {
            // A node is removed once; another order for it has nothing left to say.
            Intent::RemoveNode(removal)
                if !order.phase.is_over() && !self.retiring.contains_key(&removal.node) =>
            {
                removal
            }
            _ => {
                let ended = if order.phase.is_over() { order.since } else { now };
                self.ended.insert(order.id.clone(), ended);
                return;
            }
        };
        let RemoveNode { group, node, instance, why, .. } = removal.clone();
        info!(%node, %group, order = %order.id, phase = order.phase.name(), "scale-down resumed");
        let mut retirement =
            Retirement::new(order.id.clone(), group, node, instance, why, order.created);
        retirement.node_uid.clone_from(&removal.node_uid);
        retirement.was_closed = removal.was_closed;
        retirement.replaced = removal.replaced;
        retirement.reason = removal.reason.as_deref().and_then(words::retirement_reason);
        retirement.drains = removal.drains;
        self.retiring.insert(node, retirement.resume(order.phase, now));
    }
}

/// Reads what an earlier leader left. A dry run has nothing to do with orders.
pub(super) async fn load(
    orders: &Orders,
    saved_state: &SavedState,
    fleet: &Fleet,
    mode: Mode,
    now: Timestamp,
) -> Result<Loaded, String> {
    let found = saved_state.load().await.map_err(|error| error.to_string())?;
    if mode == Mode::DryRun {
        return Ok(Loaded { found, orders: Vec::new(), unreadable: Vec::new() });
    }
    if let Err(error) = orders.install().await {
        // It may have been installed by hand.
        warn!(%error, "cannot install the definition of NodeOrder; the one that is installed is used");
    }
    let Stored { orders: mut stored, unreadable } =
        orders.list(now).await.map_err(|error| error.to_string())?;
    for order in stored.iter_mut().filter(|order| !order.phase.is_over()) {
        take_over(orders, order, now).await.map_err(|error| error.to_string())?;
        if let Some(group) = fleet.resolve(order.intent.group().as_str(), order.provider.as_deref())
        {
            order.intent.set_group(group);
        }
    }
    Ok(Loaded { found, orders: stored, unreadable })
}

/// Makes an order ours. The deletion of a machine without a node is not resumed: whether it is still to be deleted is decided anew.
async fn take_over(orders: &Orders, order: &mut Order, now: Timestamp) -> Result<(), OrdersError> {
    orders.take_over(&order.id).await?;
    if let Intent::DeleteMachine(_) = order.intent {
        let message = "the process that wrote it ended; it is decided anew";
        let progress = Progress { phase: OrderPhase::Failed, message, made: None };
        orders.advance(&order.id, &progress, now).await?;
        order.phase = OrderPhase::Failed;
    }
    Ok(())
}
