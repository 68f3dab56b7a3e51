//! Amounts of resources.

use plimsoll_model::{
    Quantity, Requests, Resources, Symbol, quantity::QuantityError, resource, scheduler_units,
};

use crate::{
    problem::{At as _, Checked, Problem},
    wire::value::{Amount, Pairs},
};

/// One amount, which must not be negative.
pub(crate) fn amount(amount: &Amount<'_>) -> Checked<Quantity> {
    let quantity = Quantity::parse_json(amount.token()).map_err(wrong)?;
    if quantity.is_negative() {
        return Err(Problem::new(format!("{quantity} is negative")));
    }
    Ok(quantity)
}

/// Amounts by the name of the resource.
pub(crate) fn amounts(pairs: &Pairs<'_, Amount<'_>>, field: &str) -> Checked<Requests> {
    let mut amounts = Requests::with_capacity(pairs.len());
    for (name, token) in pairs.iter() {
        let quantity = amount(token).and_then(|quantity| countable(name, quantity));
        let quantity = quantity.at_key(name).at(field)?;
        set(&mut amounts, Symbol::new(name), quantity);
    }
    Ok(amounts)
}

/// What a node has, in the scheduler's units.
pub(crate) fn resources(pairs: &Pairs<'_, Amount<'_>>, field: &str) -> Checked<Resources> {
    scheduler_units(&amounts(pairs, field)?).map_err(too_large).at(field)
}

/// A size in bytes, rounded up.
pub(crate) fn bytes(token: &Amount<'_>) -> Checked<i64> {
    amount(token)?.value().map_err(wrong)
}

/// Sets the amount of a resource; it stands once.
pub(crate) fn set(amounts: &mut Requests, name: Symbol, quantity: Quantity) {
    match amounts.iter_mut().find(|(other, _)| *other == name) {
        Some((_, present)) => *present = quantity,
        None => amounts.push((name, quantity)),
    }
}

/// For amounts that are fine by themselves, but too large together.
pub(crate) fn too_large((name, error): (Symbol, QuantityError)) -> Problem {
    Problem::new(format!("all {name} together: {error}"))
}

/// The scheduler counts in 64 bits, and devices and other resources with a domain in their name come whole.
fn countable(name: &str, quantity: Quantity) -> Checked<Quantity> {
    let units = if name == resource::CPU { quantity.milli() } else { quantity.value() };
    let units = units.map_err(wrong)?;
    if name.contains('/') && Quantity::from_units(units) != quantity {
        return Err(Problem::new(format!("{quantity} is not a whole number")));
    }
    Ok(quantity)
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn wrong(error: QuantityError) -> Problem {
    Problem::new(error.to_string())
}
