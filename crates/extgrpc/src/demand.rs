//! What a caller of `Refresh` wants to know.
//!
//! The upstream autoscaler drops its whole pass over an error, and needs none while the server still answers for what it knows. A
//! client of this project keeps its own account of how old things are, and says in metadata that it wants to be told.

use tonic::metadata::{AsciiMetadataValue, MetadataMap};

/// What `Refresh` is to answer when the infrastructure could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Whether the server can be relied on.
    Usable,
    /// Whether what it tells is new.
    New,
}

const REFRESH: &str = "plimsoll-refresh";
const NEW: &str = "new";

// === impl Demand ===

impl Demand {
    /// Sends it along.
    pub(crate) fn write(self, metadata: &mut MetadataMap) {
        if self == Self::New {
            metadata.insert(REFRESH, AsciiMetadataValue::from_static(NEW));
        }
    }

    /// What was sent along.
    pub(crate) fn read(metadata: &MetadataMap) -> Self {
        match metadata.get(REFRESH) {
            Some(value) if value == NEW => Self::New,
            _ => Self::Usable,
        }
    }
}
