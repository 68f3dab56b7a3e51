//! How long a caller waits, as it says in the header `grpc-timeout`.

use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

/// When the answer has to leave, so that it arrives before the caller stops waiting. In the extensions of every request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(pub(crate) Instant);

/// Nobody waits longer, whatever they say: a call that hangs must not hang for ever.
const LONGEST: Duration = Duration::from_mins(5);

/// The way back takes no longer than this, or a tenth of all the time there is.
const WAY_BACK: Duration = Duration::from_millis(50);

// === impl Deadline ===

impl Deadline {
    /// The caller's deadline, or the longest there is.
    pub(crate) fn of(headers: &HeaderMap) -> (Self, Duration) {
        let patience = headers
            .get("grpc-timeout")
            .and_then(|value| patience(value.to_str().ok()?))
            .map_or(LONGEST, |patience| patience.min(LONGEST));
        (Self(Instant::now() + earlier(patience)), patience)
    }

    /// Who waits for something until then still has time to answer without it.
    pub(crate) fn while_waiting(self) -> Instant {
        let now = Instant::now();
        now + earlier(self.0.saturating_duration_since(now))
    }
}

fn earlier(patience: Duration) -> Duration {
    patience.saturating_sub(WAY_BACK.min(patience / 10))
}

/// At most eight digits and a unit: `5S`, `250m`.
fn patience(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(amount * 3_600),
        "M" => Duration::from_secs(amount * 60),
        "S" => Duration::from_secs(amount),
        "m" => Duration::from_millis(amount),
        "u" => Duration::from_micros(amount),
        "n" => Duration::from_nanos(amount),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::patience;

    #[test]
    fn every_unit_is_read() {
        let read = |text| patience(text).map(|patience| patience.as_nanos());
        assert_eq!(read("1H"), Some(3_600_000_000_000));
        assert_eq!(read("2M"), Some(120_000_000_000));
        assert_eq!(read("5S"), Some(5_000_000_000));
        assert_eq!(read("250m"), Some(250_000_000));
        assert_eq!(read("7u"), Some(7_000));
        assert_eq!(patience("99999999n"), Some(Duration::from_nanos(99_999_999)));
    }

    #[test]
    fn what_is_no_timeout_is_none() {
        for text in ["", "S", "5", "5s", "-5S", "+5S", "123456789S", "5 S", "五S", "5五"] {
            assert_eq!(patience(text), None, "{text:?}");
        }
    }
}
