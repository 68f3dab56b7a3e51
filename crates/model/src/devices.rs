//! The objects of dynamic resource allocation of a cluster, by name.

use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{ClaimSpec, DeviceClaim, DeviceClass, ResourceSlice, Symbol};

/// All devices and claims.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// What drivers publish, by the name of the slice.
    pub slices: BTreeMap<Symbol, Arc<ResourceSlice>>,
    /// Classes by name.
    pub classes: FxHashMap<Symbol, DeviceClass>,
    /// Claims by namespace and name.
    pub claims: FxHashMap<(Symbol, Symbol), Arc<DeviceClaim>>,
    /// Templates of claims by namespace and name.
    pub templates: FxHashMap<(Symbol, Symbol), Arc<ClaimSpec>>,
}

// === impl Devices ===

impl Devices {
    /// The slices of a node's own.
    pub fn local_slices(&self, node: Symbol) -> impl Iterator<Item = &Arc<ResourceSlice>> {
        self.slices.values().filter(move |slice| slice.is_local_to(node))
    }
}
