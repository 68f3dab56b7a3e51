//! What to buy, and for whom.

use jiff::SignedDuration;

use crate::{Money, Resources, Symbol};

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

// === impl ScaleUpSettings ===

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

// === impl Salvo ===

impl Salvo {
    /// How long several choices may take, unless the user says otherwise.
    pub const BUDGET: SignedDuration = SignedDuration::from_mins(1);
}

// === impl BalanceSettings ===

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
