//! The way to the API server.

use std::{fmt, path::PathBuf, time::Duration};

use http::{HeaderValue, Request, Response, Uri, header::USER_AGENT};
use http_body_util::BodyExt;
use kube::{
    Config,
    client::{Body, ClientBuilder},
    config::{KubeConfigOptions, Kubeconfig},
};
use plimsoll_net::Fence;
use thiserror::Error;
use tower::{BoxError, Layer as _, Service, layer::util::Stack};

use self::{deadline::Deadline, guard::Guard, throttle::Throttle};

mod deadline;
mod guard;
mod throttle;

pub use kube::Client;

/// How long the API server gets to begin an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// How to reach the API server.
#[derive(Clone, Debug)]
pub struct Connection {
    /// `kubeconfig`: a file; without one, what the environment or the pod's service account says.
    pub kubeconfig: Option<PathBuf>,
    /// `kubernetes`: the server's address, instead of the one in the file.
    pub master: Option<String>,
    /// `kube-client-qps`: requests per second on average; 0 for no limit.
    pub rate: f64,
    /// `kube-client-burst`: how many may come at once.
    pub burst: u32,
    /// How we introduce ourselves.
    pub user_agent: String,
}

/// What the API server says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(String);

/// There is no way to the API server.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The kubeconfig file cannot be used.
    #[error("cannot use the kubeconfig {path}: {cause}", path = path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: kube::config::KubeconfigError,
    },
    /// Neither the environment nor a service account says where the cluster is.
    #[error("found neither a kubeconfig nor a service account: {0}; name a file with --kubeconfig")]
    Nowhere(kube::config::InferConfigError),
    /// The address makes no sense.
    #[error("{0:?} is no address of an API server")]
    Address(String),
    /// The name makes no sense.
    #[error("{0:?} cannot be a user agent")]
    UserAgent(String),
    /// The certificates or credentials make no sense.
    #[error("cannot set up the connection to the API server: {0}")]
    Setup(Box<kube::Error>),
    /// It does not answer.
    #[error("the API server does not answer: {0}")]
    Silent(Box<kube::Error>),
}

/// A client of the API server that a file or the environment names. Nothing is asked of it yet. What would change something is not
/// sent once `fence` has lapsed.
pub async fn connect(connection: &Connection, fence: &Fence) -> Result<Client, ConnectError> {
    let mut config = match &connection.kubeconfig {
        Some(path) => {
            let refuse = |cause| ConnectError::Kubeconfig { path: path.clone(), cause };
            let file = Kubeconfig::read_from(path).map_err(refuse)?;
            let options = KubeConfigOptions::default();
            Config::from_custom_kubeconfig(file, &options).await.map_err(refuse)?
        }
        None => Config::infer().await.map_err(ConnectError::Nowhere)?,
    };
    if let Some(master) = &connection.master {
        let address: Result<Uri, _> = master.parse();
        config.cluster_url = address.map_err(|_| ConnectError::Address(master.clone()))?;
    }
    let agent = HeaderValue::from_str(&connection.user_agent);
    let agent = agent.map_err(|_| ConnectError::UserAgent(connection.user_agent.clone()))?;
    config.headers.push((USER_AGENT, agent));
    let builder = ClientBuilder::try_from(config);
    let builder = builder.map_err(|error| ConnectError::Setup(Box::new(error)))?;
    Ok(builder.with_layer(&Guard(fence.clone())).with_layer(&limits(connection)).build())
}

/// A client over a service in this process that keeps to the limits of a connection.
pub fn limited<S, B>(service: S, connection: &Connection) -> Client
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: BodyExt<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Client::new(limits(connection).layer(service), "default")
}

/// A client over a service in this process that sends nothing that would change something once `fence` has lapsed.
pub fn fenced<S, B>(service: S, fence: &Fence) -> Client
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: BodyExt<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Client::new(Deadline(PATIENCE).layer(Guard(fence.clone()).layer(service)), "default")
}

/// A client over a service in this process: a server for tests and demonstrations.
pub fn over<S, B>(service: S) -> Client
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: BodyExt<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fenced(service, &Fence::open())
}

/// Asks the API server for its version: a first sign of life.
pub async fn version(client: &Client) -> Result<Version, ConnectError> {
    let info = client.apiserver_version().await;
    let info = info.map_err(|error| ConnectError::Silent(Box::new(error)))?;
    Ok(Version(info.git_version))
}

/// The time that a request waits for its turn does not count as time without an answer.
fn limits(connection: &Connection) -> Stack<Deadline, Throttle> {
    Stack::new(Deadline(PATIENCE), Throttle::new(connection.rate, connection.burst))
}

// === impl Version ===

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
