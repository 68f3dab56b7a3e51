//! Requests for room.

use crate::wire::{
    condition::Condition,
    meta::Metadata,
    value::{List, Pairs, Text},
    wire,
};

wire! {
    /// A ProvisioningRequest of autoscaling.x-k8s.io.
    struct Request<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: RequestSpec<'a>,
        "status" => status: RequestStatus<'a>,
    }

    /// `spec` of a request.
    struct RequestSpec<'a> {
        "provisioningClassName" => class: Text<'a>,
        "parameters" => parameters: Pairs<'a, Text<'a>>,
        "podSets" => pod_sets: List<PodSet<'a>>,
    }

    /// So many pods of a template.
    struct PodSet<'a> {
        "podTemplateRef" => template: Reference<'a>,
        "count" => count: Option<i64>,
    }

    /// An object in the same namespace.
    struct Reference<'a> {
        "name" => name: Text<'a>,
    }

    /// `status` of a request.
    struct RequestStatus<'a> {
        "conditions" => conditions: List<Condition<'a>>,
    }
}
