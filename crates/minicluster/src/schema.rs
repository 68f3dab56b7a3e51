//! schema.

/// A type: what values there may be.
#[derive(Debug, Default)]
pub struct Type {}
