//! One task for all kubelets: hears what happens, and does what the fleet decides.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    future::pending,
    pin::pin,
    sync::Arc,
};

use futures::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use plimsoll_net::{Clock, Shutdown};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tracing::{debug, warn};

use super::{
    Behaviour,
    cluster::{At, Cluster, ClusterError, LEASES, NODES, PODS, Part},
    fleet::{Action, Command, Fleet, Found, Subject},
    follow::{News, PAUSE, follow},
    node,
};
use crate::read::text;

/// How many requests are under way at once.
const AT_ONCE: usize = 64;
const LEASE_NAMESPACE: &str = "kube-node-lease";
/// Pods without a node are nobody's business here.
const BOUND: &str = "spec.nodeName!=";

/// Drives a fleet.
pub(super) struct Driver {
    cluster: Arc<dyn Cluster>,
    clock: Clock,
    fleet: Fleet,
    /// Subjects with a request under way, and what is to be done next about them. Only the newest counts.
    busy: HashMap<Subject, Option<Action>>,
    waiting: VecDeque<Action>,
    flights: FuturesUnordered<BoxFuture<'static, Landed>>,
    nodes_listed: Option<BTreeSet<String>>,
}

/// An action that is done.
struct Landed {
    action: Action,
    outcome: Result<Answer, ClusterError>,
}

/// What an action found out.
enum Answer {
    Done,
    Registered(Found),
    Residents(Vec<Value>),
}

// === impl Driver ===

impl Driver {
    pub(super) fn new(cluster: Arc<dyn Cluster>, clock: Clock, behaviour: Behaviour) -> Self {
        Self {
            cluster,
            clock,
            fleet: Fleet::new(behaviour),
            busy: HashMap::new(),
            waiting: VecDeque::new(),
            flights: FuturesUnordered::new(),
            nodes_listed: None,
        }
    }

    pub(super) async fn run(
        mut self,
        inbox: &mut mpsc::UnboundedReceiver<Command>,
        shutdown: &Shutdown,
    ) {
        let mut nodes = pin!(follow(Arc::clone(&self.cluster), NODES, "", self.clock));
        let mut pods = pin!(follow(Arc::clone(&self.cluster), PODS, BOUND, self.clock));
        let mut stop = pin!(shutdown.wait());
        let mut rounds = 0_usize;
        loop {
            let now = self.clock.now();
            self.fleet.pass(now);
            self.start_actions();
            rounds += 1;
            if rounds.is_multiple_of(AT_ONCE) {
                // In one process everything is ready at once, and others want their turn.
                tokio::task::yield_now().await;
            }
            let (clock, due) = (self.clock, self.fleet.next_due());
            let wait = async move {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = &mut stop => return,
                () = wait => {}
                Some(command) = inbox.recv() => self.fleet.command(command, self.clock.now()),
                Some(landed) = self.flights.next() => self.land(landed),
                Some(news) = nodes.next() => self.hear_of_node(&news),
                Some(news) = pods.next() => self.hear_of_pod(&news),
            }
        }
    }

    fn hear_of_node(&mut self, news: &News) {
        match news {
            News::Begin => self.nodes_listed = Some(BTreeSet::new()),
            News::Put(node) => {
                if let Some(names) = &mut self.nodes_listed {
                    names.insert(text(node, "/metadata/name").to_owned());
                }
            }
            News::End => {
                if let Some(names) = self.nodes_listed.take() {
                    self.fleet.nodes_listed(&names, self.clock.now());
                }
            }
            News::Gone(node) => {
                self.fleet.node_gone(text(node, "/metadata/name"), text(node, "/metadata/uid"));
            }
        }
    }

    fn hear_of_pod(&mut self, news: &News) {
        match news {
            News::Begin => self.fleet.pods_begin(),
            News::Put(pod) => self.fleet.pod_changed(pod, self.clock.now()),
            News::End => self.fleet.pods_end(),
            News::Gone(pod) => self.fleet.pod_gone(pod),
        }
    }

    fn start_actions(&mut self) {
        for action in self.fleet.take_actions() {
            let subject = action.subject();
            if let Some(next) = self.busy.get_mut(&subject) {
                *next = Some(action);
            } else {
                self.busy.insert(subject, None);
                self.waiting.push_back(action);
            }
        }
        while self.flights.len() < AT_ONCE
            && let Some(action) = self.waiting.pop_front()
        {
            let (cluster, now) = (Arc::clone(&self.cluster), self.clock.now());
            self.flights.push(Box::pin(async move {
                let outcome = perform(&*cluster, &action, now).await;
                Landed { action, outcome }
            }));
        }
    }

    fn land(&mut self, landed: Landed) {
        let Landed { action, outcome } = landed;
        let next = self.busy.remove(&action.subject()).flatten();
        let superseded = next.is_some();
        if let Some(next) = next {
            self.busy.insert(next.subject(), None);
            self.waiting.push_back(next);
        }
        let now = self.clock.now();
        match outcome {
            Ok(Answer::Done) => {}
            Ok(Answer::Registered(found)) => {
                if let Action::Register { machine, node } = &action {
                    let name = text(node, "/metadata/name");
                    self.fleet.registered(*machine, name, &found, now);
                }
            }
            Ok(Answer::Residents(pods)) => {
                for pod in pods {
                    self.fleet.pod_changed(&pod, now);
                }
            }
            Err(error) if error.code == 404 && matches!(action, Action::Report { .. }) => {
                if let Action::Report { name, .. } = &action {
                    self.fleet.forget_machine(name);
                }
            }
            // What it was about is gone, or is another one meanwhile.
            Err(error) if matches!(error.code, 404 | 409) => {
                debug!(%error, "not written, and not needed");
            }
            Err(error) if (400..500).contains(&error.code) && error.code != 429 => {
                warn!(%error, "a kubelet's news was refused");
            }
            Err(_) if superseded => {}
            Err(error) => {
                debug!(%error, "tried again later");
                self.fleet.again(action, now, PAUSE);
            }
        }
    }
}

/// Does what is to be done.
async fn perform(
    cluster: &dyn Cluster,
    action: &Action,
    now: jiff::Timestamp,
) -> Result<Answer, ClusterError> {
    match action {
        Action::Register { node, .. } => return register(cluster, node).await,
        Action::Adopt { name } => {
            let fields = format!("spec.nodeName={name}");
            return Ok(Answer::Residents(cluster.list(PODS, &fields).await?.items.collect()));
        }
        Action::Report { name, body } => {
            cluster.patch(NODES, status("", name), body.clone()).await?;
        }
        Action::Lease { name, uid } => {
            let at = At { namespace: LEASE_NAMESPACE, name, part: Part::Whole };
            match cluster.patch(LEASES, at, node::renewal(name, now)).await {
                Err(error) if error.code == 404 => {
                    cluster.create(LEASES, LEASE_NAMESPACE, node::lease(name, uid, now)).await?;
                }
                outcome => {
                    outcome?;
                }
            }
        }
        Action::PodStatus { key, body } => {
            cluster.patch(PODS, status(&key.namespace, &key.name), body.clone()).await?;
        }
        Action::PodEnd { key, uid, last } => {
            if let Some(last) = last {
                cluster.patch(PODS, status(&key.namespace, &key.name), last.clone()).await?;
            }
            let at = At { namespace: &key.namespace, name: &key.name, part: Part::Whole };
            let options = json!({
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "gracePeriodSeconds": 0,
                "preconditions": { "uid": uid },
            });
            cluster.delete(PODS, at, options).await?;
        }
        Action::Unregister { name } => {
            let options = json!({ "apiVersion": "v1", "kind": "DeleteOptions" });
            let at = At { namespace: "", name, part: Part::Whole };
            cluster.delete(NODES, at, options.clone()).await?;
            let at = At { namespace: LEASE_NAMESPACE, name, part: Part::Whole };
            cluster.delete(LEASES, at, options).await?;
        }
    }
    Ok(Answer::Done)
}

/// Makes the node, or takes over the one that is there.
async fn register(cluster: &dyn Cluster, node: &Value) -> Result<Answer, ClusterError> {
    let (node, before) = match cluster.create(NODES, "", node.clone()).await {
        Ok(made) => (made, false),
        Err(error) if error.code == 409 => {
            let body = json!({ "status": node.get("status") });
            (cluster.patch(NODES, status("", text(node, "/metadata/name")), body).await?, true)
        }
        Err(error) => return Err(error),
    };
    Ok(Answer::Registered(Found { uid: text(&node, "/metadata/uid").to_owned(), before }))
}

fn status<'a>(namespace: &'a str, name: &'a str) -> At<'a> {
    At { namespace, name, part: Part::Status }
}
