//! What the file says.

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use plimsoll_provider::{HoldBack, Until, Which};

use super::{
    NamedGroup, PATIENCE, POLL, Placement, Prices, groups, read_authorities, read_token, shown,
    until_network,
};
use crate::{
    document::{Checked, Field, Fields, Tree, Value},
    rest::{Endpoint, Trust},
    stackpoint::{
        learning::UnknownKinds,
        steering::{Steering, TooLarge},
    },
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

/// What a file says; the environment may say the rest.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) endpoint: Option<Endpoint>,
    pub(super) organization: Option<i64>,
    pub(super) cluster: Option<i64>,
    pub(super) token_file: Option<PathBuf>,
    pub(super) trust: Trust,
    pub(super) node_pools_file: Option<PathBuf>,
    pub(super) hold_back: Option<HoldBack>,
    pub(super) min_nodes: Option<u32>,
    pub(super) max_nodes: Option<u32>,
    pub(super) prices: Prices,
    pub(super) steering: Steering,
    pub(super) unknown_kinds: UnknownKinds,
    pub(super) placement: Placement,
    pub(super) poll: SignedDuration,
    pub(super) groups: Vec<NamedGroup>,
}

// === impl Given ===

impl Default for Given {
    fn default() -> Self {
        Self {
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
        }
    }
}

/// Reads the file at `path`.
pub(super) fn given(tree: &Tree, path: &Path) -> Checked<Given> {
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
