//! Containers: what they ask for, and what they were given.

use crate::wire::{
    value::{Amount, List, Pairs, Text},
    wire,
};

wire! {
    /// An entry of `spec.containers` or `spec.initContainers`.
    struct Container<'a> {
        "name" => name: Text<'a>,
        "resources" => resources: Requirements<'a>,
        "ports" => ports: List<Port<'a>>,
        "restartPolicy" => restart_policy: Text<'a>,
    }

    /// `resources` of a container, its status, a pod or a claim.
    struct Requirements<'a> {
        "requests" => requests: Pairs<'a, Amount<'a>>,
        "limits" => limits: Pairs<'a, Amount<'a>>,
    }

    /// A port of a container.
    struct Port<'a> {
        "containerPort" => inner: Option<i64>,
        "hostPort" => outer: Option<i64>,
        "hostIP" => ip: Text<'a>,
        "protocol" => protocol: Text<'a>,
    }

    /// An entry of `status.containerStatuses` or `status.initContainerStatuses`.
    struct ContainerStatus<'a> {
        "name" => name: Text<'a>,
        "resources" => resources: Option<Requirements<'a>>,
        "allocatedResources" => allocated: Pairs<'a, Amount<'a>>,
    }
}
