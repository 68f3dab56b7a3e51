//! CapacityQuotas.

use plimsoll_model::{LabelSelector, Quota, Symbol, resource};

use crate::{
    convert::{amounts, meta, selector},
    problem::{At as _, Checked, Problem},
    wire::{quota as wire, value::Amount},
};

/// The condition that says that the status is up to date.
const RECONCILED: &str = "Reconciled";

/// A CapacityQuota.
pub(crate) fn quota(quota: &wire::Quota<'_>) -> Checked<Quota> {
    let wire::Quota { metadata, spec, status } = quota;
    let selector = selector::optional(spec.selector.as_ref(), "selector").at("spec")?;
    let mut limits: Vec<(Symbol, i64)> = Vec::new();
    for (name, token) in spec.limits.resources.iter() {
        let limit = limit(name, token).at_key(name).at("resources").at("limits").at("spec")?;
        limits.push((Symbol::new(name), limit));
    }
    limits.sort_unstable();
    let mut conditions = status.conditions.iter();
    let reconciled = conditions.find(|one| &*one.name == RECONCILED && &*one.status == "True");
    // A time that cannot be read is written anew.
    let since = reconciled.and_then(|one| one.changed.parse().ok());
    Ok(Quota {
        name: Symbol::new(meta::name(metadata)?),
        selector: selector.unwrap_or_else(LabelSelector::everything),
        limits: limits.into(),
        generation: metadata.generation.unwrap_or_default(),
        reconciled: since,
    })
}

/// A limit in the scheduler's units. Quotas come in whole pieces.
fn limit(name: &str, token: &Amount<'_>) -> Checked<i64> {
    let quantity = amounts::amount(token)?;
    let too_large =
        |error: plimsoll_model::quantity::QuantityError| Problem::new(error.to_string());
    let whole = quantity.value().map_err(too_large)?;
    if plimsoll_model::Quantity::from_units(whole) != quantity {
        return Err(Problem::new(format!("{quantity} is not a whole number")));
    }
    if name == resource::CPU { quantity.milli().map_err(too_large) } else { Ok(whole) }
}

#[cfg(test)]
mod tests;
