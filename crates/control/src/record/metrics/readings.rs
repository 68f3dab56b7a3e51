//! What a pass shows, as values of gauges.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_cluster::taints::Mark;
use plimsoll_model::{Symbol, resource};
use plimsoll_plan::{BlockReason, GroupHealth, Outcome, words};

use super::{Freshness, Reading};
use crate::{
    engine::{HeldBack, Pass},
    observe::is_leaving,
    record::census::census,
};

/// What holds for the whole cluster.
pub(super) fn readings(pass: &Pass, providers: &[Freshness]) -> Vec<Reading> {
    let mut readings = vec![
        Reading::new("cluster_autoscaler_cluster_safe_to_autoscale", flag(pass.plan.healthy)),
        Reading::of(
            "cluster_autoscaler_node_groups_count",
            "node_group_type",
            "autoscaled",
            count(pass.seen.groups.len()),
        ),
        Reading::new(
            "cluster_autoscaler_max_nodes_count",
            f64::from(pass.settings.plan.limits.nodes),
        ),
        Reading::new("cluster_autoscaler_pending_node_deletions", count(pass.retirements.len())),
        Reading::new("cluster_autoscaler_unneeded_nodes_count", count(pass.plan.unneeded.len())),
        Reading::new("plimsoll_unreadable_objects", count(pass.seen.unreadable.len())),
        Reading::new("plimsoll_cluster_pods", count(pass.seen.pods)),
        Reading::new("plimsoll_pass_number", number(pass.number)),
    ];
    nodes(pass, &mut readings);
    pods(pass, &mut readings);
    limits(pass, &mut readings);
    activity(pass, &mut readings);
    work(pass, &mut readings);
    for Freshness { provider, as_of, is_failing } in providers {
        let name = provider.clone();
        readings.push(Reading::of(
            "plimsoll_provider_failing",
            "provider",
            name,
            flag(*is_failing),
        ));
        if let Some(as_of) = as_of {
            let age = pass.at.duration_since(*as_of).as_secs_f64().max(0.0);
            let name = provider.clone();
            readings.push(Reading::of("plimsoll_provider_age_seconds", "provider", name, age));
        }
    }
    readings
}

/// What holds for each group.
pub(super) fn of_groups(pass: &Pass) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut add = |name, group: Symbol, value| {
        readings.push(Reading::of(name, "node_group", group.as_str(), value));
    };
    for group in &pass.seen.groups {
        add("cluster_autoscaler_node_group_min_count", group.id, f64::from(group.min));
        add("cluster_autoscaler_node_group_max_count", group.id, f64::from(group.max));
        add("cluster_autoscaler_node_group_target_count", group.id, f64::from(group.target));
        if let Some(price) = group.price {
            add("plimsoll_group_price_per_hour", group.id, price.units());
        }
    }
    for report in &pass.plan.groups {
        let is_healthy =
            matches!(report.health, GroupHealth::Healthy | GroupHealth::Backoff { .. });
        add("cluster_autoscaler_node_group_healthiness", report.id, flag(is_healthy));
        add("plimsoll_group_ready_nodes", report.id, f64::from(report.ready));
        add("plimsoll_group_upcoming_nodes", report.id, f64::from(report.upcoming));
    }
    for report in &pass.plan.groups {
        let (reason, value) = match &report.health {
            GroupHealth::Backoff { code, .. } => (code.to_string(), 1.0),
            _ => (String::new(), 0.0),
        };
        let name = "cluster_autoscaler_node_group_backoff_status";
        let group = report.id.as_str();
        readings.push(Reading::of(name, "node_group", group, value).and("reason", reason));
    }
    readings
}

fn nodes(pass: &Pass, readings: &mut Vec<Reading>) {
    let all = census(pass).all;
    let states = [
        ("ready", all.ready),
        ("unready", all.unready),
        ("notStarted", all.not_started),
        ("unregistered", all.unregistered),
        ("longUnregistered", all.long_unregistered),
    ];
    for (state, nodes) in states {
        let name = "cluster_autoscaler_nodes_count";
        readings.push(Reading::of(name, "state", state, f64::from(nodes)));
    }
    let [cpu, memory] = [resource::CPU, resource::MEMORY].map(Symbol::new);
    let staying = pass.seen.nodes.iter().filter(|node| !node.deleting && !is_leaving(node));
    let sum = |name| staying.clone().map(|node| amount(node.capacity.get(name))).sum::<f64>();
    readings.push(Reading::new("cluster_autoscaler_cluster_cpu_current_cores", sum(cpu) / 1000.0));
    readings.push(Reading::new("cluster_autoscaler_cluster_memory_current_bytes", sum(memory)));
    let mut blocked: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &pass.plan.blocked {
        *blocked.entry(words::block_reason(one.reason).0).or_default() += 1;
    }
    let cools = pass.plan.blocked.iter().any(|one| one.reason == BlockReason::Cooldown);
    readings.push(Reading::new("cluster_autoscaler_scale_down_in_cooldown", flag(cools)));
    for (reason, nodes) in blocked {
        let name = "cluster_autoscaler_unremovable_nodes_count";
        readings.push(Reading::of(name, "reason", reason, count(nodes)));
    }
    let mut taints: BTreeMap<&str, usize> = BTreeMap::new();
    for taint in pass.seen.nodes.iter().flat_map(|node| &node.taints) {
        *taints.entry(taint_kind(pass, taint.key.as_str())).or_default() += 1;
    }
    for (kind, nodes) in taints {
        let name = "cluster_autoscaler_node_taints_count";
        readings.push(Reading::of(name, "type", kind, count(nodes)));
    }
}

/// The kinds that upstream knows.
fn taint_kind(pass: &Pass, key: &str) -> &'static str {
    let settings = &pass.settings.plan.taints;
    let starts = |prefix: &str| key.starts_with(prefix);
    if key == Mark::Leaving.key() || key == Mark::Candidate.key() {
        "cluster-autoscaler"
    } else if starts("startup-taint.cluster-autoscaler.kubernetes.io/")
        || starts("ignore-taint.cluster-autoscaler.kubernetes.io/")
        || settings.startup.iter().any(|known| known.as_str() == key)
        || settings.startup_prefixes.iter().any(|prefix| starts(prefix))
    {
        "startup-taint"
    } else if starts("status-taint.cluster-autoscaler.kubernetes.io/")
        || settings.status.iter().any(|known| known.as_str() == key)
    {
        "status-taint"
    } else if starts("node.kubernetes.io/") || starts("node.cloudprovider.kubernetes.io/") {
        "node-condition"
    } else {
        "other"
    }
}

fn pods(pass: &Pass, readings: &mut Vec<Reading>) {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unschedulable = 0;
    for report in &pass.plan.pods {
        *outcomes.entry(words::outcome_name(report.outcome)).or_default() += 1;
        let is_ours = !matches!(report.outcome, Outcome::Ignored | Outcome::Expendable);
        unschedulable += usize::from(is_ours);
    }
    let name = "cluster_autoscaler_unschedulable_pods_count";
    readings.push(Reading::of(name, "type", "unschedulable", count(unschedulable)));
    for (outcome, pods) in outcomes {
        readings.push(Reading::of("plimsoll_pods", "outcome", outcome, count(pods)));
    }
}

fn limits(pass: &Pass, readings: &mut Vec<Reading>) {
    const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
    let limits = &pass.settings.plan.limits;
    let kinds = [
        ("cluster_autoscaler_cpu_limits_cores", limits.cores, 1.0),
        ("cluster_autoscaler_memory_limits_bytes", limits.memory_gib, GIB),
    ];
    for (name, range, unit) in kinds {
        readings.push(Reading::of(name, "direction", "minimum", amount(range.min) * unit));
        readings.push(Reading::of(name, "direction", "maximum", amount(range.max) * unit));
    }
}

fn activity(pass: &Pass, readings: &mut Vec<Reading>) {
    let memory = &pass.memory;
    let moments = [
        ("main", Some(pass.at)),
        ("autoscaling", Some(pass.at).filter(|_| pass.held_back.is_none())),
        ("scaleUp", memory.last_scale_up),
        ("scaleDown", memory.last_scale_down),
    ];
    for (what, moment) in moments {
        if let Some(moment) = moment {
            let name = "cluster_autoscaler_last_activity";
            readings.push(Reading::of(name, "activity", what, seconds(moment)));
        }
    }
}

/// What is under way, and what it costs.
fn work(pass: &Pass, readings: &mut Vec<Reading>) {
    let mut phases: BTreeMap<&str, usize> = BTreeMap::new();
    for order in &pass.orders {
        *phases.entry(order.phase.name()).or_default() += 1;
    }
    for (phase, orders) in phases {
        readings.push(Reading::of("plimsoll_orders", "phase", phase, count(orders)));
    }
    let mut stages: BTreeMap<&str, usize> = BTreeMap::new();
    for leaving in &pass.retirements {
        *stages.entry(leaving.stage).or_default() += 1;
    }
    for (stage, nodes) in stages {
        readings.push(Reading::of("plimsoll_retirements", "stage", stage, count(nodes)));
    }
    let reason = pass.held_back.as_ref().map(super::super::held_back_name);
    let is_stale = matches!(pass.held_back, Some(HeldBack::Stale(_)));
    readings.push(Reading::new("plimsoll_cluster_stale", flag(is_stale)));
    if let Some(reason) = reason {
        readings.push(Reading::of("plimsoll_held_back", "reason", reason, 1.0));
    }
    let cost = &pass.plan.cost;
    let name = "plimsoll_cost_per_hour";
    readings.push(Reading::of(name, "when", "now", cost.before.units()));
    readings.push(Reading::of(name, "when", "planned", cost.after.units()));
}

const fn flag(is_so: bool) -> f64 {
    if is_so { 1.0 } else { 0.0 }
}

pub(super) fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::MAX, f64::from)
}

#[expect(clippy::cast_precision_loss, reason = "exact up to nine petabytes, and shown to people")]
const fn amount(amount: i64) -> f64 {
    amount as f64
}

#[expect(clippy::cast_precision_loss, reason = "nobody counts that far")]
const fn number(number: u64) -> f64 {
    number as f64
}

fn seconds(moment: Timestamp) -> f64 {
    moment.as_duration().as_secs_f64()
}
