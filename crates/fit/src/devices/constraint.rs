//! Constraints: what the devices of a claim have to have in common, or not.

use plimsoll_model::{Attribute, Device, DeviceConstraint, SameOrDistinct, Symbol};

/// A constraint, and the values it has seen.
#[derive(Debug)]
pub(super) struct Held<'a> {
    rule: &'a DeviceConstraint,
    /// One for each device it concerns, in the order they were chosen.
    values: Vec<&'a Attribute>,
}

/// For whom a device is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct For {
    pub request: Symbol,
    pub alternative: Option<Symbol>,
}

// === impl Held ===

impl<'a> Held<'a> {
    pub(super) fn new(rule: &'a DeviceConstraint) -> Self {
        Self { rule, values: Vec::new() }
    }

    /// Takes a device, if it may be chosen beside the others.
    pub(super) fn add(&mut self, purpose: For, driver: Symbol, device: &'a Device) -> bool {
        if !self.concerns(purpose) {
            return true;
        }
        let Some(value) = device.attribute(driver, self.rule.attribute.as_str()) else {
            return false;
        };
        let allowed = match self.rule.rule {
            SameOrDistinct::Same => self
                .values
                .first()
                .is_none_or(|first| *first == value && *value != Attribute::Unsupported),
            SameOrDistinct::Distinct => {
                self.values.is_empty()
                    || (*value != Attribute::Unsupported && !self.values.contains(&value))
            }
        };
        if allowed {
            self.values.push(value);
        }
        allowed
    }

    /// Takes back the device that was added last for this purpose.
    pub(super) fn remove(&mut self, purpose: For) {
        if self.concerns(purpose) {
            self.values.pop();
        }
    }

    fn concerns(&self, purpose: For) -> bool {
        let names = &self.rule.requests;
        names.is_empty()
            || names.contains(&purpose.request)
            || purpose.alternative.is_some_and(|alternative| {
                names.iter().any(|name| {
                    name.as_str().split_once('/')
                        == Some((purpose.request.as_str(), alternative.as_str()))
                })
            })
    }
}
