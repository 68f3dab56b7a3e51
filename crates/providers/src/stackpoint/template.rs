//! What a new node of a pool looks like, known before there is one.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Labels, Node, Resources, Symbol, label,
    labels::{check_label_key, check_label_value},
    resource,
};

use super::{
    amounts::{cpu_millis, memory_megabytes},
    kinds::{self, architecture},
    owner::{GROUP_LABEL, ROLE_LABEL},
    reconcile::Shelf,
    wire::{Pool, Specs},
};
use crate::template::new_node;

/// Kinds of machines, by name.
pub(super) type Catalogue = BTreeMap<String, Specs>;

/// What is known of kinds of machines beside what pools say.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// What the service lists.
    pub(super) catalogue: Arc<Catalogue>,
    /// Whether the service has been asked.
    pub(super) asked: Asked,
    /// Why it has not answered.
    pub(super) problem: Option<String>,
}

/// Whether the service has told all that it knows of kinds of machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Asked {
    /// It was not asked, or did not answer: a kind that is not known may be known soon.
    #[default]
    NotYet,
    /// It answered, if only that it has no catalogue.
    Answered,
}

/// The resource that accelerators are.
const GPU: &str = "nvidia.com/gpu";

/// How many pods a kubelet takes.
const PODS: i64 = 110;

/// The service counts memory in MB. The original took these for MiB and promised nodes a twentieth more than they had.
const MEGABYTE: i64 = 1_000_000;

const MEBIBYTE: i64 = 1024 * 1024;

const GIBIBYTE: i64 = 1024 * MEBIBYTE;

/// What a kubelet keeps free of memory unless it is told otherwise (`memory.available<100Mi`).
const KEPT_MEMORY: i64 = 100 * MEBIBYTE;

/// Of its disk a kubelet keeps a tenth free (`nodefs.available<10%`).
const KEPT_DISK: i64 = 10;

const INSTANCE_TYPE: [&str; 2] =
    ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];

const ARCHITECTURE: [&str; 2] = ["kubernetes.io/arch", "beta.kubernetes.io/arch"];

/// Labels that every node has.
const COMMON: [(&str, &str); 3] =
    [("kubernetes.io/os", "linux"), ("beta.kubernetes.io/os", "linux"), (ROLE_LABEL, "worker")];

/// A new node of a group in a region, if the region is known. `None` where nothing tells what its machines have.
pub(super) fn template(shelf: &Shelf, kinds: &Kinds, region: &str) -> Option<Arc<Node>> {
    let pool = &shelf.pool;
    let specs = kinds.specs(pool)?;
    let mut capacity = Resources::from_amounts([
        (Symbol::new(resource::CPU), i64::from(specs.cpu_millis)),
        (Symbol::new(resource::MEMORY), i64::from(specs.memory) * MEGABYTE),
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
    let labels = labels(shelf, region);
    let node = new_node(shelf.id, labels, Box::default(), capacity, allocatable);
    Some(Arc::new(node))
}

// === impl Kinds ===

impl Kinds {
    /// The service lists these, and no others.
    pub(super) const fn listed(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, asked: Asked::Answered, problem: None }
    }

    /// What the pool says of its machines, else the catalogue, else what has been known of such machines for years.
    fn specs(&self, pool: &Pool) -> Option<Specs> {
        let listed = self.catalogue.get(&pool.instance_size).copied();
        let known = listed.or_else(|| kinds::known(&pool.instance_size));
        let mut specs = own_specs(pool).or(known)?;
        let gpu = u32::try_from(pool.gpu_core_count).unwrap_or_default();
        specs.gpu = gpu.max(known.map_or(0, |known| known.gpu));
        Some(specs)
    }

    /// Whether nothing tells what machines of a pool have, and nothing will.
    pub(super) fn is_unknown(&self, pool: &Pool) -> bool {
        self.asked == Asked::Answered && self.specs(pool).is_none()
    }
}

/// Whether the catalogue has to be asked about a pool.
pub(super) fn needs_catalogue(pool: &Pool) -> bool {
    own_specs(pool).is_none()
}

/// What the pool itself says, which is often nothing.
fn own_specs(pool: &Pool) -> Option<Specs> {
    let (cpu_millis, memory) = (cpu_millis(&pool.cpu)?, memory_megabytes(&pool.memory)?);
    Some(Specs { cpu_millis, memory, gpu: 0 })
}

fn labels(shelf: &Shelf, region: &str) -> Labels {
    let pool = &shelf.pool;
    let mut pairs: Vec<(String, String)> = pool.labels.clone();
    let mut add = |keys: [&str; 2], value: &str| {
        if !value.is_empty() {
            pairs.extend(keys.map(|key| (key.to_owned(), value.to_owned())));
        }
    };
    let (region_of_machines, zone_of_machines) = shelf.location();
    let first = |one: &'_ str, other: &'_ str| {
        if one.is_empty() { other.to_owned() } else { one.to_owned() }
    };
    add([label::ZONE, label::BETA_ZONE], &first(&pool.zone, zone_of_machines));
    add([label::REGION, label::BETA_REGION], &first(region, region_of_machines));
    add(INSTANCE_TYPE, &pool.instance_size);
    add(ARCHITECTURE, architecture(&pool.instance_size));
    pairs.extend(COMMON.map(|(key, value)| (key.to_owned(), value.to_owned())));
    pairs.push((GROUP_LABEL.to_owned(), shelf.id.to_string()));
    let are_labels = |(key, value): &(String, String)| {
        check_label_key(key).is_ok() && check_label_value(value).is_ok()
    };
    let pairs = pairs.into_iter().filter(are_labels);
    Labels::from_pairs(pairs.map(|(key, value)| (Symbol::new(&key), Symbol::new(&value))))
}

#[cfg(test)]
mod tests;
