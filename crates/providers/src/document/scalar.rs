//! Single values: numbers, words, amounts of money.

use plimsoll_model::Money;

use super::{error::Checked, field::Field, tree::Value};

// === impl Field ===

impl Field<'_> {
    /// A whole number that is not negative.
    pub(crate) fn count(&self) -> Checked<u32> {
        let Value::Integer(number) = self.value else {
            return Err(self.is_not("a whole number"));
        };
        u32::try_from(*number).map_err(|_| {
            let word = if *number < 0 { "is negative" } else { "is too large" };
            self.refuse(format!("{number} {word}"))
        })
    }

    /// A number that is not negative.
    pub(crate) fn number(&self) -> Checked<f64> {
        let number = match self.value {
            Value::Decimal(number) if number.is_finite() => *number,
            Value::Integer(number) => number.to_string().parse().unwrap_or(f64::MAX),
            _ => return Err(self.is_not("a number")),
        };
        if number < 0.0 {
            Err(self.refuse(format!("{} is negative", self.written())))
        } else {
            Ok(number)
        }
    }

    /// An amount of money that is not negative.
    pub(crate) fn money(&self) -> Checked<Money> {
        let units = self.number()?;
        Money::from_units(units)
            .ok_or_else(|| self.refuse(format!("{} is too large", self.written())))
    }

    /// A text that is not empty.
    pub(crate) fn name(&self) -> Checked<Box<str>> {
        match self.value {
            Value::Text(text) if text.is_empty() => Err(self.refuse("is empty")),
            Value::Text(text) => Ok(text.as_str().into()),
            _ => Err(self.is_not("a text; put it in quotes")),
        }
    }
}
