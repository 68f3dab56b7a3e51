//! A whole cluster, started and stopped as one.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use plimsoll_net::{Clock, Shutdown, listen::serve};
use serde_json::Value;
use thiserror::Error;
use tokio::{net::TcpListener, task::JoinSet};
use tracing::warn;
use uuid::Uuid;

use crate::{
    Api, controllers,
    kubelet::{Behaviour, Kubelets, Local},
    scheduler,
    server::{Access, Anonymous, Certificates, CertificatesError, Server, User},
    store::Limits,
};

mod forget;

/// What a kubeconfig begins with that may be overwritten.
const MARK: &str = "# Written by plimsoll minicluster, and worthless when it has stopped.\n";
/// How often a cluster that changes is written to its file.
const SAVE_EVERY: Duration = Duration::from_secs(5);
/// How long open requests have when the cluster stops.
const GRACE: Duration = Duration::from_millis(500);

/// What a cluster is to be like. `Default` is one in the process alone, with everything running and no nodes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen, with TLS; nowhere if not said.
    pub listen: Option<SocketAddr>,
    /// Where to write the administrator's kubeconfig. Needs `listen`.
    pub kubeconfig: Option<PathBuf>,
    /// The file in which the cluster outlives the process: read at the start if it is there, written while it runs and at the stop.
    pub persist: Option<PathBuf>,
    /// Nodes of its own; only their names have to be given.
    pub nodes: Vec<Value>,
    /// How its nodes and their pods behave.
    pub behaviour: Behaviour,
    /// What runs in it.
    pub parts: Vec<Part>,
}

/// What runs in a cluster beside its API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The controllers.
    Controllers,
    /// The scheduler.
    Scheduler,
    /// The kubelets of its own nodes.
    Kubelets,
}

/// A cluster that runs. Dropped without [`Minicluster::stop`], it ends with the runtime and is not written to its file.
#[derive(Debug)]
pub struct Minicluster {
    api: Api,
    server: Server,
    kubelets: Kubelets,
    url: Option<String>,
    shutdown: Shutdown,
    tasks: JoinSet<()>,
    persist: Option<PathBuf>,
}

/// A cluster could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The address is taken, or is not one of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The certificates could not be made.
    #[error(transparent)]
    Certificates(#[from] CertificatesError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The kubeconfig would overwrite another.
    #[error(
        "{0} is there already and belongs to somebody else; name another file for the kubeconfig"
    )]
    Occupied(PathBuf),
}

// === impl Settings ===

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: None,
            kubeconfig: None,
            persist: None,
            nodes: Vec::new(),
            behaviour: Behaviour::default(),
            parts: vec![Part::Controllers, Part::Scheduler, Part::Kubelets],
        }
    }
}

// === impl Minicluster ===

impl Minicluster {
    /// Starts a cluster. When this returns, the kubeconfig is written and the port is open.
    pub async fn start(clock: Clock, settings: Settings) -> Result<Self, StartError> {
        let api = match &settings.persist {
            Some(path) => load(clock, path)?,
            None => Api::new(clock),
        };
        let token = Uuid::new_v4().to_string();
        let server = Server::new(api.clone(), Access::new(token.into(), Anonymous::Allowed));
        let shutdown = Shutdown::new();
        let mut tasks = JoinSet::new();
        let url = match settings.listen {
            Some(address) => {
                let kubeconfig = settings.kubeconfig.as_deref();
                Some(listen(&server, address, kubeconfig, &shutdown, &mut tasks).await?)
            }
            None => None,
        };
        let has = |part| settings.parts.contains(&part);
        if has(Part::Controllers) {
            let running = controllers::start(&api, &shutdown);
            tasks.spawn(async move {
                // It ends when it is told to.
                let _ = running.await;
            });
        }
        if has(Part::Scheduler) {
            let running = scheduler::start(&api, &shutdown);
            tasks.spawn(async move {
                let _ = running.await;
            });
        }
        let local = Arc::new(Local::new(api.clone()));
        let kubelets = Kubelets::new(local, clock, settings.behaviour);
        if has(Part::Kubelets) {
            let (running, shutdown) = (kubelets.clone(), shutdown.clone());
            tasks.spawn(async move { running.run(&shutdown).await });
        }
        for node in settings.nodes {
            kubelets.add(node);
        }
        tasks.spawn(forget::forget(api.clone(), shutdown.clone()));
        if let Some(path) = settings.persist.clone() {
            tasks.spawn(save_often(api.clone(), path, shutdown.clone()));
        }
        let persist = settings.persist;
        Ok(Self { api, server, kubelets, url, shutdown, tasks, persist })
    }

    /// The API, for callers in this process.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The server as an HTTP service, for clients in this process: they may do everything and need no credentials.
    pub fn service(&self) -> Server {
        self.server.trusting(User::admin())
    }

    /// The kubelets of its own nodes: more may join, and some may leave.
    pub fn kubelets(&self) -> &Kubelets {
        &self.kubelets
    }

    /// The address, if it listens.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Stops everything, and writes the cluster to its file if it has one.
    pub async fn stop(mut self) -> Result<(), StartError> {
        self.shutdown.trigger();
        while self.tasks.join_next().await.is_some() {}
        match &self.persist {
            Some(path) => save(&self.api, path),
            None => Ok(()),
        }
    }
}

async fn listen(
    server: &Server,
    address: SocketAddr,
    kubeconfig: Option<&Path>,
    shutdown: &Shutdown,
    tasks: &mut JoinSet<()>,
) -> Result<String, StartError> {
    let problem = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(problem)?;
    let mut reached = listener.local_addr().map_err(problem)?;
    match reached.ip() {
        IpAddr::V4(any) if any.is_unspecified() => reached.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(any) if any.is_unspecified() => reached.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let url = format!("https://{reached}");
    let host = reached.ip().to_string();
    let certificates = Certificates::new(&[&host], server.api().clock().now())?;
    if let Some(path) = kubeconfig {
        write_kubeconfig(path, &certificates.kubeconfig(&url))?;
    }
    let (server, shutdown) = (server.clone(), shutdown.clone());
    tasks.spawn(async move {
        serve(listener, Some(certificates.server()), server, &shutdown, GRACE).await;
    });
    Ok(url)
}

/// It contains a secret: its owner alone can read it.
fn write_kubeconfig(path: &Path, text: &str) -> Result<(), StartError> {
    let problem = |source| StartError::File { path: path.to_owned(), source };
    match fs::read(path) {
        Ok(there) if !there.is_empty() && !there.starts_with(MARK.as_bytes()) => {
            return Err(StartError::Occupied(path.to_owned()));
        }
        Ok(_) => fs::remove_file(path).map_err(problem)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(problem(error)),
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path).map_err(problem)?;
    file.write_all(MARK.as_bytes()).and_then(|()| file.write_all(text.as_bytes())).map_err(problem)
}

fn load(clock: Clock, path: &Path) -> Result<Api, StartError> {
    let problem = |source| StartError::File { path: path.to_owned(), source };
    match File::open(path) {
        Ok(file) => {
            let mut input = BufReader::new(file);
            Api::import(clock, Limits::default(), &mut input).map_err(problem)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let api = Api::new(clock);
            // Whether the file can be written is found out now and not at the stop.
            save(&api, path)?;
            Ok(api)
        }
        Err(error) => Err(problem(error)),
    }
}

/// Writes the cluster beside its file and then in its place, so that there is always a whole one.
fn save(api: &Api, path: &Path) -> Result<(), StartError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside);
    let written = file.and_then(|file| {
        let mut out = BufWriter::new(file);
        api.export(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, path)
    });
    written.map_err(|source| StartError::File { path: path.to_owned(), source })
}

async fn save_often(api: Api, path: PathBuf, shutdown: Shutdown) {
    let mut saved = api.revision();
    loop {
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(SAVE_EVERY) => {}
        }
        let revision = api.revision();
        if revision == saved {
            continue;
        }
        let (source, target) = (api.clone(), path.clone());
        let outcome = tokio::task::spawn_blocking(move || save(&source, &target)).await;
        match outcome {
            Ok(Ok(())) => saved = revision,
            Ok(Err(error)) => warn!(%error, "could not save the cluster"),
            Err(error) => warn!(%error, "could not save the cluster"),
        }
    }
}
