//! Tells the world what the loop does: status map, events, metrics, and the last decisions in words.
//!
//! What is to be told follows from passes and news and is decided by values without I/O: [`status`], [`events`], [`metrics`]. The
//! [`Recorder`] feeds them and makes the calls aside, so that a slow API server never makes it miss anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use jiff::SignedDuration;
use plimsoll_cluster::Client;
use plimsoll_model::{Symbol, Timestamp};
use plimsoll_net::Clock;
use plimsoll_plan::{GroupReason, GroupRejection, Plan, words};
use plimsoll_provider::Fleet;
use tokio::sync::watch;

use crate::{engine::HeldBack, health::Health, settings::Settings};

pub(crate) mod census;
mod chronicle;
mod events;
mod metrics;
mod run;
pub(crate) mod status;

pub use self::chronicle::{Chronicle, Line, decisions, news};
pub(crate) use self::run::Recorder;

/// What is told to whom. Names and defaults are the upstream autoscaler's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag of the user's")]
pub struct RecordSettings {
    /// `write-status-configmap`.
    pub write_status: bool,
    /// `status-config-map-name`.
    pub status_name: String,
    /// `emit-per-nodegroup-metrics`.
    pub group_metrics: bool,
    /// `record-duplicated-events`: also those that say what was said a moment ago.
    pub duplicated_events: bool,
    /// `max-inactivity`.
    pub max_inactivity: Duration,
    /// `max-failing-time`.
    pub max_failing_time: Duration,
    /// `max-startup-time`.
    pub max_startup_time: Duration,
    /// `debugging-snapshot-enabled`.
    pub snapshot: bool,
    /// `profiling`.
    pub profiling: bool,
    /// `insecure-debug-endpoints`: whether everybody who reaches the address sees what runs in the cluster.
    pub insecure_debug_endpoints: bool,
    /// Who writes events: the name of this process.
    pub host: String,
}

/// What a recorder is made of.
pub(crate) struct Tools {
    pub settings: RecordSettings,
    pub client: Client,
    pub fleet: Arc<Fleet>,
    pub clock: Clock,
    pub health: Health,
    pub wishes: watch::Receiver<Arc<Settings>>,
}

// === impl RecordSettings ===

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            write_status: true,
            status_name: "cluster-autoscaler-status".to_owned(),
            group_metrics: false,
            duplicated_events: false,
            max_inactivity: Duration::from_mins(10),
            max_failing_time: Duration::from_mins(15),
            max_startup_time: Duration::from_mins(20),
            snapshot: false,
            profiling: false,
            insecure_debug_endpoints: false,
            host: String::new(),
        }
    }
}

/// The limits of the cluster that stand in the way of pods. Pods of one shape share what is said to them, so that it is looked at
/// once, however many wait.
fn limits_reached(plan: &Plan) -> BTreeSet<Symbol> {
    let lists = plan.pods.iter().map(|report| (report.rejections.as_ptr(), &report.rejections));
    let lists: BTreeMap<_, _> = lists.collect();
    let limit = |rejection: &GroupRejection| match rejection.reason {
        GroupReason::QuotaExceeded { limit } => Some(limit),
        _ => None,
    };
    lists.values().flat_map(|list| list.iter().filter_map(limit)).collect()
}

/// What is contradictory in what was seen, in sentences: machines that several nodes claim, and too many without any.
pub(crate) fn doubts(plan: &Plan, now: Timestamp) -> Vec<String> {
    let contradiction = plan.contradiction.as_ref().map(|found| words::contradiction(found, now));
    contradiction.into_iter().chain(plan.contested.iter().map(words::contested)).collect()
}

/// What keeps plans from being acted on, in words.
pub(crate) fn held_back(held: &HeldBack) -> String {
    match held {
        HeldBack::DryRun => "dry run: plans are told and not acted on".to_owned(),
        HeldBack::Stale(staleness) => format!("nothing is done: {staleness}"),
        HeldBack::Resuming => "orders of an earlier run are being placed again first".to_owned(),
    }
}

/// The same in a word, for programs.
pub(crate) const fn held_back_name(held: &HeldBack) -> &'static str {
    match held {
        HeldBack::DryRun => "DryRun",
        HeldBack::Stale(_) => "Stale",
        HeldBack::Resuming => "Resuming",
    }
}

/// A duration as Go prints it: `15m0s`.
fn go_duration(time: SignedDuration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}
