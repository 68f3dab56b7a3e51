//! Settings: what the user's flags say, validated. Names and defaults are those of the upstream autoscaler, but for
//! `expander`, `enforce-node-group-min-size`, `salvo-scale-up` and what new nodes look like.

mod models;
mod scale_down;
mod scale_up;

use jiff::SignedDuration;

pub use self::{
    models::ModelSettings,
    scale_down::{Consolidation, ScaleDownSettings},
    scale_up::{
        BalanceSettings, BufferSettings, Expander, Headroom, PriceWeights, Salvo, ScaleUpSettings,
        Units,
    },
};
use crate::{GroupOptions, Profile, Symbol};

/// All settings that a decision depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What holds for groups that say nothing themselves.
    pub group: GroupOptions,
    /// What new nodes look like.
    pub models: ModelSettings,
    /// What to buy.
    pub scale_up: ScaleUpSettings,
    /// What to give back.
    pub scale_down: ScaleDownSettings,
    /// Bounds of the whole cluster.
    pub limits: Limits,
    /// When to distrust what is seen.
    pub health: HealthSettings,
    /// Taints that come and go by themselves.
    pub taints: TaintSettings,
    /// `scheduler-config-file`: what the scheduler looks at.
    pub profile: Profile,
    /// What to do about requests for room.
    pub requests: RequestSettings,
    /// How long most machines have to be without a node before that is believed, and machines are deleted for it.
    pub lost_node_proof: SignedDuration,
    /// The uid of the cluster in which a person says that machines without a node have none: see [`World::cluster_uid`].
    ///
    /// [`World::cluster_uid`]: crate::World::cluster_uid
    pub confirmed_cluster: Option<Box<str>>,
    /// Where a choice is open, this decides: the same seed, the same choice.
    pub seed: u64,
}

/// What to do about requests for room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSettings {
    /// `enable-provisioning-requests`.
    pub served: bool,
    /// `check-capacity-processor-instance`: only requests that name it; those that name none when it is empty.
    pub instance: String,
    /// `provisioning-request-initial-backoff-time`: how long to wait before the first look for room that was not there.
    pub pause: SignedDuration,
    /// `provisioning-request-max-backoff-time`: the longest wait.
    pub longest_pause: SignedDuration,
    /// `provisioning-request-max-backoff-cache-size`: how many requests wait longer and longer; others are tried after the
    /// first pause again and again.
    pub longer_pauses: u32,
}

/// Bounds of the whole cluster. A maximum of 0 nodes means that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `max-nodes-total`, nodes of no group included.
    pub nodes: u32,
    /// `cores-total`, in whole cores.
    pub cores: Range,
    /// `memory-total`, in GiB.
    pub memory_gib: Range,
    /// `gpu-total`, by accelerator type.
    pub gpus: Vec<(Symbol, Range)>,
}

/// A least and a largest amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: i64,
    /// The largest.
    pub max: i64,
}

/// When to distrust what is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HealthSettings {
    /// `max-total-unready-percentage`.
    pub max_unready_percent: f64,
    /// `ok-total-unready-count`.
    pub ok_unready: u32,
}

/// Taints that come and go by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaintSettings {
    /// `startup-taint` and `ignore-taint`: a node with one has not started.
    pub startup: Vec<Symbol>,
    /// `startup-taint-prefix`.
    pub startup_prefixes: Vec<String>,
    /// `status-taint`: no obstacle for new nodes.
    pub status: Vec<Symbol>,
}

// === impl Settings ===

impl Default for Settings {
    fn default() -> Self {
        Self {
            group: GroupOptions::default(),
            models: ModelSettings::default(),
            scale_up: ScaleUpSettings::default(),
            scale_down: ScaleDownSettings::default(),
            limits: Limits::default(),
            health: HealthSettings { max_unready_percent: 45.0, ok_unready: 3 },
            taints: TaintSettings {
                startup: Vec::new(),
                startup_prefixes: Vec::new(),
                status: Vec::new(),
            },
            profile: Profile::default(),
            requests: RequestSettings {
                served: false,
                instance: String::new(),
                pause: SignedDuration::from_mins(1),
                longest_pause: SignedDuration::from_mins(10),
                longer_pauses: 1000,
            },
            lost_node_proof: SignedDuration::from_hours(24),
            confirmed_cluster: None,
            seed: 0,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 0,
            cores: Range { min: 0, max: 320_000 },
            memory_gib: Range { min: 0, max: 6_400_000 },
            gpus: Vec::new(),
        }
    }
}
