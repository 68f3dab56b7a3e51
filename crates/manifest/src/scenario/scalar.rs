//! Single values: numbers, words, moments.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Money, Symbol};
use serde_json::value::RawValue;

use crate::{
    duration as go_duration,
    parse::parse,
    problem::{Checked, Problem, Quoted},
    wire::value::Text,
};

/// A value as it was written, for a message: in one line, and not too long.
struct Written<'a>(&'a RawValue);

/// A whole number that is not negative.
pub(super) fn count(value: &RawValue) -> Checked<u32> {
    let number: i128 = value.get().parse().map_err(|_| not(value, "a whole number"))?;
    u32::try_from(number).map_err(|_| {
        let word = if number < 0 { "is negative" } else { "is too large" };
        Problem::new(format!("{number} {word}"))
    })
}

/// A name, which is not empty.
pub(super) fn name(value: &RawValue) -> Checked<Text<'_>> {
    let text: Text<'_> = parse(value.get()).map_err(|_| not(value, "a name"))?;
    if text.is_empty() { Err(Problem::new("is empty")) } else { Ok(text) }
}

/// A name that is compared often.
pub(super) fn symbol(value: &RawValue) -> Checked<Symbol> {
    name(value).map(|text| Symbol::new(&text))
}

/// Any text.
pub(super) fn text(value: &RawValue) -> Checked<Box<str>> {
    let text: Text<'_> = parse(value.get()).map_err(|_| not(value, "a text"))?;
    Ok((&*text).into())
}

/// A moment.
pub(super) fn time(value: &RawValue) -> Checked<Timestamp> {
    let wrong = || not(value, "a time such as 2026-01-01T12:00:00Z");
    let text: Text<'_> = parse(value.get()).map_err(|_| wrong())?;
    text.parse().map_err(|_| wrong())
}

/// A length of time that is not negative. Zero needs no unit.
pub(super) fn duration(value: &RawValue) -> Checked<SignedDuration> {
    let wrong = || not(value, "a duration such as 90s or 1h30m");
    let duration = match value.get() {
        "0" => SignedDuration::ZERO,
        token => {
            let text: Text<'_> = parse(token).map_err(|_| wrong())?;
            go_duration::parse(&text).ok_or_else(wrong)?
        }
    };
    if duration.is_negative() {
        Err(Problem::new(format!("{} is negative", Written(value))))
    } else {
        Ok(duration)
    }
}

/// An amount of money that is not negative.
pub(super) fn money(value: &RawValue) -> Checked<Money> {
    let units: f64 = value.get().parse().map_err(|_| not(value, "a number"))?;
    match Money::from_units(units) {
        Some(amount) if amount < Money::ZERO => Err(Problem::new(format!("{units} is negative"))),
        Some(amount) => Ok(amount),
        None => Err(Problem::new(format!("{units} is too large"))),
    }
}

/// One of a few words.
pub(super) fn word<T: Copy>(value: &RawValue, what: &str, known: &[(&str, T)]) -> Checked<T> {
    let text = name(value)?;
    let found = known.iter().find(|(name, _)| *name == &*text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Problem::unknown(&text, what, &names)
    })
}

fn not(value: &RawValue, what: &str) -> Problem {
    Problem::new(format!("{} is not {what}", Written(value)))
}

// === impl Written ===

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.0.get();
        match token.as_bytes().first() {
            Some(b'{') => f.write_str("an object"),
            Some(b'[') => f.write_str("a list"),
            Some(b'"') => match parse::<Text<'_>>(token) {
                Ok(text) => Quoted(&text).fmt(f),
                Err(_) => f.write_str("a broken string"),
            },
            _ => f.write_str(token),
        }
    }
}
