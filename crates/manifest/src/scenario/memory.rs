//! What earlier passes would have remembered.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Backoff, Memory, Order, OrderId, ScaleUp, Symbol};
use serde_json::value::RawValue;

use super::{
    fields::{Fields, entries, pairs},
    scalar,
};
use crate::problem::{At as _, Checked, Problem, Quoted};

const FIELDS: [&str; 9] = [
    "unneededSince",
    "unreadySince",
    "lastScaleUp",
    "lastScaleDown",
    "lastScaleDownFailure",
    "scaleUps",
    "backoff",
    "sizeMismatchSince",
    "unremovableUntil",
];
const ORDER_FIELDS: [&str; 3] = ["group", "increase", "at"];
const BACKOFF_FIELDS: [&str; 4] = ["group", "until", "step", "code"];

/// Reads the memory, and the orders that a description keeps with it. A backoff that does not say how long it is has the length of a
/// first one.
pub(super) fn read(
    memory: &RawValue,
    first_backoff: SignedDuration,
) -> Checked<(Memory, Vec<Order<ScaleUp>>)> {
    let fields = Fields::read(memory.get(), &FIELDS)?;
    let orders = fields.optional("scaleUps", orders)?.unwrap_or_default();
    let memory = Memory {
        unneeded_since: fields.optional("unneededSince", moments)?.unwrap_or_default(),
        unready_since: fields.optional("unreadySince", moments)?.unwrap_or_default(),
        last_scale_up: fields.optional("lastScaleUp", scalar::time)?,
        last_scale_down: fields.optional("lastScaleDown", scalar::time)?,
        last_scale_down_failure: fields.optional("lastScaleDownFailure", scalar::time)?,
        backoff: fields
            .optional("backoff", |list| backoffs(list, first_backoff))?
            .unwrap_or_default(),
        size_mismatch_since: fields.optional("sizeMismatchSince", moments)?.unwrap_or_default(),
        unremovable_until: fields.optional("unremovableUntil", moments)?.unwrap_or_default(),
        ..Memory::default()
    };
    Ok((memory, orders))
}

fn moments(object: &RawValue) -> Checked<BTreeMap<Symbol, Timestamp>> {
    let pairs = pairs(object)?;
    let moments = pairs
        .iter()
        .map(|(name, value)| Ok((Symbol::new(name), scalar::time(value).at_key(name)?)));
    moments.collect()
}

fn orders(list: &RawValue) -> Checked<Vec<Order<ScaleUp>>> {
    let list = entries(list)?;
    list.iter().enumerate().map(|(index, entry)| order(index, entry).at_index(index)).collect()
}

fn order(index: usize, entry: &RawValue) -> Checked<Order<ScaleUp>> {
    let fields = Fields::read(entry.get(), &ORDER_FIELDS)?;
    let group = fields.needed("group", scalar::symbol)?;
    let count = fields.needed("increase", scalar::count)?;
    let at = fields.needed("at", scalar::time)?;
    Ok(Order::placed(OrderId::numbered(index), group, count, at))
}

fn backoffs(list: &RawValue, first: SignedDuration) -> Checked<BTreeMap<Symbol, Backoff>> {
    let mut backoffs = BTreeMap::new();
    for (index, entry) in entries(list)?.iter().enumerate() {
        let (group, backoff) = backoff(entry, first).at_index(index)?;
        if backoffs.insert(group, backoff).is_some() {
            let problem = format!("group {} rests already", Quoted(group.as_str()));
            return Err(Problem::new(problem)).at("group").at_index(index);
        }
    }
    Ok(backoffs)
}

fn backoff(entry: &RawValue, first: SignedDuration) -> Checked<(Symbol, Backoff)> {
    let fields = Fields::read(entry.get(), &BACKOFF_FIELDS)?;
    let group = fields.needed("group", scalar::symbol)?;
    let until = fields.needed("until", scalar::time)?;
    let step = fields.optional("step", scalar::duration)?.unwrap_or(first);
    let failed = until.checked_sub(step).map_err(|_| Problem::new("is too long")).at("step")?;
    let code = fields.optional("code", scalar::text)?.unwrap_or_default();
    Ok((group, Backoff { until, step, failed, code }))
}
