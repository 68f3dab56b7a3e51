//! Settings of the running loop: what the planner does not need to know. Names and defaults are the upstream autoscaler's where it
//! has the flag.

use std::{collections::BTreeMap, time::Duration};

use jiff::SignedDuration;
use plimsoll_cluster::source::Kinds;
use plimsoll_model::Symbol;
pub use plimsoll_provider::{HoldBack, Until, Which};

/// Settings of the running loop, and those of the planner.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What decisions depend on.
    pub plan: plimsoll_model::Settings,
    /// `namespace`: where the autoscaler keeps its own objects.
    pub namespace: String,
    /// `dry-run`: whether anything is done about what is planned.
    pub mode: Mode,
    /// What of the cluster is watched.
    pub kinds: Kinds,
    /// When a pass is made.
    pub pace: Pace,
    /// How increases are ordered.
    pub orders: OrderSettings,
    /// How nodes are taken out of service.
    pub retire: RetireSettings,
    /// How nodes that nobody needs are marked for the scheduler.
    pub soft_taints: SoftTaintSettings,
    /// Which new nodes are closed until something is there that pods need.
    pub hold_back: HoldBackSettings,
}

/// Whether anything is done about what is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is.
    Act,
    /// It is only told: neither the cluster nor a provider is touched.
    DryRun,
}

/// When a pass is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// `scan-interval`: a pass is made at least so often.
    pub scan: Duration,
    /// `frequent-loops-enabled`: a pass is made soon when something calls for it, not only every `scan-interval`.
    pub eager: bool,
    /// How long what calls for a pass may be followed by more before the pass is made: pods come in bursts.
    pub batch: Duration,
    /// Nothing is done when what is known of the cluster is older than this.
    pub stale_after: SignedDuration,
    /// Memory is written at most so often, unless something was begun.
    pub notes: Duration,
    /// How long an expander service is waited for.
    pub advice: Duration,
    /// How long calls under way are waited for in the end.
    pub farewell: Duration,
}

/// How increases are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderSettings {
    /// `parallel-scale-up`: whether providers are asked for several groups at the same time.
    pub calls: Calls,
    /// How long to wait before an order that got no answer is placed again, unless the provider says.
    pub retry: Duration,
    /// An order that nobody answered for so long is given up, and others are tried. Should it have been taken all the same, the
    /// provider's inventory shows it.
    pub patience: SignedDuration,
    /// How long an order that is over stays to be looked at.
    pub keep: SignedDuration,
}

/// Whether providers are asked for several groups at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// They are.
    Together,
    /// One group is asked for after the other.
    InTurn,
}

/// How nodes are taken out of service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetireSettings {
    /// `cordon-node-before-terminating`: whether a node that leaves is closed as well as tainted.
    pub cordon: bool,
    /// `node-delete-delay-after-taint`: how long the scheduler gets to see the taint.
    pub delay_after_taint: SignedDuration,
    /// `max-graceful-termination-sec`: the longest a pod gets to end.
    pub max_grace: u32,
    /// `drain-priority-config`: waves by lowest priority, each with its own longest time to end. Empty for one wave of all.
    pub waves: Vec<(i32, u32)>,
    /// `max-pod-eviction-time`: how long an eviction is tried.
    pub eviction_time: SignedDuration,
    /// How long to wait between two attempts.
    pub eviction_retry: SignedDuration,
    /// How much longer than its time a pod may take to be gone.
    pub headroom: SignedDuration,
    /// `node-deletion-delay-timeout`: how long those are waited for who asked for a delay by annotation.
    pub delay_timeout: SignedDuration,
    /// `node-deletion-batcher-interval`: deletions of a group are collected for so long, and asked for at once.
    pub batch: SignedDuration,
    /// How long to wait before a call that failed is made again.
    pub retry: SignedDuration,
    /// How long a provider may refuse or be away before the node is given back to service.
    pub delete_patience: SignedDuration,
    /// `daemonset-eviction-for-empty-nodes`.
    pub evict_daemons_empty: bool,
    /// `daemonset-eviction-for-occupied-nodes`.
    pub evict_daemons_occupied: bool,
}

/// How nodes that nobody needs are marked for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftTaintSettings {
    /// `max-bulk-soft-taint-count`: how many nodes are marked or unmarked in a pass; 0 for no marks at all.
    pub per_pass: usize,
    /// `max-bulk-soft-taint-time`: a mark that is not written by then is left to another pass.
    pub time: Duration,
    /// `node-deletion-candidate-ttl`: marks of an earlier run that are younger than this tell since when a node is unneeded.
    pub trust: SignedDuration,
}

/// Which new nodes are closed until something is there that pods need. What is said of a group here goes before what its provider
/// says; a group of which nobody says anything holds nothing back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoldBackSettings {
    /// By group; `None` for one that is to hold nothing back whatever its provider says.
    pub groups: BTreeMap<Symbol, Option<HoldBack>>,
}

// === impl HoldBackSettings ===

impl HoldBackSettings {
    /// What holds for a group whose provider says `own`.
    pub fn of(&self, group: Symbol, own: Option<&HoldBack>) -> Option<HoldBack> {
        self.groups.get(&group).cloned().unwrap_or_else(|| own.cloned())
    }
}

// === impl Settings ===

impl Default for Settings {
    fn default() -> Self {
        Self {
            plan: plimsoll_model::Settings::default(),
            namespace: "kube-system".to_owned(),
            mode: Mode::Act,
            kinds: Kinds::default(),
            pace: Pace::default(),
            orders: OrderSettings::default(),
            retire: RetireSettings::default(),
            soft_taints: SoftTaintSettings::default(),
            hold_back: HoldBackSettings::default(),
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            scan: Duration::from_secs(10),
            eager: true,
            batch: Duration::from_millis(50),
            stale_after: SignedDuration::from_secs(30),
            notes: Duration::from_secs(5),
            advice: Duration::from_secs(5),
            farewell: Duration::from_secs(10),
        }
    }
}

impl Default for OrderSettings {
    fn default() -> Self {
        Self {
            calls: Calls::Together,
            retry: Duration::from_secs(5),
            patience: SignedDuration::from_mins(2),
            keep: SignedDuration::from_mins(10),
        }
    }
}

impl Default for SoftTaintSettings {
    fn default() -> Self {
        Self { per_pass: 10, time: Duration::from_secs(3), trust: SignedDuration::ZERO }
    }
}

impl Default for RetireSettings {
    fn default() -> Self {
        Self {
            cordon: true,
            delay_after_taint: SignedDuration::from_secs(5),
            max_grace: 600,
            waves: Vec::new(),
            eviction_time: SignedDuration::from_mins(2),
            eviction_retry: SignedDuration::from_secs(10),
            headroom: SignedDuration::from_secs(30),
            delay_timeout: SignedDuration::from_mins(2),
            batch: SignedDuration::ZERO,
            retry: SignedDuration::from_secs(10),
            delete_patience: SignedDuration::from_mins(5),
            evict_daemons_empty: false,
            evict_daemons_occupied: true,
        }
    }
}
