//! table: the flags of the process.

use std::path::Path;

use plimsoll_cluster::source::Watched;
use plimsoll_control::settings::{Calls, Mode};
use plimsoll_manifest::{
    flags::{Topic, form},
    profile::Read,
};

use super::{Flag, Sets};
use crate::{
    listen, log,
    run::{
        groups::{Discovery, Pick},
        profile,
    },
};

/// The flags of the process, by topic.
pub(in crate::run) const OWN: &[Flag] = &[
    // Infrastructures and their groups.
    Flag {
        name: "cloud-provider",
        help: "which infrastructure: simulated, externalgrpc, slicer or spc (also stackpoint, nks); several with commas between",
        topic: Topic::Groups,
        default: "",
        sets: Sets::Text(|process| &mut process.infrastructure.provider),
    },
    Flag {
        name: "cloud-config",
        help: "its configuration file; for several, one each in the same order, or one file with a list of providers",
        topic: Topic::Groups,
        default: "",
        sets: Sets::Text(|process| &mut process.infrastructure.config),
    },
    Flag {
        name: "confirm-cluster",
        help: "the uid of the namespace kube-system: say so that machines without a node in that cluster may be deleted although most of them have none",
        topic: Topic::Leave,
        default: "",
        sets: Sets::Text(|process| &mut process.confirmed_cluster),
    },
    Flag {
        name: "cluster-name",
        help: "what the cluster is called in the log",
        topic: Topic::Groups,
        default: "",
        sets: Sets::Text(|process| &mut process.cluster_name),
    },
    Flag {
        name: "nodes",
        help: "use this group, with so many nodes, and no group that is not named so; may be repeated",
        topic: Topic::Groups,
        default: "",
        sets: Sets::Each(|process, text| {
            process.groups.picks.push(text.parse::<Pick>()?);
            Ok(())
        }),
    },
    Flag {
        name: "node-group-auto-discovery",
        help: "use groups with such names, mig:namePrefix=web-,min=0,max=10, or whose nodes have such labels, label:key=value,…; may be repeated",
        topic: Topic::Groups,
        default: "",
        sets: Sets::Each(|process, text| {
            process.groups.discoveries.push(text.parse::<Discovery>()?);
            Ok(())
        }),
    },
    // What to buy.
    Flag {
        name: "capacity-buffer-pod-dry-run-enabled",
        help: "ask the API server what it would make of a unit of a CapacityBuffer, so that webhooks and the defaults of its namespace count",
        topic: Topic::Buy,
        default: "true",
        sets: Sets::Switch(|process| &mut process.admits_units),
    },
    Flag {
        name: "grpc-expander-url",
        help: "the address of the service that the expander grpc asks, host:port",
        topic: Topic::Buy,
        default: "",
        sets: Sets::Text(|process| &mut process.expander.url),
    },
    Flag {
        name: "grpc-expander-cert",
        help: "the authority that signed the certificate of that service, PEM; plaintext without",
        topic: Topic::Buy,
        default: "",
        sets: Sets::File(|process| &mut process.expander.cert),
    },
    Flag {
        name: "parallel-scale-up",
        help: "ask the infrastructure for several groups at the same time",
        topic: Topic::Buy,
        default: "true",
        sets: Sets::Turn(|process, parallel| {
            process.settings.orders.calls = if parallel { Calls::Together } else { Calls::InTurn };
        }),
    },
    Flag {
        name: "capacity-quotas-enabled",
        help: "buy no more than CapacityQuotas allow, and say on them what is used",
        topic: Topic::Buy,
        default: "false",
        sets: Sets::Turn(|process, wanted| {
            let kinds = std::mem::take(&mut process.settings.kinds);
            let quotas = Watched::CapacityQuotas;
            process.settings.kinds = if wanted { kinds.and(quotas) } else { kinds.but(quotas) };
        }),
    },
    Flag {
        name: "scheduler-config-file",
        help: "a KubeSchedulerConfiguration with one profile, that of the scheduler: its filters decide where pods could run",
        topic: Topic::Buy,
        default: "",
        sets: Sets::Special(|process, text| {
            process.scheduler = match text {
                "" => Read::default(),
                path => profile::read(Path::new(path))?,
            };
            Ok(())
        }),
    },
    // How a node leaves.
    Flag {
        name: "cordon-node-before-terminating",
        help: "close a node that leaves as well as tainting it",
        topic: Topic::Leave,
        default: "true",
        sets: Sets::Switch(|process| &mut process.settings.retire.cordon),
    },
    Flag {
        name: "node-delete-delay-after-taint",
        help: "how long the scheduler gets to see that a node leaves",
        topic: Topic::Leave,
        default: "5s",
        sets: Sets::Span(|process| &mut process.settings.retire.delay_after_taint),
    },
    Flag {
        name: "max-graceful-termination-sec",
        help: "the longest that a pod gets to end, in seconds",
        topic: Topic::Leave,
        default: "600",
        sets: Sets::Count(|process| &mut process.settings.retire.max_grace),
    },
    Flag {
        name: "drain-priority-config",
        help: "evict in waves: priority:seconds,…, lowest first, each wave with its own longest time to end",
        topic: Topic::Leave,
        default: "",
        sets: Sets::Special(|process, text| {
            process.settings.retire.waves = waves(text)?;
            Ok(())
        }),
    },
    Flag {
        name: "max-pod-eviction-time",
        help: "how long an eviction is tried",
        topic: Topic::Leave,
        default: "2m",
        sets: Sets::Span(|process| &mut process.settings.retire.eviction_time),
    },
    Flag {
        name: "node-deletion-delay-timeout",
        help: "how long to wait for those who asked for a delay by annotation",
        topic: Topic::Leave,
        default: "2m",
        sets: Sets::Span(|process| &mut process.settings.retire.delay_timeout),
    },
    Flag {
        name: "node-deletion-batcher-interval",
        help: "collect deletions in a group for so long, and ask the infrastructure for all of them at once",
        topic: Topic::Leave,
        default: "0s",
        sets: Sets::Span(|process| &mut process.settings.retire.batch),
    },
    Flag {
        name: "max-bulk-soft-taint-count",
        help: "how many nodes a pass marks as not needed, or unmarks; 0 for no marks",
        topic: Topic::Leave,
        default: "10",
        sets: Sets::Size(|process| &mut process.settings.soft_taints.per_pass),
    },
    Flag {
        name: "max-bulk-soft-taint-time",
        help: "a mark that is not written within this time is left to another pass",
        topic: Topic::Leave,
        default: "3s",
        sets: Sets::Duration(|process| &mut process.settings.soft_taints.time),
    },
    Flag {
        name: "node-deletion-candidate-ttl",
        help: "marks of an earlier run that are younger tell since when a node is not needed, should the memory be lost",
        topic: Topic::Leave,
        default: "0s",
        sets: Sets::Span(|process| &mut process.settings.soft_taints.trust),
    },
    // The process.
    Flag {
        name: "config",
        help: "a YAML file with flags as keys; flags of the command line win; read again when it changes",
        topic: Topic::Process,
        default: "",
        sets: Sets::File(|process| &mut process.config),
    },
    Flag {
        name: "dry-run",
        help: "plan and tell, and touch nothing",
        topic: Topic::Process,
        default: "false",
        sets: Sets::Turn(|process, dry| {
            process.settings.mode = if dry { Mode::DryRun } else { Mode::Act };
        }),
    },
    Flag {
        name: "scan-interval",
        help: "make a pass, and look at the infrastructures, at least so often",
        topic: Topic::Process,
        default: "10s",
        sets: Sets::Special(|process, text| {
            let interval = super::duration(text)?;
            if interval.is_zero() {
                return Err("has to be more than nothing".to_owned());
            }
            process.settings.pace.scan = interval;
            Ok(())
        }),
    },
    Flag {
        name: "frequent-loops-enabled",
        help: "make a pass as soon as something calls for it, not only every scan-interval",
        topic: Topic::Process,
        default: "true",
        sets: Sets::Switch(|process| &mut process.settings.pace.eager),
    },
    Flag {
        name: "kubeconfig",
        help: "how to reach the cluster; without it, what the environment or the pod's service account says",
        topic: Topic::Process,
        default: "",
        sets: Sets::File(|process| &mut process.connection.kubeconfig),
    },
    Flag {
        name: "kubernetes",
        help: "the URL of the API server, in place of the one in the kubeconfig",
        topic: Topic::Process,
        default: "",
        sets: Sets::Given(|process| &mut process.connection.master),
    },
    Flag {
        name: "kube-client-qps",
        help: "requests to the API server a second on average; 0 for no limit",
        topic: Topic::Process,
        default: "50",
        sets: Sets::Fraction(|process| &mut process.connection.rate),
    },
    Flag {
        name: "kube-client-burst",
        help: "how many requests to the API server may come at once",
        topic: Topic::Process,
        default: "100",
        sets: Sets::Count(|process| &mut process.connection.burst),
    },
    Flag {
        name: "user-agent",
        help: "how the process introduces itself to the API server",
        topic: Topic::Process,
        default: "cluster-autoscaler",
        sets: Sets::Text(|process| &mut process.connection.user_agent),
    },
    Flag {
        name: "namespace",
        help: "where the Lease, the status, the memory and the list of the priority expander are",
        topic: Topic::Process,
        default: "kube-system",
        sets: Sets::Special(|process, text| {
            process.settings.namespace = object_name(text)?;
            Ok(())
        }),
    },
    // Status, metrics and events.
    Flag {
        name: "address",
        help: "where to answer /metrics, /health-check and /ready; and on the loopback address, or to authorised callers, /status, /explain, /snapshotz and /debug/pprof",
        topic: Topic::Status,
        default: ":8085",
        sets: Sets::Special(|process, text| {
            process.address = listen::parse(text)?;
            Ok(())
        }),
    },
    Flag {
        name: "write-status-configmap",
        help: "keep the status in a ConfigMap, for kubectl and dashboards",
        topic: Topic::Status,
        default: "true",
        sets: Sets::Switch(|process| &mut process.record.write_status),
    },
    Flag {
        name: "status-config-map-name",
        help: "the name of the status ConfigMap",
        topic: Topic::Status,
        default: "cluster-autoscaler-status",
        sets: Sets::Special(|process, text| {
            process.record.status_name = object_name(text)?;
            Ok(())
        }),
    },
    Flag {
        name: "emit-per-nodegroup-metrics",
        help: "have metrics for each node group",
        topic: Topic::Status,
        default: "false",
        sets: Sets::Switch(|process| &mut process.record.group_metrics),
    },
    Flag {
        name: "profiling",
        help: "answer at /debug/pprof/profile with CPU profiles, for go tool pprof",
        topic: Topic::Status,
        default: "false",
        sets: Sets::Switch(|process| &mut process.record.profiling),
    },
    Flag {
        name: "insecure-debug-endpoints",
        help: "answer /status, /explain, /snapshotz and /debug/pprof to every caller that reaches the address, without a token",
        topic: Topic::Status,
        default: "false",
        sets: Sets::Switch(|process| &mut process.record.insecure_debug_endpoints),
    },
    Flag {
        name: "debugging-snapshot-enabled",
        help: "show at /snapshotz all that a pass saw",
        topic: Topic::Status,
        default: "false",
        sets: Sets::Switch(|process| &mut process.record.snapshot),
    },
    Flag {
        name: "record-duplicated-events",
        help: "write also events that say what was said within five minutes",
        topic: Topic::Status,
        default: "false",
        sets: Sets::Switch(|process| &mut process.record.duplicated_events),
    },
    Flag {
        name: "max-inactivity",
        help: "/health-check fails when no pass began for so long",
        topic: Topic::Status,
        default: "10m",
        sets: Sets::Duration(|process| &mut process.record.max_inactivity),
    },
    Flag {
        name: "max-failing-time",
        help: "/health-check fails when no pass went well for so long",
        topic: Topic::Status,
        default: "15m",
        sets: Sets::Duration(|process| &mut process.record.max_failing_time),
    },
    Flag {
        name: "max-startup-time",
        help: "/health-check fails when the first pass takes longer; never less than the other two",
        topic: Topic::Status,
        default: "20m",
        sets: Sets::Duration(|process| &mut process.record.max_startup_time),
    },
    // Leader election.
    Flag {
        name: "leader-elect",
        help: "stand for a Lease, so that only one of several acts",
        topic: Topic::Election,
        default: "true",
        sets: Sets::Switch(|process| &mut process.election.wanted),
    },
    Flag {
        name: "leader-elect-lease-duration",
        help: "how long others wait after the last renewal that they saw",
        topic: Topic::Election,
        default: "15s",
        sets: Sets::Duration(|process| &mut process.election.timings.lease),
    },
    Flag {
        name: "leader-elect-renew-deadline",
        help: "a leader that could not renew for so long stops being one",
        topic: Topic::Election,
        default: "10s",
        sets: Sets::Duration(|process| &mut process.election.timings.renew),
    },
    Flag {
        name: "leader-elect-retry-period",
        help: "how often to try to become or to stay the leader",
        topic: Topic::Election,
        default: "2s",
        sets: Sets::Duration(|process| &mut process.election.timings.retry),
    },
    Flag {
        name: "leader-elect-resource-lock",
        help: "what to stand for; there are only leases",
        topic: Topic::Election,
        default: "leases",
        sets: Sets::Special(|_, text| match text {
            "leases" => Ok(()),
            _ => Err(format!("\"{}\" is not leases, which is all there is", text.escape_debug())),
        }),
    },
    Flag {
        name: "leader-elect-resource-name",
        help: "the name of the Lease",
        topic: Topic::Election,
        default: "cluster-autoscaler",
        sets: Sets::Special(|process, text| {
            process.election.name = object_name(text)?;
            Ok(())
        }),
    },
    Flag {
        name: "leader-elect-resource-namespace",
        help: "the namespace of the Lease; that of the flag namespace when it is left out",
        topic: Topic::Election,
        default: "",
        sets: Sets::Given(|process| &mut process.election.namespace),
    },
    // Logging.
    Flag {
        name: "v",
        help: "how much to write: 0 what happens, 2 more of the loop, 4 for finding mistakes, 6 everything",
        topic: Topic::Logs,
        default: "0",
        sets: Sets::Count(|process| &mut process.logs.verbosity),
    },
    Flag {
        name: "logging-format",
        help: "text or json",
        topic: Topic::Logs,
        default: "text",
        sets: Sets::Special(|process, text| {
            process.logs.format = match text {
                "text" => log::Format::Text,
                "json" => log::Format::Json,
                _ => return Err(format!("\"{}\" is neither text nor json", text.escape_debug())),
            };
            Ok(())
        }),
    },
];

/// Such as `0:60,1000:120`: lowest priority and longest time to end, in seconds.
fn waves(text: &str) -> Result<Vec<(i32, u32)>, String> {
    let mut waves = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let form = || format!("\"{}\" is not of the form priority:seconds", part.escape_debug());
        let (priority, seconds) = part.split_once(':').ok_or_else(form)?;
        waves.push((form::number(priority)?, form::count(seconds)?));
    }
    waves.sort_unstable();
    if let Some(twice) = waves.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("priority {} stands twice", twice[0].0));
    }
    Ok(waves)
}

/// A name that Kubernetes takes.
fn object_name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_fine = |byte: u8| is_plain(byte) || matches!(byte, b'-' | b'.');
    let ends = [text.bytes().next(), text.bytes().next_back()];
    if text.len() <= 253
        && text.bytes().all(is_fine)
        && ends.iter().all(|end| end.is_some_and(is_plain))
    {
        Ok(text.to_owned())
    } else {
        Err(format!("\"{}\" is not a name that an object may have", text.escape_debug()))
    }
}
