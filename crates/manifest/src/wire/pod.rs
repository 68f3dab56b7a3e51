//! Pods.

use serde::de::IgnoredAny;

use crate::wire::{
    affinity::{Affinity, SpreadConstraint, Toleration},
    container::{Container, ContainerStatus, Requirements},
    meta::{Condition, Metadata},
    value::{Amount, List, Pairs, Text},
    volume::PodVolume,
    wire,
};

wire! {
    /// A v1.Pod.
    struct Pod<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: PodSpec<'a>,
        "status" => status: PodStatus<'a>,
    }

    /// What the pods of a controller look like.
    struct PodTemplate<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: PodSpec<'a>,
    }

    /// `spec` of a pod.
    struct PodSpec<'a> {
        "nodeName" => node: Text<'a>,
        "schedulerName" => scheduler: Text<'a>,
        "hostNetwork" => host_network: Option<bool>,
        "containers" => containers: List<Container<'a>>,
        "initContainers" => init_containers: List<Container<'a>>,
        "resources" => resources: Requirements<'a>,
        "overhead" => overhead: Pairs<'a, Amount<'a>>,
        "nodeSelector" => node_selector: Pairs<'a, Text<'a>>,
        "affinity" => affinity: Affinity<'a>,
        "tolerations" => tolerations: List<Toleration<'a>>,
        "topologySpreadConstraints" => spread: List<SpreadConstraint<'a>>,
        "volumes" => volumes: List<PodVolume<'a>>,
        "resourceClaims" => claims: List<PodClaim<'a>>,
        "priority" => priority: Option<i64>,
        "priorityClassName" => priority_class: Text<'a>,
        "restartPolicy" => restart_policy: Text<'a>,
        "schedulingGates" => gates: List<IgnoredAny>,
        "terminationGracePeriodSeconds" => grace: Option<i64>,
    }

    /// `status` of a pod.
    struct PodStatus<'a> {
        "phase" => phase: Text<'a>,
        "nominatedNodeName" => nominated: Text<'a>,
        "conditions" => conditions: List<Condition<'a>>,
        "containerStatuses" => containers: List<ContainerStatus<'a>>,
        "initContainerStatuses" => init_containers: List<ContainerStatus<'a>>,
        "resourceClaimStatuses" => claims: List<PodClaimStatus<'a>>,
    }

    /// An entry of `spec.resourceClaims`.
    struct PodClaim<'a> {
        "name" => name: Text<'a>,
        "resourceClaimName" => claim: Text<'a>,
        "resourceClaimTemplateName" => template: Text<'a>,
    }

    /// The claim that was made for an entry of `spec.resourceClaims`.
    struct PodClaimStatus<'a> {
        "name" => name: Text<'a>,
        "resourceClaimName" => claim: Text<'a>,
    }
}
