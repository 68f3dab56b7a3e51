//! Values that are more than their JSON: times, quantities, bytes.

use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use plimsoll_model::{Quantity, quantity::QuantityError};

/// The text that Kubernetes gives for whatever is no quantity.
const QUANTITY_FORM: &str = "quantities must match the regular expression \
     '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// How precise a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Seconds,
    Microseconds,
}

/// A time as the server writes it: in UTC, with as many decimals as its type has.
pub(crate) fn time(text: &str, precision: Precision) -> Result<String, String> {
    let (layout, format) = match precision {
        Precision::Seconds => ("2006-01-02T15:04:05Z07:00", "%Y-%m-%dT%H:%M:%SZ"),
        Precision::Microseconds => ("2006-01-02T15:04:05.000000Z07:00", "%Y-%m-%dT%H:%M:%S.%6fZ"),
    };
    form(text, precision).map_err(|(rest, element)| {
        format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {element:?}")
    })?;
    let at: Timestamp =
        text.parse().map_err(|_| format!("parsing time {text:?}: day out of range"))?;
    Ok(at.strftime(format).to_string())
}

/// Whether a text is RFC 3339.
pub(crate) fn is_date_time(text: &str) -> bool {
    form(text, Precision::Seconds).is_ok() && text.parse::<Timestamp>().is_ok()
}

/// Whether a text has the form of RFC 3339, which is narrower than what is read leniently elsewhere. Otherwise: what could not be
/// read, and the part of the layout (in Go's notation) that it should have been.
fn form(text: &str, precision: Precision) -> Result<(), (&str, &'static str)> {
    let mut rest = text;
    for element in ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"] {
        let wanted = element.len();
        let fits = if element.starts_with(|c: char| c.is_ascii_digit()) {
            digits(rest) >= wanted
        } else {
            rest.starts_with(element)
        };
        rest = if fits { rest.split_at(wanted).1 } else { return Err((rest, element)) };
    }
    let fraction = rest.strip_prefix('.');
    match (precision, fraction.map(digits)) {
        (Precision::Seconds, None | Some(0)) => {}
        (Precision::Seconds, Some(decimals)) => rest = rest.split_at(1 + decimals).1,
        (Precision::Microseconds, Some(6)) => rest = rest.split_at(7).1,
        (Precision::Microseconds, _) => return Err((rest, ".000000")),
    }
    let zone = rest.strip_prefix(['+', '-']).is_some_and(|zone| {
        zone.len() == 5
            && digits(zone) == 2
            && zone.split_once(':').is_some_and(|(_, minutes)| digits(minutes) == 2)
    });
    if rest == "Z" || zone { Ok(()) } else { Err((rest, "Z07:00")) }
}

/// The integer that a float is, if it is one.
pub(crate) fn whole(number: f64) -> Option<i64> {
    if number.fract() == 0.0 { format!("{number:.0}").parse().ok() } else { None }
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// A quantity as the server writes it.
pub(crate) fn quantity(text: &str) -> Result<String, String> {
    match Quantity::parse_trimmed(text) {
        Ok(quantity) => Ok(quantity.to_string()),
        Err(QuantityError::Suffix(_)) => Err("unable to parse quantity's suffix".to_owned()),
        Err(_) => Err(QUANTITY_FORM.to_owned()),
    }
}

/// Base64 as the server writes it: without line breaks.
pub(crate) fn bytes(text: &str) -> Result<String, String> {
    let joined: String = text.chars().filter(|&c| c != '\r' && c != '\n').collect();
    match STANDARD.decode(&joined) {
        Ok(_) => Ok(joined),
        Err(error) => {
            let at = match error {
                base64::DecodeError::InvalidByte(at, _)
                | base64::DecodeError::InvalidLastSymbol(at, _) => at,
                _ => joined.len(),
            };
            Err(format!("illegal base64 data at input byte {at}"))
        }
    }
}
