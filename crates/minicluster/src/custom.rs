//! custom.

/// What a `CustomResourceDefinition` says about its kind beyond names and fields.
#[derive(Debug, Default)]
pub struct CustomKind {}
