//! How long ago something was, for people: two or three digits are enough.

use jiff::{SignedDuration, Timestamp};

/// What is shown where a time is not known.
const UNKNOWN: &str = "<unknown>";

/// How long ago a time was that an object has as text.
pub(super) fn since(time: &str, now: Timestamp) -> String {
    match parse(time) {
        Some(time) => human(now.duration_since(time)),
        None => UNKNOWN.to_owned(),
    }
}

/// A time as objects have it; none where there is none.
pub(super) fn parse(time: &str) -> Option<Timestamp> {
    time.parse().ok()
}

/// A duration in the largest units that still say enough. Clocks may differ by a second; a later time than now is a mistake.
pub(super) fn human(duration: SignedDuration) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let seconds = duration.as_secs();
    let two = |large: (i64, &str), small: (i64, &str)| match seconds % large.0 / small.0 {
        0 => format!("{}{}", seconds / large.0, large.1),
        rest => format!("{}{}{rest}{}", seconds / large.0, large.1, small.1),
    };
    match seconds {
        ..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two((MINUTE, "m"), (1, "s")),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => two((HOUR, "h"), (MINUTE, "m")),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => two((DAY, "d"), (HOUR, "h")),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => two((YEAR, "y"), (DAY, "d")),
        _ => format!("{}y", seconds / YEAR),
    }
}
