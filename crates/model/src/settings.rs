//! Settings: what the user's flags say, validated. Names and defaults are those of the upstream autoscaler, but for
//! `expander`, `enforce-node-group-min-size`, `salvo-scale-up` and what new nodes look like.

mod models;

use jiff::SignedDuration;

pub use self::models::ModelSettings;

use crate::{GroupOptions, Money, Profile, Resources, Symbol};

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

/// What to buy.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag of the user's")]
pub struct ScaleUpSettings {
    /// `expander`: filters in order; empty for the default, the cheapest joint purchase.
    pub expanders: Vec<Expander>,
    /// The priority expander's list: group ids that match a pattern of a higher number win. `None` when there is no list.
    pub priorities: Option<Vec<(i64, Vec<String>)>>,
    /// `balance-similar-node-groups` and what makes groups similar.
    pub balance: Option<BalanceSettings>,
    /// `new-pod-scale-up-delay`.
    pub new_pod_delay: SignedDuration,
    /// `expendable-pods-priority-cutoff`.
    pub expendable_cutoff: i32,
    /// `max-nodes-per-scaleup`: for each group and pass.
    pub max_nodes_per_pass: u32,
    /// `max-binpacking-time`: how long one choice of what to buy may take.
    pub choice_time: SignedDuration,
    /// `max-nodegroup-binpacking-duration`: how much of that each group may take; zero when a group has no limit of its own.
    pub group_choice_time: SignedDuration,
    /// `salvo-scale-up` and `salvo-scale-up-budget`.
    pub salvo: Salvo,
    /// `pending-pods-batching-timeout`, if `enable-graceful-degradation` is on: how long to look for pods that fit on what is here.
    /// Those that nobody has looked at by then wait for the next pass.
    pub looking_time: Option<SignedDuration>,
    /// `enforce-node-group-min-size`.
    pub enforce_min: bool,
    /// `scale-up-from-zero`: buy also while no node is ready.
    pub from_zero: bool,
    /// `scale-up-when-unhealthy`: buy also while the cluster is unhealthy.
    pub when_unhealthy: bool,
    /// `allowed-scheduler-names`: only these schedulers' pods; empty for the default scheduler and the bypassed ones.
    pub schedulers: Vec<Symbol>,
    /// `node-fee`: what every node costs beside its price.
    pub node_fee: Money,
    /// Stand-in prices for groups without one.
    pub weights: PriceWeights,
    /// `force-delete-unregistered-nodes`: also below the group's minimum.
    pub force_delete_unregistered: bool,
    /// `force-delete-failed-nodes`: also below the group's minimum.
    pub force_delete_failed: bool,
    /// `headroom`: room to keep free for pods to come.
    pub headroom: Vec<Headroom>,
    /// `headroom-percent`: room to keep free, in percent of what running pods ask for.
    pub headroom_percent: u32,
    /// `enable-proactive-scaleup`: buy also for pods that their controllers have not made yet.
    pub proactive: bool,
    /// `pod-injection-limit`: with those that wait no more than so many.
    pub injection_limit: u32,
    /// What is done with CapacityBuffers.
    pub buffers: BufferSettings,
    /// `initial-node-group-backoff-duration`.
    pub backoff_initial: SignedDuration,
    /// `max-node-group-backoff-duration`.
    pub backoff_max: SignedDuration,
    /// `node-group-backoff-reset-timeout`.
    pub backoff_reset: SignedDuration,
}

/// Room to keep free: so many copies of a pod that asks for so much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// How many.
    pub copies: u32,
    /// What each asks for.
    pub requests: Resources,
}

/// What is done with CapacityBuffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferSettings {
    /// `capacity-buffer-controller-enabled`: find out how many units of which shape a buffer is.
    pub resolve: bool,
    /// `capacity-buffer-pod-injection-enabled`: keep room for them.
    pub inject: bool,
    /// `capacity-buffer-pod-dry-run-enabled`: what a unit looks like.
    pub units: Units,
}

/// What a unit of a buffer looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// As its text says.
    #[default]
    AsWritten,
    /// As the API server would take it, with everything that it adds.
    AsAdmitted,
}

/// A named way to choose a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expander {
    /// The cheapest joint purchase: the default.
    LeastCost,
    /// The least idle cpu, memory and accelerators on the new nodes.
    LeastWaste,
    /// The most pods helped.
    MostPods,
    /// The fewest nodes.
    LeastNodes,
    /// The upstream's price formula.
    Price,
    /// The user's list.
    Priority,
    /// A service of the user's own: `grpc`.
    Service,
    /// Any, by the seed.
    Random,
}

/// How many choices of what to buy a pass makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Salvo {
    /// One: with a named expander one group, and those that it is balanced with.
    One,
    /// As many as there are pods to buy for.
    Several {
        /// None begins once those before it have taken so long.
        budget: SignedDuration,
    },
}

/// What makes groups similar enough to share a purchase.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceSettings {
    /// `balancing-ignore-label`: labels that may differ, beside those that always may.
    pub ignore_labels: Vec<Symbol>,
    /// `balancing-label`: when not empty, only these labels are compared, and nothing else.
    pub only_labels: Vec<Symbol>,
    /// `max-allocatable-difference-ratio`.
    pub allocatable_ratio: f64,
    /// `max-free-difference-ratio`.
    pub free_ratio: f64,
    /// `memory-difference-ratio`, for capacity.
    pub memory_ratio: f64,
}

/// Stand-in prices: what a unit of a resource counts for where no price is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceWeights {
    /// `cost-per-cpu`: a core for an hour.
    pub cpu: Money,
    /// `cost-per-gib`: a gibibyte of memory for an hour.
    pub memory_gib: Money,
    /// `cost-per-gpu`: an accelerator for an hour.
    pub gpu: Money,
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

/// What to give back.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag of the user's")]
pub struct ScaleDownSettings {
    /// `scale-down-enabled`.
    pub enabled: bool,
    /// `scale-down-unready-enabled`.
    pub unready_enabled: bool,
    /// `remove-gone-nodes-after`: how long a node has to be unready and its machine gone before its Node is removed.
    pub gone_time: SignedDuration,
    /// `scale-down-delay-after-add`.
    pub delay_after_add: SignedDuration,
    /// `scale-down-delay-after-delete`.
    pub delay_after_delete: SignedDuration,
    /// `scale-down-delay-after-failure`.
    pub delay_after_failure: SignedDuration,
    /// `scale-down-delay-type-local`: the delays hold for the group concerned only.
    pub local_delays: bool,
    /// `ignore-mirror-pods-utilization`.
    pub ignore_mirror_pods: bool,
    /// `skip-nodes-with-system-pods`.
    pub skip_system_pods: bool,
    /// `blocking-system-pod-distruption-timeout`.
    pub system_pod_timeout: SignedDuration,
    /// `skip-nodes-with-local-storage`.
    pub skip_local_storage: bool,
    /// `skip-nodes-with-custom-controller-pods`.
    pub skip_custom_controllers: bool,
    /// `min-replica-count`.
    pub min_replicas: i32,
    /// `scale-down-simulation-timeout`: how long a pass may look for other places for the pods of nodes.
    pub simulation_time: SignedDuration,
    /// `max-scale-down-parallelism`.
    pub parallelism: u32,
    /// `max-drain-parallelism`.
    pub drain_parallelism: u32,
    /// `max-group-share-per-pass`: percent of a group that may leave at once, at least one node.
    pub group_share_percent: u32,
    /// `daemonset-eviction-for-occupied-nodes`.
    pub evict_daemons_occupied: bool,
    /// `daemonset-eviction-for-empty-nodes`.
    pub evict_daemons_empty: bool,
    /// `consolidation`.
    pub consolidation: Consolidation,
    /// `consolidation-horizon`: over so long a time a replacement has to pay.
    pub horizon: SignedDuration,
    /// `consolidation-threshold`: the least that is saved, in percent of what the nodes replaced cost.
    pub threshold_percent: u32,
    /// `unremovable-node-recheck-timeout`: so long no place is looked for again for pods that had none; zero, the default here,
    /// for every pass.
    pub recheck: SignedDuration,
    /// `eviction-cost`: what it costs to evict a pod of no particular importance, or to start or stop a node.
    pub eviction_cost: Money,
}

/// How far nodes are given back that are not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consolidation {
    /// Nothing is given back.
    Off,
    /// Only empty nodes.
    Empty,
    /// Nodes under the utilisation threshold too: what the upstream does, and the default.
    Underutilized,
    /// Also nodes whose pods fit on fewer or cheaper ones.
    Cost,
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
            seed: 0,
        }
    }
}

impl Default for ScaleUpSettings {
    fn default() -> Self {
        Self {
            expanders: Vec::new(),
            priorities: None,
            balance: None,
            new_pod_delay: SignedDuration::ZERO,
            expendable_cutoff: -10,
            max_nodes_per_pass: 1000,
            choice_time: SignedDuration::from_mins(5),
            group_choice_time: SignedDuration::from_secs(10),
            salvo: Salvo::Several { budget: Salvo::BUDGET },
            looking_time: None,
            enforce_min: true,
            from_zero: true,
            when_unhealthy: false,
            schedulers: Vec::new(),
            node_fee: Money::from_micros(1_000),
            weights: PriceWeights {
                cpu: Money::from_micros(30_000),
                memory_gib: Money::from_micros(4_000),
                gpu: Money::from_micros(1_000_000),
            },
            force_delete_unregistered: false,
            force_delete_failed: false,
            headroom: Vec::new(),
            headroom_percent: 0,
            proactive: false,
            injection_limit: 5000,
            buffers: BufferSettings::default(),
            backoff_initial: SignedDuration::from_mins(5),
            backoff_max: SignedDuration::from_mins(30),
            backoff_reset: SignedDuration::from_hours(3),
        }
    }
}

impl Salvo {
    /// How long several choices may take, unless the user says otherwise.
    pub const BUDGET: SignedDuration = SignedDuration::from_mins(1);
}

impl Default for BalanceSettings {
    fn default() -> Self {
        Self {
            ignore_labels: Vec::new(),
            only_labels: Vec::new(),
            allocatable_ratio: 0.05,
            free_ratio: 0.05,
            memory_ratio: 0.015,
        }
    }
}

impl Default for ScaleDownSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            unready_enabled: true,
            gone_time: SignedDuration::from_mins(2),
            delay_after_add: SignedDuration::from_mins(10),
            delay_after_delete: SignedDuration::ZERO,
            delay_after_failure: SignedDuration::from_mins(3),
            local_delays: false,
            ignore_mirror_pods: false,
            skip_system_pods: true,
            system_pod_timeout: SignedDuration::from_hours(1),
            skip_local_storage: true,
            skip_custom_controllers: true,
            min_replicas: 0,
            simulation_time: SignedDuration::from_secs(30),
            parallelism: 10,
            drain_parallelism: 1,
            group_share_percent: 100,
            evict_daemons_occupied: true,
            evict_daemons_empty: false,
            consolidation: Consolidation::Underutilized,
            horizon: SignedDuration::from_hours(24),
            threshold_percent: 5,
            recheck: SignedDuration::ZERO,
            eviction_cost: Money::from_micros(1_000),
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
