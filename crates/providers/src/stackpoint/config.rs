//! Where the service is and which cluster is meant: four environment variables, or a file.
//!
//! ```yaml
//! base-url: https://api.stackpoint.io       # else SPC_API_BASE_URL
//! organization-id: 12                       # else ORGANIZATION_ID
//! cluster-id: 345                           # else CLUSTER_ID
//! token-file: /etc/stackpointio/api-token   # else CLUSTER_API_TOKEN; read again whenever it changes
//! ca-file: /etc/stackpointio/ca.crt         # else the authorities that the system trusts
//! node-pools-file: /etc/pools/nodepools     # else the ConfigMap stackpoint-node-pools; read again at every refresh
//! network-agent: kube-system/kube-flannel   # new nodes wait for this pod; else until they are Ready, with `none` not at all
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
use plimsoll_provider::{HoldBack, Until, Which};
use secrecy::SecretString;
use thiserror::Error;

mod groups;

pub use self::groups::NamedGroup;
use super::{
    learning::UnknownKinds,
    steering::{Steering, TooLarge},
};
use crate::{
    document::{self, Checked, ConfigError, Field, Fields, Tree, Value, quoted},
    rest::{Endpoint, Trust},
};

const FIELDS: [&str; 16] = [
    "base-url",
    "organization-id",
    "cluster-id",
    "token-file",
    "ca-file",
    "node-pools-file",
    "network-agent",
    "min-nodes",
    "max-nodes",
    "prices",
    "taint-groups",
    "avoid-groups",
    "unknown-sizes",
    "worker-placement",
    "poll-seconds",
    "groups",
];

/// The variables of the original.
const TOKEN: &str = "CLUSTER_API_TOKEN";
const BASE_URL: &str = "SPC_API_BASE_URL";
const ORGANIZATION: &str = "ORGANIZATION_ID";
const CLUSTER: &str = "CLUSTER_ID";

/// Bounds of all groups together, beside those.
const MIN_NODES: &str = "CLUSTER_MIN_NODES";
const MAX_NODES: &str = "CLUSTER_MAX_NODES";

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

/// What a file says; the environment may say the rest.
#[derive(Debug)]
struct Given {
    endpoint: Option<Endpoint>,
    organization: Option<i64>,
    cluster: Option<i64>,
    token_file: Option<PathBuf>,
    trust: Trust,
    node_pools_file: Option<PathBuf>,
    hold_back: Option<HoldBack>,
    min_nodes: Option<u32>,
    max_nodes: Option<u32>,
    prices: Prices,
    steering: Steering,
    unknown_kinds: UnknownKinds,
    placement: Placement,
    poll: SignedDuration,
    groups: Vec<NamedGroup>,
}

/// How long a new node may take for what it is closed for.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

// === impl Config ===

impl Config {
    /// From the environment alone.
    pub fn from_environment(environment: Environment<'_>) -> Result<Self, Refused> {
        let given = Given {
            endpoint: None,
            organization: None,
            cluster: None,
            token_file: None,
            trust: Trust::System,
            node_pools_file: None,
            hold_back: Some(until_network()),
            min_nodes: None,
            max_nodes: None,
            prices: Prices::default(),
            steering: Steering::default(),
            unknown_kinds: UnknownKinds::default(),
            placement: Placement::default(),
            poll: POLL,
            groups: Vec::new(),
        };
        complete(given, environment)
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
        complete(document::load(path, |tree| given(tree, path))?, environment)
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

fn given(tree: &Tree, path: &Path) -> Checked<Given> {
    let fields = tree.root().fields(&FIELDS)?;
    let beside = path.parent().unwrap_or_else(|| Path::new(""));
    let file = |name: &str| -> Checked<Option<PathBuf>> {
        Ok(fields.optional(name, Field::name)?.map(|file| beside.join(&*file)))
    };
    let token_file = file("token-file")?;
    if let (Some(file), Some(field)) = (&token_file, fields.get("token-file")) {
        read_token(file).map_err(|problem| field.refuse(problem))?;
    }
    let trust = match (file("ca-file")?, fields.get("ca-file")) {
        (Some(file), Some(field)) => read_authorities(&file).map_err(|why| field.refuse(why))?,
        _ => Trust::System,
    };
    let (min_nodes, max_nodes) = bounds(&fields)?;
    Ok(Given {
        endpoint: fields.optional("base-url", |field| {
            let url = field.name()?;
            Endpoint::parse(&url).map_err(|why| field.refuse(format!("{} {why}", shown(&url))))
        })?,
        organization: fields.optional("organization-id", key)?,
        cluster: fields.optional("cluster-id", key)?,
        token_file,
        trust,
        node_pools_file: file("node-pools-file")?,
        hold_back: fields
            .optional("network-agent", agent)?
            .unwrap_or_else(|| Some(until_network())),
        min_nodes,
        max_nodes,
        prices: fields.optional("prices", prices)?.unwrap_or_default(),
        steering: Steering {
            too_large: fields.optional("taint-groups", too_large)?.unwrap_or_default(),
            avoid: fields
                .optional("avoid-groups", |field| field.each(Field::name))?
                .unwrap_or_default(),
        },
        unknown_kinds: fields.optional("unknown-sizes", unknown_kinds)?.unwrap_or_default(),
        placement: fields.optional("worker-placement", placement)?.unwrap_or_default(),
        poll: fields
            .optional("poll-seconds", Field::count)?
            .map_or(POLL, |seconds| SignedDuration::from_secs(i64::from(seconds))),
        groups: fields.optional("groups", groups::named)?.unwrap_or_default(),
    })
}

fn bounds(fields: &Fields<'_>) -> Checked<(Option<u32>, Option<u32>)> {
    let min = fields.optional("min-nodes", Field::count)?;
    let max = fields.optional("max-nodes", Field::count)?;
    match (min, max, fields.get("min-nodes")) {
        (Some(min), Some(max), Some(field)) if min > max => {
            Err(field.refuse(format!("{min} is above max-nodes, which is {max}")))
        }
        _ => Ok((min, max)),
    }
}

fn unknown_kinds(field: &Field<'_>) -> Checked<UnknownKinds> {
    match &*field.name()? {
        "learn" => Ok(UnknownKinds::Learn),
        "leave" => Ok(UnknownKinds::Leave),
        _ => Err(field.is_not("learn or leave")),
    }
}

fn placement(field: &Field<'_>) -> Checked<Placement> {
    match &*field.name()? {
        "service" => Ok(Placement::Service),
        "pool" => Ok(Placement::Pool),
        _ => Err(field.is_not("service or pool")),
    }
}

fn prices(field: &Field<'_>) -> Checked<Prices> {
    let pairs = field.pairs()?.into_iter();
    pairs.map(|(size, price)| Ok((size.to_owned(), price.money()?))).collect()
}

fn too_large(field: &Field<'_>) -> Checked<TooLarge> {
    match &*field.name()? {
        "never" => Ok(TooLarge::Ignored),
        "when-too-large" => Ok(TooLarge::Avoided),
        _ => Err(field.is_not("never or when-too-large")),
    }
}

/// What new nodes wait for unless the user names it.
pub(super) fn until_network() -> HoldBack {
    HoldBack { until: Until::Network, patience: PATIENCE }
}

/// `none`, or a namespace and how the names of the agent's pods begin.
fn agent(field: &Field<'_>) -> Checked<Option<HoldBack>> {
    let text = field.name()?;
    match text.split_once('/') {
        None if &*text == "none" => Ok(None),
        Some((namespace, prefix)) if !namespace.is_empty() && !prefix.is_empty() => {
            let which = Which::Prefix(prefix.to_owned());
            let until = Until::Pod { namespace: namespace.to_owned(), which };
            Ok(Some(HoldBack { until, patience: PATIENCE }))
        }
        _ => Err(field.is_not("none, or a namespace and the beginning of a pod's name, such as kube-system/kube-flannel")),
    }
}

/// A number of the service's.
fn key(field: &Field<'_>) -> Checked<i64> {
    let number = match field.value {
        Value::Integer(number) => i64::try_from(*number).ok(),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    };
    number.filter(|number| *number > 0).ok_or_else(|| field.is_not("the number of anything"))
}

fn complete(given: Given, environment: Environment<'_>) -> Result<Config, Refused> {
    let number = |given: Option<i64>, name: &'static str, field: &str| {
        given.map_or_else(|| number(environment, name, field), Ok)
    };
    Ok(Config {
        endpoint: given.endpoint.map_or_else(|| endpoint(environment), Ok)?,
        trust: given.trust,
        organization: number(given.organization, ORGANIZATION, "organization-id")?,
        cluster: number(given.cluster, CLUSTER, "cluster-id")?,
        token: given.token_file.map_or_else(|| token(environment), |file| Ok(Token::File(file)))?,
        node_pools_file: given.node_pools_file,
        hold_back: given.hold_back,
        bounds: common_bounds(given.min_nodes, given.max_nodes, environment)?,
        prices: given.prices,
        steering: given.steering,
        unknown_kinds: given.unknown_kinds,
        placement: given.placement,
        poll: given.poll,
        groups: given.groups,
    })
}

/// What a file says of the bounds of all groups together goes before the variables.
fn common_bounds(
    min: Option<u32>,
    max: Option<u32>,
    environment: Environment<'_>,
) -> Result<Bounds, Refused> {
    let (own_min, own_max) = (count(environment, MIN_NODES)?, count(environment, MAX_NODES)?);
    let bounds = Bounds { min: min.or(own_min).unwrap_or_default(), max: max.or(own_max) };
    match bounds.max {
        Some(max) if bounds.min > max => {
            let variable = if min.is_none() { MIN_NODES } else { MAX_NODES };
            let problem = format!(
                "contradicts another bound: the minimum of all groups together is {}, the maximum {max}",
                bounds.min
            );
            Err(wrong(variable, problem))
        }
        _ => Ok(bounds),
    }
}

/// A number of machines that a variable may give.
fn count(environment: Environment<'_>, name: &'static str) -> Result<Option<u32>, Refused> {
    let Some(text) = environment(name).map(|text| text.trim().to_owned()) else { return Ok(None) };
    match text.parse() {
        _ if text.is_empty() => Ok(None),
        Ok(count) => Ok(Some(count)),
        Err(_) => {
            Err(wrong(name, format!("is {}, which is not a number of machines", quoted(&text))))
        }
    }
}

fn endpoint(environment: Environment<'_>) -> Result<Endpoint, Refused> {
    let url = variable(environment, BASE_URL, "base-url")?;
    let refuse = |why: String| wrong(BASE_URL, format!("is {}, which {why}", shown(&url)));
    Endpoint::parse(&url).map_err(refuse)
}

fn number(environment: Environment<'_>, name: &'static str, field: &str) -> Result<i64, Refused> {
    let text = variable(environment, name, field)?;
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        wrong(name, format!("is {}, which is not the number of anything", quoted(&text)))
    })
}

fn token(environment: Environment<'_>) -> Result<Token, Refused> {
    let token = variable(environment, TOKEN, "token-file")?;
    check_token(&token).map(Token::Fixed).map_err(|why| wrong(TOKEN, why))
}

fn variable(
    environment: Environment<'_>,
    name: &'static str,
    field: &str,
) -> Result<String, Refused> {
    let value = environment(name).map(|value| value.trim().to_owned());
    value.filter(|value| !value.is_empty()).ok_or_else(|| {
        wrong(name, format!("is not set; set it, or {field} in a file that --cloud-config names"))
    })
}

fn wrong(variable: &'static str, problem: String) -> Refused {
    Refused::Environment { variable, problem }
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
