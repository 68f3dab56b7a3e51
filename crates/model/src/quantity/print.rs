//! Printing a quantity in its canonical form: no fraction, and the largest suffix that loses nothing.

use std::fmt::{self, Write as _};

use super::{BINARY_SUFFIXES, DECIMAL_SUFFIXES, Family, Quantity, decimal::Decimal};

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        match self.family {
            Family::Binary => match binary_units(self.amount) {
                Some(units) => write_binary(&mut text, units)?,
                None => write_decimal(&mut text, self.amount)?,
            },
            Family::Decimal => write_decimal(&mut text, self.amount)?,
            Family::Exponent => write_exponent(&mut text, self.amount)?,
        }
        f.pad(&text)
    }
}

/// The amount in whole units, if it can be printed with a binary suffix: it has no fraction and is not below 1024, as
/// Kubernetes has it. Sums of 10^38 and more are left to the decimal suffixes, too.
fn binary_units(amount: Decimal) -> Option<i128> {
    let units = if amount.exponent() >= 0 {
        amount.scaled_away_from_zero(0)?
    } else {
        return None;
    };
    (units.unsigned_abs() >= 1024).then_some(units)
}

fn write_binary(text: &mut String, units: i128) -> fmt::Result {
    let fitting = BINARY_SUFFIXES.iter().rev().find(|(_, power)| units.trailing_zeros() >= *power);
    match fitting {
        Some((suffix, power)) => write!(text, "{}{suffix}", units >> power),
        None => write!(text, "{units}"),
    }
}

/// The last suffix takes what is too large for it, as zeros.
fn write_decimal(text: &mut String, amount: Decimal) -> fmt::Result {
    let fitting = DECIMAL_SUFFIXES.iter().rev().find(|(_, power)| *power <= amount.exponent());
    let (suffix, power) = fitting.copied().unwrap_or(("", 0));
    write_with_zeros(text, amount, power)?;
    text.write_str(suffix)
}

fn write_exponent(text: &mut String, amount: Decimal) -> fmt::Result {
    let power = amount.exponent().div_euclid(3) * 3;
    write_with_zeros(text, amount, power)?;
    if power == 0 { Ok(()) } else { write!(text, "e{power}") }
}

/// The amount divided by `10^power`, where `power` is not above the exponent.
fn write_with_zeros(text: &mut String, amount: Decimal, power: i32) -> fmt::Result {
    write!(text, "{}", amount.mantissa())?;
    for _ in power..amount.exponent() {
        text.write_char('0')?;
    }
    Ok(())
}
