//! table: upstream flags that are taken without effect, each with what is not done about it.

use super::Accepted;
use crate::run::words::Shape::{Switch, Value};

/// Upstream flags that are taken without effect.
pub(in crate::run) const ACCEPTED: &[Accepted] = &[
    // The process.
    Accepted {
        name: "kube-api-content-type",
        default: "application/vnd.kubernetes.protobuf",
        shape: Value,
        not_done: "JSON is spoken with the API server",
    },
    Accepted {
        name: "regional",
        default: "false",
        shape: Switch,
        not_done: "no provider here asks for it",
    },
    Accepted {
        name: "scheduler-verbosity",
        default: "0",
        shape: Value,
        not_done: "the filters of the scheduler write no log of their own",
    },
    Accepted {
        name: "feature-gates",
        default: "",
        shape: Value,
        not_done: "the filters are those of kube-scheduler 1.36 with its default gates",
    },
    // Logs.
    Accepted {
        name: "add-dir-header",
        default: "false",
        shape: Switch,
        not_done: "log lines have no header",
    },
    Accepted {
        name: "alsologtostderr",
        default: "false",
        shape: Switch,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "log-backtrace-at",
        default: ":0",
        shape: Value,
        not_done: "no stack traces are written",
    },
    Accepted {
        name: "log-dir",
        default: "",
        shape: Value,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "log-file",
        default: "",
        shape: Value,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "log-file-max-size",
        default: "1800",
        shape: Value,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "log-flush-frequency",
        default: "5s",
        shape: Value,
        not_done: "every line is written at once",
    },
    Accepted {
        name: "log-json-info-buffer-size",
        default: "0",
        shape: Value,
        not_done: "every line is written at once",
    },
    Accepted {
        name: "log-json-split-stream",
        default: "false",
        shape: Switch,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "log-text-info-buffer-size",
        default: "0",
        shape: Value,
        not_done: "every line is written at once",
    },
    Accepted {
        name: "log-text-split-stream",
        default: "false",
        shape: Switch,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "logtostderr",
        default: "true",
        shape: Switch,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "one-output",
        default: "false",
        shape: Switch,
        not_done: "every line is written once",
    },
    Accepted {
        name: "skip-headers",
        default: "false",
        shape: Switch,
        not_done: "log lines have no header",
    },
    Accepted {
        name: "skip-log-headers",
        default: "false",
        shape: Switch,
        not_done: "log lines have no header",
    },
    Accepted {
        name: "stderrthreshold",
        default: "2",
        shape: Value,
        not_done: "the log goes to standard error, and nowhere else",
    },
    Accepted {
        name: "vmodule",
        default: "",
        shape: Value,
        not_done: "the level is the same for all files; PLIMSOLL_LOG=crate=level sets it for a part",
    },
    // Infrastructures and their groups.
    Accepted {
        name: "async-node-groups",
        default: "false",
        shape: Switch,
        not_done: "no groups are made or removed",
    },
    Accepted {
        name: "aws-use-static-instance-list",
        default: "false",
        shape: Switch,
        not_done: "there is no AWS provider",
    },
    Accepted {
        name: "bulk-mig-instances-listing-enabled",
        default: "false",
        shape: Switch,
        not_done: "there is no GCE provider",
    },
    Accepted {
        name: "clusterapi-cloud-config-authoritative",
        default: "false",
        shape: Switch,
        not_done: "there is no Cluster API provider",
    },
    Accepted {
        name: "gce-concurrent-refreshes",
        default: "1",
        shape: Value,
        not_done: "there is no GCE provider",
    },
    Accepted {
        name: "gce-mig-instances-min-refresh-wait-time",
        default: "5s",
        shape: Value,
        not_done: "there is no GCE provider",
    },
    // What to buy.
    Accepted {
        name: "cluster-snapshot-parallelism",
        default: "16",
        shape: Value,
        not_done: "the number of threads makes no difference to the plan",
    },
    Accepted {
        name: "enable-dynamic-resource-allocation",
        default: "true",
        shape: Switch,
        not_done: "claims of dynamic resource allocation always count",
    },
    Accepted {
        name: "enable-inter-pod-affinity-hostname-fast-path",
        default: "false",
        shape: Switch,
        not_done: "affinity is always counted per domain, which is as fast",
    },
    Accepted {
        name: "estimator",
        default: "binpacking",
        shape: Value,
        not_done: "there is one way to pack",
    },
    Accepted {
        name: "fastpath-binpacking-enabled",
        default: "false",
        shape: Switch,
        not_done: "like pods are always packed together",
    },
    Accepted {
        name: "predicate-parallelism",
        default: "4",
        shape: Value,
        not_done: "the number of threads makes no difference to the plan",
    },
    Accepted {
        name: "scale-from-unschedulable",
        default: "false",
        shape: Switch,
        not_done: "new nodes are always taken to be open",
    },
    Accepted {
        name: "scaleup-simulation-for-skipped-node-groups-enabled",
        default: "false",
        shape: Switch,
        not_done: "reasons are always given for every group",
    },
    // What to give back.
    Accepted {
        name: "dynamic-node-delete-delay-after-taint-enabled",
        default: "false",
        shape: Switch,
        not_done: "the delay is what node-delete-delay-after-taint says",
    },
    Accepted {
        name: "max-node-skip-eval-time-tracker-enabled",
        default: "false",
        shape: Switch,
        not_done: "every node is looked at in every pass",
    },
    Accepted {
        name: "node-removal-latency-tracking-enabled",
        default: "false",
        shape: Switch,
        not_done: "kubectl get nodeorders shows how long a node takes to leave",
    },
    Accepted {
        name: "scale-down-candidates-pool-min-count",
        default: "50",
        shape: Value,
        not_done: "every node is looked at in every pass; upstream does not read it either",
    },
    Accepted {
        name: "scale-down-candidates-pool-ratio",
        default: "0.1",
        shape: Value,
        not_done: "every node is looked at in every pass; upstream does not read it either",
    },
    Accepted {
        name: "scale-down-non-empty-candidates-count",
        default: "30",
        shape: Value,
        not_done: "every node is looked at in every pass; upstream does not read it either",
    },
    // Batches of requests.
    Accepted {
        name: "check-capacity-batch-processing",
        default: "false",
        shape: Switch,
        not_done: "one pass serves all ProvisioningRequests anyway",
    },
    Accepted {
        name: "check-capacity-provisioning-request-batch-timebox",
        default: "10s",
        shape: Value,
        not_done: "one pass serves all ProvisioningRequests, however many and however long it takes",
    },
    Accepted {
        name: "check-capacity-provisioning-request-max-batch-size",
        default: "10",
        shape: Value,
        not_done: "one pass serves all ProvisioningRequests, however many and however long it takes",
    },
];
