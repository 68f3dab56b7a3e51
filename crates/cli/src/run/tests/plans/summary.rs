//! A plan in short.

use plimsoll_plan::{GroupHealth, Plan, Repair};

/// What is bought, given back and put right, what becomes of pods, what keeps nodes, and which groups rest.
pub(crate) fn summary(plan: &Plan) -> String {
    let mut parts = Vec::new();
    for purchase in &plan.purchases {
        parts.push(format!("buy {} {}→{}", purchase.group, purchase.from, purchase.to));
    }
    for leaving in &plan.retirements {
        let evicted: Vec<&str> = leaving.evict.iter().map(|pod| &*pod.name).collect();
        parts.push(format!("give back {} ({:?}) {}", leaving.node, leaving.why, evicted.join(" ")));
    }
    for repair in &plan.repairs {
        parts.push(match repair {
            Repair::DeleteInstance { instance, .. } => format!("delete {instance}"),
            Repair::LowerTarget { group, from, to, .. } => format!("lower {group} {from}→{to}"),
            Repair::RaiseToMin { group, from, to } => format!("raise {group} {from}→{to}"),
        });
    }
    for pod in &plan.pods {
        parts.push(format!("{} {:?}", pod.pod.name, pod.outcome));
    }
    for blocked in &plan.blocked {
        parts.push(format!("keep {} ({:?})", blocked.node, blocked.reason));
    }
    for group in &plan.groups {
        match &group.health {
            GroupHealth::Healthy => {}
            GroupHealth::Backoff { until, .. } => {
                parts.push(format!("{} rests until {until}", group.id));
            }
            health => parts.push(format!("{} {health:?}", group.id)),
        }
    }
    if !plan.healthy {
        parts.push("unhealthy".to_owned());
    }
    parts.join(", ").replace(" ,", ",")
}
