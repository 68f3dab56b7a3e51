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
use plimsoll_fit::ShapeId;
use plimsoll_model::Symbol;
use plimsoll_net::Shutdown;
use rustc_hash::FxHashMap;
use tokio::task::JoinHandle;
use tracing::debug;

use self::{
    mirror::Mirror,
    queue::Queue,
    write::{NAME, Writer},
};
use crate::{
    Api, Object,
    api::{Watch, WatchEvent, WatchQuery},
    store::Resource,
};

mod choice;
mod mirror;
mod preemption;
mod queue;
mod turn;
mod words;
mod write;

/// How many pods get their turn before others on this thread do.
const AT_ONCE: usize = 32;

/// What is watched: namespaces, storage and devices before nodes, nodes before pods, so that a start sees each pod in its surroundings.
const WATCHED: [(&str, &str, Topic); 15] = [
    ("", "namespaces", Topic::Background),
    ("", "persistentvolumes", Topic::Background),
    ("", "persistentvolumeclaims", Topic::Background),
    ("storage.k8s.io", "storageclasses", Topic::Background),
    ("storage.k8s.io", "csinodes", Topic::Background),
    ("storage.k8s.io", "csidrivers", Topic::Background),
    ("storage.k8s.io", "csistoragecapacities", Topic::Background),
    ("storage.k8s.io", "volumeattachments", Topic::Background),
    ("resource.k8s.io", "deviceclasses", Topic::Background),
    ("resource.k8s.io", "resourceclaims", Topic::Background),
    ("resource.k8s.io", "resourceclaimtemplates", Topic::Background),
    ("resource.k8s.io", "resourceslices", Topic::Background),
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
