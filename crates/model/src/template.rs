//! The pod that a controller would make.

use std::sync::Arc;

use crate::{PodShape, Symbol};

/// The pod that somebody would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// What the scheduler would look at.
    pub pod: Arc<PodShape>,
    /// Its priority, as far as the text tells.
    pub priority: i32,
    /// `spec.priorityClassName`.
    pub priority_class: Option<Symbol>,
    /// Tells one text from another.
    pub digest: u64,
}
