//! What nodes and pods cost.

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Resources, Symbol, resource};
use tonic::Status;

use crate::{proto::core, server::view::View, wire};

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
    mut pod: core::Pod,
    period: SignedDuration,
) -> Result<f64, Status> {
    let groups = view.inventory.groups.iter();
    let offers: Vec<_> = groups
        .filter_map(|state| Some((state.group.price?, &state.group.template.as_ref()?.allocatable)))
        .collect();
    let is_known = |name: &str| {
        offers.iter().any(|(_, there)| there.iter().any(|(known, _)| known.as_str() == name))
    };
    wire::pod::keep_known(&mut pod, is_known)
        .map_err(|name| Status::not_found(format!("no group with a price has {name:?}")))?;
    let requests = wire::pod::requests(&pod)
        .map_err(|problem| Status::invalid_argument(format!("pod: {problem}")))?;
    let prices =
        offers.iter().filter_map(|(price, there)| Some(price.units() * share(&requests, there)?));
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
