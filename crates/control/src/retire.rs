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
//! | Vanishing | the provider lists the machine no longer, and the Node is gone | Over: done |
//! | any but the last two | something fails, a check does, or a pod must not leave | Releasing |
//! | Releasing | the node is unmarked and open again                   | Over: released |
//!
//! [`Retirement`] is pure: [`Retirement::step`] is told what is seen and says which calls to make, and [`Retirement::hear`] takes
//! their answers. Pods that are gone are seen by the watch; nothing is polled. [`crew`] makes the calls.

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::{evict::Eviction, orders::Phase};
use plimsoll_model::{PodName, Symbol};
use plimsoll_provider::{Class, Error, OrderId};

use crate::{engine::OpenRetirement, settings::RetireSettings};

pub(crate) mod crew;
mod drain;
pub(crate) mod sight;

use self::drain::{Drain, Progress};
pub(crate) use self::sight::{Machine, PodKind, PodSeen, Sighting};

/// A node on its way out.
#[derive(Debug)]
pub(crate) struct Retirement {
    pub id: OrderId,
    pub group: Symbol,
    pub node: Symbol,
    pub instance: Box<str>,
    pub why: String,
    pub since: Timestamp,
    /// Since when nobody needed the node.
    pub unneeded: Timestamp,
    /// Whether the node was closed before it began to leave: then it stays closed if it stays.
    pub was_closed: bool,
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
    Vanishing { asked: Timestamp },
    Releasing { why: String },
    Over(End),
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
    /// Write down that the machine is to be deleted, and ask the provider.
    Delete,
    /// Delete the Node of this uid, if there is one, and write down that it is over.
    Finish {
        /// The one that is meant.
        uid: Option<Box<str>>,
    },
    /// Unmark the node, and write down why it stays.
    Release {
        /// Why.
        why: String,
    },
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
    /// Of [`Job::Delete`]. The words are those of the API server, which could not write it down.
    Deleted(Result<Result<(), Error>, String>),
    /// Of [`Job::Finish`].
    Finished(Result<(), String>),
    /// Of [`Job::Release`].
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
            instance,
            why,
            since: now,
            unneeded: now,
            was_closed: false,
            stage: Stage::Marking,
            busy: false,
            pause: None,
        }
    }

    /// Goes on after a restart. Whatever had been done is checked again, but for a machine that the provider may have been asked
    /// to delete.
    pub(crate) fn resume(mut self, phase: Phase, now: Timestamp) -> Self {
        self.stage = match phase {
            Phase::Deleting => Stage::Deleting { since: now },
            _ => Stage::Marking,
        };
        self
    }

    /// Whether it waits for a plan on fresh data.
    pub(crate) fn is_in_doubt(&self) -> bool {
        matches!(self.stage, Stage::Checking)
    }

    /// Whether it can be called off and nobody is the worse for it: no pod has been asked to leave.
    pub(crate) fn is_revocable(&self) -> bool {
        matches!(self.stage, Stage::Marking | Stage::Settling { .. } | Stage::Checking)
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
            Err(why) if self.is_revocable() => self.release(format!("needed after all: {why}")),
            _ => {}
        }
    }

    /// What is to be done, given what is seen.
    pub(crate) fn step(&mut self, seen: &Sighting, rules: &RetireSettings, now: Timestamp) -> Step {
        let mut jobs = Vec::new();
        // Stages that are left without a call are left at once.
        loop {
            let before = std::mem::discriminant(&self.stage);
            let step = self.step_once(seen, rules, now);
            jobs.extend(step.jobs);
            if before == std::mem::discriminant(&self.stage) {
                return Step { jobs, wake: step.wake };
            }
        }
    }

    fn step_once(&mut self, seen: &Sighting, rules: &RetireSettings, now: Timestamp) -> Step {
        if let Some(until) = self.pause.filter(|until| *until > now) {
            return Step::wait(until);
        }
        self.pause = None;
        if let Some(why) = self.obstacle(seen) {
            self.release(why);
        }
        match &mut self.stage {
            Stage::Marking => self.call(Job::Mark),
            Stage::Settling { until } if *until > now => Step::wait(*until),
            Stage::Settling { .. } => {
                self.enter(Stage::Checking);
                Step::default()
            }
            Stage::Draining(drain) if !drain.is_noted() => self.call(Job::NoteDrain),
            Stage::Draining(drain) => match drain.step(&seen.pods, rules, now) {
                Progress::Waits(step) => step,
                Progress::Stuck(why) => {
                    self.release(why);
                    Step::default()
                }
                Progress::Empty(jobs) => {
                    self.enter(Stage::Delaying { since: now });
                    Step { jobs, wake: None }
                }
            },
            Stage::Delaying { since } => {
                let until = later(*since, rules.delay_timeout);
                if seen.delays.is_empty() || until <= now {
                    self.enter(Stage::Deleting { since: now });
                    return Step::default();
                }
                Step::wait(until)
            }
            Stage::Deleting { .. } if seen.machine == Machine::Deleting => {
                self.enter(Stage::Vanishing { asked: now });
                Step::default()
            }
            Stage::Deleting { .. } => self.call(Job::Delete),
            Stage::Vanishing { asked } => {
                let gone = matches!(seen.machine, Machine::Gone { as_of } if as_of > *asked);
                if gone {
                    self.call(Job::Finish { uid: seen.uid.clone() })
                } else {
                    Step::default()
                }
            }
            Stage::Releasing { why } => {
                let why = why.clone();
                self.call(Job::Release { why })
            }
            Stage::Checking | Stage::Over(_) => Step::default(),
        }
    }

    /// Takes the answer to a call.
    pub(crate) fn hear(&mut self, answer: Answer, rules: &RetireSettings, now: Timestamp) {
        if let Answer::Evicted(pod, outcome) = answer {
            if let Stage::Draining(drain) = &mut self.stage {
                drain.answered(&pod, outcome, rules, now);
            }
            return;
        }
        self.busy = false;
        match (&mut self.stage, answer) {
            (Stage::Marking, Answer::Marked(Ok(true))) => {
                self.enter(Stage::Settling { until: later(now, rules.delay_after_taint) });
            }
            (Stage::Marking, Answer::Marked(Ok(false))) => self.release("the node is gone".into()),
            (Stage::Marking, Answer::Marked(Err(why))) => {
                self.release(format!("it could not be marked: {why}"));
            }
            (Stage::Draining(drain), Answer::DrainNoted(Ok(()))) => drain.noted(now),
            (Stage::Deleting { .. }, Answer::Deleted(Ok(Ok(())))) => {
                self.enter(Stage::Vanishing { asked: now });
            }
            (Stage::Deleting { .. }, Answer::Deleted(Ok(Err(error))))
                if error.class() == Class::NotFound =>
            {
                self.enter(Stage::Vanishing { asked: now });
            }
            (Stage::Deleting { since }, Answer::Deleted(Ok(Err(error)))) => {
                let patient = now.duration_since(*since) <= rules.delete_patience;
                if error.class() == Class::Retry && patient {
                    self.pause = Some(later(now, rules.retry));
                } else {
                    self.release(format!("its machine could not be deleted: {error}"));
                }
            }
            (Stage::Vanishing { .. }, Answer::Finished(Ok(()))) => {
                self.enter(Stage::Over(End::Gone))
            }
            (Stage::Releasing { why }, Answer::Released(Ok(()))) => {
                let why = std::mem::take(why);
                self.enter(Stage::Over(End::Released(why)));
            }
            // The API server could not be written to: once more, after a while.
            (
                _,
                Answer::DrainNoted(Err(_))
                | Answer::Deleted(Err(_))
                | Answer::Finished(Err(_))
                | Answer::Released(Err(_)),
            ) => self.pause = Some(later(now, rules.retry)),
            // An answer to what does not matter any more.
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
            stage: self.stage.name(),
            since: self.since,
            waits_for: match &self.stage {
                Stage::Draining(drain) => drain.waits_for(),
                Stage::Releasing { why } => why.clone(),
                _ => String::new(),
            },
        }
    }

    /// Why the node must not go on leaving.
    fn obstacle(&self, seen: &Sighting) -> Option<String> {
        match self.stage {
            Stage::Marking | Stage::Settling { .. } | Stage::Checking | Stage::Draining(_) => {
                if !seen.is_here {
                    return Some("the node is gone".to_owned());
                }
                if seen.keep {
                    return Some("it is marked as not to be removed".to_owned());
                }
                let pinned = seen.pods.iter().find(|pod| pod.kind == PodKind::Pinned);
                pinned.map(|pod| format!("{} must not be evicted", pod.name))
            }
            _ => None,
        }
    }

    fn release(&mut self, why: String) {
        self.enter(Stage::Releasing { why });
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.pause = None;
    }

    fn call(&mut self, job: Job) -> Step {
        if std::mem::replace(&mut self.busy, true) {
            return Step::default();
        }
        Step { jobs: vec![job], wake: None }
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
