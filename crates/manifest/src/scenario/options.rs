//! Flags and group options as a file writes them.

use serde_json::value::RawValue;

use super::fields::{entries, pairs};
use crate::{
    flags::FlagValue,
    parse::parse,
    problem::{At as _, Checked, Problem},
    wire::value::Text,
};

/// Names with their values, in the order of the file.
pub(super) fn read(object: &RawValue) -> Checked<Vec<(String, FlagValue)>> {
    let pairs = pairs(object)?;
    let read = pairs.iter().map(|(name, given)| Ok((name.to_string(), value(given).at(name)?)));
    read.collect()
}

fn value(given: &RawValue) -> Checked<FlagValue> {
    if !given.get().starts_with('[') {
        return Ok(FlagValue::One(scalar(given)?));
    }
    let values = entries(given)?;
    let words = values.iter().enumerate().map(|(index, entry)| scalar(entry).at_index(index));
    Ok(FlagValue::Many(words.collect::<Checked<_>>()?))
}

/// A text, a number or a truth value, as a command line would have it.
fn scalar(given: &RawValue) -> Checked<String> {
    let token = given.get();
    match token.as_bytes().first() {
        Some(b'"') => parse::<Text<'_>>(token).map(|text| text.to_string()),
        Some(b'{') => Err(Problem::new("an object is not a value")),
        Some(b'[') => Err(Problem::new("a list is not a value")),
        Some(b'n') => Err(Problem::new("has no value")),
        _ => Ok(token.to_owned()),
    }
}
