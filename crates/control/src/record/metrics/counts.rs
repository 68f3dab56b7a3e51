//! What happens, as growth of counters and as times.

use jiff::Timestamp;
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{Group, PodName, Symbol};
use plimsoll_plan::{Repair, words};
use plimsoll_provider::Class;
use rustc_hash::FxHashMap;

use super::{Reading, readings::count};
use crate::{
    engine::{Cause, HeldBack, News, Pass},
    record::limits_reached,
};

/// What a pass adds.
pub(super) fn of_pass(pass: &Pass) -> Vec<Reading> {
    let mut counts = vec![Reading::of("plimsoll_passes_total", "cause", cause(pass.cause), 1.0)];
    if let Some(held @ HeldBack::Stale(_)) = &pass.held_back {
        let reason = crate::record::held_back_name(held);
        counts.push(Reading::of("cluster_autoscaler_errors_total", "type", reason, 1.0));
    }
    let reached = limits_reached(&pass.plan);
    for (limit, reason) in
        [("cores-total", "CpuResourceLimit"), ("memory-total", "MemoryResourceLimit")]
    {
        if reached.contains(&Symbol::new(limit)) {
            let name = "cluster_autoscaler_skipped_scale_events_count";
            counts.push(Reading::of(name, "direction", "up", 1.0).and("reason", reason));
        }
    }
    counts
}

/// How long the parts of a pass took, and how long pods waited for it.
pub(super) fn times(pass: &Pass) -> Vec<Reading> {
    let took = pass.took;
    let parts =
        [("wait", took.waited), ("observe", took.observe), ("plan", took.plan), ("act", took.act)];
    let mut times: Vec<Reading> = parts
        .into_iter()
        .map(|(part, time)| {
            Reading::of("plimsoll_pass_duration_seconds", "part", part, time.as_secs_f64())
        })
        .collect();
    let functions = [
        ("main", took.observe + took.plan + took.act),
        ("updateClusterState", took.observe),
        ("loopWait", took.waited),
    ];
    for (function, time) in functions {
        let name = "cluster_autoscaler_function_duration_seconds";
        times.push(Reading::of(name, "function", function, time.as_secs_f64()));
    }
    if pass.begun.orders.is_empty() {
        return times;
    }
    let created: FxHashMap<PodName, Timestamp> =
        pass.seen.pending.iter().map(|pod| (pod.id(), pod.created)).collect();
    let begun = pass.orders.iter().filter(|order| pass.begun.orders.contains(&order.id));
    for order in begun {
        let purchase = pass.plan.purchases.iter().find(|one| one.group == order.intent.group);
        for pod in purchase.into_iter().flat_map(|purchase| &purchase.pods) {
            if let Some(created) = created.get(pod) {
                let waited = pass.at.duration_since(*created).as_secs_f64().max(0.0);
                times.push(Reading::new("plimsoll_pod_order_delay_seconds", waited));
            }
        }
    }
    times
}

/// What a piece of news adds.
pub(super) fn of_news(news: &News, pass: Option<&Pass>) -> Vec<Reading> {
    let gpu = |group: Symbol| {
        let groups = pass.map(|pass| pass.seen.groups.as_slice()).unwrap_or_default();
        groups.iter().find(|known| known.id == group).and_then(accelerator)
    };
    match news {
        News::Placed(order) => {
            let added = f64::from(order.machines());
            let (resource, name) = gpu(order.intent.group).unwrap_or_default();
            let labelled = |metric| {
                Reading::of(metric, "gpu_resource_name", resource.clone(), added)
                    .and("gpu_name", name.clone())
            };
            let mut counts =
                vec![labelled("cluster_autoscaler_scaled_up_nodes_total").and("dra_drivers", "")];
            if !resource.is_empty() {
                counts.push(labelled("cluster_autoscaler_scaled_up_gpu_nodes_total"));
            }
            counts
        }
        News::OrderFailed { order, class, code } => {
            let reason = failure(*class, code);
            let (resource, name) = gpu(order.intent.group).unwrap_or_default();
            let labelled = |metric| {
                Reading::of(metric, "reason", reason.clone(), 1.0)
                    .and("gpu_resource_name", resource.clone())
                    .and("gpu_name", name.clone())
            };
            let mut counts =
                vec![labelled("cluster_autoscaler_failed_scale_ups_total").and("dra_drivers", "")];
            if !resource.is_empty() {
                counts.push(labelled("cluster_autoscaler_failed_gpu_scale_ups_total"));
            }
            counts
        }
        News::ScaleUpHeldBack { .. } => {
            vec![Reading::new("plimsoll_scale_ups_held_back_total", 1.0)]
        }
        News::Gone(gone) => {
            let why = gone.reason.map_or("unknown", words::retirement_name);
            let (resource, name) = gpu(gone.group).unwrap_or_default();
            let labelled = |metric| {
                Reading::of(metric, "reason", why, 1.0)
                    .and("gpu_resource_name", resource.clone())
                    .and("gpu_name", name.clone())
            };
            let mut counts =
                vec![labelled("cluster_autoscaler_scaled_down_nodes_total").and("dra_drivers", "")];
            if !resource.is_empty() {
                counts.push(labelled("cluster_autoscaler_scaled_down_gpu_nodes_total"));
            }
            counts
        }
        News::Evicted { outcome, .. } => {
            let result = match outcome {
                Eviction::Accepted => "succeeded",
                Eviction::Failed { .. } => "failed",
                // Neither is an eviction.
                Eviction::Gone | Eviction::Blocked { .. } => return Vec::new(),
            };
            let name = "cluster_autoscaler_evicted_pods_total";
            vec![Reading::of(name, "eviction_result", result, 1.0)]
        }
        News::Repaired(Repair::DeleteInstance { .. }) => {
            let name = "cluster_autoscaler_old_unregistered_nodes_removed_count";
            vec![Reading::new(name, count(1))]
        }
        News::Released { .. } => vec![Reading::new("plimsoll_released_nodes_total", 1.0)],
        News::Repaired(_)
        | News::RepairFailed { .. }
        | News::OrderUnwritten { .. }
        | News::Leaving(_)
        | News::Cleaned(_) => Vec::new(),
    }
}

/// How long a node took to leave, or to stay.
pub(super) fn removal(news: &News, now: Timestamp) -> Option<Reading> {
    let (retirement, deleted) = match news {
        News::Gone(gone) => (gone, "true"),
        News::Released { retirement, .. } => (retirement, "false"),
        _ => return None,
    };
    let took = now.duration_since(retirement.since).as_secs_f64().max(0.0);
    let name = "cluster_autoscaler_node_removal_latency_seconds";
    Some(Reading::of(name, "deleted", deleted, took).and("delay_reason", ""))
}

/// The accelerators of a group's nodes: the resource, and their name as far as labels tell.
fn accelerator(group: &Group) -> Option<(String, String)> {
    let template = group.template.as_ref()?;
    let mut resources = template.capacity.iter().map(|(name, _)| name.as_str());
    let resource = resources.find(|name| name.ends_with("/gpu") || name.ends_with(".com/tpu"))?;
    let mut labels = template.labels.iter();
    let is_name = |key: &str| key.ends_with("accelerator") || key.ends_with("/gpu.product");
    let name = labels.find(|(key, _)| is_name(key.as_str())).map(|(_, value)| value.as_str());
    Some((resource.to_owned(), name.unwrap_or("generic").to_owned()))
}

/// Upstream's words where it has one; else the provider's code.
fn failure(class: Class, code: &str) -> String {
    match (class, code) {
        (Class::Retry, _) => "timeout".to_owned(),
        (_, "") => "cloudProviderError".to_owned(),
        (_, code) => code.to_owned(),
    }
}

const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Scan => "scan",
        Cause::Cluster => "cluster",
        Cause::Fleet => "fleet",
        Cause::Outcome => "outcome",
        Cause::Settings => "settings",
        Cause::Leading => "leading",
        Cause::Asked => "asked",
    }
}
