//! Who owns which fields, as the write path sees to it.

use serde_json::Value;

use super::{Api, WriteOptions};
use crate::{Kind, apply, kind::Subresource};

/// How a write goes into `metadata.managedFields`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ownership<'o> {
    /// What changed belongs to this manager.
    Manager(&'o str),
    /// Owners stay as they are: the cluster's own writes, which nobody wants to read about in every pod.
    Untouched,
    /// Server-side apply has seen to it.
    Applied,
}

// === impl Ownership ===

impl<'o> Ownership<'o> {
    pub(super) fn of(options: &'o WriteOptions) -> Self {
        match options.field_manager.as_str() {
            "" => Self::Untouched,
            manager => Self::Manager(manager),
        }
    }
}

// === impl Api ===

impl Api {
    /// Brings `managedFields` of an object up to date that is about to be stored.
    pub(super) fn settle_owners(
        &self,
        kind: &Kind,
        old: Option<&Value>,
        new: &mut Value,
        subresource: Option<Subresource>,
        ownership: Ownership<'_>,
    ) {
        match ownership {
            Ownership::Manager(manager) => {
                apply::track(kind, old, new, &self.field_writer(manager, subresource));
            }
            Ownership::Untouched => apply::carry_over(old, new),
            Ownership::Applied => {}
        }
        if let Some(old) = old {
            apply::settle(old, new);
        }
    }

    pub(super) fn field_writer<'w>(
        &self,
        manager: &'w str,
        subresource: Option<Subresource>,
    ) -> apply::Writer<'w> {
        let subresource = match subresource {
            Some(Subresource::Status) => "status",
            Some(Subresource::Scale) => "scale",
            Some(Subresource::Finalize) => "finalize",
            Some(Subresource::Stub(name)) => name,
            Some(Subresource::Binding | Subresource::Eviction) | None => "",
        };
        apply::Writer { manager, subresource, now: self.clock().now() }
    }
}
