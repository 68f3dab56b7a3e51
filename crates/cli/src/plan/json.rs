//! The plan for programs: one JSON object, whose lists are sorted as they are printed.

use std::{fmt::Display, io};

use plimsoll_model::Symbol;
use plimsoll_plan::{
    Blocked, GroupHealth, GroupRejection, GroupReport, Plan, PodReport, Purchase, Repair,
    Retirement, words,
};
use serde::{Serialize, Serializer};

use super::full_name;

/// Writes the plan in one line.
pub(super) fn write(mut out: impl io::Write, plan: &Plan, placements: bool) -> io::Result<()> {
    serde_json::to_writer(&mut out, &Output::of(plan, placements))?;
    writeln!(out)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'p> {
    scale_up: Vec<Growth<'p>>,
    scale_down: Vec<Removal<'p>>,
    repairs: Vec<Mending<'p>>,
    unneeded: Vec<Idle>,
    blocked: Vec<Staying<'p>>,
    pods: Vec<Waiting<'p>>,
    groups: Vec<Standing<'p>>,
    cluster: Cluster<'p>,
    cost: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    placements: Option<Vec<Placed<'p>>>,
}

/// What is printed with its own words.
struct Shown<T>(T);

#[derive(Serialize)]
struct Growth<'p> {
    group: &'static str,
    from: u32,
    to: u32,
    pods: Vec<Shown<&'p plimsoll_model::PodName>>,
}

#[derive(Serialize)]
struct Removal<'p> {
    node: &'static str,
    group: &'static str,
    why: &'static str,
    evict: Vec<Shown<&'p plimsoll_model::PodName>>,
}

#[derive(Serialize)]
struct Mending<'p> {
    r#do: &'static str,
    group: &'static str,
    instance: Option<&'p str>,
    from: Option<u32>,
    to: Option<u32>,
    why: &'p str,
}

#[derive(Serialize)]
struct Idle {
    node: &'static str,
    since: Shown<plimsoll_model::Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Staying<'p> {
    node: &'static str,
    reason: &'static str,
    pod: Option<Shown<&'p plimsoll_model::PodName>>,
    pod_reason: Option<&'static str>,
}

#[derive(Serialize)]
struct Waiting<'p> {
    pod: Shown<&'p plimsoll_model::PodName>,
    outcome: &'static str,
    group: Option<&'static str>,
    node: Option<Shown<plimsoll_plan::Place>>,
    rejections: Rejections<'p>,
}

/// Words are made while they are written: pods of one shape share a list, and there may be very many of them.
struct Rejections<'p>(&'p [GroupRejection]);

#[derive(Serialize)]
struct Objection<'p> {
    group: &'static str,
    reason: &'static str,
    message: Shown<words::Reason<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Standing<'p> {
    id: &'static str,
    health: &'static str,
    backoff_until: Option<Shown<&'p plimsoll_model::Timestamp>>,
    target: u32,
    ready: u32,
    upcoming: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<Held>,
}

/// Machines without a node that are not deleted for now.
#[derive(Serialize)]
struct Held {
    machines: u32,
    reason: &'static str,
}

#[derive(Serialize)]
struct Cluster<'p> {
    healthy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    contradiction: Option<Contradiction<'p>>,
}

/// Most machines have no node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contradiction<'p> {
    machines: u32,
    without_node: u32,
    since: Shown<&'p plimsoll_model::Timestamp>,
}

#[derive(Serialize)]
struct Cost {
    before: f64,
    after: f64,
}

#[derive(Serialize)]
struct Placed<'p> {
    pod: Shown<&'p plimsoll_model::PodName>,
    node: Shown<plimsoll_plan::Place>,
}

// === impl Output ===

impl<'p> Output<'p> {
    fn of(plan: &'p Plan, placements: bool) -> Self {
        let mut pods: Vec<&PodReport> = plan.pods.iter().collect();
        pods.sort_by(|one, other| full_name::compare(&one.pod, &other.pod));
        let place = |place: &'p plimsoll_plan::Placement| Placed {
            pod: Shown(&place.pod),
            node: Shown(place.node),
        };
        let cost = &plan.cost;
        Self {
            scale_up: plan.purchases.iter().map(Growth::of).collect(),
            scale_down: plan.retirements.iter().map(Removal::of).collect(),
            repairs: plan.repairs.iter().map(Mending::of).collect(),
            unneeded: plan
                .unneeded
                .iter()
                .map(|idle| Idle { node: idle.node.as_str(), since: Shown(idle.since) })
                .collect(),
            blocked: plan.blocked.iter().map(Staying::of).collect(),
            pods: pods.into_iter().map(Waiting::of).collect(),
            groups: plan.groups.iter().map(Standing::of).collect(),
            cluster: Cluster::of(plan),
            cost: Cost { before: cost.before.units(), after: cost.after.units() },
            placements: placements.then(|| plan.placements.iter().map(place).collect()),
        }
    }
}

impl<'p> Growth<'p> {
    fn of(purchase: &'p Purchase) -> Self {
        let pods = full_name::sorted(&purchase.pods).into_iter().map(Shown).collect();
        Self { group: purchase.group.as_str(), from: purchase.from, to: purchase.to, pods }
    }
}

impl<'p> Removal<'p> {
    fn of(retirement: &'p Retirement) -> Self {
        Self {
            node: retirement.node.as_str(),
            group: retirement.group.as_str(),
            why: words::retirement_name(retirement.why),
            evict: full_name::sorted(&retirement.evict).into_iter().map(Shown).collect(),
        }
    }
}

impl<'p> Mending<'p> {
    fn of(repair: &'p Repair) -> Self {
        let (group, instance, sizes, why) = match repair {
            Repair::DeleteInstance { group, instance, why } => {
                (group, Some(&**instance), None, why.as_str())
            }
            Repair::LowerTarget { group, from, to, why } => {
                (group, None, Some((*from, *to)), why.as_str())
            }
            Repair::RaiseToMin { group, from, to } => {
                (group, None, Some((*from, *to)), "the group is below its minimum")
            }
        };
        Self {
            r#do: words::repair_name(repair),
            group: group.as_str(),
            instance,
            from: sizes.map(|(from, _)| from),
            to: sizes.map(|(_, to)| to),
            why,
        }
    }
}

impl<'p> Staying<'p> {
    fn of(blocked: &'p Blocked) -> Self {
        Self {
            node: blocked.node.as_str(),
            reason: words::block_reason(blocked.reason).0,
            pod: blocked.pod.as_ref().map(Shown),
            pod_reason: blocked.pod_reason.map(|reason| words::pod_reason(reason).0),
        }
    }
}

impl<'p> Waiting<'p> {
    fn of(report: &'p PodReport) -> Self {
        Self {
            pod: Shown(&report.pod),
            outcome: words::outcome_name(report.outcome),
            group: report.group.map(Symbol::as_str),
            node: report.node.map(Shown),
            rejections: Rejections(&report.rejections),
        }
    }
}

impl<'p> Standing<'p> {
    fn of(group: &'p GroupReport) -> Self {
        let until = match &group.health {
            GroupHealth::Backoff { until, .. } => Some(Shown(until)),
            _ => None,
        };
        Self {
            id: group.id.as_str(),
            health: words::health_name(&group.health),
            backoff_until: until,
            target: group.target,
            ready: group.ready,
            upcoming: group.upcoming,
            held: group.held.map(|held| Held {
                machines: held.machines,
                reason: words::hold_reason_name(held.reason),
            }),
        }
    }
}

impl<'p> Cluster<'p> {
    fn of(plan: &'p Plan) -> Self {
        let contradiction = plan.contradiction.as_ref().map(|found| Contradiction {
            machines: found.machines,
            without_node: found.without_node,
            since: Shown(&found.since),
        });
        Self { healthy: plan.healthy, contradiction }
    }
}

// === impl Rejections ===

impl Serialize for Rejections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|rejection| Objection {
            group: rejection.group.as_str(),
            reason: words::reason_name(&rejection.reason),
            message: Shown(words::Reason { reason: &rejection.reason, now: None }),
        }))
    }
}

// === impl Shown ===

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
