//! CapacityBuffers, and the quotas of namespaces.

use crate::wire::{
    condition::Condition,
    meta::Metadata,
    value::{Amount, List, Pairs, Text},
    wire,
};

wire! {
    /// An autoscaling.x-k8s.io CapacityBuffer.
    struct Buffer<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: BufferSpec<'a>,
        "status" => status: BufferStatus<'a>,
    }

    /// `spec` of a buffer.
    struct BufferSpec<'a> {
        "provisioningStrategy" => strategy: Text<'a>,
        "podTemplateRef" => template: Option<Reference<'a>>,
        "scalableRef" => scalable: Option<Reference<'a>>,
        "replicas" => replicas: Option<i64>,
        "percentage" => percentage: Option<i64>,
        "limits" => limits: Option<Pairs<'a, Amount<'a>>>,
    }

    /// `status` of a buffer.
    struct BufferStatus<'a> {
        "podTemplateRef" => template: Reference<'a>,
        "replicas" => replicas: Option<i64>,
        "podTemplateGeneration" => generation: Option<i64>,
        "provisioningStrategy" => strategy: Text<'a>,
        "conditions" => conditions: List<Condition<'a>>,
    }

    /// An object of the same namespace.
    struct Reference<'a> {
        "apiGroup" => group: Text<'a>,
        "kind" => kind: Text<'a>,
        "name" => name: Text<'a>,
    }

    /// A v1.ResourceQuota.
    struct Quota<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: QuotaSpec<'a>,
        "status" => status: QuotaStatus<'a>,
    }

    /// `spec` of a quota.
    struct QuotaSpec<'a> {
        "scopes" => scopes: List<Text<'a>>,
        "scopeSelector" => selector: ScopeSelector<'a>,
    }

    /// Scopes with values.
    struct ScopeSelector<'a> {
        "matchExpressions" => expressions: List<ScopeExpression<'a>>,
    }

    /// A scope with values.
    struct ScopeExpression<'a> {
        "scopeName" => scope: Text<'a>,
        "operator" => operator: Text<'a>,
        "values" => values: List<Text<'a>>,
    }

    /// `status` of a quota.
    struct QuotaStatus<'a> {
        "hard" => hard: Pairs<'a, Amount<'a>>,
        "used" => used: Pairs<'a, Amount<'a>>,
    }
}
