//! Single values of the lab's files, which describe machines and chance: quantities, labels, probabilities, spans of time.

use jiff::SignedDuration;
use plimsoll_manifest::duration;
use plimsoll_model::{
    Quantity,
    labels::{check_label_key, check_label_value},
};
use plimsoll_provider::Class;

use super::{
    error::Checked,
    field::{Field, quoted},
    tree::Value,
};

// === impl Field ===

impl Field<'_> {
    /// What everything that happens by chance follows from.
    pub(crate) fn seed(&self) -> Checked<u64> {
        let number = match self.value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.is_not("a whole number below 2^64"))
    }

    /// A number from 0 to 1.
    pub(crate) fn probability(&self) -> Checked<f64> {
        let number = self.number()?;
        let above =
            || self.refuse(format!("{} is above 1, and this is a probability", self.written()));
        if number <= 1.0 { Ok(number) } else { Err(above()) }
    }

    /// A length of time that is not negative. Zero needs no unit.
    pub(crate) fn duration(&self) -> Checked<SignedDuration> {
        let read = match self.value {
            Value::Integer(0) => Some(SignedDuration::ZERO),
            Value::Text(text) => duration::parse(text),
            _ => None,
        };
        match read {
            Some(length) if length.is_negative() => {
                Err(self.refuse(format!("{} is negative", self.written())))
            }
            Some(length) => Ok(length),
            None => Err(self.is_not("a duration such as 90s or 1h30m")),
        }
    }

    /// An amount of a resource that is not negative.
    pub(crate) fn quantity(&self) -> Checked<Quantity> {
        let text = match self.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Decimal(number) => number.to_string(),
            _ => return Err(self.is_not("a quantity such as 500m or 16Gi")),
        };
        let amount = Quantity::parse(&text).map_err(|error| self.refuse(error.to_string()))?;
        if amount.is_negative() {
            return Err(self.refuse(format!("{} is negative", self.written())));
        }
        amount.value().map_err(|error| self.refuse(error.to_string()))?;
        Ok(amount)
    }

    /// The name of a kind of failure.
    pub(crate) fn class(&self) -> Checked<Class> {
        let name = self.name()?;
        Class::ALL.into_iter().find(|class| class.name() == &*name).ok_or_else(|| {
            let known = Class::ALL.map(Class::name).join(", ");
            self.refuse(format!("{} is not a class of error, known are {known}", quoted(&name)))
        })
    }

    /// The key of a label.
    pub(crate) fn label_key(&self) -> Checked<Box<str>> {
        let key = self.name()?;
        check_label_key(&key).map_err(|error| self.refuse(error.to_string()))?;
        Ok(key)
    }

    /// The value of a label.
    pub(crate) fn label_value(&self) -> Checked<Box<str>> {
        let Value::Text(text) = self.value else {
            return Err(self.is_not("a text; put it in quotes"));
        };
        check_label_value(text).map_err(|error| self.refuse(error.to_string()))?;
        Ok(text.as_str().into())
    }
}
