//! What an emulated host is, as a file.
//!
//! ```yaml
//! token: s3cret            # what requests need; nobody is asked without it
//! k3sToken: K10c0ffee      # what machines need to join; any will do without it
//! trial: 5                 # machines that may be made; as many as anybody wants without it
//! groups:
//! - {name: w1-medium, cpus: 2, ram: 4Gi, disk: 25G, boot: 20s}
//! - {name: gpu, count: 1, cpus: 8, ram: 32Gi, gpus: 1, arch: aarch64}
//! ```

use std::path::Path;

use jiff::SignedDuration;
use secrecy::SecretString;

use crate::{
    ConfigError,
    document::{self, Checked, Field, Tree},
};

const FIELDS: [&str; 4] = ["token", "k3sToken", "trial", "groups"];
const GROUP: [&str; 8] = ["name", "count", "cpus", "ram", "disk", "gpus", "arch", "boot"];

/// As long as a small machine takes to become a node.
const USUAL_BOOT: SignedDuration = SignedDuration::from_secs(20);

/// As the host's own documentation has it.
const USUAL_DISK: i64 = 25_000_000_000;

/// What an emulated host is.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// What requests need.
    pub token: Option<SecretString>,
    /// What machines need to join.
    pub k3s_token: Option<SecretString>,
    /// How many machines may be made.
    pub trial: Option<u32>,
    /// The host groups.
    pub groups: Vec<Offer>,
}

/// A host group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub name: Box<str>,
    /// How many machines the host keeps by itself.
    pub count: u32,
    /// Processors of a machine.
    pub cpus: u32,
    /// Memory of a machine in bytes.
    pub ram: i64,
    /// The disk of a machine in bytes, of which the host says nothing.
    pub disk: i64,
    /// GPUs of a machine.
    pub gpus: u32,
    /// The processor's name for itself.
    pub arch: Box<str>,
    /// From the request until the node joins.
    pub boot: SignedDuration,
}

// === impl HostSettings ===

impl HostSettings {
    /// Reads the file, YAML or JSON.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        document::load(path, settings)
    }

    /// Reads the text of a file; `file` is its name in errors.
    pub fn read(file: &str, text: &str) -> Result<Self, ConfigError> {
        document::parse(file, text, settings)
    }
}

fn settings(tree: &Tree) -> Checked<HostSettings> {
    let fields = tree.root().fields(&FIELDS)?;
    let secret = |name| {
        let secret = fields.optional(name, Field::name)?;
        Checked::Ok(secret.map(|secret| SecretString::from(&*secret)))
    };
    let entries = fields.required("groups")?.entries()?;
    let mut groups: Vec<Offer> = Vec::new();
    for entry in &entries {
        let offer = offer(entry)?;
        if groups.iter().any(|known| known.name == offer.name) {
            return Err(entry.refuse(format!("there are two host groups {}", offer.name)));
        }
        groups.push(offer);
    }
    Ok(HostSettings {
        token: secret("token")?,
        k3s_token: secret("k3sToken")?,
        trial: fields.optional("trial", Field::count)?,
        groups,
    })
}

fn offer(entry: &Field<'_>) -> Checked<Offer> {
    let fields = entry.fields(&GROUP)?;
    let count = |name| fields.optional(name, Field::count);
    let ram = fields.required("ram")?;
    let bytes = |field: &Field<'_>| {
        field.quantity()?.value().map_err(|error| field.refuse(error.to_string()))
    };
    Ok(Offer {
        name: fields.required("name")?.name()?,
        count: count("count")?.unwrap_or_default(),
        cpus: fields.required("cpus")?.count()?,
        ram: bytes(&ram)?,
        disk: fields.optional("disk", |field| bytes(field))?.unwrap_or(USUAL_DISK),
        gpus: count("gpus")?.unwrap_or_default(),
        arch: fields.optional("arch", Field::name)?.unwrap_or_else(|| "x86_64".into()),
        boot: fields.optional("boot", Field::duration)?.unwrap_or(USUAL_BOOT),
    })
}
