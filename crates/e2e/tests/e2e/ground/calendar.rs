//! The dates of a control plane, in the time of a test.
//!
//! The control plane lives in the time of the machine, of which little passes, and dates by the second. What it says happened "then"
//! happened, for the test, when it was first heard of: time does not pass while it is on its way.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Clock;
use serde_json::{Map, Value};

/// How far back tests tell stories.
const EARLIER: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Translates dates.
#[derive(Debug)]
pub(super) struct Calendar {
    clock: Clock,
    /// Dates before this are the control plane's; later ones are ours.
    begin: Timestamp,
    /// What was said once is said again in the same words.
    known: Mutex<HashMap<Date, Timestamp>>,
}

/// A date, as the control plane wrote it: of which object, in which field, when.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Date {
    uid: String,
    field: String,
    text: String,
}

// === impl Calendar ===

impl Calendar {
    /// A test that begins now.
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, begin: clock.now() - EARLIER, known: Mutex::default() }
    }

    /// Translates all dates in an object, a list, or an event of a watch.
    pub(super) fn translate(&self, value: &mut Value) {
        self.walk(value, "");
    }

    fn walk(&self, value: &mut Value, uid: &str) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, uid)),
            Value::Object(fields) => {
                let own = fields.get("metadata").and_then(|metadata| metadata.get("uid"));
                let uid = own.and_then(Value::as_str).unwrap_or(uid).to_owned();
                let grace = grace_of(fields);
                for (field, value) in fields.iter_mut() {
                    match value {
                        Value::String(text) => {
                            let later = if field == "deletionTimestamp" {
                                grace
                            } else {
                                SignedDuration::ZERO
                            };
                            if let Some(moment) = self.date(&uid, field, text, later) {
                                *text = moment;
                            }
                        }
                        Value::Array(_) | Value::Object(_) if field != "managedFields" => {
                            self.walk(value, &uid);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn date(&self, uid: &str, field: &str, text: &str, later: SignedDuration) -> Option<String> {
        if !is_date(text) || text.parse::<Timestamp>().ok()? >= self.begin {
            return None;
        }
        let date = Date { uid: uid.to_owned(), field: field.to_owned(), text: text.to_owned() };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = known.entry(date).or_insert_with(|| self.clock.now() + later);
        Some(Timestamp::from_second(moment.as_second()).ok()?.to_string())
    }
}

/// An object that is being deleted says when it will be gone, which is so much later.
fn grace_of(metadata: &Map<String, Value>) -> SignedDuration {
    let seconds = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64);
    SignedDuration::from_secs(seconds.unwrap_or_default())
}

/// Whether something looks like `2026-03-01T12:00:00Z`, with or without a fraction.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && bytes.get(4) == Some(&b'-')
        && bytes.get(10) == Some(&b'T')
        && bytes.ends_with(b"Z")
}
