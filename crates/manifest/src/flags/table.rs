//! table: the flags that decisions depend on.

use super::{Flag, Scope, assign::Target};

const CLUSTER: Scope = Scope::Cluster;
const BOTH: Scope = Scope::ClusterOrGroup;
const GROUP: Scope = Scope::Group;

/// All flags that decisions depend on, by topic.
pub const TABLE: &[Flag] = &[
    // What to buy.
    Flag {
        name: "expander",
        help: "how to choose among groups: least-cost, least-waste, most-pods, least-nodes, price, priority, random; several filter one after the other",
        scope: CLUSTER,
        target: Target::Expanders(|flags| &mut flags.settings.scale_up.expanders),
    },
    Flag {
        name: "balance-similar-node-groups",
        help: "spread a purchase over groups that are alike",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.balance),
    },
    Flag {
        name: "balancing-ignore-label",
        help: "a label in which groups that are alike may differ",
        scope: CLUSTER,
        target: Target::Names(|flags| &mut flags.similarity.ignore_labels),
    },
    Flag {
        name: "balancing-label",
        help: "a label that makes groups alike, whatever else they differ in",
        scope: CLUSTER,
        target: Target::Names(|flags| &mut flags.similarity.only_labels),
    },
    Flag {
        name: "max-allocatable-difference-ratio",
        help: "how far the allocatable resources of groups that are alike may differ",
        scope: CLUSTER,
        target: Target::Fraction(|flags| &mut flags.similarity.allocatable_ratio),
    },
    Flag {
        name: "max-free-difference-ratio",
        help: "how far the free resources of groups that are alike may differ",
        scope: CLUSTER,
        target: Target::Fraction(|flags| &mut flags.similarity.free_ratio),
    },
    Flag {
        name: "memory-difference-ratio",
        help: "how far the memory of groups that are alike may differ",
        scope: CLUSTER,
        target: Target::Fraction(|flags| &mut flags.similarity.memory_ratio),
    },
    Flag {
        name: "new-pod-scale-up-delay",
        help: "buy nothing for pods younger than this",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_up.new_pod_delay),
    },
    Flag {
        name: "expendable-pods-priority-cutoff",
        help: "pods of a lower priority neither get nodes nor keep them",
        scope: CLUSTER,
        target: Target::Integer(|flags| &mut flags.settings.scale_up.expendable_cutoff),
    },
    Flag {
        name: "max-nodes-per-scaleup",
        help: "the most nodes that a group gets in one pass",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.scale_up.max_nodes_per_pass),
    },
    Flag {
        name: "enforce-node-group-min-size",
        help: "raise groups to their minimum",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_up.enforce_min),
    },
    Flag {
        name: "scale-up-from-zero",
        help: "buy also while no node is ready",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_up.from_zero),
    },
    Flag {
        name: "scale-up-when-unhealthy",
        help: "buy also while too many nodes are unready",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_up.when_unhealthy),
    },
    Flag {
        name: "allowed-scheduler-names",
        help: "look only at pods of these schedulers",
        scope: CLUSTER,
        target: Target::CommaNames(|flags| &mut flags.allowed_schedulers),
    },
    Flag {
        name: "bypassed-scheduler-names",
        help: "schedulers whose pods count as pending before they were looked at",
        scope: CLUSTER,
        target: Target::CommaNames(|flags| &mut flags.bypassed_schedulers),
    },
    Flag {
        name: "node-fee",
        help: "what every node costs beside its price, per hour",
        scope: CLUSTER,
        target: Target::Money(|flags| &mut flags.settings.scale_up.node_fee),
    },
    Flag {
        name: "headroom",
        help: "room to keep free for pods to come: copies:resource=amount,…, such as 3:cpu=2,memory=4Gi",
        scope: CLUSTER,
        target: Target::Headroom(|flags| &mut flags.settings.scale_up.headroom),
    },
    Flag {
        name: "headroom-percent",
        help: "room to keep free, in percent of what running pods ask for",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.scale_up.headroom_percent),
    },
    Flag {
        name: "cost-per-cpu",
        help: "what a core counts for per hour where no price is known",
        scope: CLUSTER,
        target: Target::Money(|flags| &mut flags.settings.scale_up.weights.cpu),
    },
    Flag {
        name: "cost-per-gib",
        help: "what a GiB of memory counts for per hour where no price is known",
        scope: CLUSTER,
        target: Target::Money(|flags| &mut flags.settings.scale_up.weights.memory_gib),
    },
    Flag {
        name: "cost-per-gpu",
        help: "what an accelerator counts for per hour where no price is known",
        scope: CLUSTER,
        target: Target::Money(|flags| &mut flags.settings.scale_up.weights.gpu),
    },
    Flag {
        name: "seed",
        help: "decides where a choice is open: the same seed, the same choice",
        scope: CLUSTER,
        target: Target::Seed(|flags| &mut flags.settings.seed),
    },
    // What comes up, and what does not.
    Flag {
        name: "max-node-provision-time",
        help: "a machine has to become a node within this time",
        scope: BOTH,
        target: Target::Duration(|flags| &mut flags.settings.group.provision_time),
    },
    Flag {
        name: "max-node-startup-time",
        help: "a node has to become ready within this time",
        scope: BOTH,
        target: Target::Duration(|flags| &mut flags.settings.group.startup_time),
    },
    Flag {
        name: "zero-or-max-node-scaling",
        help: "grow the group to its maximum or not at all, and remove it whole",
        scope: GROUP,
        target: Target::Switch(|flags| &mut flags.settings.group.atomic),
    },
    Flag {
        name: "force-delete-unregistered-nodes",
        help: "delete machines that never became nodes also below the minimum of their group",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_up.force_delete_unregistered),
    },
    Flag {
        name: "force-delete-failed-nodes",
        help: "delete machines that failed also below the minimum of their group",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_up.force_delete_failed),
    },
    Flag {
        name: "initial-node-group-backoff-duration",
        help: "how long a group rests after its first failure",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_up.backoff_initial),
    },
    Flag {
        name: "max-node-group-backoff-duration",
        help: "how long a group rests at most after failures in a row",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_up.backoff_max),
    },
    Flag {
        name: "node-group-backoff-reset-timeout",
        help: "forget the failures of a group after this time",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_up.backoff_reset),
    },
    Flag {
        name: "startup-taint",
        help: "a node with this taint has not started",
        scope: CLUSTER,
        target: Target::Names(|flags| &mut flags.settings.taints.startup),
    },
    Flag {
        name: "ignore-taint",
        help: "the former name of startup-taint",
        scope: CLUSTER,
        target: Target::Names(|flags| &mut flags.settings.taints.startup),
    },
    Flag {
        name: "startup-taint-prefix",
        help: "a node with a taint that begins so has not started",
        scope: CLUSTER,
        target: Target::Texts(|flags| &mut flags.settings.taints.startup_prefixes),
    },
    Flag {
        name: "status-taint",
        help: "this taint says nothing about new nodes",
        scope: CLUSTER,
        target: Target::Names(|flags| &mut flags.settings.taints.status),
    },
    Flag {
        name: "max-total-unready-percentage",
        help: "do nothing while a larger part of the nodes is unready",
        scope: CLUSTER,
        target: Target::Fraction(|flags| &mut flags.settings.health.max_unready_percent),
    },
    Flag {
        name: "ok-total-unready-count",
        help: "so many nodes may be unready whatever part they are",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.health.ok_unready),
    },
    // Bounds of the whole cluster.
    Flag {
        name: "max-nodes-total",
        help: "the most nodes in the cluster; 0 for any number",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.limits.nodes),
    },
    Flag {
        name: "cores-total",
        help: "the fewest and the most cores in the cluster, min:max",
        scope: CLUSTER,
        target: Target::Range(|flags| &mut flags.settings.limits.cores),
    },
    Flag {
        name: "memory-total",
        help: "the least and the most memory in the cluster in GiB, min:max",
        scope: CLUSTER,
        target: Target::Range(|flags| &mut flags.settings.limits.memory_gib),
    },
    Flag {
        name: "gpu-total",
        help: "the fewest and the most accelerators of a type, type:min:max",
        scope: CLUSTER,
        target: Target::NamedRanges(|flags| &mut flags.settings.limits.gpus),
    },
    // What to give back.
    Flag {
        name: "scale-down-enabled",
        help: "give nodes back",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.enabled),
    },
    Flag {
        name: "consolidation",
        help: "which nodes to give back: off, empty, underutilized, or cost for all whose pods fit on fewer or cheaper ones",
        scope: CLUSTER,
        target: Target::Consolidation(|flags| &mut flags.settings.scale_down.consolidation),
    },
    Flag {
        name: "scale-down-unready-enabled",
        help: "give back nodes that are unready",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.unready_enabled),
    },
    Flag {
        name: "scale-down-delay-after-add",
        help: "give nothing back for so long after nodes were bought",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_down.delay_after_add),
    },
    Flag {
        name: "scale-down-delay-after-delete",
        help: "give nothing back for so long after a node was",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_down.delay_after_delete),
    },
    Flag {
        name: "scale-down-delay-after-failure",
        help: "give nothing back for so long after that failed",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_down.delay_after_failure),
    },
    Flag {
        name: "scale-down-delay-type-local",
        help: "the delays hold for the group concerned, not for all",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.local_delays),
    },
    Flag {
        name: "scale-down-unneeded-time",
        help: "how long a node has to be unneeded before it goes",
        scope: BOTH,
        target: Target::Duration(|flags| &mut flags.settings.group.unneeded_time),
    },
    Flag {
        name: "scale-down-unready-time",
        help: "how long a node has to be unready before it goes",
        scope: BOTH,
        target: Target::Duration(|flags| &mut flags.settings.group.unready_time),
    },
    Flag {
        name: "scale-down-utilization-threshold",
        help: "a node may go when requests take no larger part of it",
        scope: BOTH,
        target: Target::Fraction(|flags| &mut flags.settings.group.utilization_threshold),
    },
    Flag {
        name: "scale-down-gpu-utilization-threshold",
        help: "the same for accelerator nodes, of which only the accelerators count",
        scope: BOTH,
        target: Target::Fraction(|flags| &mut flags.settings.group.gpu_utilization_threshold),
    },
    Flag {
        name: "ignore-daemonsets-utilization",
        help: "leave pods of DaemonSets out when the use of a node is counted",
        scope: BOTH,
        target: Target::Switch(|flags| &mut flags.settings.group.ignore_daemon_sets),
    },
    Flag {
        name: "ignore-mirror-pods-utilization",
        help: "leave static pods out when the use of a node is counted",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.ignore_mirror_pods),
    },
    Flag {
        name: "skip-nodes-with-system-pods",
        help: "keep nodes with pods of kube-system that have no disruption budget",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.skip_system_pods),
    },
    Flag {
        name: "blocking-system-pod-distruption-timeout",
        help: "such a pod keeps its node until it is so old",
        scope: CLUSTER,
        target: Target::Duration(|flags| &mut flags.settings.scale_down.system_pod_timeout),
    },
    Flag {
        name: "skip-nodes-with-local-storage",
        help: "keep nodes with pods that would lose data",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.skip_local_storage),
    },
    Flag {
        name: "skip-nodes-with-custom-controller-pods",
        help: "keep nodes with pods of controllers that Kubernetes does not come with",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.skip_custom_controllers),
    },
    Flag {
        name: "min-replica-count",
        help: "keep nodes with pods of controllers that want fewer",
        scope: CLUSTER,
        target: Target::Integer(|flags| &mut flags.settings.scale_down.min_replicas),
    },
    Flag {
        name: "max-scale-down-parallelism",
        help: "the most nodes that are on their way out at a time",
        scope: CLUSTER,
        target: Target::GivenCount(|flags| &mut flags.parallelism),
    },
    Flag {
        name: "max-empty-bulk-delete",
        help: "the former name of max-scale-down-parallelism",
        scope: CLUSTER,
        target: Target::GivenCount(|flags| &mut flags.bulk_delete),
    },
    Flag {
        name: "max-drain-parallelism",
        help: "the most nodes that are drained at a time",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.scale_down.drain_parallelism),
    },
    Flag {
        name: "max-group-share-per-pass",
        help: "percent of a group that may leave in one pass; one node always may",
        scope: CLUSTER,
        target: Target::Count(|flags| &mut flags.settings.scale_down.group_share_percent),
    },
    Flag {
        name: "daemonset-eviction-for-occupied-nodes",
        help: "evict pods of DaemonSets from nodes that are drained",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.evict_daemons_occupied),
    },
    Flag {
        name: "daemonset-eviction-for-empty-nodes",
        help: "evict pods of DaemonSets from nodes that are empty otherwise",
        scope: CLUSTER,
        target: Target::Switch(|flags| &mut flags.settings.scale_down.evict_daemons_empty),
    },
];
