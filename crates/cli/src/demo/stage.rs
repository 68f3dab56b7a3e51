//! Cluster, infrastructure and autoscaler, put together for the demo, and what the play does to them.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow};
use jiff::SignedDuration;
use plimsoll_cluster::{connect, lease::Leadership};
use plimsoll_control::{
    autoscaler::{Autoscaler, Equipment},
    engine::{Handle, Pass},
    record::RecordSettings,
    settings::Settings,
};
use plimsoll_minicluster::{
    Kind, Minicluster,
    api::{DeleteOptions, ListQuery, Propagation, Target, WriteOptions},
    kubelet::Behaviour,
    minicluster,
};
use plimsoll_model::Consolidation;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Limits, Provider, Steady, Upkeep};
use plimsoll_providers::joins;
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::watch,
    task::{JoinHandle, JoinSet},
};

use super::{
    facts::Facts,
    infrastructure::Infrastructure,
    play::{Move, Workload},
    words::{self, Purposes},
    workload,
};
use crate::{failure::Failure, listen, minicluster::blame};

/// Where everything of the play is.
const NAMESPACE: &str = "default";

/// What the play may have made.
const MADE: [&str; 2] = ["deployments.apps", "jobs.batch"];

/// How long requests to the autoscaler that are open have at the end.
const GRACE: Duration = Duration::from_millis(500);

/// Where to be reached, and where to say so.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Where the API server listens; nowhere for a cluster in this process alone.
    pub(super) api: Option<SocketAddr>,
    /// Where the autoscaler answers.
    pub(super) autoscaler: Option<SocketAddr>,
    /// Where the kubeconfig is written.
    pub(super) kubeconfig: Option<PathBuf>,
}

/// Everything that runs.
pub(super) struct Stage {
    cluster: Minicluster,
    infrastructure: Arc<dyn Infrastructure>,
    fleet: Arc<Fleet>,
    handle: Handle,
    /// Where the autoscaler answers.
    address: Option<SocketAddr>,
    /// The autoscaler ends first, and has then said its last.
    autoscaler: JoinHandle<()>,
    shutdown: Shutdown,
    /// What goes on as long as the cluster does.
    rest: JoinSet<()>,
    ended: Shutdown,
    killed: Vec<String>,
    settings: watch::Sender<Arc<Settings>>,
    /// What groups are to grow for. An order is told of when it is placed, by which time another pass may have been made.
    purposes: Arc<Mutex<Purposes>>,
}

// === impl Stage ===

impl Stage {
    /// Starts everything.
    pub(super) async fn set(
        clock: Clock,
        infrastructure: Box<dyn Infrastructure>,
        place: Place,
    ) -> Result<Self, Failure> {
        let listener = match place.autoscaler {
            Some(address) => Some(listen::bind(address).await.map_err(Failure::Input)?),
            None => None,
        };
        let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let cluster =
            Minicluster::start(clock, of_cluster(place)).await.map_err(|error| blame(&error))?;
        let infrastructure: Arc<dyn Infrastructure> = infrastructure.into();
        let steady = Steady::new(infrastructure.provider(), Limits::default());
        let upkeep = Upkeep { every: Duration::from_millis(500), ..Upkeep::default() };
        let fleet = Fleet::new(vec![Arc::new(steady) as Arc<dyn Provider>], clock, upkeep);
        let fleet = Arc::new(fleet.map_err(|error| Failure::Running(error.into()))?);
        let settings = watch::Sender::new(Arc::new(quick(Consolidation::Underutilized)));
        let autoscaler = Autoscaler::new(Equipment {
            client: connect::over(cluster.service()),
            fleet: Arc::clone(&fleet),
            clock,
            settings: settings.subscribe(),
            election: None,
            leadership: Leadership::alone(),
            cluster: Binding::unbound(),
            record: RecordSettings { host: "plimsoll-demo".to_owned(), ..Default::default() },
            adviser: None,
        });
        let (handle, shutdown, ended) = (autoscaler.handle(), Shutdown::new(), Shutdown::new());
        let mut rest = JoinSet::new();
        if let Some(listener) = listener {
            rest.spawn(answer(listener, autoscaler.router(), ended.clone()));
        }
        // Of machines that go, the Node goes too, as a cloud's controller has it.
        let (coming, going) = (cluster.kubelets().clone(), cluster.kubelets().clone());
        let joins = joins(move |node| coming.add(node), move |name| going.remove(name));
        let (machines, end) = (Arc::clone(&infrastructure), ended.clone());
        rest.spawn(async move { machines.run(Arc::new(joins), end).await });
        let purposes = Arc::new(Mutex::default());
        rest.spawn(note(handle.passes(), Arc::clone(&purposes), ended.clone()));
        let autoscaler = tokio::spawn(autoscaler.run(shutdown.clone()));
        Ok(Self {
            cluster,
            infrastructure,
            fleet,
            handle,
            address,
            autoscaler,
            shutdown,
            rest,
            ended,
            killed: Vec::new(),
            settings,
            purposes,
        })
    }

    /// What the autoscaler does.
    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Where the machines come from.
    pub(super) fn infrastructure(&self) -> &dyn Infrastructure {
        &*self.infrastructure
    }

    /// Where the API server is.
    pub(super) fn url(&self) -> Option<&str> {
        self.cluster.url()
    }

    /// Where the autoscaler answers.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// What groups are to grow for.
    pub(super) fn purposes(&self) -> MutexGuard<'_, Purposes> {
        self.purposes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nodes whose machines were made to die.
    pub(super) fn killed(&self) -> &[String] {
        &self.killed
    }

    /// All objects of a kind, such as `jobs.batch`.
    pub(super) fn list(&self, resource: &str) -> Vec<Value> {
        let Some(kind) = self.kind(resource) else { return Vec::new() };
        let listing = self.cluster.api().list(&kind, &ListQuery::default());
        let items = listing.map(|listing| listing.items).unwrap_or_default();
        items.iter().map(|item| item.value()).collect()
    }

    /// Does what an act wants; tells what there is to tell.
    pub(super) async fn perform(&mut self, step: Move, facts: &Facts) -> Result<Option<String>> {
        match step {
            Move::Start(workload) => self.start(&workload).map(|()| None),
            Move::Stop { service } => self.stop(service).map(|()| None),
            Move::SellOut { group } => {
                // Whoever looked a moment ago cannot know yet.
                for keeper in self.fleet.keepers() {
                    keeper.wait(keeper.nudge()).await;
                }
                self.infrastructure.sell_out(group)?;
                Ok(Some(format!("machines of {group} are sold out")))
            }
            Move::Restock { group } => {
                self.infrastructure.restock(group)?;
                Ok(Some(format!("machines of {group} can be had again")))
            }
            Move::Kill { service } => self.kill(service, facts).map(Some),
            Move::Consolidate => {
                self.settings.send_replace(Arc::new(quick(Consolidation::Cost)));
                Ok(None)
            }
        }
    }

    /// Takes away all that the play has made, and lets everything be as in the beginning.
    pub(super) fn strike(&self) -> Result<()> {
        self.settings.send_replace(Arc::new(quick(Consolidation::Underutilized)));
        for resource in MADE {
            for object in self.list(resource) {
                self.delete(resource, &object, &with_dependents())?;
            }
        }
        Ok(())
    }

    /// Gives pods up whose node is gone. The cluster does so by itself, after 40 seconds, which is long for a play.
    pub(super) fn bury(&self, nodes: &[Value], pods: &[Value]) -> Result<()> {
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        for pod in pods {
            let node = text(pod, "/spec/nodeName");
            if !node.is_empty() && !nodes.iter().any(|other| text(other, "/metadata/name") == node)
            {
                self.delete("pods", pod, &options)?;
            }
        }
        Ok(())
    }

    /// Ends everything, the autoscaler first.
    pub(super) async fn end(mut self) -> Result<()> {
        self.shutdown.trigger();
        let _ = self.autoscaler.await;
        self.ended.trigger();
        while self.rest.join_next().await.is_some() {}
        self.cluster.stop().await?;
        Ok(())
    }

    fn start(&self, workload: &Workload) -> Result<()> {
        let object = workload::object(workload);
        let resource =
            if text(&object, "/kind") == "Job" { "jobs.batch" } else { "deployments.apps" };
        let kind = self.kind(resource).context("the cluster has no workloads")?;
        let created = self.cluster.api().create(&kind, NAMESPACE, object, &WriteOptions::default());
        created.map_err(|error| anyhow!("cannot create {}: {error}", workload.name))?;
        Ok(())
    }

    fn stop(&self, service: &str) -> Result<()> {
        let deployments = self.list("deployments.apps");
        let of = |object: &&Value| text(object, "/metadata/name") == service;
        let found =
            deployments.iter().find(of).with_context(|| format!("there is no {service}"))?;
        self.delete("deployments.apps", found, &with_dependents())
    }

    fn kill(&mut self, service: &str, facts: &Facts) -> Result<String> {
        let mut nodes = facts.nodes.iter();
        let victim = nodes.find(|node| node.services.contains(service));
        let victim = victim.with_context(|| format!("nothing of {service} runs"))?.name.clone();
        let pass = self.handle.passes().borrow().clone();
        let groups = pass.as_ref().map(|pass| pass.seen.groups.as_slice()).unwrap_or_default();
        let mut machines = groups.iter().flat_map(|group| &group.instances);
        let is_it = |node: plimsoll_model::Symbol| node.as_str() == victim;
        let machine = machines.find(|machine| machine.node.is_some_and(is_it));
        let machine = machine.with_context(|| format!("the machine of {victim} is not known"))?;
        self.infrastructure.kill(&machine.id)?;
        let told = format!("the machine {victim} dies");
        self.killed.push(victim);
        Ok(told)
    }

    fn delete(&self, resource: &str, object: &Value, options: &DeleteOptions) -> Result<()> {
        let kind = self.kind(resource).with_context(|| format!("there are no {resource}"))?;
        let (namespace, name) =
            (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
        match self.cluster.api().delete(&kind, &Target::new(namespace, name), options) {
            Err(error) if error.code != 404 => Err(anyhow!("cannot delete {name}: {error}")),
            _ => Ok(()),
        }
    }

    fn kind(&self, resource: &str) -> Option<Arc<Kind>> {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.cluster.api().kind(group, "v1", plural)
    }
}

/// Notes what groups are to grow for, pass by pass.
async fn note(
    mut passes: watch::Receiver<Option<Arc<Pass>>>,
    purposes: Arc<Mutex<Purposes>>,
    ended: Shutdown,
) {
    loop {
        tokio::select! {
            changed = passes.changed() => if changed.is_err() { return },
            () = ended.wait() => return,
        }
        let pass = passes.borrow_and_update().clone();
        let noted = pass.as_deref().map(words::purposes).unwrap_or_default();
        purposes.lock().unwrap_or_else(PoisonError::into_inner).extend(noted);
    }
}

/// The text at a place of an object; empty if there is none.
pub(super) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Whatever belongs to it goes, too.
fn with_dependents() -> DeleteOptions {
    DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() }
}

async fn answer(listener: TcpListener, router: axum::Router, shutdown: Shutdown) {
    plimsoll_net::listen::serve(listener, None, router, &shutdown, GRACE).await;
}

/// A cluster without nodes of its own, in which nothing takes long.
fn of_cluster(place: Place) -> minicluster::Settings {
    minicluster::Settings {
        listen: place.api,
        kubeconfig: place.kubeconfig,
        behaviour: Behaviour {
            pull: Duration::from_millis(300),
            termination: Some(Duration::from_millis(500)),
            ..Behaviour::default()
        },
        ..minicluster::Settings::default()
    }
}

/// Settings with which minutes become seconds.
fn quick(consolidation: Consolidation) -> Settings {
    let mut settings = Settings::default();
    settings.pace.scan = Duration::from_secs(1);
    settings.pace.farewell = Duration::from_secs(1);
    settings.plan.group.unneeded_time = SignedDuration::from_secs(2);
    settings.plan.group.unready_time = SignedDuration::from_secs(4);
    settings.plan.scale_down.delay_after_add = SignedDuration::from_secs(1);
    settings.plan.scale_down.delay_after_failure = SignedDuration::from_secs(1);
    settings.plan.scale_down.drain_parallelism = 10;
    settings.plan.scale_down.consolidation = consolidation;
    settings.plan.scale_up.backoff_initial = SignedDuration::from_secs(5);
    settings.plan.scale_up.backoff_max = SignedDuration::from_secs(10);
    settings.plan.scale_up.backoff_reset = SignedDuration::from_secs(30);
    settings.retire.delay_after_taint = SignedDuration::from_millis(500);
    settings.retire.eviction_retry = SignedDuration::from_secs(1);
    settings.retire.retry = SignedDuration::from_secs(1);
    settings
}
