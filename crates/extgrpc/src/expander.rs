//! Somebody else decides which group to grow: the upstream autoscaler's external expander.
//!
//! An expander only ever narrows a choice. One that names no group wants no scale-up, as with the upstream autoscaler since 1.32. When
//! it cannot be reached, takes too long or names only groups that were not among the options, all options remain.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use plimsoll_model::{Node, Pod, Symbol};
use prost::Message as _;
use thiserror::Error;
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint},
};
use tracing::warn;

use crate::{
    address::Address,
    proto::expander::{BestOptionsRequest, Option as Message, expander_client::ExpanderClient},
    wire,
};

mod trust;

/// Upstream's, too.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Expanders send the options back with all their pods. Upstream takes as much.
const LARGEST_REPLY: usize = 128 << 20;

/// How a name that is looked up is written for Go's gRPC.
const BY_NAME: &str = "dns:///";

/// A way to place pods: so many nodes of one group.
#[derive(Clone, Debug)]
pub struct ExpanderOption {
    /// The group.
    pub group: Symbol,
    /// How many nodes.
    pub nodes: u32,
    /// What a person would like to know about it.
    pub about: String,
    /// The pods that would find their place.
    pub pods: Vec<Pod>,
    /// What a new node looks like.
    pub template: Option<Arc<Node>>,
}

/// An external expander.
#[derive(Clone)]
pub struct GrpcExpander {
    address: Address,
    channel: Channel,
    timeout: Duration,
}

/// An expander that cannot be asked, in one line.
#[derive(Debug, Error)]
pub enum ExpanderError {
    /// The address is none.
    #[error("grpc-expander-url: {url:?} {problem}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The certificate cannot be read.
    #[error("grpc-expander-cert: cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The certificate cannot be used.
    #[error("grpc-expander-cert: {0}")]
    Certificate(String),
}

// === impl GrpcExpander ===

impl GrpcExpander {
    /// The expander at `url` (`host:port`, or `dns:///host:port`), whose certificate is in the file `cert`, or is from the authority
    /// there; plaintext without. Nothing is contacted before the first question.
    pub fn new(url: &str, cert: Option<&Path>) -> Result<Self, ExpanderError> {
        let address = Address::parse(url.strip_prefix(BY_NAME).unwrap_or(url))
            .map_err(|problem| ExpanderError::Address { url: url.to_owned(), problem })?;
        let unusable = |error: tonic::transport::Error| {
            let text = std::error::Error::source(&error).map(ToString::to_string);
            ExpanderError::Certificate(text.unwrap_or_else(|| error.to_string()))
        };
        let endpoint =
            Endpoint::from_shared(address.uri("http")).map_err(unusable)?.connect_timeout(TIMEOUT);
        let channel = match cert {
            None => address.channel(&endpoint),
            Some(path) => {
                let trusted = fs::read_to_string(path)
                    .map_err(|cause| ExpanderError::Unreadable { path: path.to_owned(), cause })?;
                let config = trust::client_config(&trusted).map_err(ExpanderError::Certificate)?;
                let origin = address.uri("https").parse().ok();
                let endpoint = match origin {
                    Some(origin) => endpoint.origin(origin),
                    None => endpoint,
                };
                trust::channel(&address, &endpoint, Arc::new(config), TIMEOUT)
            }
        };
        Ok(Self { address, channel, timeout: TIMEOUT })
    }

    /// With another patience than five seconds.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The places in `options` of the best ones, in the expander's order; none when it wants no scale-up. `None` when it cannot tell:
    /// then all options remain.
    pub async fn best_options(&self, options: &[ExpanderOption]) -> Option<Vec<usize>> {
        let address = &self.address;
        let answer = match self.ask(options).await {
            Ok(answer) => answer,
            Err(status) => {
                let problem = status.message();
                warn!(%address, problem, "the expander did not answer: all options remain");
                return None;
            }
        };
        let mut seen = BTreeSet::new();
        let mut best = Vec::new();
        for chosen in &answer {
            match options.iter().position(|option| option.group.as_str() == chosen.node_group_id) {
                Some(place) if seen.insert(place) => best.push(place),
                Some(_) => {}
                None => {
                    let group = &chosen.node_group_id;
                    warn!(%address, group, "the expander chose a group that was not among the options");
                }
            }
        }
        (answer.is_empty() || !best.is_empty()).then_some(best)
    }

    async fn ask(&self, options: &[ExpanderOption]) -> Result<Vec<Message>, Status> {
        let mut client =
            ExpanderClient::new(self.channel.clone()).max_decoding_message_size(LARGEST_REPLY);
        let mut request = Request::new(question(options));
        request.set_timeout(self.timeout);
        match tokio::time::timeout(self.timeout, client.best_options(request)).await {
            Ok(answer) => Ok(answer?.into_inner().options),
            Err(_) => {
                Err(Status::deadline_exceeded(format!("no answer within {:?}", self.timeout)))
            }
        }
    }
}

impl fmt::Debug for GrpcExpander {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrpcExpander").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Nodes and pods stand in it twice: as messages for expanders of before 1.35, as bytes for those since.
fn question(options: &[ExpanderOption]) -> BestOptionsRequest {
    let write = |option: &ExpanderOption| {
        let pods: Vec<_> = option.pods.iter().map(wire::pod_shape::write).collect();
        Message {
            node_group_id: option.group.to_string(),
            node_count: i32::try_from(option.nodes).unwrap_or(i32::MAX),
            debug: option.about.clone(),
            pod_bytes: pods.iter().map(prost::Message::encode_to_vec).collect(),
            pod: pods,
        }
    };
    let node_map: BTreeMap<String, _> = options
        .iter()
        .filter_map(|option| {
            let group = option.group.as_str();
            let node = wire::node::write(option.template.as_ref()?, group, "plimsoll");
            Some((group.to_owned(), node))
        })
        .collect();
    let bytes =
        |(group, node): (&String, &crate::proto::core::Node)| (group.clone(), node.encode_to_vec());
    BestOptionsRequest {
        options: options.iter().map(write).collect(),
        node_bytes_map: node_map.iter().map(bytes).collect(),
        node_map,
    }
}
