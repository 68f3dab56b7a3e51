//! Where the service is and which cluster is meant: four environment variables, or a file.
//!
//! ```yaml
//! base-url: https://api.stackpoint.io       # else SPC_API_BASE_URL
//! organization-id: 12                       # else ORGANIZATION_ID
//! cluster-id: 345                           # else CLUSTER_ID
//! token-file: /etc/stackpointio/api-token   # else CLUSTER_API_TOKEN; read again whenever it changes
//! ca-file: /etc/stackpointio/ca.crt         # else the authorities that the system trusts
//! node-pools-file: /etc/pools/nodepools     # else the ConfigMap stackpoint-node-pools; read again at every refresh
//! network-agent: kube-system/kube-flannel   # new nodes wait for this pod; else for Ready and the network's known agent; `none` waits for nothing
//! min-nodes: 3                              # of all groups together; else CLUSTER_MIN_NODES
//! max-nodes: 50                             # else CLUSTER_MAX_NODES, else max_nodes of the service's own autoscaler
//! prices: {m5.large: 0.096}                 # of an hour, by kind of machine; the service knows none
//! taint-groups: when-too-large              # pods keep away from a group that has more machines than it may; else `never`
//! avoid-groups: [general]                   # pods keep away from these
//! unknown-sizes: learn                      # add one machine where nothing tells what machines have; else `leave`
//! worker-placement: service                 # who chooses zone and subnet of new machines; else `pool`
//! poll-seconds: 60                          # how often lists are read while nothing changes
//! groups:                                   # of a service that has no pools
//! - {name: A0, size: t2.medium, min: 0, max: 8}
//! ```
//! A value in the file goes before the variable. Files are looked for beside the configuration.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use jiff::SignedDuration;
use plimsoll_model::Money;
use plimsoll_provider::{HoldBack, Until};
use secrecy::SecretString;
use thiserror::Error;

mod environment;
mod file;
mod groups;

use self::file::Given;
pub use self::groups::NamedGroup;
use super::{learning::UnknownKinds, steering::Steering};
use crate::{
    document::{self, ConfigError, quoted},
    rest::{Endpoint, Trust},
};

/// How often the original read lists.
const POLL: SignedDuration = SignedDuration::from_secs(60);

/// Where the service is and which cluster is meant.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the service is.
    pub endpoint: Endpoint,
    /// Whose certificates are believed.
    pub trust: Trust,
    /// The organization that the cluster belongs to.
    pub organization: i64,
    /// The cluster.
    pub cluster: i64,
    /// Who we are to the service.
    pub token: Token,
    /// Pools as a file tells them, while there is such a file.
    pub node_pools_file: Option<PathBuf>,
    /// What new nodes are closed for: they join before the network is there.
    pub hold_back: Option<HoldBack>,
    /// How many machines all groups together have.
    pub bounds: Bounds,
    /// What an hour of a machine costs, by its kind.
    pub prices: Prices,
    /// Groups that pods are to keep away from.
    pub steering: Steering,
    /// What to do about groups whose machine type is unknown.
    pub unknown_kinds: UnknownKinds,
    /// Who chooses where new machines are.
    pub placement: Placement,
    /// How long lists are taken to be true while nothing was changed and no machine is on its way.
    pub poll: SignedDuration,
    /// Groups of a service that has no pools.
    pub groups: Vec<NamedGroup>,
}

/// Who chooses the zone and the subnet of a new machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The service, which documents both for masters only.
    #[default]
    Service,
    /// The pool: an order repeats what the pool says.
    Pool,
}

/// What an hour of a machine costs, by its kind.
pub type Prices = BTreeMap<String, Money>;

/// Who we are to the service.
#[derive(Clone)]
pub enum Token {
    /// From the environment; it holds until this process ends.
    Fixed(SecretString),
    /// In a file that may be written anew.
    File(PathBuf),
}

/// How many machines all groups together have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// At least so many.
    pub min: u32,
    /// At most so many; `None` for as many as the groups may have.
    pub max: Option<u32>,
}

/// The configuration cannot be used.
#[derive(Debug, Error)]
pub enum Refused {
    /// A file is wrong.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// The environment is wrong.
    #[error("{variable} {problem}")]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

/// What is set in the environment.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How long a new node may take for what it is closed for.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

// === impl Config ===

impl Config {
    /// From the environment alone.
    pub fn from_environment(environment: Environment<'_>) -> Result<Self, Refused> {
        environment::complete(Given::default(), environment)
    }

    /// A cluster of a service, with everything else as it is by default.
    pub fn new(endpoint: Endpoint, organization: i64, cluster: i64, token: Token) -> Self {
        Self {
            endpoint,
            trust: Trust::System,
            organization,
            cluster,
            token,
            node_pools_file: None,
            hold_back: Some(until_network()),
            bounds: Bounds::default(),
            prices: Prices::default(),
            steering: Steering::default(),
            unknown_kinds: UnknownKinds::default(),
            placement: Placement::default(),
            poll: POLL,
            groups: Vec::new(),
        }
    }

    /// From a file, and from the environment what the file leaves out.
    pub fn load(path: &Path, environment: Environment<'_>) -> Result<Self, Refused> {
        environment::complete(document::load(path, |tree| file::given(tree, path))?, environment)
    }
}

// === impl Token ===

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(_) => f.write_str("Fixed(hidden)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// What new nodes wait for unless the user names it.
pub(super) fn until_network() -> HoldBack {
    HoldBack { until: Until::Network, patience: PATIENCE }
}

/// A URL for a message. Before an @ there may be a password.
fn shown(url: &str) -> String {
    match url.split_once('@') {
        Some((_, host)) => format!("a URL of {}", quoted(host)),
        None => quoted(url),
    }
}

/// The token that a file has now.
pub(super) fn read_token(path: &Path) -> Result<SecretString, String> {
    let file = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {file}: {error}"))?;
    check_token(&text).map_err(|why| format!("the token in {file} {why}"))
}

/// A token that can stand in a header. What is wrong is said without showing it.
fn check_token(text: &str) -> Result<SecretString, String> {
    let token = text.trim();
    if token.is_empty() {
        return Err("is empty".to_owned());
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("has characters that no token has; it has to be one line".to_owned());
    }
    Ok(SecretString::from(token))
}

fn read_authorities(path: &Path) -> Result<Trust, String> {
    let file = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {file}: {error}"))?;
    plimsoll_net::tls::client_config(&text, None).map_err(|error| format!("{file}: {error}"))?;
    Ok(Trust::Only(text))
}

#[cfg(test)]
mod tests;
