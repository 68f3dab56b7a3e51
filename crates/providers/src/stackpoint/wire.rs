//! What the service says, as far as it matters here.
//!
//! What a decision depends on has to be there, or the entry is refused: a record without a state is not a machine that has gone. The
//! rest may be missing, null, or of another type than last year; [`loose`] has the forms that are understood.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

mod loose;

pub(super) use self::loose::whole;
use self::loose::{hint, key, moment, number, optional_key, pairs, some_key, text, truth};
use super::amounts::{cpu_millis, memory_megabytes};

/// The service's number of a thing.
pub(super) type Key = i64;

/// A machine as the service has it on record. The service calls it a node.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Record {
    /// Its number, which requests name it by.
    #[serde(deserialize_with = "key")]
    pub(super) pk: Key,
    /// The cluster that it belongs to.
    #[serde(default, deserialize_with = "optional_key")]
    pub(super) cluster: Option<Key>,
    /// The pool that it belongs to; masters have none, and neither have workers of the time before pools.
    #[serde(default, deserialize_with = "optional_key")]
    pub(super) pool: Option<Key>,
    /// What it is called: `spc5fd2a0b1-worker-3`. Its Kubernetes node carries it as a label.
    #[serde(default, deserialize_with = "text")]
    pub(super) instance_id: String,
    /// `master` or `worker`.
    #[serde(deserialize_with = "text")]
    pub(super) role: String,
    /// `autoscaling-` and what its pool is called; empty for masters.
    #[serde(default, deserialize_with = "text")]
    pub(super) group_name: String,
    /// Empty until it is built.
    #[serde(default, deserialize_with = "hint")]
    pub(super) private_ip: String,
    /// Where it is: a region and a zone, `us-west-2:us-west-2a`, or a region.
    #[serde(default, deserialize_with = "hint")]
    pub(super) location: String,
    /// How it has to do with etcd.
    #[serde(default, deserialize_with = "text")]
    pub(super) etcd_state: String,
    /// `draft`, `building`, `provisioned`, `running`, `failed`, `deleting`, `deleted`.
    #[serde(deserialize_with = "text")]
    pub(super) state: String,
    /// Later versions of the service tell a failure like this.
    #[serde(default, deserialize_with = "truth")]
    pub(super) is_failed: bool,
    /// When it was asked for, by the service's clock.
    #[serde(default, deserialize_with = "moment")]
    pub(super) created: Option<Timestamp>,
}

/// A pool of machines of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Pool {
    /// Its number, which requests name it by; `None` for a group of a service that has no pools.
    #[serde(deserialize_with = "some_key")]
    pub(super) pk: Option<Key>,
    /// What people call it.
    #[serde(default, deserialize_with = "hint")]
    pub(super) name: String,
    /// What it is called: `spc5fd2a0b1-pool-1`.
    #[serde(deserialize_with = "text")]
    pub(super) instance_id: String,
    /// The kind of machine.
    #[serde(default, deserialize_with = "text")]
    pub(super) instance_size: String,
    /// Cores of a machine; often empty.
    #[serde(default, deserialize_with = "hint")]
    pub(super) cpu: String,
    /// Memory of a machine, in MB unless it has a unit; often empty.
    #[serde(default, deserialize_with = "hint")]
    pub(super) memory: String,
    /// Labels of its nodes.
    #[serde(default, deserialize_with = "pairs")]
    pub(super) labels: Vec<(String, String)>,
    /// Whether it is to be grown and shrunk.
    #[serde(default, deserialize_with = "truth")]
    pub(super) autoscaled: bool,
    /// It is not to be shrunk below this.
    #[serde(default, deserialize_with = "number")]
    pub(super) min_count: i64,
    /// It is not to be grown above this.
    #[serde(default, deserialize_with = "number")]
    pub(super) max_count: i64,
    /// How many machines the service believes it to have.
    #[serde(default, deserialize_with = "number")]
    pub(super) node_count: i64,
    /// Where its machines are.
    #[serde(default, deserialize_with = "hint")]
    pub(super) zone: String,
    /// The subnet of its machines.
    #[serde(default, deserialize_with = "hint")]
    pub(super) provider_subnet_id: String,
    /// The addresses of that subnet.
    #[serde(default, deserialize_with = "hint")]
    pub(super) provider_subnet_cidr: String,
    /// The disk of a machine, in GB.
    #[serde(default, deserialize_with = "number")]
    pub(super) root_disk_size: i64,
    /// Accelerators of a machine.
    #[serde(default, deserialize_with = "number")]
    pub(super) gpu_core_count: i64,
    /// `worker`, or empty in earlier versions.
    #[serde(default, deserialize_with = "text")]
    pub(super) role: String,
    /// `draft`, `active`, `failed`, `deleting`, `deleted`.
    #[serde(default, deserialize_with = "text")]
    pub(super) state: String,
}

/// The cluster, as far as it matters here. Whatever cannot be read of it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Cluster {
    /// The cloud that its machines are in, such as `aws`.
    #[serde(default, deserialize_with = "hint")]
    pub(super) provider: String,
    /// Where it is.
    #[serde(default, deserialize_with = "hint")]
    pub(super) region: String,
    /// What is installed in it, the service's own autoscaler among others.
    #[serde(default)]
    solutions: Value,
}

/// A page of the catalogue of machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct CataloguePage {
    /// By kind of machine.
    config: BTreeMap<String, Value>,
}

/// What a kind of machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Specs {
    /// Thousandths of a core.
    pub(super) cpu_millis: u32,
    /// Memory in MB, of a million bytes each.
    pub(super) memory: u32,
    /// Accelerators.
    pub(super) gpu: u32,
}

/// Whether a machine may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Eligibility {
    /// It may.
    pub(super) eligible: bool,
}

/// A wish for more machines in a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct AddNodes<'a> {
    /// How many.
    pub(super) node_count: u32,
    /// The kind of machine, which later versions of the service know from the pool.
    pub(super) size: &'a str,
    /// The pool, where the service has pools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node_pool: Option<Key>,
    /// The group that machines are labelled with, where the service has no pools.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) group: &'a str,
    /// What they are for.
    pub(super) role: &'a str,
    /// Where they are to be.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) zone: &'a str,
    /// The subnet that they are to be in.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) provider_subnet_id: &'a str,
    /// The addresses of that subnet.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) provider_subnet_cidr: &'a str,
}

// === impl Pool ===

impl Pool {
    /// A pool of which nothing is known but how the service calls it.
    pub(super) fn nameplate(&self) -> Self {
        Self { pk: self.pk, instance_id: self.instance_id.clone(), ..Self::default() }
    }
}

// === impl Cluster ===

impl Cluster {
    /// How many machines the service's own autoscaler may have, where it is installed and has a limit.
    pub(super) fn max_nodes(&self) -> Option<u32> {
        let solutions = self.solutions.as_array()?;
        let own = solutions.iter().filter(|solution| {
            solution.get("solution").and_then(Value::as_str) == Some("autoscaler")
        });
        let limits = own.filter_map(|solution| whole(solution.get("max_nodes")?));
        limits.filter(|limit| *limit > 0).filter_map(|limit| u32::try_from(limit).ok()).min()
    }
}

// === impl CataloguePage ===

impl CataloguePage {
    /// What can be read of it; a kind that cannot be is one that is not known.
    pub(super) fn kinds(self) -> impl Iterator<Item = (String, Specs)> {
        self.config.into_iter().filter_map(|(kind, entry)| Some((kind, Specs::of(&entry)?)))
    }
}

// === impl Specs ===

impl Specs {
    fn of(entry: &Value) -> Option<Self> {
        let written = |name: &str| match entry.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let gpu = entry.get("gpu").and_then(whole).unwrap_or_default();
        Some(Self {
            cpu_millis: cpu_millis(&written("cpu")?)?,
            memory: memory_megabytes(&written("memory")?)?,
            gpu: u32::try_from(gpu).unwrap_or_default(),
        })
    }
}
