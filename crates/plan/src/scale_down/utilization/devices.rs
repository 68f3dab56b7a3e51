//! How much of a node's own devices is claimed.

use std::sync::Arc;

use plimsoll_model::{Device, DeviceReach, Devices, Quantity, ResourceSlice, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// A driver's pool.
type PoolKey = (Symbol, Symbol);

/// Shares by node, for nodes that have devices of their own.
#[derive(Debug, Default)]
pub(super) struct DeviceUse {
    shares: FxHashMap<Symbol, f64>,
}

// === impl DeviceUse ===

impl DeviceUse {
    pub(super) fn new(devices: &Devices) -> Self {
        let mut pools: FxHashMap<(Symbol, PoolKey), Vec<&Arc<ResourceSlice>>> =
            FxHashMap::default();
        for slice in devices.slices.values() {
            if let DeviceReach::Node(node) = slice.reach {
                pools.entry((node, (slice.driver, slice.pool))).or_default().push(slice);
            }
        }
        if pools.is_empty() {
            return Self::default();
        }
        let given = devices.claims.values().filter_map(|claim| claim.allocation.as_ref());
        let given = given.flat_map(|allocation| &allocation.devices).filter(|device| !device.admin);
        let taken: FxHashSet<(PoolKey, Symbol)> =
            given.map(|device| ((device.driver, device.pool), device.device)).collect();
        let mut shares: FxHashMap<Symbol, f64> = FxHashMap::default();
        for ((node, key), slices) in pools {
            let share = share(&slices, |device| taken.contains(&(key, device)));
            let highest = shares.entry(node).or_default();
            *highest = highest.max(share);
        }
        Self { shares }
    }

    /// The share of the pool of which most is claimed; `None` for a node without devices.
    pub(super) fn of(&self, node: Symbol) -> Option<f64> {
        self.shares.get(&node).copied()
    }
}

/// The share of a pool: whole devices by number, and what partitions share by the counter of which most is used, each device
/// that is behind a set of counters counted once.
fn share(slices: &[&Arc<ResourceSlice>], is_taken: impl Fn(Symbol) -> bool) -> f64 {
    let newest = slices.iter().map(|slice| slice.generation).max();
    let slices: Vec<_> = slices.iter().filter(|slice| Some(slice.generation) == newest).collect();
    let devices = || slices.iter().flat_map(|slice| slice.devices.iter());
    let (parts, whole): (Vec<&Device>, Vec<&Device>) =
        devices().partition(|device| !device.consumes.is_empty());
    let taken = whole.iter().filter(|device| is_taken(device.name)).count();
    let sets = slices.iter().flat_map(|slice| slice.counters.iter());
    let used_parts: Vec<&Device> =
        parts.into_iter().filter(|device| is_taken(device.name)).collect();
    let in_sets: Vec<f64> = sets
        .map(|set| {
            let shares = set.counters.iter().map(|(name, has)| {
                let used = used_parts.iter().flat_map(|device| device.consumes.iter());
                let used = used.filter(|used| used.name == set.name);
                let used = used.flat_map(|used| used.counters.iter());
                let used = used.filter(|(other, _)| other == name).map(|(_, used)| *used);
                ratio(used.map(units).sum(), units(*has))
            });
            shares.fold(0.0, f64::max)
        })
        .collect();
    ratio(count(taken) + in_sets.iter().sum::<f64>(), count(whole.len() + in_sets.len()))
}

fn units(amount: Quantity) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    amount.value().map_or(f64::MAX, |units| units as f64)
}

fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::MAX, f64::from)
}

fn ratio(used: f64, has: f64) -> f64 {
    if used <= 0.0 || has <= 0.0 { 0.0 } else { used / has }
}
