//! Printing a quantity for people: short rather than exact.

use super::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, Family, Quantity, decimal::FINEST};

/// Decimal amounts are left as they are up to here: `1500m` is how people write it.
const SHORT: u128 = 10_000;

const NANOS: u128 = 1_000_000_000;

impl Quantity {
    /// The amount with one decimal at most: `3.2Gi`, `1500m`, `4`.
    ///
    /// Binary amounts get the largest suffix that leaves at least one of them. The others keep their canonical form
    /// while it has four digits or fewer, and are shortened in the same way if it has more: `123.5k`.
    pub fn human(self) -> String {
        let nanos = self.amount.scaled_away_from_zero(FINEST);
        let rendered = nanos.and_then(|nanos| match self.family {
            Family::Binary => shortened(nanos.unsigned_abs(), &binary_units(), 1024),
            Family::Decimal | Family::Exponent => {
                let units = decimal_units();
                short(nanos.unsigned_abs(), &units)
                    .or_else(|| shortened(nanos.unsigned_abs(), &units, 1000))
            }
        });
        match rendered {
            Some(text) if self.is_negative() => format!("-{text}"),
            Some(text) => text,
            // More than any machine has; the exact form is the best there is.
            None => self.to_string(),
        }
    }
}

/// Suffixes with their sizes in nano-units, ascending.
fn binary_units() -> Vec<(&'static str, u128)> {
    let plain = std::iter::once(("", NANOS));
    plain.chain(BINARY_SUFFIXES.iter().map(|(suffix, power)| (*suffix, NANOS << power))).collect()
}

fn decimal_units() -> Vec<(&'static str, u128)> {
    let exponents = DECIMAL_SUFFIXES.iter().filter_map(|(suffix, power)| {
        Some((*suffix, 10_u128.checked_pow(u32::try_from(power - FINEST).ok()?)?))
    });
    exponents.collect()
}

/// The canonical form, if it is short.
fn short(nanos: u128, units: &[(&str, u128)]) -> Option<String> {
    if nanos == 0 {
        return Some("0".to_owned());
    }
    let (suffix, unit) = units.iter().rev().find(|(_, unit)| nanos.is_multiple_of(*unit))?;
    let count = nanos / unit;
    (count < SHORT).then(|| format!("{count}{suffix}"))
}

/// One decimal of the largest unit that fits; a number that rounding lifts to `step` is one of the next unit.
fn shortened(nanos: u128, units: &[(&str, u128)], step: u128) -> Option<String> {
    let fitting = units.iter().rposition(|(_, unit)| nanos >= *unit).unwrap_or(0);
    let (suffix, unit) = units.get(fitting)?;
    let tenths = nanos.checked_mul(10)?.checked_add(unit / 2)? / unit;
    match units.get(fitting + 1) {
        Some((next, _)) if tenths >= step * 10 => Some(format!("1{next}")),
        _ if tenths.is_multiple_of(10) => Some(format!("{}{suffix}", tenths / 10)),
        _ => Some(format!("{}.{}{suffix}", tenths / 10, tenths % 10)),
    }
}
