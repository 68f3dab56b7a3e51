//! A node's way out of service. Each step is written down before it is taken, so that a restart goes on from there.
//!
//! | stage     | leaves when                                           | to        |
//! |-----------|-------------------------------------------------------|-----------|
//! | Marking   | the order is written and the node is marked           | Settling  |
//! | Settling  | the scheduler has had time to see the mark            | Checking  |
//! | Checking  | a plan on fresh data still can do without the node    | Draining  |
//! | Draining  | every pod that has to leave is gone, wave by wave     | Delaying  |
//! | Delaying  | nobody asks for a delay any more, or for too long     | Deleting  |
//! | Deleting  | the provider has taken the deletion                   | Vanishing |
//! | Deleting  | a pod is on the node after all                        | Draining  |
//! | Vanishing | the provider lists the machine no longer, and the Node is gone | Over: done |
//! | Vanishing | we asked, and the provider lists it as if nothing had been said | Deleting |
//! | Vanishing | others seemed to have asked, and the provider lists it as if nothing had been said | Marking |
//! | up to Deleting | something fails, a check does, or a pod must not leave | Releasing |
//! | up to Deleting | nobody knows the machine or its group for too long | Releasing |
//! | up to Delaying | the machine goes of itself: an earlier run had asked for it, or somebody else | Vanishing |
//! | Deleting  | the provider refuses, or is away for too long         | Releasing |
//! | Releasing | the node is untainted and uncordoned, unless it is not the one that was meant | Over: released |
//!
//! [`Retirement`] is pure: [`Retirement::step`] is told what is seen and says which calls to make, and [`Retirement::hear`] takes
//! their answers. Pods that are gone are seen by the watch; nothing is polled. [`executor`] makes the calls, and looks at the node and
//! its pods once more in the API server itself before it asks for a deletion.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{OrderPhase, PodName, Symbol};
use plimsoll_plan::RetirementReason;
use plimsoll_provider::{Error, OrderId};

use crate::engine::OpenRetirement;

mod drain;
pub(crate) mod executor;
mod hear;
mod obstacle;
pub(crate) mod sight;
mod step;

use self::drain::Drain;
pub(crate) use self::sight::{Belongs, Machine, PodKind, PodSeen, Sighting};

/// A node on its way out.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with each other")]
pub(crate) struct Retirement {
    pub id: OrderId,
    pub group: Symbol,
    pub node: Symbol,
    /// The uid of the Node that is meant; `None` until it is known, for an order of a version that did not write it down.
    pub node_uid: Option<Box<str>>,
    pub instance: Box<str>,
    pub why: String,
    /// The same for programs; `None` for what an earlier run began and did not say.
    pub reason: Option<RetirementReason>,
    /// Whether pods have to leave it first.
    pub drains: bool,
    pub since: Timestamp,
    /// Since when nobody needed the node.
    pub unneeded: Timestamp,
    /// Whether the node was closed before it began to leave: then it stays closed if it stays.
    pub was_closed: bool,
    /// Whether cheaper nodes were bought for its pods.
    pub replaced: bool,
    /// An earlier run may have asked the provider to delete the machine, and this is when we found that out.
    asked_before: Option<Timestamp>,
    /// It was found from an earlier run.
    resumed: bool,
    /// The provider has listed the machine since this process looks after it.
    listed: bool,
    /// Since when nobody has known the machine's group.
    unknown_since: Option<Timestamp>,
    /// Since when pods have come again and again when the machine was to be deleted.
    occupied_since: Option<Timestamp>,
    /// When pods were first seen ending, by our own clock.
    ending_since: BTreeMap<PodName, Timestamp>,
    /// A plan on fresh data wants to keep it.
    needed: bool,
    stage: Stage,
    /// A call is under way. The next one waits for it, whatever the stage: they must not overtake each other.
    busy: bool,
    /// No call is made before this.
    pause: Option<Timestamp>,
}

/// How far a node has come.
#[derive(Debug)]
enum Stage {
    Marking,
    Settling { until: Timestamp },
    Checking,
    Draining(Drain),
    Delaying { since: Timestamp },
    Deleting { since: Timestamp },
    Vanishing { asked: Timestamp, by: Asker },
    Releasing { why: String, care: Care },
    Over(End),
}

/// Who asked the provider for the deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    /// This process, after a check.
    Us,
    /// An earlier run, or somebody else. Nothing was checked by us.
    Others,
}

/// What is done with the Node of an order that ends without a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// It is untainted and uncordoned.
    Restore,
    /// It is not the one that was meant, and is not touched.
    Leave,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The node is gone.
    Gone,
    /// The node stays, for this reason.
    Released(String),
}

/// What is to be done now, and when to look again if nothing happens.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub jobs: Vec<Job>,
    pub wake: Option<Timestamp>,
}

/// A call to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Write the order down, and mark the node.
    Mark,
    /// Write down that pods are asked to leave.
    NoteDrain,
    /// Ask a pod to leave.
    Evict {
        /// Which.
        pod: PodName,
        /// The one that is meant.
        uid: Option<Box<str>>,
        /// How long it gets, when that is less than it asks for.
        grace: Option<u32>,
    },
    /// Write down that the machine is to be deleted, look at the node and its pods once more, and ask the provider.
    Delete {
        /// Pods that should have been gone long ago: nobody is left who could end them, so they keep nothing.
        lost: Vec<Box<str>>,
    },
    /// Delete the Node of this uid, if there is one, and write down that it is over.
    Finish {
        /// The one that is meant.
        uid: Option<Box<str>>,
    },
    /// Untaint the node, and write down why it stays.
    Release {
        /// Why.
        why: String,
    },
    /// Write down why nothing is done. The node is not touched.
    Close {
        /// Why.
        why: String,
    },
}

/// What became of a deletion.
#[derive(Clone, Debug)]
pub(crate) enum Deletion {
    /// The provider answered.
    Answered(Result<(), Error>),
    /// A pod is on the node, so the provider was not asked.
    Occupied,
    /// The node is not the one that was meant, or must not be removed, so the provider was not asked.
    Changed(String),
}

/// What became of a call.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Of [`Job::Mark`]: whether there is such a node.
    Marked(Result<bool, String>),
    /// Of [`Job::NoteDrain`].
    DrainNoted(Result<(), String>),
    /// Of [`Job::Evict`].
    Evicted(PodName, Eviction),
    /// Of [`Job::Delete`]. The words are those of the API server, which could not write it down or be asked about pods.
    Deleted(Result<Deletion, String>),
    /// Of [`Job::Finish`].
    Finished(Result<(), String>),
    /// Of [`Job::Release`] and [`Job::Close`].
    Released(Result<(), String>),
}

// === impl Retirement ===

impl Retirement {
    /// A node that is to go.
    pub(crate) fn new(
        id: OrderId,
        group: Symbol,
        node: Symbol,
        instance: Box<str>,
        why: String,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            group,
            node,
            node_uid: None,
            instance,
            why,
            reason: None,
            drains: false,
            since: now,
            unneeded: now,
            was_closed: false,
            replaced: false,
            asked_before: None,
            resumed: false,
            listed: false,
            unknown_since: None,
            occupied_since: None,
            ending_since: BTreeMap::new(),
            needed: false,
            stage: Stage::Marking,
            busy: false,
            pause: None,
        }
    }

    /// Goes on after a restart. Whatever had been done is checked again: the node may have been given back to service since. That
    /// the provider may have been asked for the machine is kept in mind.
    pub(crate) fn resume(mut self, phase: OrderPhase, now: Timestamp) -> Self {
        self.asked_before = (phase == OrderPhase::Deleting).then_some(now);
        self.resumed = true;
        self
    }

    /// Since when its machine is to be deleted, if it is and nobody has been asked yet.
    pub(crate) fn deletion_due_since(&self) -> Option<Timestamp> {
        match self.stage {
            Stage::Deleting { since } if !self.busy => Some(since),
            _ => None,
        }
    }

    /// Whether it waits for a plan on fresh data.
    pub(crate) fn is_in_doubt(&self) -> bool {
        matches!(self.stage, Stage::Checking)
    }

    /// Whether it can be called off and nobody is the worse for it: no pod has been asked to leave.
    pub(crate) fn is_revocable(&self) -> bool {
        matches!(self.stage, Stage::Marking | Stage::Settling { .. } | Stage::Checking)
    }

    /// Whether the node is on its way back into service.
    pub(crate) fn is_releasing(&self) -> bool {
        matches!(self.stage, Stage::Releasing { .. })
    }

    /// How it ended, if it has.
    pub(crate) fn end(&self) -> Option<&End> {
        match &self.stage {
            Stage::Over(end) => Some(end),
            _ => None,
        }
    }

    /// A plan on fresh data was made: whether the node still can go.
    pub(crate) fn judged(&mut self, verdict: Result<(), String>, now: Timestamp) {
        match verdict {
            Ok(()) if self.is_in_doubt() => self.enter(Stage::Draining(Drain::new(now))),
            Err(why) if self.is_revocable() => {
                self.needed = true;
                self.release(format!("the node is needed: {why}"));
            }
            _ => {}
        }
    }

    /// For those who want to know.
    pub(crate) fn view(&self) -> OpenRetirement {
        OpenRetirement {
            id: self.id.clone(),
            node: self.node,
            group: self.group,
            instance: self.instance.clone(),
            why: self.why.clone(),
            reason: self.reason,
            drains: self.drains,
            needed: self.needed,
            stage: self.stage.name(),
            since: self.since,
            waits_for: match &self.stage {
                Stage::Draining(drain) => drain.waits_for(),
                Stage::Releasing { why, .. } => why.clone(),
                _ => String::new(),
            },
        }
    }

    fn release(&mut self, why: String) {
        self.enter(Stage::Releasing { why, care: Care::Restore });
    }

    /// Ends it without touching the node.
    fn abandon(&mut self, why: String) {
        self.enter(Stage::Releasing { why, care: Care::Leave });
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.pause = None;
    }
}

// === impl Stage ===

impl Stage {
    const fn name(&self) -> &'static str {
        match self {
            Self::Marking => "Marking",
            Self::Settling { .. } => "Settling",
            Self::Checking => "Checking",
            Self::Draining(_) => "Draining",
            Self::Delaying { .. } => "Delaying",
            Self::Deleting { .. } => "Deleting",
            Self::Vanishing { .. } => "Vanishing",
            Self::Releasing { .. } => "Releasing",
            Self::Over(End::Gone) => "Gone",
            Self::Over(End::Released(_)) => "Released",
        }
    }
}

// === impl Step ===

impl Step {
    fn wait(until: Timestamp) -> Self {
        Self { jobs: Vec::new(), wake: Some(until) }
    }
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
