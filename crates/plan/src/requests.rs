//! Requests for room: places for many pods at once, and word to who asks for them.
//!
//! ```text
//! survey ──▶ stand-ins ──▶ keep ───────▶ serve ──▶ seek ─────────▶ conclude
//! how far    pods that     room that is  pods      room for those  conditions
//! each has   do not exist  booked        that      whose turn it
//! come                                   exist     is, or none
//! ```
//!
//! A booking comes before everybody, so that others get nodes of their own and none of the booked ones is given back. A request
//! whose turn it is comes after everybody: the scheduler places pods that exist without asking us. Older requests come first.

mod class;
mod conditions;
mod seek;
mod survey;

use std::collections::BTreeMap;

use plimsoll_model::{Condition, Pod, StandIn, Symbol, Timestamp, World};
use rustc_hash::FxHashMap;

use self::{class::Class, survey::Wanted};
pub(crate) use self::{
    seek::{keep, seek},
    survey::survey,
};
use crate::{
    plan::{Outcome, RequestReport, RequestState},
    stand_ins::stand_in,
};

/// Requests that are ours to serve.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Whether we serve any.
    served: bool,
    /// The oldest first.
    entries: Vec<Entry>,
    /// Those that are booked, by namespace and name: places in the World's list.
    booked: FxHashMap<(Symbol, Symbol), usize>,
}

/// What a pod has to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is to have room that is kept for this one.
    Booked(usize),
    /// It stands for a pod of this one, for which room is looked for now.
    Sought(usize),
}

/// One of them.
#[derive(Debug)]
struct Entry {
    /// Its place in the World's list.
    place: usize,
    class: Class,
    stage: Stage,
    /// What is to be said of it.
    conditions: Vec<Condition>,
    /// Pods that do not exist yet and need room.
    wanted: Vec<Wanted>,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It is its turn.
    Due,
    /// It has to wait until then.
    Waits(Timestamp),
    /// Its room is kept until then.
    Booked(Timestamp),
    /// Nothing is done about it any more.
    Over,
    /// It has been over for a long time.
    Outlived,
}

// === impl Requests ===

impl Requests {
    /// Pods that stand for those that need room and do not exist yet.
    pub(crate) fn pods<'a>(&'a self, world: &'a World) -> impl Iterator<Item = Pod> + 'a {
        self.entries.iter().flat_map(move |entry| {
            let shapes = entry.wanted.iter().flat_map(|wanted| {
                (0..wanted.count).map(move |_| (&wanted.shape, wanted.priority))
            });
            shapes.enumerate().map(move |(number, (shape, priority))| {
                // One that is of no importance still has to be told whether there is room.
                let priority = priority.max(world.settings.scale_up.expendable_cutoff);
                stand_in(world, StandIn::Requested(entry.place), number, shape.clone(), priority)
            })
        })
    }

    /// What a pod without a node has to do with a request.
    pub(crate) fn claim(&self, pod: &Pod) -> Option<Claim> {
        let extras = pod.extras.as_ref()?;
        if let Some(StandIn::Requested(place)) = extras.stands_for {
            let entry = self.entries.iter().find(|entry| entry.place == place)?;
            let is_booked = matches!(entry.stage, Stage::Booked(_));
            return Some(if is_booked { Claim::Booked(place) } else { Claim::Sought(place) });
        }
        let request = (pod.shape.namespace, extras.consumes?);
        self.booked.get(&request).copied().map(Claim::Booked)
    }

    /// Why nothing is bought for a pod for its own sake.
    pub(crate) fn hold(&self, pod: &Pod) -> Option<Outcome> {
        let consumes = self.served && pod.extras.as_ref()?.consumes.is_some();
        consumes.then_some(Outcome::ConsumesRequest)
    }

    /// What becomes of them, by namespace and name.
    pub(crate) fn reports(&self, world: &World) -> Vec<RequestReport> {
        let report = |entry: &Entry| {
            let request = &world.requests[entry.place];
            RequestReport {
                place: entry.place,
                namespace: request.namespace,
                name: request.name.clone(),
                uid: request.uid.clone(),
                state: match entry.stage {
                    Stage::Due => RequestState::Waits { until: world.now },
                    Stage::Waits(until) => RequestState::Waits { until },
                    Stage::Booked(until) => RequestState::Booked { until },
                    Stage::Over => RequestState::Over,
                    Stage::Outlived => RequestState::Outlived,
                },
                conditions: entry.conditions.clone(),
                is_news: entry.conditions != request.conditions,
            }
        };
        let mut reports: Vec<RequestReport> = self.entries.iter().map(report).collect();
        reports
            .sort_by(|one, other| (one.namespace, &one.name).cmp(&(other.namespace, &other.name)));
        reports
    }

    /// What has to be remembered until it is seen.
    pub(crate) fn memory(&self, world: &World) -> BTreeMap<Box<str>, Vec<Condition>> {
        let unseen = self.entries.iter().filter_map(|entry| {
            let request = &world.requests[entry.place];
            let unseen = entry.conditions.iter().filter(|one| !request.conditions.contains(one));
            let unseen: Vec<Condition> = unseen.cloned().collect();
            (!unseen.is_empty()).then(|| (request.uid.clone(), unseen))
        });
        unseen.collect()
    }
}
