//! The forms that values of flags have. What is wrong is said in words that follow the name of the flag.

use std::str::FromStr;

use plimsoll_model::{Range, SignedDuration};

use crate::{duration, problem::Quoted};

/// A duration as Go writes it, from zero on.
pub fn duration(text: &str) -> Result<SignedDuration, String> {
    match duration::parse(text) {
        Some(duration) if duration.is_negative() => Err(format!("{} is negative", Quoted(text))),
        Some(duration) => Ok(duration),
        None => Err(format!("{} is not a duration such as 90s or 1h30m", Quoted(text))),
    }
}

/// A truth value. The spellings are those of Go.
pub fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "True" | "TRUE" | "t" | "T" | "1" => Ok(true),
        "false" | "False" | "FALSE" | "f" | "F" | "0" => Ok(false),
        _ => Err(format!("{} is neither true nor false", Quoted(text))),
    }
}

/// A whole number.
pub fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| match text.parse::<i128>() {
        Ok(_) => format!("{text} is out of range"),
        Err(_) => format!("{} is not a whole number", Quoted(text)),
    })
}

/// A whole number from zero on.
pub fn count(text: &str) -> Result<u32, String> {
    match text.parse::<i128>() {
        Ok(number) if number < 0 => Err(format!("{number} is negative")),
        _ => number(text),
    }
}

/// A number from zero on.
pub fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        Ok(number) if number < 0.0 => Err(format!("{text} is negative")),
        _ => Err(format!("{} is not a number", Quoted(text))),
    }
}

/// Two whole numbers from zero on, `min:max`.
pub fn range(text: &str) -> Result<Range, String> {
    let (min, max) = text
        .split_once(':')
        .ok_or_else(|| format!("{} is not of the form min:max", Quoted(text)))?;
    let range = Range { min: number(min)?, max: number(max)? };
    match range {
        Range { min, .. } if min < 0 => Err(format!("{min} is negative")),
        Range { min, max } if min > max => Err(format!("min {min} is above max {max}")),
        range => Ok(range),
    }
}
