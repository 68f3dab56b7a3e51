//! What the emulated service offers, as a file.
//!
//! ```yaml
//! organization-id: 12
//! cluster-id: 345
//! token: let-me-in
//! pace: {draft: 5s, building: 20s, provisioned: 10s, deleting: 10s}
//! pools:
//! - {name: general, size: m5.large, autoscaled: true, min: 1, max: 10, initial: 1, labels: "tier=web"}
//! - {name: default, size: m5.large, initial: 2}
//! ```

use std::path::Path;

use jiff::SignedDuration;

use crate::document::{self, Checked, ConfigError, Field, Tree, Value};

const FIELDS: [&str; 7] =
    ["organization-id", "cluster-id", "token", "cloud", "masters", "pace", "pools"];

const POOL: [&str; 11] = [
    "name",
    "id",
    "size",
    "cpu",
    "memory",
    "labels",
    "zone",
    "autoscaled",
    "min",
    "max",
    "initial",
];

const PACE: [&str; 4] = ["draft", "building", "provisioned", "deleting"];

/// What machines' names begin with.
pub(super) const PREFIX: &str = "spc5fd2a0b1";

/// What the emulated service offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The organization's number.
    pub organization: i64,
    /// The cluster's number.
    pub cluster: i64,
    /// What callers have to show. It opens nothing but this emulator.
    pub token: Box<str>,
    /// The cloud that machines are said to be in.
    pub cloud: Box<str>,
    /// How many masters the cluster has.
    pub masters: u32,
    /// How long machines take.
    pub pace: Pace,
    /// The pools.
    pub pools: Vec<PoolOffer>,
}

/// How long a machine stays in each state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// From the order on.
    pub draft: SignedDuration,
    /// While the cloud makes it.
    pub building: SignedDuration,
    /// While it is set up; then it runs, and joins.
    pub provisioned: SignedDuration,
    /// From the wish to delete it until it is gone.
    pub deleting: SignedDuration,
}

/// A pool as it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolOffer {
    /// What people call it.
    pub name: Box<str>,
    /// What the service calls it; `spc…-pool-<n>` when it is empty.
    pub id: Box<str>,
    /// The kind of machine.
    pub size: Box<str>,
    /// Cores, where the pool says so.
    pub cpu: Box<str>,
    /// Memory in MB, where the pool says so.
    pub memory: Box<str>,
    /// Labels of its nodes, `a=b,c=d`.
    pub labels: Box<str>,
    /// Where its machines are.
    pub zone: Box<str>,
    /// Whether it is to be grown and shrunk.
    pub autoscaled: bool,
    /// The minimum.
    pub min: u32,
    /// The maximum.
    pub max: u32,
    /// How many machines it has in the beginning.
    pub initial: u32,
}

// === impl Offer ===

impl Offer {
    /// Reads the file, YAML or JSON.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        document::load(path, offer)
    }

    /// Reads the text of a file, YAML or JSON; `file` is its name in errors.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        document::parse(file, text, offer)
    }
}

// === impl Pace ===

impl Default for Pace {
    fn default() -> Self {
        Self {
            draft: SignedDuration::from_secs(5),
            building: SignedDuration::from_secs(30),
            provisioned: SignedDuration::from_secs(15),
            deleting: SignedDuration::from_secs(20),
        }
    }
}

fn offer(tree: &Tree) -> Checked<Offer> {
    let fields = tree.root().fields(&FIELDS)?;
    let number = |name: &str| {
        Ok(fields.optional(name, Field::count)?.map_or(1, |number| i64::from(number.max(1))))
    };
    Ok(Offer {
        organization: number("organization-id")?,
        cluster: number("cluster-id")?,
        token: fields.required("token")?.name()?,
        cloud: fields.optional("cloud", Field::name)?.unwrap_or_else(|| "aws".into()),
        masters: fields.optional("masters", Field::count)?.unwrap_or(1),
        pace: fields.optional("pace", pace)?.unwrap_or_default(),
        pools: fields.required("pools")?.each(pool)?,
    })
}

fn pace(field: &Field<'_>) -> Checked<Pace> {
    let fields = field.fields(&PACE)?;
    let usual = Pace::default();
    let time = |name: &str, usual| -> Checked<SignedDuration> {
        Ok(fields.optional(name, Field::duration)?.unwrap_or(usual))
    };
    Ok(Pace {
        draft: time("draft", usual.draft)?,
        building: time("building", usual.building)?,
        provisioned: time("provisioned", usual.provisioned)?,
        deleting: time("deleting", usual.deleting)?,
    })
}

fn pool(field: &Field<'_>) -> Checked<PoolOffer> {
    let fields = field.fields(&POOL)?;
    let text = |name: &str| -> Checked<Box<str>> {
        Ok(fields.optional(name, Field::name)?.unwrap_or_default())
    };
    let count = |name: &str| -> Checked<u32> {
        Ok(fields.optional(name, Field::count)?.unwrap_or_default())
    };
    let amount = |name: &str| -> Checked<Box<str>> {
        let written = fields.optional(name, Field::count)?.map(|number| number.to_string());
        Ok(written.unwrap_or_default().into())
    };
    Ok(PoolOffer {
        name: fields.required("name")?.name()?,
        id: text("id")?,
        size: fields.required("size")?.name()?,
        cpu: amount("cpu")?,
        memory: amount("memory")?,
        labels: text("labels")?,
        zone: text("zone")?,
        autoscaled: fields.optional("autoscaled", switch)?.unwrap_or_default(),
        min: count("min")?,
        max: count("max")?,
        initial: count("initial")?,
    })
}

fn switch(field: &Field<'_>) -> Checked<bool> {
    match field.value {
        Value::Switch(value) => Ok(*value),
        _ => Err(field.is_not("true or false")),
    }
}
