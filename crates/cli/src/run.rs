//! `plimsoll run`: the autoscaler.
//!
//! ```text
//! words ──▶ flags ──┐
//! file of --config ─┴▶ Process ──▶ providers, connection, election ──▶ Autoscaler
//!        └──────────── again and again ────────▶ settings of the loop ──┘
//! ```

use std::{ffi::OsString, fs, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::{Context as _, Error, Result, anyhow};
use clap::Args;
use futures::StreamExt as _;
use jiff::SignedDuration;
use plimsoll_cluster::{
    Client, config_maps,
    connect::{ConnectError, connect, version},
    identity,
    lease::{Candidacy, Leadership},
    priorities,
};
use plimsoll_control::{
    autoscaler::{Autoscaler, Equipment},
    engine::Adviser,
    record::RecordSettings,
    settings::{Mode, Settings},
};
use plimsoll_extgrpc::GrpcExpander;
use plimsoll_net::{Clock, Shutdown, listen::Limits, tls};
use plimsoll_provider::{Binding, Fleet, Home, Provider, Upkeep};
use plimsoll_providers::{
    choice::Question,
    stackpoint::{self, Board},
};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tower::ServiceExt as _;
use tracing::{info, warn};

use self::{
    adviser::Service,
    groups::Chosen,
    process::Process,
    wanted::{Wanted, Wish},
};
use crate::{failure::Failure, listen, log, provider::open};

mod adviser;
mod flags;
mod groups;
mod help;
#[cfg(feature = "lab")]
mod machines;
mod process;
mod profile;
mod reload;
mod signals;
mod wanted;
mod words;

#[cfg(test)]
#[cfg(feature = "lab")]
mod tests;

/// How long answers under way have in the end.
const GRACE: Duration = Duration::from_secs(1);

/// How long the API server has to say its version, which is only a courtesy.
const GREETING: Duration = Duration::from_secs(5);

/// How long to wait before the API server is asked again which cluster it is.
const IDENTIFYING: Duration = Duration::from_secs(2);

/// What was typed. It is read with the table of flags, as the upstream autoscaler reads it.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Flags, see --help.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    words: Vec<OsString>,
}

/// Everything that could be made ready without asking anybody.
struct Ready {
    /// What the providers of the fleet know of this process and its cluster.
    home: Home,
    leadership: Leadership,
    fleet: Fleet,
    /// What only infrastructures can tell of their configuration.
    questions: Vec<Question>,
    /// Where to put what the ConfigMap of StackPoint's pools says.
    boards: Vec<Board>,
    /// Simulated infrastructures that this process runs.
    #[cfg(feature = "lab")]
    clouds: Vec<plimsoll_providers::simulated::Cloud>,
    adviser: Option<Arc<dyn Adviser>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let refused = |problem: String| Failure::Input(anyhow!(problem));
    let wanted = match Wanted::read(&arguments.words).map_err(refused)? {
        Wish::Run(wanted) => wanted,
        Wish::Help => return Ok(help::show()?),
    };
    let process = wanted.resolve().map_err(refused)?;
    log::start_with(process.logs);
    for line in wanted.warnings() {
        warn!("{line}");
    }
    for line in &process.scheduler.unfollowed {
        warn!("--scheduler-config-file: {line}");
    }
    tls::install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    let outcome = runtime.block_on(keep(wanted, process));
    // A plan that is being thought about has nobody left to carry it out.
    runtime.shutdown_background();
    outcome
}

/// Runs the autoscaler until the process is asked to end.
async fn keep(wanted: Wanted, process: Process) -> Result<(), Failure> {
    let clock = Clock::system();
    let prepared = prepare(&process, clock).map_err(Failure::Input)?;
    let Ready { home, leadership, fleet, questions, boards, adviser, .. } = prepared;
    open::ask(questions).await.map_err(Failure::Input)?;
    let client = connect(&process.connection, leadership.fence()).await.map_err(blame)?;
    let listener = listen::bind(process.address).await.map_err(Failure::Running)?;
    let shutdown = Shutdown::new();
    #[cfg(feature = "lab")]
    machines::simulate(prepared.clouds, &process, clock, &shutdown).map_err(Failure::Input)?;
    let address = listener.local_addr().unwrap_or(process.address);
    greet(&process, address, &client);
    if process.record.insecure_debug_endpoints && !plimsoll_net::listen::is_loopback(address) {
        warn!(%address, "debug endpoints answer every caller without a token: --insecure-debug-endpoints is set");
    }
    tokio::spawn(identify(client.clone(), home.cluster.clone()));

    let settings = watch::Sender::new(Arc::new(process.settings.clone()));
    let ready = (fleet, leadership, home.cluster, adviser);
    let autoscaler = assemble(&process, client.clone(), ready, clock, settings.subscribe());
    let namespace = process.settings.namespace.clone();
    if !boards.is_empty() {
        tokio::spawn(post(client.clone(), namespace.clone(), boards));
    }
    tokio::spawn(rank(client, namespace, settings.clone()));
    tokio::spawn(reload::follow(wanted, process, settings));

    let answered = Shutdown::new();
    let (router, end) = (autoscaler.router(), answered.clone());
    let answering = tokio::spawn(async move {
        let service =
            router.map_request(|request: http::Request<_>| request.map(axum::body::Body::new));
        plimsoll_net::listen::serve_within(listener, Limits::default(), service, &end, GRACE).await;
    });
    tokio::select! {
        () = autoscaler.run(shutdown.clone()) => {}
        outcome = signals::obey(&shutdown) => {
            outcome.map_err(|error| Failure::Running(error.into()))?;
            return Err(Failure::Running(anyhow!("asked to end twice, and left what was under way")));
        }
    }
    answered.trigger();
    // It ends within its grace.
    let _ = answering.await;
    Ok(())
}

/// Reads all configuration. Nobody is asked anything.
fn prepare(process: &Process, clock: Clock) -> Result<Ready> {
    let defaults = &process.settings.plan.group;
    // A machine is made and deleted for one cluster only, and which one this is, is not known before the API server was asked.
    let leadership = match candidacy(process) {
        Some(_) => Leadership::contested(clock),
        None => Leadership::alone(),
    };
    let fence = leadership.fence().clone();
    let home = Home { clock, fence, cluster: Binding::pending() };
    let opened = open::each(&process.infrastructure, &home, defaults)?;
    #[cfg(feature = "lab")]
    let clouds = opened.iter().filter_map(|opened| opened.cloud.clone()).collect();
    let (mut questions, mut boards, mut providers) = (Vec::new(), Vec::new(), Vec::new());
    for opened in opened {
        questions.extend(opened.question);
        boards.extend(opened.board);
        providers.push(dress(opened.provider, process));
    }
    let scan = process.settings.pace.scan;
    let (at_least, whole) = (Upkeep::default(), SignedDuration::try_from(scan)?);
    let upkeep = Upkeep {
        every: scan,
        // One look may fail, and the next take long, before what was seen last counts as old.
        stale_after: at_least.stale_after.max(whole.saturating_mul(3)),
        ..at_least
    };
    let fleet = Fleet::new(providers, clock, upkeep);
    let fleet = fleet.context("--cloud-config needs a list with a name for each")?;
    let service = &process.expander;
    let mut adviser = None;
    if process.asks_service() {
        let expander = GrpcExpander::new(&service.url, service.cert.as_deref())?;
        adviser = Some(Arc::new(Service(expander)) as Arc<dyn Adviser>);
    }
    Ok(Ready {
        home,
        leadership,
        fleet,
        questions,
        boards,
        #[cfg(feature = "lab")]
        clouds,
        adviser,
    })
}

/// Puts around a provider what the user's flags say about it.
fn dress(provider: Arc<dyn Provider>, process: &Process) -> Arc<dyn Provider> {
    if process.groups.is_open() {
        return provider;
    }
    Arc::new(Chosen::new(provider, process.groups.clone()))
}

/// The autoscaler as the flags want it. Nothing is asked of anybody yet.
fn assemble(
    process: &Process,
    client: Client,
    (fleet, leadership, cluster, adviser): (Fleet, Leadership, Binding, Option<Arc<dyn Adviser>>),
    clock: Clock,
    settings: watch::Receiver<Arc<Settings>>,
) -> Autoscaler {
    Autoscaler::new(Equipment {
        client,
        fleet: Arc::new(fleet),
        clock,
        settings,
        election: candidacy(process),
        leadership,
        cluster,
        record: RecordSettings { host: host(), ..process.record.clone() },
        adviser,
    })
}

/// Says who is here and whom it talks to.
fn greet(process: &Process, address: SocketAddr, client: &Client) {
    let (ours, cluster) = (env!("CARGO_PKG_VERSION"), process.cluster_name.clone());
    let mode = process.settings.mode;
    info!(version = ours, cluster, %address, ?mode, "plimsoll begins");
    let client = client.clone();
    tokio::spawn(async move {
        match timeout(GREETING, version(&client)).await {
            Ok(Ok(version)) => info!(%version, "the API server answers"),
            Ok(Err(error)) => warn!(%error, "goes on trying"),
            Err(_) => warn!("the API server does not answer; goes on trying"),
        }
    });
}

/// Tells the providers which cluster their machines are for, as soon as the API server says which one it is.
async fn identify(client: Client, cluster: Binding) {
    let mut is_told = false;
    loop {
        match identity::uid(&client).await {
            Ok(uid) => {
                cluster.bind(&uid);
                info!(%uid, "cluster identified");
                return;
            }
            Err(error) if !is_told => {
                warn!(%error, "cannot identify the cluster by its namespace kube-system; trying again");
                is_told = true;
            }
            Err(_) => {}
        }
        sleep(IDENTIFYING).await;
    }
}

/// Which Lease to stand for; none to act at once. A dry run touches nothing, so it stands for none.
fn candidacy(process: &Process) -> Option<Candidacy> {
    let election = &process.election;
    (election.wanted && process.settings.mode == Mode::Act).then(|| Candidacy {
        namespace: election.namespace.clone().unwrap_or_else(|| process.settings.namespace.clone()),
        name: election.name.clone(),
        identity: format!("{}_{}", host(), uuid::Uuid::new_v4()),
        timings: election.timings,
    })
}

/// What this machine or pod is called.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "plimsoll".to_owned(),
        name => name.to_owned(),
    }
}

/// Follows the user's list for the priority expander, for ever.
async fn rank(client: Client, namespace: String, settings: watch::Sender<Arc<Settings>>) {
    let mut lists = priorities::follow(&client, &namespace).boxed();
    while let Some(list) = lists.next().await {
        settings.send_if_modified(|current| {
            let is_new = current.plan.scale_up.priorities != list;
            if is_new {
                info!("settings reloaded: another list for the priority expander");
                Arc::make_mut(current).plan.scale_up.priorities = list;
            }
            is_new
        });
    }
}

/// Follows the ConfigMap of StackPoint's pools, for ever.
async fn post(client: Client, namespace: String, boards: Vec<Board>) {
    let (name, key) = (stackpoint::CONFIG_MAP, stackpoint::CONFIG_MAP_KEY);
    let mut texts = config_maps::follow(&client, &namespace, name, key).boxed();
    while let Some(text) = texts.next().await {
        for board in &boards {
            board.post(text.clone());
        }
    }
}

/// What was typed is at fault where a file, a name or an address is.
fn blame(error: ConnectError) -> Failure {
    match error {
        ConnectError::Silent(_) => Failure::Running(Error::new(error)),
        _ => Failure::Input(Error::new(error)),
    }
}
