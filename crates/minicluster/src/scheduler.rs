//! kube-scheduler in small: pods that name `default-scheduler` get nodes.
//!
//! ```text
//!  watches ──▶ mirror (a snapshot of `fit`) ──▶ queue ──▶ choice ──▶ binding
//!                                                          │ none fits
//!                                                          ├─▶ preemption: victims leave, the node is promised
//!                                                          └─▶ condition and event say why
//! ```
//!
//! The filters are those of `plimsoll_fit`. Among the nodes that take a pod, the one with the fewest pods of its kind is taken, then
//! the emptiest. The same cluster and the same pods give the same bindings. Nothing is polled: a pod that did not fit is tried
//! again when something changed that may help it, after a rest of one to ten seconds.

use std::{pin::pin, sync::Arc};

use futures::future::select_all;
use jiff::Timestamp;
use plimsoll_fit::{NodeId, ShapeId};
use plimsoll_model::{Pod, PodVolume, Symbol};
use plimsoll_net::Shutdown;
use rustc_hash::FxHashMap;
use tokio::task::JoinHandle;
use tracing::{debug, warn};

use self::{
    mirror::Mirror,
    preemption::Outcome,
    queue::{Hope, Queue},
    words::Reasons,
    write::{About, NAME, Nomination, Note, Writer},
};
use crate::{
    Api, Object,
    api::{Watch, WatchEvent, WatchQuery},
    object::Key,
    store::Resource,
};

mod choice;
mod mirror;
mod preemption;
mod queue;
mod words;
mod write;

/// How many pods get their turn before others on this thread do.
const AT_ONCE: usize = 32;

/// What is watched: namespaces and storage before nodes, nodes before pods, so that a start sees each pod in its surroundings.
const WATCHED: [(&str, &str, Topic); 11] = [
    ("", "namespaces", Topic::Background),
    ("", "persistentvolumes", Topic::Background),
    ("", "persistentvolumeclaims", Topic::Background),
    ("storage.k8s.io", "storageclasses", Topic::Background),
    ("storage.k8s.io", "csinodes", Topic::Background),
    ("storage.k8s.io", "csidrivers", Topic::Background),
    ("storage.k8s.io", "csistoragecapacities", Topic::Background),
    ("storage.k8s.io", "volumeattachments", Topic::Background),
    ("policy", "poddisruptionbudgets", Topic::Budgets),
    ("", "nodes", Topic::Nodes),
    ("", "pods", Topic::Pods),
];

/// The scheduler of a cluster.
#[derive(Debug)]
pub struct Scheduler {
    api: Api,
    writer: Writer,
    watches: Vec<Watched>,
    mirror: Mirror,
    queue: Queue,
    /// Where the next search among the nodes begins.
    start: usize,
    /// Shapes that fitted nowhere, with what was said, for as long as nothing has changed that could help them.
    refused: FxHashMap<(ShapeId, i32), Refusal>,
    name: Symbol,
}

/// What kind of objects a watch tells about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Nodes,
    Pods,
    Budgets,
    Background,
}

#[derive(Debug)]
struct Watched {
    topic: Topic,
    resource: Resource,
    watch: Watch,
}

#[derive(Clone, Debug)]
struct Refusal {
    stamp: u64,
    message: Arc<str>,
}

/// A pod whose turn it is.
struct Turn {
    key: Key,
    pod: Pod,
    uid: Box<str>,
    revision: u64,
    hope: Hope,
}

// === impl Scheduler ===

impl Scheduler {
    /// A scheduler for this cluster; none if it lacks the kinds that one needs, which no cluster does.
    pub fn new(api: &Api) -> Option<Self> {
        Some(Self {
            writer: Writer::new(api.clone())?,
            watches: watch_all(api),
            mirror: Mirror::new(api.clock().now()),
            queue: Queue::default(),
            start: 0,
            refused: FxHashMap::default(),
            name: Symbol::new(NAME),
            api: api.clone(),
        })
    }

    /// Schedules until `shutdown`.
    pub async fn run(mut self, shutdown: &Shutdown) {
        let mut stop = pin!(shutdown.wait());
        loop {
            // Clients and controllers on the same thread get their turn between pods.
            while self.work(AT_ONCE) {
                tokio::task::yield_now().await;
                if shutdown.is_triggered() {
                    return;
                }
            }
            let due = self.queue.next_due();
            let clock = *self.api.clock();
            let rest = async move {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            let news = select_all(self.watches.iter_mut().map(|one| Box::pin(one.watch.next())));
            let told = tokio::select! {
                () = &mut stop => return,
                () = rest => None,
                (event, place, _) = news => Some((event, place)),
            };
            if let Some((event, place)) = told {
                self.tell(place, event);
            }
        }
    }

    /// Does everything that can be done now, without waiting.
    pub fn settle(&mut self) {
        while self.work(usize::MAX) {}
    }

    /// Takes in what is new and gives at most `turns` pods their turn. Answers whether there is more to do.
    fn work(&mut self, turns: usize) -> bool {
        self.catch_up();
        let now = self.writer.now();
        if let Some(change) = self.mirror.take_woken() {
            self.queue.wake(change, now);
        }
        self.mirror.settle();
        for _ in 0..turns {
            match self.queue.next(now) {
                Some(key) => self.try_pod(&key, now),
                None => break,
            }
        }
        self.queue.is_ready(now)
    }

    fn catch_up(&mut self) {
        for place in 0..self.watches.len() {
            while let Some(event) = self.watches.get_mut(place).and_then(|one| one.watch.try_next())
            {
                if !self.tell(place, Some(event)) {
                    return self.catch_up();
                }
            }
        }
    }

    /// Takes in an event. Answers whether the watches go on; if one could not keep up, everything is read again.
    fn tell(&mut self, place: usize, event: Option<WatchEvent>) -> bool {
        let Some(Watched { topic, resource, .. }) = self.watches.get(place) else { return true };
        let (topic, resource) = (*topic, resource.clone());
        match event {
            Some(WatchEvent::Added(object) | WatchEvent::Modified(object)) => match topic {
                Topic::Nodes => self.mirror.put_node(&object),
                Topic::Budgets => self.mirror.put_budget(&object),
                Topic::Pods => self.put_pod(&object),
                Topic::Background => {
                    self.mirror.put_background(&resource, Some(&object), &object.key);
                }
            },
            Some(WatchEvent::Deleted(object)) => match topic {
                Topic::Nodes => self.mirror.remove_node(&object.key),
                Topic::Budgets => {
                    self.mirror.budgets.remove(&object.key);
                }
                Topic::Pods => {
                    self.queue.remove(&object.key);
                    self.mirror.remove_pod(&object.key);
                }
                Topic::Background => self.mirror.put_background(&resource, None, &object.key),
            },
            Some(WatchEvent::Bookmark { .. }) => {}
            Some(WatchEvent::Error(_)) | None => {
                debug!(plural = %resource.plural, "the scheduler reads everything again");
                self.watches = watch_all(&self.api);
                self.mirror = Mirror::new(self.writer.now());
                self.queue = Queue::default();
                self.refused.clear();
                return false;
            }
        }
        true
    }

    fn put_pod(&mut self, object: &Object) {
        let name = self.name;
        match self.mirror.put_pod(object).filter(|entry| entry.is_pending(name)) {
            Some(entry) => {
                let (priority, created) = (entry.pod.priority, entry.pod.created);
                self.queue.add(&object.key, priority, created, entry.hope());
            }
            None => self.queue.remove(&object.key),
        }
    }

    fn try_pod(&mut self, key: &Key, now: Timestamp) {
        let Some(entry) = self.mirror.pods.get(key) else { return self.queue.remove(key) };
        let turn = Turn {
            key: key.clone(),
            pod: entry.pod.clone(),
            uid: entry.uid.clone(),
            revision: entry.revision,
            hope: entry.hope(),
        };
        let shape = self.mirror.shape(&turn.pod);
        let stamp = self.mirror.stamp(turn.hope);
        let known = self.refused.get(&(shape, turn.pod.priority));
        if let Some(known) = known.filter(|known| known.stamp == stamp) {
            let message = Arc::clone(&known.message);
            return self.refuse(&turn, &message, Nomination::Keep, now);
        }
        match choice::choose(&mut self.mirror, key, &turn.pod, shape, &mut self.start) {
            Some(node) => self.bind(&turn, node, now),
            None => self.make_room(&turn, shape, now),
        }
    }

    fn bind(&mut self, turn: &Turn, node: NodeId, now: Timestamp) {
        let name = self.mirror.snapshot.node(node).name.as_str();
        let namespace = &*turn.key.namespace;
        for volume in &turn.pod.shape.volumes {
            if let PodVolume::Claim(claim) | PodVolume::Ephemeral { claim, .. } = volume {
                self.writer.select_node(namespace, claim.as_str(), name);
            }
        }
        match self.writer.bind(&turn.key, &turn.uid, name) {
            Ok(()) => {
                self.queue.remove(&turn.key);
                self.mirror.assume(&turn.key, node);
                let text = format!("Successfully assigned {namespace}/{} to {name}", turn.key.name);
                let note =
                    Note { reason: "Scheduled", action: "Binding", warning: false, text: &text };
                self.writer.note(turn.about(), None, note);
            }
            // The watch tells what has become of it; if it is still there it is tried again.
            Err(error) => {
                debug!(%error, pod = %turn.key.name, "could not bind a pod");
                self.queue.rest(&turn.key, now);
            }
        }
    }

    /// No node takes the pod as things are.
    fn make_room(&mut self, turn: &Turn, shape: ShapeId, now: Timestamp) {
        let nodes = self.mirror.order.len();
        if nodes == 0 {
            return self.refuse(turn, words::NO_NODES, Nomination::Keep, now);
        }
        let objections = words::objections(&self.mirror.snapshot, shape, &self.mirror.order);
        let mut reasons = Reasons::default();
        for (_, rejection, _) in &objections {
            reasons.add(rejection);
        }
        let sentence = reasons.sentence(nodes);
        if let Some(why) = preemption::forbidden(&self.mirror, &turn.key, &objections) {
            let message = format!("{sentence} preemption: {why}");
            return self.refuse(turn, &message, Nomination::Keep, now);
        }
        match preemption::find(&mut self.mirror, &turn.key, &turn.pod, shape, &objections) {
            Outcome::Victims(candidate) => {
                let node = self.mirror.snapshot.node(candidate.node).name;
                self.drive_out(turn, &candidate.victims, node);
                self.mirror.nominated.insert(turn.key.clone(), node);
                self.refuse(turn, &sentence, Nomination::Node(node.as_str()), now);
            }
            Outcome::Hopeless(why) => {
                let message: Arc<str> = format!("{sentence} preemption: {why}").into();
                let stamp = self.mirror.stamp(turn.hope);
                let refusal = Refusal { stamp, message: Arc::clone(&message) };
                // Pods of the same kind that come now need not be looked at, unless room is kept for some of them.
                if self.mirror.nominated.is_empty() {
                    self.refused.insert((shape, turn.pod.priority), refusal);
                }
                self.mirror.nominated.remove(&turn.key);
                self.refuse(turn, &message, Nomination::None, now);
            }
        }
    }

    /// Makes victims leave, and takes back promises to pods that are less important.
    fn drive_out(&mut self, turn: &Turn, victims: &[Key], node: Symbol) {
        let lesser: Vec<Key> = self
            .mirror
            .nominated
            .iter()
            .filter(|(key, promised)| {
                let entry = self.mirror.pods.get(*key);
                **promised == node
                    && entry.is_some_and(|entry| entry.pod.priority < turn.pod.priority)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in lesser {
            self.mirror.nominated.remove(&key);
            if let Some(entry) = self.mirror.pods.get(&key) {
                // It may be gone meanwhile, and that is as good.
                let _ = self.writer.forget_nomination(&key, &entry.uid);
            }
        }
        for key in victims {
            let Some(entry) = self.mirror.pods.get(key) else { continue };
            if entry.pod.deletion.is_some() {
                continue;
            }
            if let Err(error) = self.writer.preempt(key, &entry.uid) {
                warn!(%error, pod = %key.name, "could not preempt a pod");
                continue;
            }
            let text = format!("Preempted by pod {} on node {node}", turn.uid);
            let note =
                Note { reason: "Preempted", action: "Preempting", warning: false, text: &text };
            let about = About { key, uid: &entry.uid, revision: entry.revision };
            self.writer.note(about, Some(turn.about()), note);
        }
    }

    /// Says that a pod has no node, and lets it wait for a change.
    fn refuse(&mut self, turn: &Turn, message: &str, nomination: Nomination<'_>, now: Timestamp) {
        self.queue.refuse(&turn.key, now);
        match self.writer.refuse(&turn.key, &turn.uid, message, nomination) {
            Ok(true) => {
                let note = Note {
                    reason: "FailedScheduling",
                    action: "Scheduling",
                    warning: true,
                    text: message,
                };
                self.writer.note(turn.about(), None, note);
            }
            Ok(false) => {}
            Err(error) => debug!(%error, pod = %turn.key.name, "could not say why a pod waits"),
        }
    }
}

// === impl Turn ===

impl Turn {
    fn about(&self) -> About<'_> {
        About { key: &self.key, uid: &self.uid, revision: self.revision }
    }
}

/// Starts the scheduler of a cluster. It stops when `shutdown` says so, or with the runtime.
pub fn start(api: &Api, shutdown: &Shutdown) -> JoinHandle<()> {
    let (scheduler, shutdown) = (Scheduler::new(api), shutdown.clone());
    tokio::spawn(async move {
        if let Some(scheduler) = scheduler {
            scheduler.run(&shutdown).await;
        }
    })
}

fn watch_all(api: &Api) -> Vec<Watched> {
    let watch = |(group, plural, topic): &(&str, &str, Topic)| {
        let kind = api.kind(group, "v1", plural)?;
        let watch = api.watch(&kind, &WatchQuery::default()).ok()?;
        Some(Watched { topic: *topic, resource: kind.storage(), watch })
    };
    WATCHED.iter().filter_map(watch).collect()
}

#[cfg(test)]
mod tests;
