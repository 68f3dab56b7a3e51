//! Consumable capacity: how much of a device a request takes.

use plimsoll_model::{CapacityRange, DeviceCapacity, Quantity, Symbol};

/// What a request takes of each capacity of a device, or `None` if the device cannot serve such a request.
///
/// A request that says nothing takes the policy's default, or all. Otherwise it is rounded up as the policy says.
pub(super) fn consumption(
    asked: &[(Symbol, Quantity)],
    has: &[(Symbol, DeviceCapacity)],
) -> Option<Box<[(Symbol, Quantity)]>> {
    let is_known = |name: Symbol| has.iter().any(|(other, _)| *other == name);
    if !asked.iter().all(|(name, _)| is_known(*name)) {
        return None;
    }
    has.iter()
        .map(|(name, capacity)| {
            let asked = asked.iter().find(|(other, _)| other == name).map(|(_, amount)| *amount);
            let taken = taken(asked, capacity);
            is_allowed(taken, capacity).then_some((*name, taken))
        })
        .collect()
}

/// Whether the capacity suffices for what is in use and what is taken on top.
pub(super) fn suffices(
    has: &[(Symbol, DeviceCapacity)],
    in_use: &[&[(Symbol, Quantity)]],
    taken: &[(Symbol, Quantity)],
) -> bool {
    taken.iter().all(|(name, amount)| {
        let capacity = has.iter().find(|(other, _)| other == name).map(|(_, capacity)| capacity);
        let mut uses =
            in_use.iter().flat_map(|amounts| amounts.iter()).filter(|(other, _)| other == name);
        let total = uses.try_fold(*amount, |total, (_, more)| total.checked_add(more).ok());
        capacity.zip(total).is_some_and(|(capacity, total)| total <= capacity.value)
    })
}

fn taken(asked: Option<Quantity>, capacity: &DeviceCapacity) -> Quantity {
    let policy = capacity.policy.as_deref();
    let Some(asked) = asked else {
        return policy.and_then(|policy| policy.default).unwrap_or(capacity.value);
    };
    let Some(policy) = policy else { return asked };
    match &policy.range {
        Some(CapacityRange { min: Some(min), step, .. }) => rounded(asked, *min, *step),
        _ => policy.values.iter().copied().find(|value| asked <= *value).unwrap_or(asked),
    }
}

/// Up to the minimum, and from there in whole steps.
fn rounded(asked: Quantity, min: Quantity, step: Option<Quantity>) -> Quantity {
    if asked < min {
        return min;
    }
    let whole = |amount: Quantity| amount.value().ok();
    let Some(step) = step else { return asked };
    let (Some(asked_units), Some(min), Some(step @ 1..)) = (whole(asked), whole(min), whole(step))
    else {
        return asked;
    };
    let steps = asked_units.saturating_sub(min).checked_div(step).unwrap_or(0);
    let down = min.saturating_add(steps.saturating_mul(step));
    Quantity::bytes(if down < asked_units { down.saturating_add(step) } else { down })
}

fn is_allowed(taken: Quantity, capacity: &DeviceCapacity) -> bool {
    let Some(policy) = capacity.policy.as_deref() else { return true };
    if policy.default == Some(taken) {
        return true;
    }
    match &policy.range {
        Some(range) => is_in_range(taken, range),
        None => policy.values.is_empty() || policy.values.contains(&taken),
    }
}

fn is_in_range(taken: Quantity, range: &CapacityRange) -> bool {
    let units = |amount: Option<Quantity>| amount.and_then(|amount| amount.value().ok());
    let off_step = match (units(Some(taken)), units(range.min), units(range.step)) {
        (Some(taken), Some(min), Some(step)) => {
            taken.saturating_sub(min).checked_rem(step).is_some_and(|rest| rest != 0)
        }
        _ => false,
    };
    range.max.is_none_or(|max| taken <= max) && !off_step
}

#[cfg(test)]
mod tests;
