//! The catalogue: what the simulated infrastructure offers, as a file.
//!
//! A file is read as a whole before anything happens. What is wrong with it is said in one line, with the line of the file and the
//! place in it; a field that nobody knows is refused, with the known one that was probably meant.

use std::{path::Path, sync::Arc};

use plimsoll_model::{Money, Symbol};
use plimsoll_provider::{Class, Overrides};

use super::{delay::Delay, template::Template};
use crate::document::{self, Checked, ConfigError, Field, Tree};

mod group;
mod machine;
mod options;

pub(super) use group::MOST_MACHINES;

const FIELDS: [&str; 7] =
    ["name", "seed", "quota", "gpuLabel", "gpuTypes", "callFailureRate", "groups"];

/// What the provider is called when the file does not say.
const DEFAULT_NAME: &str = "simulated";

/// What the simulated infrastructure offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// What the provider is called.
    pub name: Box<str>,
    /// Everything that happens by chance follows from it.
    pub seed: u64,
    /// How many machines there may be in all groups together.
    pub quota: Option<u32>,
    /// The node label that says which GPU a node has; empty when there is none.
    pub gpu_label: Box<str>,
    /// The values that this label may have.
    pub gpu_types: Vec<Box<str>>,
    /// How probable it is that a call fails with [`Class::Retry`]; every second one of them takes effect all the same.
    pub call_failure_rate: f64,
    /// The groups, in the order of the file.
    pub groups: Vec<Offer>,
}

/// A group as it is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its id.
    pub id: Symbol,
    /// It is not to be shrunk below this.
    pub min: u32,
    /// It is never grown above this.
    pub max: u32,
    /// How many machines it has in the beginning. They run already.
    pub initial: u32,
    /// What a machine costs per hour.
    pub price: Option<Money>,
    /// How many more machines can be had in the beginning.
    pub stock: Option<u32>,
    /// What its nodes look like.
    pub template: Arc<Template>,
    /// From the order until the machine exists.
    pub delivery: Delay,
    /// From then until its node joins.
    pub boot: Delay,
    /// From the wish to delete a machine until it is gone.
    pub deletion: Delay,
    /// Machines that do not come up.
    pub boot_failures: Option<BootFailures>,
    /// How many of its machines vanish per hour that one runs: 0.1 is one in ten hours.
    pub vanish_rate: f64,
    /// Settings of its own.
    pub options: Overrides,
}

/// Machines that do not come up.
#[derive(Clone, Debug, PartialEq)]
pub struct BootFailures {
    /// How probable it is for each machine.
    pub rate: f64,
    /// What kind of failure.
    pub class: Class,
    /// The infrastructure's own code.
    pub code: Box<str>,
}

// === impl Catalogue ===

impl Catalogue {
    /// Reads the file, YAML or JSON.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        document::load(path, catalogue)
    }

    /// Reads the text of a file, YAML or JSON; `file` is its name in errors.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        document::parse(file, text, catalogue)
    }
}

fn catalogue(tree: &Tree) -> Checked<Catalogue> {
    let fields = tree.root().fields(&FIELDS)?;
    let name = fields.optional("name", Field::name)?;
    let seed = fields.optional("seed", Field::seed)?.unwrap_or_default();
    let quota = fields.optional("quota", Field::count)?;
    let gpu_label = fields.optional("gpuLabel", Field::label_key)?.unwrap_or_default();
    let gpu_types = fields.optional("gpuTypes", |field| field.each(Field::label_value))?;
    let call_failure_rate = fields.optional("callFailureRate", Field::probability)?;
    let groups = group::read_all(&fields.required("groups")?)?;
    let initial: u32 = groups.iter().map(|offer| offer.initial).fold(0, u32::saturating_add);
    if let (Some(quota), Some(field)) = (quota, fields.get("quota"))
        && quota < initial
    {
        return Err(field.refuse(format!("{quota} is below the {initial} initial machines")));
    }
    Ok(Catalogue {
        name: name.unwrap_or_else(|| DEFAULT_NAME.into()),
        seed,
        quota,
        gpu_label,
        gpu_types: gpu_types.unwrap_or_default(),
        call_failure_rate: call_failure_rate.unwrap_or_default(),
        groups,
    })
}
