//! The storage objects of a cluster, by name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Claim, StorageCapacity, StorageClass, Symbol, Volume};

/// All storage objects that the scheduler consults.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Claims by namespace and name.
    pub claims: FxHashMap<(Symbol, Symbol), Claim>,
    /// Classes by name.
    pub classes: FxHashMap<Symbol, StorageClass>,
    /// How many volumes of a driver a node takes (CSINode), by node and driver.
    pub limits: FxHashMap<(Symbol, Symbol), i64>,
    /// Drivers that publish their capacity.
    pub capacity_drivers: FxHashSet<Symbol>,
    /// What is left at the drivers that publish it.
    pub capacities: Vec<StorageCapacity>,
    /// Volumes attached to a node, by node, whether in use by a pod or not.
    pub attachments: FxHashMap<Symbol, Vec<Symbol>>,
    /// In the order they were given: of equally large ones the first is taken.
    volumes: Vec<Volume>,
    /// Places in `volumes` by name.
    volume_names: FxHashMap<Symbol, usize>,
}

// === impl Storage ===

impl Storage {
    /// Adds or replaces a volume.
    pub fn add_volume(&mut self, volume: Volume) {
        if let Some(place) = self.volume_names.get(&volume.name) {
            self.volumes[*place] = volume;
        } else {
            self.volume_names.insert(volume.name, self.volumes.len());
            self.volumes.push(volume);
        }
    }

    /// All volumes, in the order they were given.
    pub fn volumes(&self) -> &[Volume] {
        &self.volumes
    }

    /// The volume of that name.
    pub fn volume(&self, name: Symbol) -> Option<&Volume> {
        self.volume_names.get(&name).map(|place| &self.volumes[*place])
    }
}
