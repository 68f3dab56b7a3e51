//! Numbers that may also be shares: `2`, or `25%`.

use serde_json::Value;

use super::{at::At, names};
use crate::FieldError;

/// What is wrong with a count or share; nothing is wrong with none.
pub(crate) fn count_or_share(at: &At<'_>, errors: &mut Vec<FieldError>) {
    match at.value {
        Value::String(text) => errors.extend(at.objections(names::percent(text))),
        _ => errors.extend(at.not_negative()),
    }
}

/// A share of more than all makes no sense.
pub(crate) fn at_most_all(at: &At<'_>) -> Option<FieldError> {
    let share = at.text().strip_suffix('%').and_then(|digits| digits.parse::<i64>().ok());
    share.filter(|percent| *percent > 100).map(|_| at.invalid("must not be greater than 100%"))
}

/// The number, of things or of hundredths; zero where neither is said.
pub(crate) fn number(at: &At<'_>) -> i64 {
    let digits = at.text().trim_end_matches('%');
    at.number().or_else(|| digits.parse().ok()).unwrap_or_default()
}
