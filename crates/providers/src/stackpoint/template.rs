//! What a new node of a pool looks like, known before there is one.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Labels, Node, Resources, Symbol, label,
    labels::{check_label_key, check_label_value},
    resource,
};
use serde_json::Value;

use super::{
    owner::{GROUP_LABEL, ROLE_LABEL},
    reconcile::Shelf,
    wire::{Pool, Specs},
};
use crate::template::new_node;

/// Kinds of machines, by name.
pub(super) type Catalogue = BTreeMap<String, Specs>;

/// The resource that accelerators are.
const GPU: &str = "nvidia.com/gpu";

/// How many pods a kubelet takes.
const PODS: i64 = 110;

/// The service counts memory in MB, and the original took these for MiB.
const MEBIBYTE: i64 = 1024 * 1024;

const GIBIBYTE: i64 = 1024 * MEBIBYTE;

/// What a kubelet keeps free of memory unless it is told otherwise (`memory.available<100Mi`).
const KEPT_MEMORY: i64 = 100 * MEBIBYTE;

/// Of its disk a kubelet keeps a tenth free (`nodefs.available<10%`).
const KEPT_DISK: i64 = 10;

/// Labels that every node has.
const COMMON: [(&str, &str); 5] = [
    ("kubernetes.io/arch", "amd64"),
    ("kubernetes.io/os", "linux"),
    ("beta.kubernetes.io/arch", "amd64"),
    ("beta.kubernetes.io/os", "linux"),
    (ROLE_LABEL, "worker"),
];

/// A new node of a group: what the pool says of its machines, else what the catalogue does. `None` where neither knows.
pub(super) fn template(shelf: &Shelf, catalogue: &Catalogue) -> Option<Arc<Node>> {
    let pool = &shelf.pool;
    let specs = specs(pool, catalogue)?;
    let mut capacity = Resources::from_amounts([
        (Symbol::new(resource::CPU), i64::from(specs.cpu) * 1000),
        (Symbol::new(resource::MEMORY), i64::from(specs.memory) * MEBIBYTE),
        (Symbol::new(resource::PODS), PODS),
    ]);
    let disk = pool.root_disk_size.max(0).saturating_mul(GIBIBYTE);
    if disk > 0 {
        capacity.add(Symbol::new(resource::EPHEMERAL_STORAGE), disk);
    }
    if specs.gpu > 0 {
        capacity.add(Symbol::new(GPU), i64::from(specs.gpu));
    }
    let mut allocatable = capacity.clone();
    allocatable.add(Symbol::new(resource::MEMORY), -KEPT_MEMORY);
    if disk > 0 {
        allocatable.add(Symbol::new(resource::EPHEMERAL_STORAGE), -(disk / KEPT_DISK));
    }
    let node = new_node(shelf.id, labels(shelf), Box::default(), capacity, allocatable);
    Some(Arc::new(node))
}

/// Whether the catalogue has to be asked about a pool.
pub(super) fn needs_catalogue(pool: &Pool) -> bool {
    own_specs(pool).is_none()
}

fn specs(pool: &Pool, catalogue: &Catalogue) -> Option<Specs> {
    let known = catalogue.get(&pool.instance_size).copied();
    let mut specs = own_specs(pool).or(known)?;
    let gpu = u32::try_from(pool.gpu_core_count).unwrap_or_default();
    specs.gpu = gpu.max(known.map_or(0, |known| known.gpu));
    (specs.cpu > 0 && specs.memory > 0).then_some(specs)
}

/// What the pool itself says, which is often nothing.
fn own_specs(pool: &Pool) -> Option<Specs> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
    Some(Specs { cpu: number(&pool.cpu)?, memory: number(&pool.memory)?, gpu: 0 })
}

fn labels(shelf: &Shelf) -> Labels {
    let pool = &shelf.pool;
    let mut pairs: Vec<(String, String)> = pool_labels(&pool.labels);
    let mut add = |key: &str, value: &str| pairs.push((key.to_owned(), value.to_owned()));
    if !pool.zone.is_empty() {
        add(label::ZONE, &pool.zone);
        add(label::BETA_ZONE, &pool.zone);
    }
    for (key, value) in COMMON {
        add(key, value);
    }
    add(GROUP_LABEL, shelf.id.as_str());
    let are_labels = |(key, value): &(String, String)| {
        check_label_key(key).is_ok() && check_label_value(value).is_ok()
    };
    let pairs = pairs.into_iter().filter(are_labels);
    Labels::from_pairs(pairs.map(|(key, value)| (Symbol::new(&key), Symbol::new(&value))))
}

/// `a=b,c=d`, or an object.
fn pool_labels(text: &str) -> Vec<(String, String)> {
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        let pair = |(key, value): (String, Value)| Some((key, value.as_str()?.to_owned()));
        return object.into_iter().filter_map(pair).collect();
    }
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('=')?;
        Some((key.trim().to_owned(), value.trim().to_owned()))
    };
    text.split([',', ';']).filter_map(pair).collect()
}

#[cfg(test)]
mod tests;
