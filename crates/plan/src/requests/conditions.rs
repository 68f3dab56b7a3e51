//! What is said of a request.

use plimsoll_model::{Condition, Request, Timestamp, Truth};

pub(super) const ACCEPTED: &str = "Accepted";
pub(super) const PROVISIONED: &str = "Provisioned";
pub(super) const FAILED: &str = "Failed";
pub(super) const BOOKING_EXPIRED: &str = "BookingExpired";
pub(super) const CAPACITY_REVOKED: &str = "CapacityRevoked";

/// What is to be said.
#[derive(Debug)]
pub(super) struct Word {
    pub name: &'static str,
    pub status: Truth,
    pub reason: &'static str,
    pub message: String,
}

/// The conditions of a request: those that are seen, and over them those that were decided and are not seen yet.
pub(super) fn known(request: &Request, decided: Option<&Vec<Condition>>) -> Vec<Condition> {
    let mut conditions = request.conditions.clone();
    for condition in decided.into_iter().flatten() {
        put(&mut conditions, condition.clone());
    }
    conditions
}

/// The condition of this name, if it has this status.
pub(super) fn find<'c>(
    conditions: &'c [Condition],
    name: &str,
    status: Truth,
) -> Option<&'c Condition> {
    conditions.iter().find(|one| *one.name == *name && one.status == status)
}

/// Says it, from now on.
pub(super) fn say(conditions: &mut Vec<Condition>, request: &Request, word: Word, now: Timestamp) {
    let condition = Condition {
        name: word.name.into(),
        status: word.status,
        reason: word.reason.into(),
        message: word.message.into(),
        at: whole_seconds(now),
        generation: Some(request.generation),
    };
    put(conditions, condition);
}

fn put(conditions: &mut Vec<Condition>, condition: Condition) {
    match conditions.iter_mut().find(|known| known.name == condition.name) {
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}

/// The API keeps no more, and what comes back has to be what was written.
fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
