//! Moments and spans of time, in their old and new clothes.

use jiff::{SignedDuration, Timestamp};

use crate::proto::meta;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// As Kubernetes writes a moment.
pub(crate) fn old_moment(at: Timestamp) -> meta::Time {
    let moment = new_moment(at);
    meta::Time { seconds: moment.seconds, nanos: moment.nanos }
}

/// As protobuf writes a moment.
pub(crate) fn new_moment(at: Timestamp) -> prost_types::Timestamp {
    let nanoseconds = at.as_nanosecond();
    prost_types::Timestamp {
        seconds: i64::try_from(nanoseconds.div_euclid(NANOS_PER_SECOND)).unwrap_or_default(),
        nanos: i32::try_from(nanoseconds.rem_euclid(NANOS_PER_SECOND)).unwrap_or_default(),
    }
}

/// The moment that was sent in either way; `None` when there is none, or none that can be.
pub(crate) fn moment(
    new: Option<&prost_types::Timestamp>,
    old: Option<&meta::Time>,
) -> Option<Timestamp> {
    let (seconds, nanos) = match (new, old) {
        (Some(new), _) => (new.seconds, new.nanos),
        (None, Some(old)) => (old.seconds, old.nanos),
        (None, None) => return None,
    };
    Timestamp::new(seconds, nanos).ok()
}

/// As Kubernetes writes a span.
pub(crate) fn old_span(span: SignedDuration) -> meta::Duration {
    // Go has no longer ones.
    let largest = if span.is_negative() { i64::MIN } else { i64::MAX };
    meta::Duration { duration: i64::try_from(span.as_nanos()).unwrap_or(largest) }
}

/// As protobuf writes a span.
pub(crate) fn new_span(span: SignedDuration) -> prost_types::Duration {
    prost_types::Duration { seconds: span.as_secs(), nanos: span.subsec_nanos() }
}

/// The span that was sent in either way.
pub(crate) fn span(
    new: Option<&prost_types::Duration>,
    old: Option<&meta::Duration>,
) -> Option<SignedDuration> {
    match (new, old) {
        (Some(new), _) => SignedDuration::from_secs(new.seconds)
            .checked_add(SignedDuration::from_nanos(i64::from(new.nanos))),
        (None, Some(old)) => Some(SignedDuration::from_nanos(old.duration)),
        (None, None) => None,
    }
}
