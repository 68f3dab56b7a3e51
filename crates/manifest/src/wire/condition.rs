//! What is said of objects.

use crate::wire::{value::Text, wire};

wire! {
    /// A metav1.Condition.
    struct Condition<'a> {
        "type" => name: Text<'a>,
        "status" => status: Text<'a>,
        "reason" => reason: Text<'a>,
        "message" => message: Text<'a>,
        "lastTransitionTime" => at: Text<'a>,
        "observedGeneration" => generation: Option<i64>,
    }
}
