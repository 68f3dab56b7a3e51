//! All metrics, with what they mean. Those of the upstream autoscaler have its names and labels.

/// How a count is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As a counter, whose name ends in `_total`.
    Counter,
    /// Upstream gave it a name that no counter may have in this form, so it is written as a gauge; it grows all the same.
    Tally,
}

/// Values of the latest pass.
pub(super) const GAUGES: [(&str, &str); 35] = [
    (
        "cluster_autoscaler_cluster_safe_to_autoscale",
        "Whether the cluster as a whole can be trusted: 1 or 0",
    ),
    ("cluster_autoscaler_nodes_count", "Nodes by state, and machines that are none yet"),
    ("cluster_autoscaler_node_groups_count", "Groups by type"),
    (
        "cluster_autoscaler_unschedulable_pods_count",
        "Pods without a node that somebody has to see to",
    ),
    ("cluster_autoscaler_max_nodes_count", "max-nodes-total; 0 for no limit"),
    ("cluster_autoscaler_cluster_cpu_current_cores", "Cores of all nodes that do not leave"),
    ("cluster_autoscaler_cpu_limits_cores", "cores-total"),
    ("cluster_autoscaler_cluster_memory_current_bytes", "Memory of all nodes that do not leave"),
    ("cluster_autoscaler_memory_limits_bytes", "memory-total"),
    ("cluster_autoscaler_last_activity", "When something was last done, in seconds of Unix time"),
    ("cluster_autoscaler_pending_node_deletions", "Nodes on their way out"),
    ("cluster_autoscaler_unneeded_nodes_count", "Nodes that nobody needs"),
    ("cluster_autoscaler_unremovable_nodes_count", "Nodes that stay, by reason"),
    (
        "cluster_autoscaler_scale_down_in_cooldown",
        "Whether nodes stay because something changed a short time ago: 1 or 0",
    ),
    ("cluster_autoscaler_node_taints_count", "Taints of nodes by kind"),
    ("cluster_autoscaler_node_group_min_count", "Minimum of a group"),
    ("cluster_autoscaler_node_group_max_count", "Maximum of a group"),
    ("cluster_autoscaler_node_group_target_count", "Machines that a group was asked to have"),
    ("cluster_autoscaler_node_group_healthiness", "Whether a group can be used: 1 or 0"),
    (
        "cluster_autoscaler_node_group_backoff_status",
        "Whether a group rests after a failure: 1 or 0",
    ),
    ("plimsoll_leader", "Whether this replica leads: 1 or 0"),
    ("plimsoll_pass_number", "The number of the latest pass"),
    ("plimsoll_held_back", "What keeps plans from being acted on: 1 for the reason that holds"),
    ("plimsoll_cluster_stale", "Whether what is known of the cluster is too old to act on: 1 or 0"),
    ("plimsoll_unreadable_objects", "Objects of the cluster that cannot be understood"),
    ("plimsoll_pods", "Pods without a node by what becomes of them"),
    ("plimsoll_cluster_pods", "Pods in all"),
    ("plimsoll_orders", "Increases by phase"),
    ("plimsoll_retirements", "Nodes on their way out by stage"),
    ("plimsoll_cost_per_hour", "What all nodes cost per hour, as it is and as planned"),
    ("plimsoll_provider_age_seconds", "How old what is known of a provider is"),
    ("plimsoll_provider_failing", "Whether a provider cannot be read: 1 or 0"),
    ("plimsoll_group_ready_nodes", "Nodes of a group that are ready"),
    ("plimsoll_group_upcoming_nodes", "Machines of a group that are on their way"),
    ("plimsoll_group_price_per_hour", "What a node of a group costs"),
];

/// What is counted.
pub(super) const COUNTERS: [(&str, Kind, &str); 14] = [
    (
        "cluster_autoscaler_errors_total",
        Kind::Counter,
        "Passes that could not be acted on, by reason",
    ),
    (
        "cluster_autoscaler_scaled_up_nodes_total",
        Kind::Counter,
        "Nodes that providers agreed to add",
    ),
    (
        "cluster_autoscaler_scaled_up_gpu_nodes_total",
        Kind::Counter,
        "The same, of nodes with accelerators",
    ),
    (
        "cluster_autoscaler_failed_scale_ups_total",
        Kind::Counter,
        "Increases that failed, by reason",
    ),
    (
        "cluster_autoscaler_failed_gpu_scale_ups_total",
        Kind::Counter,
        "The same, of nodes with accelerators",
    ),
    (
        "cluster_autoscaler_scaled_down_nodes_total",
        Kind::Counter,
        "Nodes that were removed, by reason",
    ),
    (
        "cluster_autoscaler_scaled_down_gpu_nodes_total",
        Kind::Counter,
        "The same, of nodes with accelerators",
    ),
    ("cluster_autoscaler_evicted_pods_total", Kind::Counter, "Evictions by result"),
    (
        "cluster_autoscaler_old_unregistered_nodes_removed_count",
        Kind::Tally,
        "Machines that never became nodes and were deleted",
    ),
    (
        "cluster_autoscaler_skipped_scale_events_count",
        Kind::Tally,
        "Changes that a limit of the cluster stood in the way of",
    ),
    ("plimsoll_passes_total", Kind::Counter, "Passes by cause"),
    (
        "plimsoll_scale_ups_held_back_total",
        Kind::Counter,
        "Scale-ups that were more than pods can need, and were held back",
    ),
    (
        "plimsoll_released_nodes_total",
        Kind::Counter,
        "Nodes that began to leave and stay after all",
    ),
    ("plimsoll_events_total", Kind::Counter, "Kubernetes events by what became of them"),
];

/// How long things took, in seconds.
pub(super) const HISTOGRAMS: [(&str, &str); 4] = [
    (
        "cluster_autoscaler_function_duration_seconds",
        "How long parts of a pass took, by upstream's names",
    ),
    (
        "cluster_autoscaler_node_removal_latency_seconds",
        "From the decision to remove a node until it was gone, or stayed",
    ),
    ("plimsoll_pass_duration_seconds", "How long parts of a pass took"),
    ("plimsoll_pod_order_delay_seconds", "From a pod's creation to the order of a machine for it"),
];
