//! What there is only while we lead: memory, orders, retirements, and the calls under way. It ends with the leadership, and the
//! calls with it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plimsoll_cluster::{
    buffers::MakeError,
    notebook::{Found, Notebook},
    orders::{Found as Stored, Intent, Orders, OrdersError, Phase, StoredOrder, Unreadable},
    statuses::Object,
};
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::{Removal, after_failure, words};
use plimsoll_provider::{Error, Fleet, HoldBack, OrderId, Whose};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet};
use tracing::{info, warn};

use super::{
    pass::{News, OpenOrder},
    recall::no_later,
};
use crate::{
    observe::Asked,
    orders::{Done, Ledger, Outcome},
    retire::{Answer, Retirement},
    settings::{Mode, Settings},
    statuses::Statuses,
    templates::{BufferName, Templates},
};

/// Something that a call under way tells.
#[derive(Debug)]
pub(super) enum Event {
    /// What an earlier run left was read, or could not be.
    Loaded(Result<Loaded, String>),
    /// A provider said whose node it is.
    Owner(Asked, Result<Whose, Error>),
    /// A Node without a machine was to be removed.
    NodeRemoved(Removal, Result<(), String>),
    /// What a plan wanted of a group's provider is done.
    Errand(Symbol, Done),
    /// An order was placed again; whether the outcome is written down.
    Placed(OrderId, Outcome, bool),
    /// A phase was to be written down; whether it is.
    Noted(OrderId, bool),
    /// An order was to be removed; whether it is.
    Removed(OrderId, bool),
    /// A call for a node on its way out.
    Retirement(Symbol, OrderId, Answer),
    /// The machines of some nodes on their way out were to be deleted.
    Deletions(Vec<(Symbol, OrderId, Answer)>),
    /// A mark that no order explains was to be taken off.
    Cleaned(Symbol, Result<bool, String>),
    /// A node was to be marked or unmarked as one that nobody needs, or closed or opened as a new one.
    Marked(Symbol),
    /// The status of an object was to be written; what it says now, if it is.
    Told(Object, Option<Value>),
    /// The PodTemplate of a buffer was to be made from the text of this digest.
    Made(BufferName, u64, Result<(), MakeError>),
    /// Memory was to be written.
    Saved(Box<Memory>, Result<(), String>),
}

/// What an earlier run left.
#[derive(Debug)]
pub(super) struct Loaded {
    pub found: Found,
    pub orders: Vec<StoredOrder>,
    /// Orders that cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// What there is while we lead.
#[derive(Debug)]
pub(super) struct Reign {
    pub since: Timestamp,
    pub state: State,
    pub memory: Memory,
    pub ledger: Ledger,
    pub retiring: BTreeMap<Symbol, Retirement>,
    /// Orders that cannot be read: their groups are left alone.
    pub unreadable: Vec<Unreadable>,
    /// Orders of removals that are over, with the moment.
    pub over: BTreeMap<OrderId, Timestamp>,
    /// Nodes from which marks are being taken, or on which they are being put.
    pub marking: BTreeSet<Symbol>,
    /// What new nodes have to wait for.
    pub holding: BTreeMap<Symbol, HoldBack>,
    /// What users are told on their objects.
    pub statuses: Statuses,
    /// What is written for users' buffers.
    pub templates: Templates,
    /// What is in the notebook.
    pub saved: Option<Memory>,
    pub saving: bool,
    pub save_at: Option<Timestamp>,
    tasks: JoinSet<()>,
    outbox: mpsc::UnboundedSender<Event>,
    pub inbox: mpsc::UnboundedReceiver<Event>,
}

/// How far we are with taking over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// What an earlier run left is being read.
    Loading,
    /// It could not be read; it is tried again then.
    Waiting(Timestamp),
    /// It is known.
    Ready {
        /// Nothing was found in the notebook, and marks on nodes may say more.
        blank: bool,
    },
}

// === impl Reign ===

impl Reign {
    pub(super) fn new(now: Timestamp) -> Self {
        let (outbox, inbox) = mpsc::unbounded_channel();
        Self {
            since: now,
            state: State::Waiting(now),
            memory: Memory::default(),
            ledger: Ledger::default(),
            retiring: BTreeMap::new(),
            unreadable: Vec::new(),
            over: BTreeMap::new(),
            marking: BTreeSet::new(),
            holding: BTreeMap::new(),
            statuses: Statuses::default(),
            templates: Templates::default(),
            saved: None,
            saving: false,
            save_at: None,
            tasks: JoinSet::new(),
            outbox,
            inbox,
        }
    }

    /// Makes a call aside; what it tells comes to the inbox.
    pub(super) fn spawn(&mut self, call: impl Future<Output = Event> + Send + 'static) {
        let outbox = self.outbox.clone();
        self.tasks.spawn(async move {
            // Nobody is left to be told when the reign is over.
            let _ = outbox.send(call.await);
        });
        // Those that have ended are let go.
        while self.tasks.try_join_next().is_some() {}
    }

    /// Waits until all calls under way have ended.
    pub(super) async fn settle(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Takes over what an earlier run left.
    pub(super) fn resume(&mut self, loaded: Loaded, now: Timestamp) {
        let mut blank = false;
        match loaded.found {
            Found::Memory(memory) => {
                self.saved = Some((*memory).clone());
                self.memory = no_later(*memory, now);
            }
            Found::Nothing => blank = true,
            Found::Broken(error) => {
                warn!(%error, "memory is lost");
                blank = true;
            }
        }
        for unreadable in loaded.unreadable {
            let Unreadable { name, group, problem } = &unreadable;
            warn!(order = name, ?group, problem, "order cannot be read; its group is left alone");
            if let Some(group) = group {
                self.ledger.leave_alone(*group);
            }
            self.unreadable.push(unreadable);
        }
        for stored in &loaded.orders {
            match &stored.intent {
                Intent::Delete { .. } => {
                    self.over.insert(stored.id.clone(), stored.since.unwrap_or(now).min(now));
                }
                Intent::Increase { .. } => self.ledger.resume(stored, &mut self.memory, now),
                Intent::Retire { .. } if stored.phase.is_over() => {
                    self.over.insert(stored.id.clone(), stored.since.unwrap_or(now).min(now));
                }
                // A node leaves once; another order for it has nothing left to say.
                Intent::Retire { node, .. } if self.retiring.contains_key(node) => {
                    self.over.insert(stored.id.clone(), now);
                }
                Intent::Retire {
                    group,
                    node,
                    node_uid,
                    instance,
                    was_closed,
                    replaced,
                    why,
                    reason,
                    drains,
                } => {
                    let (id, instance, why) = (stored.id.clone(), instance.clone(), why.clone());
                    info!(%node, order = %id, phase = ?stored.phase, "scale-down resumed");
                    let since = stored.created.unwrap_or(now).min(now);
                    let mut retirement = Retirement::new(id, *group, *node, instance, why, since);
                    retirement.node_uid.clone_from(node_uid);
                    retirement.was_closed = *was_closed;
                    retirement.replaced = *replaced;
                    retirement.reason = reason.as_deref().and_then(words::retirement_reason);
                    retirement.drains = *drains;
                    self.retiring.insert(*node, retirement.resume(stored.phase, now));
                }
            }
        }
        self.state = State::Ready { blank };
    }

    /// A provider has answered an order, or nobody did: what follows for the memory.
    pub(super) fn remember(&mut self, news: &News, settings: &Settings, now: Timestamp) {
        let News::OrderFailed { order, code, .. } = news else { return };
        self.forget(order);
        let memory = &mut self.memory;
        let previous = memory.backoff.get(&order.group);
        let backoff = after_failure(previous, code, &settings.plan.scale_up, now);
        memory.backoff.insert(order.group, backoff);
    }

    /// A provider brought fewer machines than were ordered: no more than those are waited for.
    pub(super) fn correct(&mut self, news: &News) {
        let News::Placed(order) = news else { return };
        for known in &mut self.memory.orders {
            if known.group == order.group && known.at == order.at {
                known.increase = known.increase.min(order.count);
            }
        }
    }

    /// An order is not waited for.
    pub(super) fn forget(&mut self, order: &OpenOrder) {
        let is_it =
            |known: &plimsoll_model::Order| known.group == order.group && known.at == order.at;
        self.memory.orders.retain(|known| !is_it(known));
    }

    /// Memory is to be written by then, if it is not what is written already.
    pub(super) fn save_by(&mut self, moment: Timestamp) {
        if self.saved.as_ref() != Some(&self.memory) {
            self.save_at = Some(self.save_at.map_or(moment, |known| known.min(moment)));
        }
    }
}

/// Reads what an earlier run left. A dry run has nothing to do with orders.
pub(super) async fn load(
    orders: &Orders,
    notebook: &Notebook,
    fleet: &Fleet,
    mode: Mode,
    now: Timestamp,
) -> Result<Loaded, String> {
    let found = notebook.load().await.map_err(|error| error.to_string())?;
    if mode == Mode::DryRun {
        return Ok(Loaded { found, orders: Vec::new(), unreadable: Vec::new() });
    }
    if let Err(error) = orders.install().await {
        // Somebody else may have installed it.
        warn!(%error, "going on with the definition that is there");
    }
    let Stored { orders: mut stored, unreadable } =
        orders.list().await.map_err(|error| error.to_string())?;
    for order in stored.iter_mut().filter(|order| !order.phase.is_over()) {
        take_over(orders, order, now).await.map_err(|error| error.to_string())?;
        if let Some(group) = fleet.resolve(order.intent.group().as_str(), order.provider.as_deref())
        {
            order.intent.set_group(group);
        }
    }
    Ok(Loaded { found, orders: stored, unreadable })
}

/// Makes an order ours. The deletion of a machine without a node is not taken up: whether it is still to be deleted is decided anew.
async fn take_over(
    orders: &Orders,
    order: &mut StoredOrder,
    now: Timestamp,
) -> Result<(), OrdersError> {
    orders.take_over(&order.id).await?;
    if let Intent::Delete { .. } = order.intent {
        let why = "the process that wrote it ended; it is decided anew";
        orders.advance(&order.id, Phase::Failed, why, now).await?;
        order.phase = Phase::Failed;
    }
    Ok(())
}
