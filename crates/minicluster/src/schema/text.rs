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
    let layout = match precision {
        Precision::Seconds => "2006-01-02T15:04:05Z07:00",
        Precision::Microseconds => "2006-01-02T15:04:05.000000Z07:00",
    };
    let decimals = match precision {
        Precision::Seconds => None,
        Precision::Microseconds => Some(6),
    };
    let refused =
        || format!("parsing time {text:?} as {layout:?}: cannot parse {text:?} as a time");
    if !has_form(text, decimals) {
        return Err(refused());
    }
    let at: Timestamp = text.parse().map_err(|_| refused())?;
    Ok(match precision {
        Precision::Seconds => at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Precision::Microseconds => at.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string(),
    })
}

/// Whether a text is RFC 3339.
pub(crate) fn is_date_time(text: &str) -> bool {
    has_form(text, None) && text.parse::<Timestamp>().is_ok()
}

/// The form of RFC 3339, which is narrower than what is read leniently elsewhere: capital letters, and exactly so many decimals
/// where a number is given.
fn has_form(text: &str, decimals: Option<usize>) -> bool {
    let digits = |part: &str, pattern: &str| {
        part.len() == pattern.len()
            && part.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
    };
    let Some((date, rest)) = text.split_once('T') else { return false };
    let Some(zone_at) = rest.find(['Z', '+', '-']) else { return false };
    let (clock, zone) = rest.split_at(zone_at);
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let fraction_fits = match (fraction, decimals) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(given), None) => !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit()),
        (Some(given), Some(wanted)) => {
            given.len() == wanted && given.bytes().all(|byte| byte.is_ascii_digit())
        }
    };
    digits(date, "0000-00-00")
        && digits(clock, "00:00:00")
        && fraction_fits
        && (zone == "Z" || digits(zone, "+00:00") || digits(zone, "-00:00"))
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
