//! CapacityQuotas.

use crate::wire::{
    meta::{Condition, LabelSelector, Metadata},
    value::{Amount, List, Pairs},
    wire,
};

wire! {
    /// An autoscaling.x-k8s.io CapacityQuota, v1alpha1 or v1beta1.
    struct Quota<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: QuotaSpec<'a>,
        "status" => status: QuotaStatus<'a>,
    }

    /// `spec` of a quota.
    struct QuotaSpec<'a> {
        "selector" => selector: Option<LabelSelector<'a>>,
        "limits" => limits: QuotaLimits<'a>,
    }

    /// `spec.limits` of a quota.
    struct QuotaLimits<'a> {
        "resources" => resources: Pairs<'a, Amount<'a>>,
    }

    /// `status` of a quota.
    struct QuotaStatus<'a> {
        "conditions" => conditions: List<Condition<'a>>,
    }
}
