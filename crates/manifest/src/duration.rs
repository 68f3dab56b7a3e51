//! Durations as Go writes them: `1h30m`, `2.5s`, `300ms`.

use jiff::SignedDuration;

const SECOND: i128 = 1_000_000_000;

/// Units with their nanoseconds.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// Reads a duration as Go's `time.ParseDuration` does; `None` for anything else.
///
/// ```
/// use plimsoll_manifest::duration::parse;
/// assert_eq!(parse("1m30s").map(|duration| duration.as_secs()), Some(90));
/// assert_eq!(parse("90"), None);
/// ```
pub fn parse(text: &str) -> Option<SignedDuration> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned == "0" {
        return Some(SignedDuration::ZERO);
    }
    if unsigned.is_empty() {
        return None;
    }
    let mut rest = unsigned;
    let mut nanoseconds: i128 = 0;
    while !rest.is_empty() {
        let (amount, after) = part(rest)?;
        nanoseconds = nanoseconds.checked_add(amount)?;
        rest = after;
    }
    // Go keeps durations in 64 bits.
    let nanoseconds = i64::try_from(sign * nanoseconds).ok()?;
    Some(SignedDuration::from_nanos(nanoseconds))
}

/// A number with its unit at the beginning of `text`, and what follows.
fn part(text: &str) -> Option<(i128, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (name, unit) = UNITS
        .iter()
        .filter(|(name, _)| rest.starts_with(name))
        .max_by_key(|(name, _)| name.len())?;
    let mut amount = match whole {
        "" => 0,
        whole => whole.parse::<u64>().map(i128::from).ok()? * unit,
    };
    let mut place = *unit;
    for digit in fraction.bytes() {
        // Below a nanosecond nothing is left.
        place /= 10;
        amount += i128::from(digit - b'0') * place;
    }
    Some((amount, &rest[name.len()..]))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn nanoseconds(text: &str) -> Option<i128> {
        parse(text).map(|duration| duration.as_nanos())
    }

    #[test]
    fn parts_add_up() {
        assert_eq!(nanoseconds("1h30m"), Some(5_400_000_000_000));
        assert_eq!(nanoseconds("1.5h"), Some(5_400_000_000_000));
        assert_eq!(nanoseconds("2m.5s"), Some(120_500_000_000));
        assert_eq!(nanoseconds("300ms"), Some(300_000_000));
        assert_eq!(nanoseconds("-1.s"), Some(-1_000_000_000));
        assert_eq!(nanoseconds("+0"), Some(0));
        assert_eq!(nanoseconds("7µs"), Some(7_000));
        assert_eq!(nanoseconds("0.1us"), Some(100));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "-", "1", "s", ".s", "1 s", "1d", "1s2", "9999999999h", "1e3s", "½s"] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
