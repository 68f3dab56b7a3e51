//! Custom kinds come and go with their definitions.

use std::sync::Arc;

use super::{Api, Deleted, WriteOptions};
use crate::{Kind, Object};

// === impl Api ===

impl Api {
    /// Sees to what else a write means.
    pub(super) fn after_write(&self, kind: &Kind, object: &Arc<Object>, options: &WriteOptions) {
        let _ = (kind, object, options);
    }

    /// Sees to what else a deletion means.
    pub(super) fn after_delete(&self, kind: &Kind, deleted: &Deleted) {
        let _ = (kind, deleted);
    }
}
