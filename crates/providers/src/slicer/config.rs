//! The cloud-config of the upstream's Slicer provider, and what is known beside it.
//!
//! ```ini
//! [global]
//! k3s-url          = https://k3s.example:6443
//! k3s-token        = …                      ; or k3s-token-file
//! ca-bundle        = /etc/ssl/slicer.pem    ; trusted instead of the system's authorities
//! default-min-size = 0
//! default-max-size = 8
//!
//! [nodegroup "w1-medium"]                   ; the host group's name
//! slicer-url       = https://slicer-1.example:8080
//! slicer-token     = …                      ; or slicer-token-file
//! min-size         = 0
//! max-size         = 12
//! arch             = amd64
//! ```
//! Keys of our own: `cluster-name`, `secret-name`, `adopt-cluster-uid`, `allow-plaintext` and `parallel-creations` of `[global]`; `label`,
//! `taint` and `k3s-arg`, each as often as wanted, `userdata-file`, `price`, `persistent`, `adopt`, `gpu-type` and `storage-size` of a
//! group.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
};

use plimsoll_model::{Money, Taint};
use plimsoll_net::tls;
use secrecy::{ExposeSecret as _, SecretString};

use self::keys::Keys;
use super::{ini, userdata};
use crate::{
    ConfigError,
    document::Checked,
    rest::{Endpoint, Trust},
};

mod group;
mod keys;

/// What upstream's code takes where the file says nothing; its documentation says otherwise of the minimum.
const DEFAULT_BOUNDS: (u32, u32) = (0, 8);

/// No host is asked for more machines at once.
const MOST_AT_ONCE: u32 = 64;

/// What upstream calls the secret with the cluster's token.
const DEFAULT_SECRET: &str = "k3s-token";

const GLOBAL: &[&str] = &[
    "k3s-url",
    "k3s-token",
    "k3s-token-file",
    "ca-bundle",
    "default-min-size",
    "default-max-size",
    "cluster-name",
    "secret-name",
    "adopt-cluster-uid",
    "allow-plaintext",
    "parallel-creations",
];

/// What a file says.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file's name in messages.
    pub file: String,
    /// Where agents join.
    pub k3s_url: String,
    /// What they join with.
    pub k3s_token: SecretString,
    /// What machines of this cluster are told apart by.
    pub cluster: Box<str>,
    /// The uid of another cluster whose machines this one takes over.
    pub adopted_uid: Option<Box<str>>,
    /// What the secret with the token is called on the hosts.
    pub secret: Box<str>,
    /// Whose certificates hosts may have.
    pub trust: Trust,
    /// How many machines a host makes at once.
    pub parallel_creations: u32,
    /// What a person may want to know about the file, in sentences: it can be used as it is.
    pub remarks: Vec<String>,
    /// In the order of the file.
    pub groups: Vec<GroupConfig>,
    /// Another file, or another file that it names, has another number.
    pub(super) digest: u64,
}

/// What a file says of a group.
#[derive(Clone, Debug)]
pub struct GroupConfig {
    /// Where in the file.
    pub line: u64,
    /// The name of the host group, and of the group.
    pub name: Box<str>,
    /// Where the host is.
    pub endpoint: Endpoint,
    /// What it lets in with; `None` where nobody is asked.
    pub token: Option<SecretString>,
    /// It is never shrunk below this.
    pub min: u32,
    /// It is never grown above this.
    pub max: u32,
    /// Kubernetes' name of the architecture, where the host is not to be believed.
    pub arch: Option<Box<str>>,
    /// Labels of its nodes, beside those that every node of a host has.
    pub labels: Vec<(Box<str>, Box<str>)>,
    /// Taints of its nodes.
    pub taints: Vec<Taint>,
    /// Arguments of the k3s agent.
    pub k3s_arguments: Vec<Box<str>>,
    /// What new machines run, instead of the script that joins them, with places to be filled in.
    pub userdata: Option<Box<str>>,
    /// What a machine costs per hour.
    pub price: Option<Money>,
    /// Whether a machine outlives a restart of the host's daemon.
    pub persistent: bool,
    /// Whether a machine without tags is the group's as soon as a node names it.
    pub adopt: bool,
    /// What its GPUs are called.
    pub gpu_type: Option<Box<str>>,
    /// How large its disks are, in bytes: hosts do not tell.
    pub storage: Option<i64>,
}

/// Reads files, and keeps count of what was in them.
struct Files<'p> {
    config: &'p Path,
    hasher: DefaultHasher,
}

// === impl Config ===

impl Config {
    /// Reads the file and those that it names. Nobody is contacted.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let file = path.display().to_string();
        let mut files = Files { config: path, hasher: DefaultHasher::new() };
        let refuse = |problem| ConfigError::of_file(&file, problem);
        let text = files.read(path).map_err(refuse)?;
        read(&text, &mut files).map_err(|error| error.in_file(&file)).map(|mut config| {
            config.digest = files.hasher.finish();
            config.file.clone_from(&file);
            config
        })
    }

    /// The group of this name.
    pub fn group(&self, name: &str) -> Option<&GroupConfig> {
        self.groups.iter().find(|group| &*group.name == name)
    }

    /// Where a group stands in the file, for messages.
    pub(super) fn place(&self, group: &GroupConfig) -> String {
        format!("{}:{}: nodegroup \"{}\"", self.file, group.line, group.name)
    }
}

fn read(text: &str, files: &mut Files<'_>) -> Checked<Config> {
    let sections = ini::parse(text)?;
    for (place, section) in sections.iter().enumerate() {
        let is_known = match section.kind.as_str() {
            "global" => section.name.is_empty(),
            "nodegroup" => !section.name.is_empty(),
            _ => false,
        };
        if !is_known {
            let written = match &*section.name {
                "" => format!("[{}]", section.kind),
                name => format!("[{} \"{name}\"]", section.kind),
            };
            let problem = format!("{written} is neither [global] nor [nodegroup \"name\"]");
            return Err(ConfigError::at(Some(section.line), "", problem));
        }
        let earlier = sections
            .iter()
            .take(place)
            .find(|earlier| (&earlier.kind, &earlier.name) == (&section.kind, &section.name));
        if let Some(earlier) = earlier {
            let problem = format!("stands twice, first in line {}", earlier.line);
            return Err(ConfigError::at(Some(section.line), &keys::place(section), problem));
        }
    }
    let Some(global) = sections.iter().find(|section| section.kind == "global") else {
        let problem = "there is no [global] section; it says where agents join";
        return Err(ConfigError::at(None, "", problem));
    };
    let keys = Keys::new(global, GLOBAL, &[])?;
    let mut config = global_of(&keys, files)?;
    let allows_plaintext = keys.switch("allow-plaintext")?.unwrap_or_default();
    let bounds = bounds(&keys, ["default-min-size", "default-max-size"], DEFAULT_BOUNDS)?;
    let has_minimum = keys.has("default-min-size");
    for section in sections.iter().filter(|section| section.kind == "nodegroup") {
        let group = group::read(section, bounds, files)?;
        if !has_minimum && section.entries.iter().all(|entry| entry.key != "min-size") {
            config.remarks.push(format!(
                "nodegroup \"{}\" has no min-size and there is no default-min-size: the minimum is {}, as in upstream's code; upstream's documentation says 1",
                group.name, group.min
            ));
        }
        if group.endpoint.is_exposed() && !allows_plaintext {
            let problem = "the cluster's token would be sent there in plaintext; use https, or set allow-plaintext = true in [global]";
            return Err(Keys::refuse_in(section, "slicer-url", problem));
        }
        if let Some(template) = &group.userdata {
            userdata::check(template, &config)
                .map_err(|problem| Keys::refuse_in(section, "userdata-file", problem))?;
        }
        config.groups.push(group);
    }
    if config.groups.is_empty() {
        let problem = "there is no [nodegroup \"name\"] section, so there is nothing to scale";
        return Err(ConfigError::at(None, "", problem));
    }
    Ok(config)
}

fn global_of(keys: &Keys<'_>, files: &mut Files<'_>) -> Checked<Config> {
    let k3s_url = keys.required("k3s-url")?;
    let endpoint = Endpoint::parse(k3s_url).ok().filter(|url| url.socket_path().is_none());
    let Some(endpoint) = endpoint.filter(Endpoint::is_https) else {
        return Err(keys.refuse("k3s-url", "is not a URL like https://k3s.example:6443"));
    };
    let Some(k3s_token) = keys.secret("k3s-token", files)? else {
        return Err(keys.missing("k3s-token"));
    };
    let trust = match keys.text("ca-bundle")? {
        None => Trust::System,
        Some(path) => {
            let refuse = |problem: String| keys.refuse("ca-bundle", problem);
            let pem = files.read(Path::new(path)).map_err(refuse)?;
            tls::client_config(&pem, None)
                .map_err(|error| refuse(format!("cannot be used: {error}")))?;
            Trust::Only(pem)
        }
    };
    let named = |key| {
        let name = keys.text(key)?;
        let is_name = |name: &&str| plimsoll_model::labels::check_label_value(name).is_ok();
        match name {
            Some(text) => name.filter(is_name).map(Some).ok_or_else(|| {
                keys.refuse(key, format!("{text} has other letters than a-z, A-Z, 0-9, -, _ and ."))
            }),
            None => Ok(None),
        }
    };
    let host = endpoint.host().unwrap_or_default();
    Ok(Config {
        file: String::new(),
        k3s_url: k3s_url.to_owned(),
        k3s_token,
        cluster: named("cluster-name")?.unwrap_or(host).into(),
        adopted_uid: named("adopt-cluster-uid")?.map(Into::into),
        secret: named("secret-name")?.unwrap_or(DEFAULT_SECRET).into(),
        trust,
        parallel_creations: match keys.count("parallel-creations")? {
            Some(0) => return Err(keys.refuse("parallel-creations", "0 would make no machine")),
            Some(number) => number.min(MOST_AT_ONCE),
            None => 1,
        },
        remarks: Vec::new(),
        groups: Vec::new(),
        digest: 0,
    })
}

/// The smallest and the largest size.
fn bounds(keys: &Keys<'_>, names: [&str; 2], defaults: (u32, u32)) -> Checked<(u32, u32)> {
    let [low, high] = names;
    let min = keys.count(low)?.unwrap_or(defaults.0);
    let max = keys.count(high)?.unwrap_or(defaults.1);
    if min <= max {
        return Ok((min, max));
    }
    let at = if keys.has(low) { low } else { high };
    let problem = format!("{low} {min} is above {high} {max}");
    Err(keys.refuse_at(at, problem))
}

// === impl Files ===

impl Files<'_> {
    /// The text of a file; the error says why there is none.
    fn read(&mut self, path: &Path) -> Result<String, String> {
        let bytes =
            fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        bytes.hash(&mut self.hasher);
        String::from_utf8(bytes).map_err(|error| {
            let place = error.utf8_error().valid_up_to() + 1;
            format!("byte {place} of {} is not UTF-8", path.display())
        })
    }

    /// The text of a file that is looked for beside the configuration.
    fn read_beside(&mut self, path: &str) -> Result<String, String> {
        let beside = self.config.parent().unwrap_or_else(|| Path::new(""));
        self.read(&beside.join(path))
    }
}

// === impl GroupConfig ===

impl GroupConfig {
    /// Whether two groups are on the same host, by the same token.
    pub(super) fn shares_host(&self, other: &Self) -> bool {
        let exposed = |token: &Option<SecretString>| {
            token.as_ref().map(|token| token.expose_secret().to_owned())
        };
        self.endpoint == other.endpoint && exposed(&self.token) == exposed(&other.token)
    }
}
