//! What the service says, as far as it matters here.
//!
//! What a decision depends on has to be there, or the reply is refused: a record without a state is not a machine that has gone. The
//! rest may be missing, null, or of another type than last year.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The service's number of a thing.
pub(super) type Key = i64;

/// A machine as the service has it on record. The service calls it a node.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Record {
    /// Its number, which requests name it by.
    pub(super) pk: Key,
    /// The cluster that it belongs to.
    #[serde(default)]
    pub(super) cluster: Option<Key>,
    /// The pool that it belongs to; masters have none, and neither have workers of the time before pools.
    #[serde(default)]
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
    #[serde(default, deserialize_with = "text")]
    pub(super) private_ip: String,
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Pool {
    /// Its number, which requests name it by.
    pub(super) pk: Key,
    /// What people call it.
    #[serde(default, deserialize_with = "text")]
    pub(super) name: String,
    /// What it is called: `spc5fd2a0b1-pool-1`.
    #[serde(deserialize_with = "text")]
    pub(super) instance_id: String,
    /// The kind of machine.
    #[serde(default, deserialize_with = "text")]
    pub(super) instance_size: String,
    /// Cores of a machine; often empty.
    #[serde(default, deserialize_with = "text")]
    pub(super) cpu: String,
    /// Memory of a machine in MB; often empty.
    #[serde(default, deserialize_with = "text")]
    pub(super) memory: String,
    /// Labels of its nodes.
    #[serde(default, deserialize_with = "text")]
    pub(super) labels: String,
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
    #[serde(default, deserialize_with = "text")]
    pub(super) zone: String,
    /// The subnet of its machines.
    #[serde(default, deserialize_with = "text")]
    pub(super) provider_subnet_id: String,
    /// The addresses of that subnet.
    #[serde(default, deserialize_with = "text")]
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

/// The cluster, of which one thing matters.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Cluster {
    /// The cloud that its machines are in, such as `aws`.
    #[serde(default, deserialize_with = "text")]
    pub(super) provider: String,
}

/// A page of the catalogue of machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct CataloguePage {
    /// By kind of machine.
    pub(super) config: BTreeMap<String, Specs>,
}

/// What a kind of machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Specs {
    /// Cores.
    pub(super) cpu: u32,
    /// Memory in MB.
    pub(super) memory: u32,
    /// Accelerators.
    #[serde(default)]
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
    /// The pool.
    pub(super) node_pool: Key,
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

/// A text; numbers are taken as they are written, null is empty.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        // A pool's labels came as an object for a while.
        Value::Object(object) => Ok(Value::Object(object).to_string()),
        other => Err(serde::de::Error::custom(format_args!("{other} is not a text"))),
    }
}

/// A whole number; null is zero, and digits may stand in quotes.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(from)?;
    let number = match &value {
        Value::Null => Some(0),
        Value::Number(number) => number.as_i64(),
        Value::String(text) if text.is_empty() => Some(0),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| serde::de::Error::custom(format_args!("{value} is not a whole number")))
}

/// Null is no.
fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// A moment that cannot be read is one that is not known: nobody's machine is lost for it.
fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value.as_str().and_then(|text| text.parse().ok()))
}
