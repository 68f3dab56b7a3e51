//! A group: its size, bounds and health, what is on order, its price and stock.

use jiff::Timestamp;
use plimsoll_model::{Group, Order, ScaleUp};
use plimsoll_plan::{
    GroupHealth, Repair,
    words::{self, Clock, Count},
};
use serde::Serialize;

use super::{Explained, Facts, Unknown, near};
use crate::{engine::Pass, record::status::failure_of};

/// A group as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupFacts {
    /// Its minimum.
    pub min: u32,
    /// Its maximum.
    pub max: u32,
    /// How many machines were asked for.
    pub target: u32,
    /// Nodes that are ready.
    pub ready: u32,
    /// Machines that are on their way.
    pub upcoming: u32,
    /// `Healthy`, `Unhealthy`, `Frozen` or `Backoff`.
    pub health: &'static str,
    /// Until when it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_until: Option<Timestamp>,
    /// The failure after which it rests: the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_code: Option<String>,
    /// The failure after which it rests: the provider's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_message: Option<String>,
    /// The price of a node per hour, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// How many more can be had, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<u32>,
    /// Increases that are not over, and those that ended lately.
    pub orders: Vec<OrderFacts>,
    /// Its nodes that are on their way out.
    pub leaving: Vec<&'static str>,
    /// Its machines that will not come up.
    pub failed: Vec<InstanceFacts>,
}

/// An increase as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderFacts {
    /// Its name.
    pub id: String,
    /// By how many.
    pub count: u32,
    /// When it was decided.
    pub at: Timestamp,
    /// How far it has come.
    pub phase: String,
    /// What the provider said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// A machine that will not come up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstanceFacts {
    /// The provider's name for it.
    pub id: String,
    /// The provider's code.
    pub code: String,
    /// The provider's words.
    pub message: String,
}

pub(super) fn explain(pass: &Pass, name: &str) -> Result<Explained, Unknown> {
    let groups = &pass.seen.groups;
    let Some(group) = groups.iter().find(|group| group.id.as_str() == name) else {
        return Err(near::unknown("group", name, groups.iter().map(|group| group.id.as_str())));
    };
    let facts = facts(pass, group);
    let sentences = sentences(pass, group, &facts);
    let facts = Facts::Group(Box::new(facts));
    Ok(Explained::new(pass, "group", name.to_owned(), sentences, facts))
}

/// A group as data.
pub(crate) fn facts(pass: &Pass, group: &Group) -> GroupFacts {
    let report = pass.plan.groups.iter().find(|report| report.id == group.id);
    let health = report.map_or(&GroupHealth::Healthy, |report| &report.health);
    let (until, code) = match health {
        GroupHealth::Backoff { until, code } => (Some(*until), Some(code.to_string())),
        _ => (None, None),
    };
    let orders = pass.orders.iter().filter(|order| order.intent.group == group.id);
    let leaving = pass.retirements.iter().filter(|leaving| leaving.group == group.id);
    let failed = group.instances.iter().filter_map(|instance| {
        let error = instance.error.as_ref()?;
        let (code, message) = (error.code.to_string(), error.message.to_string());
        Some(InstanceFacts { id: instance.id.to_string(), code, message })
    });
    GroupFacts {
        min: group.min,
        max: group.max,
        target: group.target,
        ready: report.map_or(0, |report| report.ready),
        upcoming: report.map_or(0, |report| report.upcoming),
        health: words::health_name(health),
        backoff_until: until,
        backoff_message: until.and_then(|_| failure_of(pass, group)),
        backoff_code: code,
        price: group.price.map(plimsoll_model::Money::units),
        stock: group.stock,
        orders: orders.map(OrderFacts::of).collect(),
        leaving: leaving.map(|leaving| leaving.node.as_str()).collect(),
        failed: failed.collect(),
    }
}

fn sentences(pass: &Pass, group: &Group, facts: &GroupFacts) -> Vec<String> {
    let id = group.id;
    let mut sentences = Vec::new();
    if let Some(report) = pass.plan.groups.iter().find(|report| report.id == id) {
        let state = words::group_state(report, Some((group.min, group.max)), pass.at);
        sentences.push(format!("group {id}: {state}"));
    }
    if let Some(message) = &facts.backoff_message {
        sentences.push(format!("its provider said: {message}"));
    }
    if let Some(price) = group.price {
        sentences.push(format!("a node costs {price} an hour"));
    }
    match group.stock {
        Some(0) => sentences.push("its provider has no more machines of this kind".to_owned()),
        Some(stock) => {
            sentences.push(format!("its provider has {stock} more machines of this kind"));
        }
        None => {}
    }
    let remembered = pass.memory.exemplars.get(&id);
    if let Some(gone) = remembered.and_then(|remembered| remembered.gone_since) {
        let gone = Clock { at: gone, now: Some(pass.at) };
        sentences
            .push(format!("a new node is expected to look like the ones that it had until {gone}"));
    }
    for order in
        pass.orders.iter().filter(|order| order.intent.group == id && !order.phase.is_over())
    {
        let count = Count(usize::try_from(order.machines()).unwrap_or(usize::MAX), "machine");
        let since = Clock { at: order.created, now: Some(pass.at) };
        let phase = order.phase.name().to_lowercase();
        sentences.push(format!("{count} on order since {since} ({phase})"));
    }
    for repair in &pass.plan.repairs {
        let (Repair::DeleteInstance { group, .. }
        | Repair::LowerTarget { group, .. }
        | Repair::RaiseToMin { group, .. }) = repair;
        if *group == id {
            sentences.push(words::repair(repair));
        }
    }
    sentences.extend(pass.steered.get(&id).cloned());
    sentences.extend(pass.remarks.get(&id).cloned().unwrap_or_default());
    if !facts.leaving.is_empty() {
        sentences.push(format!("on their way out: {}", facts.leaving.join(", ")));
    }
    for failed in &facts.failed {
        sentences.push(format!("machine {} will not come up: {}", failed.id, failed.message));
    }
    sentences
}

// === impl OrderFacts ===

impl OrderFacts {
    pub(crate) fn of(order: &Order<ScaleUp>) -> Self {
        Self {
            id: order.id.to_string(),
            count: order.machines(),
            at: order.created,
            phase: order.phase.name().to_owned(),
            message: order.message.clone(),
        }
    }
}
