//! table: for each flag that users need, words with it and what they change. That decisions follow is shown by the scenarios in
//! `tests/flags.rs`.

use jiff::SignedDuration;
use plimsoll_model::BalanceSettings;

use super::{Process, process};

/// A flag in use, what shows its effect, and the effect.
type Proof = (&'static [&'static str], fn(&Process) -> String, &'static str);

/// The first word has the flag.
const PROOFS: &[Proof] = &[
    // Infrastructures and their groups.
    (&["--cloud-provider=simulated"], |it| it.infrastructure.provider.clone(), "simulated"),
    (&["--cloud-config=a.yaml"], |it| it.infrastructure.config.clone(), "a.yaml"),
    (&["--cluster-name=prod"], |it| it.cluster_name.clone(), "prod"),
    (
        &["--nodes=1:5:a:b"],
        |it| format!("{:?}", it.groups.picks),
        r#"[Pick { bounds: Bounds { min: 1, max: 5 }, id: "a:b" }]"#,
    ),
    (
        &["--node-group-auto-discovery=mig:namePrefix=w,min=0,max=9"],
        |it| format!("{:?}", it.groups.discoveries),
        r#"[Prefix("w", Bounds { min: 0, max: 9 })]"#,
    ),
    // What to buy.
    (
        &["--expander=most-pods,random"],
        |it| format!("{:?}", it.settings.plan.scale_up.expanders),
        "[MostPods, Random]",
    ),
    (&["--grpc-expander-url=e:1"], |it| it.expander.url.clone(), "e:1"),
    (&["--grpc-expander-cert=ca.pem"], |it| format!("{:?}", it.expander.cert), r#"Some("ca.pem")"#),
    (
        &["--balance-similar-node-groups"],
        |it| it.settings.plan.scale_up.balance.is_some().to_string(),
        "true",
    ),
    (
        &["--balancing-ignore-label=a", ON],
        |it| format!("{:?}", balance(it).ignore_labels),
        r#"["a"]"#,
    ),
    (&["--balancing-label=a", ON], |it| format!("{:?}", balance(it).only_labels), r#"["a"]"#),
    (&["--memory-difference-ratio=0.3", ON], |it| balance(it).memory_ratio.to_string(), "0.3"),
    (&["--max-free-difference-ratio=0.3", ON], |it| balance(it).free_ratio.to_string(), "0.3"),
    (
        &["--max-allocatable-difference-ratio=0.3", ON],
        |it| balance(it).allocatable_ratio.to_string(),
        "0.3",
    ),
    (&["--new-pod-scale-up-delay=1m"], |it| seconds(it.settings.plan.scale_up.new_pod_delay), "60"),
    (
        &["--expendable-pods-priority-cutoff=-5"],
        |it| it.settings.plan.scale_up.expendable_cutoff.to_string(),
        "-5",
    ),
    (
        &["--max-nodes-per-scaleup=3"],
        |it| it.settings.plan.scale_up.max_nodes_per_pass.to_string(),
        "3",
    ),
    (
        &["--enforce-node-group-min-size=false"],
        |it| it.settings.plan.scale_up.enforce_min.to_string(),
        "false",
    ),
    (
        &["--scale-up-from-zero=false"],
        |it| it.settings.plan.scale_up.from_zero.to_string(),
        "false",
    ),
    (
        &["--bypassed-scheduler-names=x"],
        |it| format!("{:?}", it.settings.plan.scale_up.schedulers),
        r#"["default-scheduler", "x"]"#,
    ),
    (
        &["--allowed-scheduler-names=x"],
        |it| format!("{:?}", it.settings.plan.scale_up.schedulers),
        r#"["x"]"#,
    ),
    // What comes up, and what does not.
    (&["--max-node-provision-time=1m"], |it| seconds(it.settings.plan.group.provision_time), "60"),
    (&["--max-node-startup-time=1m"], |it| seconds(it.settings.plan.group.startup_time), "60"),
    (
        &["--initial-node-group-backoff-duration=1m"],
        |it| seconds(it.settings.plan.scale_up.backoff_initial),
        "60",
    ),
    (
        &["--max-node-group-backoff-duration=1m"],
        |it| seconds(it.settings.plan.scale_up.backoff_max),
        "60",
    ),
    (
        &["--node-group-backoff-reset-timeout=1m"],
        |it| seconds(it.settings.plan.scale_up.backoff_reset),
        "60",
    ),
    (
        &["--max-total-unready-percentage=10"],
        |it| it.settings.plan.health.max_unready_percent.to_string(),
        "10",
    ),
    (&["--ok-total-unready-count=1"], |it| it.settings.plan.health.ok_unready.to_string(), "1"),
    (&["--startup-taint=a"], |it| format!("{:?}", it.settings.plan.taints.startup), r#"["a"]"#),
    (&["--ignore-taint=a"], |it| format!("{:?}", it.settings.plan.taints.startup), r#"["a"]"#),
    (
        &["--startup-taint-prefix=a"],
        |it| format!("{:?}", it.settings.plan.taints.startup_prefixes),
        r#"["a"]"#,
    ),
    (&["--status-taint=a"], |it| format!("{:?}", it.settings.plan.taints.status), r#"["a"]"#),
    (
        &["--force-delete-unregistered-nodes"],
        |it| it.settings.plan.scale_up.force_delete_unregistered.to_string(),
        "true",
    ),
    (
        &["--force-delete-failed-nodes"],
        |it| it.settings.plan.scale_up.force_delete_failed.to_string(),
        "true",
    ),
    // Bounds of the whole cluster.
    (&["--max-nodes-total=7"], |it| it.settings.plan.limits.nodes.to_string(), "7"),
    (
        &["--cores-total=1:9"],
        |it| format!("{:?}", it.settings.plan.limits.cores),
        "Range { min: 1, max: 9 }",
    ),
    (
        &["--memory-total=1:9"],
        |it| format!("{:?}", it.settings.plan.limits.memory_gib),
        "Range { min: 1, max: 9 }",
    ),
    // What to give back.
    (
        &["--scale-down-enabled=false"],
        |it| it.settings.plan.scale_down.enabled.to_string(),
        "false",
    ),
    (
        &["--scale-down-unready-enabled=false"],
        |it| it.settings.plan.scale_down.unready_enabled.to_string(),
        "false",
    ),
    (
        &["--scale-down-delay-after-add=1m"],
        |it| seconds(it.settings.plan.scale_down.delay_after_add),
        "60",
    ),
    (
        &["--scale-down-delay-after-delete=1m"],
        |it| seconds(it.settings.plan.scale_down.delay_after_delete),
        "60",
    ),
    (
        &["--scale-down-delay-after-failure=1m"],
        |it| seconds(it.settings.plan.scale_down.delay_after_failure),
        "60",
    ),
    (
        &["--scale-down-delay-type-local"],
        |it| it.settings.plan.scale_down.local_delays.to_string(),
        "true",
    ),
    (&["--scale-down-unneeded-time=1m"], |it| seconds(it.settings.plan.group.unneeded_time), "60"),
    (&["--scale-down-unready-time=1m"], |it| seconds(it.settings.plan.group.unready_time), "60"),
    (
        &["--scale-down-utilization-threshold=0.7"],
        |it| it.settings.plan.group.utilization_threshold.to_string(),
        "0.7",
    ),
    (
        &["--scale-down-gpu-utilization-threshold=0.7"],
        |it| it.settings.plan.group.gpu_utilization_threshold.to_string(),
        "0.7",
    ),
    (
        &["--ignore-daemonsets-utilization"],
        |it| it.settings.plan.group.ignore_daemon_sets.to_string(),
        "true",
    ),
    (
        &["--ignore-mirror-pods-utilization"],
        |it| it.settings.plan.scale_down.ignore_mirror_pods.to_string(),
        "true",
    ),
    (
        &["--max-scale-down-parallelism=3"],
        |it| it.settings.plan.scale_down.parallelism.to_string(),
        "3",
    ),
    (
        &["--max-drain-parallelism=3"],
        |it| it.settings.plan.scale_down.drain_parallelism.to_string(),
        "3",
    ),
    (
        &["--skip-nodes-with-system-pods=false"],
        |it| it.settings.plan.scale_down.skip_system_pods.to_string(),
        "false",
    ),
    (
        &["--blocking-system-pod-distruption-timeout=1m"],
        |it| seconds(it.settings.plan.scale_down.system_pod_timeout),
        "60",
    ),
    (
        &["--skip-nodes-with-local-storage=false"],
        |it| it.settings.plan.scale_down.skip_local_storage.to_string(),
        "false",
    ),
    (
        &["--skip-nodes-with-custom-controller-pods=false"],
        |it| it.settings.plan.scale_down.skip_custom_controllers.to_string(),
        "false",
    ),
    (&["--min-replica-count=2"], |it| it.settings.plan.scale_down.min_replicas.to_string(), "2"),
    // How a node leaves.
    (
        &["--daemonset-eviction-for-empty-nodes"],
        |it| it.settings.retire.evict_daemons_empty.to_string(),
        "true",
    ),
    (
        &["--daemonset-eviction-for-occupied-nodes=false"],
        |it| it.settings.retire.evict_daemons_occupied.to_string(),
        "false",
    ),
    (
        &["--cordon-node-before-terminating=false"],
        |it| it.settings.retire.cordon.to_string(),
        "false",
    ),
    (
        &["--node-delete-delay-after-taint=1m"],
        |it| seconds(it.settings.retire.delay_after_taint),
        "60",
    ),
    (&["--max-graceful-termination-sec=7"], |it| it.settings.retire.max_grace.to_string(), "7"),
    (
        &["--drain-priority-config=2000:5,-1:60"],
        |it| format!("{:?}", it.settings.retire.waves),
        "[(-1, 60), (2000, 5)]",
    ),
    (&["--max-pod-eviction-time=1m"], |it| seconds(it.settings.retire.eviction_time), "60"),
    (&["--node-deletion-delay-timeout=1m"], |it| seconds(it.settings.retire.delay_timeout), "60"),
    (&["--node-deletion-batcher-interval=3s"], |it| format!("{:?}", it.batching), "3s"),
    (&["--max-bulk-soft-taint-count=0"], |it| it.settings.soft_taints.per_pass.to_string(), "0"),
    (&["--node-deletion-candidate-ttl=1m"], |it| seconds(it.settings.soft_taints.trust), "60"),
    // The process.
    (&["--scan-interval=1m"], |it| format!("{:?}", it.settings.pace.scan), "60s"),
    (&["--frequent-loops-enabled=false"], |it| it.settings.pace.eager.to_string(), "false"),
    (&["--kubeconfig=k"], |it| format!("{:?}", it.connection.kubeconfig), r#"Some("k")"#),
    (
        &["--kubernetes=https://h"],
        |it| format!("{:?}", it.connection.master),
        r#"Some("https://h")"#,
    ),
    (&["--kube-client-qps=3"], |it| it.connection.rate.to_string(), "3"),
    (&["--kube-client-burst=3"], |it| it.connection.burst.to_string(), "3"),
    (&["--namespace=ops"], |it| it.settings.namespace.clone(), "ops"),
    // Status, metrics and events.
    (&["--address=127.0.0.1:9"], |it| it.address.to_string(), "127.0.0.1:9"),
    (&["--write-status-configmap=false"], |it| it.record.write_status.to_string(), "false"),
    (&["--status-config-map-name=s"], |it| it.record.status_name.clone(), "s"),
    (&["--emit-per-nodegroup-metrics"], |it| it.record.group_metrics.to_string(), "true"),
    (&["--debugging-snapshot-enabled"], |it| it.record.snapshot.to_string(), "true"),
    (&["--max-inactivity=1m"], |it| format!("{:?}", it.record.max_inactivity), "60s"),
    (&["--max-failing-time=1m"], |it| format!("{:?}", it.record.max_failing_time), "60s"),
    (&["--max-startup-time=1m"], |it| format!("{:?}", it.record.max_startup_time), "60s"),
    // Leader election.
    (&["--leader-elect=false"], |it| it.election.wanted.to_string(), "false"),
    (&["--leader-elect-lease-duration=1m"], |it| format!("{:?}", it.election.timings.lease), "60s"),
    (&["--leader-elect-renew-deadline=9s"], |it| format!("{:?}", it.election.timings.renew), "9s"),
    (&["--leader-elect-retry-period=1s"], |it| format!("{:?}", it.election.timings.retry), "1s"),
    (&["--leader-elect-resource-name=l"], |it| it.election.name.clone(), "l"),
    (
        &["--leader-elect-resource-namespace=n"],
        |it| format!("{:?}", it.election.namespace),
        r#"Some("n")"#,
    ),
    // Logging.
    (&["-v=4"], |it| it.logs.verbosity.to_string(), "4"),
    (&["--logging-format=json"], |it| format!("{:?}", it.logs.format), "Json"),
];

const ON: &str = "--balance-similar-node-groups=true";

/// There is one kind of lock, so all that can be shown is that others are refused.
const ONLY_ONE: &str = "leader-elect-resource-lock";

/// The flags that have a proof.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let name = |(words, ..): &Proof| {
        words[0].trim_start_matches('-').split('=').next().unwrap_or_default()
    };
    PROOFS.iter().map(name).chain([ONLY_ONE])
}

#[test]
fn flags_change_what_they_should() {
    for (words, shows, expected) in PROOFS {
        let without = shows(&process(&words[1..]).unwrap());
        let with = shows(&process(words).unwrap());
        assert_eq!(with, *expected, "{words:?}");
        assert_ne!(with, without, "{words:?}");
    }
    assert!(process(&["--leader-elect-resource-lock=configmaps"]).is_err());
}

fn seconds(time: SignedDuration) -> String {
    time.as_secs().to_string()
}

fn balance(process: &Process) -> BalanceSettings {
    process.settings.plan.scale_up.balance.clone().unwrap_or_default()
}
