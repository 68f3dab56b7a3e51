//! Backoff: a group that failed rests, longer each time, and is forgiven after a while.
//!
//! | failure comes                    | rest                                        |
//! |----------------------------------|---------------------------------------------|
//! | first, or after being forgotten  | `initial-node-group-backoff-duration`       |
//! | while the group rests            | as long as the last one, from now           |
//! | after the rest                   | twice the last one, up to the maximum       |
//!
//! It is forgotten `node-group-backoff-reset-timeout` after the last failure.

use plimsoll_model::{Backoff, ScaleUpSettings, SignedDuration, Timestamp};

use crate::plan::GroupHealth;

/// The code of a failure that no provider reported: an order that did not arrive in time.
pub(super) const TIMEOUT: &str = "timeout";

/// The backoff that is still remembered.
pub(crate) fn recalled(
    last: Option<&Backoff>,
    settings: &ScaleUpSettings,
    now: Timestamp,
) -> Option<Backoff> {
    let last = last.filter(|last| {
        now < last.until || now.duration_since(last.failed) < settings.backoff_reset
    });
    last.cloned()
}

/// The backoff after a failure. The last one counts only while it is remembered.
pub(crate) fn after_failure(
    last: Option<&Backoff>,
    code: &str,
    settings: &ScaleUpSettings,
    now: Timestamp,
) -> Backoff {
    let step = match last {
        None => settings.backoff_initial,
        Some(last) if now < last.until => last.step,
        Some(last) => last.step.saturating_mul(2),
    };
    let step = step.min(settings.backoff_max);
    let until = later(now, step);
    let until = last.map_or(until, |last| until.max(last.until));
    Backoff { until, step, failed: now, code: code.into() }
}

/// Whether the group rests. At the very end of its rest it no longer does.
pub(super) fn rest(backoff: Option<&Backoff>, now: Timestamp) -> Option<GroupHealth> {
    let resting = backoff.filter(|backoff| now < backoff.until);
    resting.map(|backoff| GroupHealth::Backoff { until: backoff.until, code: backoff.code.clone() })
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}
