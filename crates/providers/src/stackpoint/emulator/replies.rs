//! Things as the service writes them, and nodes as Kubernetes does.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::{
    faults::Generation,
    knobs::Trouble,
    offer::PoolOffer,
    state::{Books, Machine, Pool, State},
};

/// Kinds of machines: cores, memory in MB, accelerators.
const MACHINES: [(&str, u32, u32, u32); 8] = [
    ("t2.medium", 2, 4000, 0),
    ("m5.large", 2, 8000, 0),
    ("m5.xlarge", 4, 16000, 0),
    ("m5.2xlarge", 8, 32000, 0),
    ("c5.xlarge", 4, 8000, 0),
    ("r4.large", 2, 15250, 0),
    ("p3.2xlarge", 8, 61000, 1),
    // A kind that is newer than everybody who asks.
    ("x9.large", 2, 8000, 0),
];

const MEBIBYTE: u64 = 1024 * 1024;

/// The service's MB. Of a machine that is sold with more, the kernel keeps the rest.
const MEGABYTE: u64 = 1_000_000;

/// Where everything is.
pub(super) const REGION: &str = "us-west-2";

/// Where machines are whose pool does not say so.
const ZONE: &str = "us-west-2a";

/// The disk of every machine, in GB.
const DISK: u32 = 50;

/// What a kubelet keeps free.
const KEPT_MEMORY: u64 = 100 * MEBIBYTE;

/// A machine, which the service calls a node.
pub(super) fn node(
    machine: &Machine,
    books: &Books,
    skew: SignedDuration,
    generation: Generation,
) -> Value {
    let pool = machine.pool.and_then(|pool| books.pools.get(&pool));
    let is_homeless = machine.trouble == Some(Trouble::Homeless);
    let address = if machine.is_built() { machine.address() } else { String::new() };
    let offer = pool.map(|pool| &pool.offer);
    let group = pool.filter(|_| !is_homeless).map(Pool::group_name).unwrap_or_default();
    let has_pool = generation != Generation::WithoutPools && !is_homeless;
    json!({
        "pk": machine.pk,
        "name": machine.instance_id,
        "cluster": books.offer.cluster,
        "pool": machine.pool.filter(|_| has_pool),
        "pool_name": offer.map(|offer| &offer.name),
        "instance_id": machine.instance_id,
        "provider_node_id": if machine.is_built() { format!("i-{:017x}", machine.pk) } else { String::new() },
        "role": machine.role,
        "group_name": group,
        "private_ip": address,
        "public_ip": "",
        "platform": "ubuntu",
        "image": "",
        "channel": "18.04-lts",
        "etcd_state": machine.etcd_state,
        "root_disk_size": DISK,
        "gpu_instance_size": "",
        "gpu_core_count": null,
        "location": format!("{REGION}:{}", offer.map_or(ZONE, zone)),
        "zone": offer.map(|offer| &offer.zone),
        "provider_subnet_id": "subnet-1",
        "provider_subnet_cidr": "10.20.0.0/16",
        "size": offer.map_or("m5.large", |offer| &offer.size),
        "state": machine.state.word(),
        "is_failed": machine.is_failed,
        "created": moment(machine.created, skew),
        "updated": moment(machine.updated, skew),
    })
}

/// A pool.
pub(super) fn pool(pool: &Pool, books: &Books, skew: SignedDuration) -> Value {
    let offer = &pool.offer;
    let has =
        |machine: &&Machine| machine.pool == Some(pool.pk) && machine.state != State::Deleting;
    let mut value = json!({
        "pk": pool.pk,
        "cluster": books.offer.cluster,
        "name": offer.name,
        "instance_id": offer.id,
        "instance_size": offer.size,
        "platform": "ubuntu",
        "channel": "18.04-lts",
        "root_disk_size": DISK,
        "zone": offer.zone,
        "provider_subnet_id": "subnet-1",
        "provider_subnet_cidr": "10.20.0.0/16",
        "node_count": books.machines.values().filter(has).count(),
        "autoscaled": offer.autoscaled,
        "min_count": offer.min,
        "max_count": offer.max,
        "network_components": [],
        "gpu_instance_size": "",
        "gpu_core_count": null,
        "labels": offer.labels,
        "role": "worker",
        "state": "active",
        "is_default": !offer.autoscaled,
        "config": {},
        "created": moment(Timestamp::UNIX_EPOCH, skew),
        "updated": moment(Timestamp::UNIX_EPOCH, skew),
    });
    // Later versions of the service do not have these at all.
    if let Some(fields) = value.as_object_mut().filter(|_| !offer.cpu.is_empty()) {
        fields.insert("cpu".to_owned(), json!(offer.cpu));
        fields.insert("memory".to_owned(), json!(offer.memory));
    }
    value
}

/// Where the machines of a pool are.
fn zone(offer: &PoolOffer) -> &str {
    if offer.zone.is_empty() { ZONE } else { &offer.zone }
}

/// The catalogue of machines.
pub(super) fn catalogue(cloud: &str) -> Value {
    let entry = |(name, cpu, memory, gpu): (&str, u32, u32, u32)| {
        let mut specs = json!({"cpu": cpu, "memory": memory, "name": name, "value": name});
        if let Some(fields) = specs.as_object_mut().filter(|_| gpu > 0) {
            fields.insert("gpu".to_owned(), json!(gpu));
        }
        (name.to_owned(), specs)
    };
    let config: Map<String, Value> = MACHINES.into_iter().map(entry).collect();
    json!({"name": "provider-instances", "filters": {"provider": cloud}, "config": config})
}

/// The service tells the time by its own clock.
fn moment(at: Timestamp, skew: SignedDuration) -> String {
    format!("{:.6}", at.checked_add(skew).unwrap_or(at))
}

/// The Kubernetes node that a machine becomes, with the labels that the service gives.
pub(super) fn manifest(machine: &Machine, pool: Option<&Pool>) -> Value {
    let offer = pool.map(|pool| &pool.offer);
    let mut labels = Map::new();
    let mut add = |key: &str, value: &str| labels.insert(key.to_owned(), json!(value));
    for key in ["kubernetes.io", "beta.kubernetes.io"] {
        add(&format!("{key}/arch"), "amd64");
        add(&format!("{key}/os"), "linux");
    }
    add("kubernetes.io/hostname", &machine.node_name());
    add("stackpoint.io/role", machine.role);
    add("stackpoint.io/instance_id", &machine.instance_id);
    if machine.role == "master" {
        add("node-role.kubernetes.io/control-plane", "");
    }
    if let Some(pool) = pool {
        add("stackpoint.io/node_group", &pool.group_name());
    }
    if let Some(offer) = offer {
        for (new, old, value) in [
            ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", zone(offer)),
            ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region", REGION),
            ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", &offer.size),
        ] {
            add(new, value);
            add(old, value);
        }
        for pair in offer.labels.split(',').filter_map(|pair| pair.split_once('=')) {
            add(pair.0, pair.1);
        }
    }
    let size = offer.map_or("m5.large", |offer| &offer.size);
    let known = MACHINES.iter().find(|(name, ..)| *name == size);
    let (cpu, memory, gpu) =
        known.map_or((2, 8000, 0), |(_, cpu, memory, gpu)| (*cpu, *memory, *gpu));
    let own =
        |text: Option<&str>, usual: u32| text.and_then(|text| text.parse().ok()).unwrap_or(usual);
    let cpu = own(offer.map(|offer| &*offer.cpu), cpu);
    let memory = u64::from(own(offer.map(|offer| &*offer.memory), memory)) * MEGABYTE;
    let amounts = |memory: u64, disk: u64| {
        let mut amounts = json!({
            "cpu": cpu.to_string(),
            "memory": memory.to_string(),
            "ephemeral-storage": (disk * MEBIBYTE).to_string(),
            "pods": "110",
        });
        if let Some(fields) = amounts.as_object_mut().filter(|_| gpu > 0) {
            fields.insert("nvidia.com/gpu".to_owned(), json!(gpu.to_string()));
        }
        amounts
    };
    let disk = u64::from(DISK) * 1024;
    let taints = match machine.role {
        "master" => {
            json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}])
        }
        _ => json!([]),
    };
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": machine.node_name(), "labels": labels},
        "spec": {"taints": taints},
        "status": {
            "capacity": amounts(memory, disk),
            "allocatable": amounts(memory.saturating_sub(KEPT_MEMORY), disk - disk / 10),
            "addresses": [
                {"type": "InternalIP", "address": machine.address()},
                {"type": "Hostname", "address": machine.node_name()},
            ],
        },
    })
}
