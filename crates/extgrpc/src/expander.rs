//! Somebody else decides which group to grow: the upstream autoscaler's external expander.
//!
//! An expander only ever narrows a choice. When it cannot be reached, takes too long, answers nothing or names only groups that
//! were not among the options, all options remain, as with the upstream autoscaler.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use plimsoll_model::{Labels, Node, Resources, Symbol};
use prost::Message as _;
use thiserror::Error;
use tonic::{
    Request, Status,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint},
};
use tracing::warn;

use crate::{
    client::Address,
    proto::expander::{BestOptionsRequest, Option as Message, expander_client::ExpanderClient},
    wire,
};

/// Upstream's, too.
const TIMEOUT: Duration = Duration::from_secs(5);

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
    pub pods: Vec<ExpanderPod>,
    /// What a new node looks like.
    pub template: Option<Arc<Node>>,
}

/// A pod, as far as an expander is told of it.
#[derive(Clone, Debug)]
pub struct ExpanderPod {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its labels.
    pub labels: Labels,
    /// What it asks for in all.
    pub requests: Resources,
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
    /// The expander at `url` (`host:port`), whose certificate is from the authority in the file `cert`; plaintext without.
    /// Nothing is contacted before the first question.
    pub fn new(url: &str, cert: Option<&Path>) -> Result<Self, ExpanderError> {
        let address = Address::parse(url)
            .map_err(|problem| ExpanderError::Address { url: url.to_owned(), problem })?;
        let unusable = |error: tonic::transport::Error| {
            let text = std::error::Error::source(&error).map(ToString::to_string);
            ExpanderError::Certificate(text.unwrap_or_else(|| error.to_string()))
        };
        let scheme = if cert.is_some() { "https" } else { "http" };
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
            .map_err(unusable)?
            .connect_timeout(TIMEOUT);
        if let Some(path) = cert {
            let authority = fs::read_to_string(path)
                .map_err(|cause| ExpanderError::Unreadable { path: path.to_owned(), cause })?;
            plimsoll_net::tls::client_config(&authority, None)
                .map_err(|error| ExpanderError::Certificate(error.to_string()))?;
            let tls = ClientTlsConfig::new()
                .domain_name(&address.host)
                .ca_certificate(Certificate::from_pem(authority));
            endpoint = endpoint.tls_config(tls).map_err(unusable)?;
        }
        Ok(Self { address, channel: endpoint.connect_lazy(), timeout: TIMEOUT })
    }

    /// With another patience than five seconds.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The places in `options` of the best ones, in the expander's order. Never empty unless `options` is.
    pub async fn best_options(&self, options: &[ExpanderOption]) -> Vec<usize> {
        let all = || (0..options.len()).collect();
        let answer = match self.ask(options).await {
            Ok(answer) => answer,
            Err(status) => {
                let (address, problem) = (&self.address, status.message());
                warn!(%address, problem, "the expander did not answer: all options remain");
                return all();
            }
        };
        let mut seen = BTreeSet::new();
        let mut best = Vec::new();
        for chosen in &answer {
            match options.iter().position(|option| option.group.as_str() == chosen.node_group_id) {
                Some(place) if seen.insert(place) => best.push(place),
                Some(_) => {}
                None => {
                    let (address, group) = (&self.address, &chosen.node_group_id);
                    warn!(%address, group, "the expander chose a group that was not among the options");
                }
            }
        }
        if best.is_empty() { all() } else { best }
    }

    async fn ask(&self, options: &[ExpanderOption]) -> Result<Vec<Message>, Status> {
        let mut client = ExpanderClient::new(self.channel.clone());
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
        let pod = |pod: &ExpanderPod| {
            wire::pod::write(pod.namespace.as_str(), &pod.name, &pod.labels, &pod.requests)
        };
        let pods: Vec<_> = option.pods.iter().map(pod).collect();
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
