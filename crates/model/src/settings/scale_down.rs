//! What to give back.

use jiff::SignedDuration;

use crate::Money;

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

// === impl ScaleDownSettings ===

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
