//! What there is only while this replica leads: memory, orders, removals, timers, and the calls under way. Everything ends with
//! the leadership.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use jiff::Timestamp;
use plimsoll_cluster::{buffers::MakeError, orders::Unreadable, statuses::Object};
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::Removal;
use plimsoll_provider::{Error, HoldBack, OrderId, Whose};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet};

use super::{
    Context,
    iterate::PassUnderWay,
    later,
    memory_edit::MemoryEdit,
    pass::Cause,
    planning::Whereabouts,
    takeover::{Loaded, Takeover},
};
use crate::{
    observe::Asked,
    orders::{Done, Ledger, Outcome},
    retire::{Answer, Retirement},
    settings::{Pace, Settings},
    statuses::Statuses,
    templates::{BufferName, Templates},
};

/// How a call under way ended.
#[derive(Debug)]
pub(super) enum Event {
    /// What an earlier leader left was read, or could not be.
    Loaded(Result<Loaded, String>),
    /// A provider said whose node it is.
    OwnerAnswered(Asked, Result<Whose, Error>),
    /// The Node of a machine that is gone was to be deleted.
    NodeDeleted(Removal, Result<(), String>),
    /// The repairs and the scale-up of a group were tried.
    ErrandDone(Symbol, Done),
    /// A scale-up was tried again; whether its new phase is written.
    OrderPlaced(OrderId, Outcome, bool),
    /// The phase of an order was written.
    PhaseWritten(OrderId),
    /// The phase of an order could not be written.
    PhaseUnwritten(OrderId),
    /// A NodeOrder was deleted because it had ended.
    OrderDeleted(OrderId),
    /// A NodeOrder that had ended could not be deleted.
    OrderKept(OrderId),
    /// A call for a node that is being removed.
    RemovalAnswered {
        node: Symbol,
        id: OrderId,
        answer: Answer,
        /// The uid of the pod that was to be evicted.
        pod_uid: Option<Box<str>>,
    },
    /// The machines of some nodes that are being removed were to be deleted.
    DeletionsAnswered(Vec<(Symbol, OrderId, Answer)>),
    /// A taint that no order explains was to be taken off.
    NodeUntainted(Symbol, Result<bool, String>),
    /// A node was to be tainted, untainted, cordoned or uncordoned.
    NodeUpdated(Symbol),
    /// The status of an object was to be written; what it says now, if it was.
    StatusWritten(Object, Option<Value>),
    /// The PodTemplate of a buffer was to be written from the text of this digest.
    TemplateWritten(BufferName, u64, Result<(), MakeError>),
    /// Memory was to be saved.
    MemorySaved(Box<Memory>, Result<(), String>),
}

/// What there is while this replica leads.
pub(super) struct Leader {
    pub since: Timestamp,
    pub takeover: Takeover,
    pub memory: Memory,
    pub ledger: Ledger,
    pub retiring: BTreeMap<Symbol, Retirement>,
    /// Orders that cannot be read: their groups are left alone.
    pub unreadable: Vec<Unreadable>,
    /// Orders of removals that have ended, with the moment.
    pub ended: BTreeMap<OrderId, Timestamp>,
    /// Nodes that are being tainted, untainted, cordoned or uncordoned.
    pub updating: BTreeSet<Symbol>,
    /// What new nodes have to wait for.
    pub holding: BTreeMap<Symbol, HoldBack>,
    /// The statuses that users see on their objects.
    pub statuses: Statuses,
    /// The PodTemplates that are written for users' buffers.
    pub templates: Templates,
    /// The saved memory.
    pub saved: Option<Memory>,
    pub saving: bool,
    pub save_at: Option<Timestamp>,
    /// When the next pass is made, and why.
    pub due: Option<(Timestamp, Cause)>,
    /// When the first of the changes came that call for it.
    pub called: Option<Timestamp>,
    /// No pass is made before this, so that there is time for something else.
    pub rested: Timestamp,
    /// When nodes that are being removed are looked at.
    pub step_at: Option<Timestamp>,
    /// The pass whose plan is being made.
    pub pass: Option<PassUnderWay>,
    /// Whether a provider has answered a scale-up since the plan was begun.
    pub was_answered: bool,
    /// What answers have meant for the memory since the plan was begun.
    edits: Vec<(MemoryEdit, Timestamp)>,
    tasks: JoinSet<()>,
    outbox: mpsc::UnboundedSender<Event>,
    pub inbox: mpsc::UnboundedReceiver<Event>,
}

// === impl Leader ===

impl Leader {
    pub(super) fn new(now: Timestamp) -> Self {
        let (outbox, inbox) = mpsc::unbounded_channel();
        Self {
            since: now,
            takeover: Takeover::Waiting(now),
            memory: Memory::default(),
            ledger: Ledger::default(),
            retiring: BTreeMap::new(),
            unreadable: Vec::new(),
            ended: BTreeMap::new(),
            updating: BTreeSet::new(),
            holding: BTreeMap::new(),
            statuses: Statuses::default(),
            templates: Templates::default(),
            saved: None,
            saving: false,
            save_at: None,
            due: None,
            called: None,
            rested: now,
            step_at: None,
            pass: None,
            was_answered: false,
            edits: Vec::new(),
            tasks: JoinSet::new(),
            outbox,
            inbox,
        }
    }

    /// Makes a call aside; how it ends comes to the inbox.
    pub(super) fn spawn(&mut self, call: impl Future<Output = Event> + Send + 'static) {
        let outbox = self.outbox.clone();
        self.tasks.spawn(async move {
            // The inbox is gone once this replica does not lead any more.
            let _ = outbox.send(call.await);
        });
        // Those that have ended are let go.
        while self.tasks.try_join_next().is_some() {}
    }

    /// Waits until all calls under way have ended.
    pub(super) async fn settle(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Changes the memory, and keeps the change for the plan that is being made.
    pub(super) fn edit_memory(&mut self, edit: MemoryEdit, settings: &Settings, now: Timestamp) {
        edit.apply(&mut self.memory, settings, now);
        if self.pass.is_some() {
            self.edits.push((edit, now));
        }
    }

    /// Takes what a plan remembers, with what answers have meant for it since the plan was begun.
    pub(super) fn remember(&mut self, memory: Memory, settings: &Settings) {
        self.memory = memory;
        for (edit, at) in self.edits.drain(..) {
            edit.apply(&mut self.memory, settings, at);
        }
    }

    /// A plan is begun: it goes by the memory with all that answers have meant for it.
    pub(super) fn forget_edits(&mut self) {
        self.edits.clear();
        self.was_answered = false;
    }

    /// Memory is to be saved by then, if it is not what is saved already.
    pub(super) fn save_by(&mut self, moment: Timestamp) {
        if self.saved.as_ref() != Some(&self.memory) {
            self.save_at = Some(self.save_at.map_or(moment, |known| known.min(moment)));
        }
    }

    /// Something calls for a pass. It is made soon, and not at once: more may follow.
    pub(super) fn schedule_pass(&mut self, cause: Cause, context: &Context) {
        self.schedule_pass_after(cause, context.settings.pace.batch, context);
    }

    /// Something calls for a pass after a while.
    pub(super) fn schedule_pass_after(&mut self, cause: Cause, pause: Duration, context: &Context) {
        let now = context.clock.now();
        self.called.get_or_insert(now);
        let at = later(now, pause).max(self.rested);
        let Pace { eager, .. } = context.settings.pace;
        let is_patient = matches!(cause, Cause::Cluster | Cause::Fleet | Cause::Outcome) && !eager;
        match &mut self.due {
            Some((due, known)) if *due <= at || is_patient => *known = (*known).max(cause),
            due => *due = Some((at, cause)),
        }
    }

    /// Nodes that are being removed, and new ones that are held back, are to be looked at.
    pub(super) fn schedule_step(&mut self, context: &Context) {
        if self.retiring.is_empty() && self.holding.is_empty() {
            return;
        }
        let at = later(context.clock.now(), context.settings.pace.batch);
        self.step_at = Some(self.step_at.map_or(at, |known| known.min(at)));
    }

    /// When there is something to do even if nothing happens. What needs the observation waits while it is lent.
    pub(super) fn wake(&self, observation: Whereabouts) -> Option<Timestamp> {
        let is_here = observation == Whereabouts::Here;
        match self.takeover {
            Takeover::Waiting(until) => Some(until),
            Takeover::Loading => None,
            Takeover::Complete { .. } => {
                let saving = self.save_at.filter(|_| !self.saving);
                let due = self.due.map(|(due, _)| due).filter(|_| is_here);
                let step = self.step_at.filter(|_| is_here);
                [due, saving, step, self.ledger.wake()].into_iter().flatten().min()
            }
        }
    }
}
