//! The objects around pods.

use serde_json::value::RawValue;

use crate::wire::{
    meta::{LabelSelector, Metadata},
    pod::PodTemplate as PodTemplateSpec,
    value::{CountOrText, Pairs, Text},
    wire,
};

wire! {
    /// A Deployment, ReplicaSet or StatefulSet.
    struct Replicated<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: ReplicatedSpec<'a>,
    }

    /// How many pods it wants, which of them are its own, and what they look like.
    struct ReplicatedSpec<'a> {
        "replicas" => replicas: Option<i64>,
        "selector" => selector: Option<LabelSelector<'a>>,
        "template" => template: Option<&'a RawValue>,
    }

    /// A v1.ReplicationController.
    struct ReplicationController<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: ReplicationControllerSpec<'a>,
    }

    /// The same, with a selector of the older form.
    struct ReplicationControllerSpec<'a> {
        "replicas" => replicas: Option<i64>,
        "selector" => selector: Pairs<'a, Text<'a>>,
        "template" => template: Option<&'a RawValue>,
    }

    /// A batch/v1 Job.
    struct Job<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: JobSpec<'a>,
        "status" => status: JobStatus,
    }

    /// How many pods a job runs at a time.
    struct JobSpec<'a> {
        "parallelism" => parallelism: Option<i64>,
        "completions" => completions: Option<i64>,
        "template" => template: Option<&'a RawValue>,
    }

    /// An apps/v1 DaemonSet.
    struct DaemonSet<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: DaemonSetSpec<'a>,
    }

    /// `spec` of a DaemonSet.
    struct DaemonSetSpec<'a> {
        "template" => template: PodTemplateSpec<'a>,
    }

    /// How far a job has come.
    struct JobStatus {
        "succeeded" => succeeded: Option<i64>,
    }

    /// A v1.PodTemplate.
    struct PodTemplate<'a> {
        "metadata" => metadata: Metadata<'a>,
        "template" => template: Option<&'a RawValue>,
    }

    /// A policy/v1 PodDisruptionBudget.
    struct Budget<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: BudgetSpec<'a>,
        "status" => status: BudgetStatus,
    }

    /// `spec` of a budget.
    struct BudgetSpec<'a> {
        "selector" => selector: Option<LabelSelector<'a>>,
        "minAvailable" => min_available: Option<CountOrText<'a>>,
        "maxUnavailable" => max_unavailable: Option<CountOrText<'a>>,
    }

    /// `status` of a budget.
    struct BudgetStatus {
        "disruptionsAllowed" => allowed: Option<i64>,
    }

    /// A v1.ConfigMap.
    struct ConfigMap<'a> {
        "metadata" => metadata: Metadata<'a>,
        "data" => data: Pairs<'a, Text<'a>>,
    }

    /// A scheduling.k8s.io/v1 PriorityClass.
    struct PriorityClass<'a> {
        "metadata" => metadata: Metadata<'a>,
        "value" => value: Option<i64>,
        "globalDefault" => global_default: Option<bool>,
    }
}
