//! Leases.

use serde_json::Value;

use super::{PLAIN, at::At};
use crate::{FieldError, kind::Rules};

/// What is done with Leases: who writes one must have seen it, and a PUT makes one.
pub(crate) const RULES: Rules =
    Rules { validate, unconditional_update: false, create_on_update: true, ..PLAIN };

fn validate(lease: &Value) -> Vec<FieldError> {
    let spec = At::root(lease).field("spec");
    let mut errors = Vec::new();
    let duration = spec.field("leaseDurationSeconds");
    if duration.number().is_some_and(|seconds| seconds <= 0) {
        errors.push(duration.invalid("must be greater than 0"));
    }
    errors.extend(spec.field("leaseTransitions").not_negative());
    let holder = spec.field("preferredHolder");
    if !holder.is_empty() && spec.field("strategy").is_empty() {
        errors.push(holder.forbidden("may only be specified if `strategy` is defined"));
    }
    errors
}
