//! What nodes and pods cost.

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Resources, Symbol, resource};
use tonic::Status;

use crate::server::view::View;

/// How long it is from `start` to `end`.
pub(crate) fn period(
    start: Option<Timestamp>,
    end: Option<Timestamp>,
) -> Result<SignedDuration, Status> {
    let (Some(start), Some(end)) = (start, end) else {
        return Err(Status::invalid_argument("the beginning or the end of the time is missing"));
    };
    let period = end.duration_since(start);
    if period.is_negative() {
        return Err(Status::invalid_argument("the time ends before it begins"));
    }
    Ok(period)
}

/// The price of a node of this group over a time: its price an hour times the hours.
pub(crate) fn of_node(
    group: &plimsoll_model::Group,
    period: SignedDuration,
) -> Result<f64, Status> {
    let price = group.price.ok_or_else(|| {
        Status::not_found(format!("nobody knows what a machine of {} costs", group.id))
    })?;
    Ok(price.units() * hours(period))
}

/// The least that a pod could cost over a time.
///
/// On a node it takes the share of its scarcest resource: the largest of request ÷ allocatable over all that it asks for, its
/// own slot among the node's pods included. The pod costs that share of the node's price, on the group where this is least. Only
/// groups count whose price and template are known, and whose nodes the pod fits on alone.
pub(crate) fn of_pod(
    view: &View,
    requests: &Resources,
    period: SignedDuration,
) -> Result<f64, Status> {
    let groups = view.inventory.groups.iter();
    let prices = groups.filter_map(|state| {
        let template = state.group.template.as_ref()?;
        Some(state.group.price?.units() * share(requests, &template.allocatable)?)
    });
    let least = prices.min_by(f64::total_cmp).ok_or_else(|| {
        Status::not_found("there is no group with a price whose nodes could take the pod")
    })?;
    Ok(least * hours(period))
}

/// The share of a node that a pod takes; `None` when it does not fit.
fn share(requests: &Resources, allocatable: &Resources) -> Option<f64> {
    let mut asked = requests.clone();
    let slots = Symbol::new(resource::PODS);
    if allocatable.get(slots) > 0 {
        asked.add(slots, 1);
    }
    let mut largest = 0.0_f64;
    for (name, amount) in asked.iter() {
        let there = allocatable.get(name);
        if amount > there {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share of money needs no more digits")]
        let share = amount as f64 / there as f64;
        largest = largest.max(share);
    }
    Some(largest)
}

fn hours(period: SignedDuration) -> f64 {
    period.as_secs_f64() / 3_600.0
}
