//! What is said of objects.

use jiff::Timestamp;
use plimsoll_model::{Condition, Truth};

use crate::{
    convert::meta,
    problem::{Checked, each},
    wire::{condition as wire, value::List},
};

/// `conditions`; one that does not say since when it has been so has been so since `default`.
pub(crate) fn conditions<T: FromIterator<Condition>>(
    list: &List<wire::Condition<'_>>,
    default: Timestamp,
) -> Checked<T> {
    each(list, "conditions", |condition| one(condition, default))
}

fn one(condition: &wire::Condition<'_>, default: Timestamp) -> Checked<Condition> {
    Ok(Condition {
        name: meta::required(&condition.name, "type")?.into(),
        status: match &*condition.status {
            "True" => Truth::True,
            "False" => Truth::False,
            _ => Truth::Unknown,
        },
        reason: (&*condition.reason).into(),
        message: (&*condition.message).into(),
        at: meta::time(&condition.at, "lastTransitionTime")?.unwrap_or(default),
        generation: condition.generation,
    })
}
