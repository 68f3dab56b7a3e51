//! The loop that all controllers share: watches in, decisions out.
//!
//! ```text
//!  watches of all kinds ──▶ index ──▶ who may care? ──▶ queue ──▶ reconcile ──▶ actions ──▶ API
//!       ▲                                                                                   │
//!       └───────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Invariant: before a controller looks at anything, the index has taken in everything that was written up to then, the
//! controllers' own writes included. So a controller never acts twice on the same state, and needs no memory of what it has done.

use std::future::pending;

use futures::future::select_all;
use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Shutdown;
use tokio::task::yield_now;

use super::{
    Reconcile, View,
    action::{Executor, Kinds},
    index::{Index, Ref},
    queue::{Queue, Work},
};
use crate::{
    Api, Kind,
    api::{ListQuery, Watch, WatchEvent, WatchQuery},
    object::Key,
    store::Resource,
};

/// Who has looked at this many pods and nodes to decide about one object…
const MANY: usize = 200;
/// … leaves the object alone for so long for each of them…
const REST: SignedDuration = SignedDuration::from_micros(500);
/// … but not for longer than this. Else the pods of a large workload would all be counted again whenever one of them changes.
const LONGEST_REST: SignedDuration = SignedDuration::from_secs(1);

/// All controllers at work.
pub(super) struct Driver {
    api: Api,
    controllers: Vec<Box<dyn Reconcile>>,
    kinds: Kinds,
    watches: Vec<Following>,
    index: Index,
    queue: Queue,
    executor: Executor,
    /// The revision up to which everything has been taken in.
    taken: u64,
    /// Whether kinds may come and go: somebody has defined one.
    defined: bool,
}

struct Following {
    resource: Resource,
    watch: Watch,
}

// === impl Driver ===

impl Driver {
    pub(super) fn new(api: &Api, controllers: Vec<Box<dyn Reconcile>>) -> Self {
        let mut driver = Self {
            api: api.clone(),
            controllers,
            kinds: Kinds::default(),
            watches: Vec::new(),
            index: Index::default(),
            queue: Queue::default(),
            executor: Executor::new(api.clone()),
            taken: 0,
            defined: false,
        };
        driver.follow();
        driver
    }

    pub(super) async fn run(mut self, shutdown: Shutdown) {
        loop {
            self.take_in();
            if shutdown.is_triggered() {
                return;
            }
            let now = self.api.clock().now();
            if let Some(work) = self.queue.pop(now) {
                self.look(work, now);
                // Others want to run as well.
                yield_now().await;
                continue;
            }
            let (clock, wake) = (*self.api.clock(), self.queue.next_moment());
            let sleep = async move {
                match wake {
                    Some(moment) => clock.sleep_until(moment).await,
                    None => pending().await,
                }
            };
            let news = select_all(
                self.watches.iter_mut().map(|following| Box::pin(following.watch.next())),
            );
            let heard = tokio::select! {
                () = shutdown.wait() => return,
                () = sleep => None,
                (event, at, _) = news => Some((event, at)),
            };
            match heard {
                Some((Some(event), at)) => self.hear(at, event),
                Some((None, at)) => self.follow_again(at),
                None => {}
            }
        }
    }

    /// Takes in everything that has been written.
    fn take_in(&mut self) {
        let revision = self.api.revision();
        if revision == self.taken {
            return;
        }
        if self.defined {
            self.follow();
        }
        for at in 0..self.watches.len() {
            while let Some(event) =
                self.watches.get_mut(at).and_then(|following| following.watch.try_next())
            {
                self.hear(at, event);
            }
        }
        self.taken = revision;
    }

    fn hear(&mut self, at: usize, event: WatchEvent) {
        let Some(following) = self.watches.get(at) else { return };
        let resource = following.resource.clone();
        let (object, gone) = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => (object, false),
            WatchEvent::Deleted(object) => (object, true),
            WatchEvent::Bookmark { .. } => return,
            WatchEvent::Error(_) => {
                self.follow_again(at);
                return;
            }
        };
        self.defined |= &*resource.plural == "customresourcedefinitions";
        let change = self.index.update(&resource, object, gone);
        let view = View {
            api: &self.api,
            index: &self.index,
            kinds: &self.kinds,
            now: self.api.clock().now(),
        };
        for (number, controller) in self.controllers.iter_mut().enumerate() {
            let queue = &mut self.queue;
            let mut push = |target: Ref| queue.push(Work { controller: number, target }, view.now);
            controller.affected(&change, &view, &mut push);
        }
    }

    fn look(&mut self, work: Work, now: Timestamp) {
        let Some(controller) = self.controllers.get_mut(work.controller) else { return };
        let view = View { api: &self.api, index: &self.index, kinds: &self.kinds, now };
        self.index.take_shown();
        let actions = controller.reconcile(&work.target, &view);
        self.queue.rest(&work, rest_after(self.index.take_shown(), now), now);
        if let Some(again) = self.executor.execute(&self.kinds, actions) {
            self.queue.push_at(work, again);
        }
    }

    /// Begins to follow kinds that are new, and forgets those that are no longer served.
    fn follow(&mut self) {
        let mut served = Kinds::default();
        for kind in self.api.kinds() {
            served.entry(kind.storage()).or_insert(kind);
        }
        self.watches.retain(|following| served.contains_key(&following.resource));
        let known = |resource: &&Resource| self.kinds.contains_key(*resource);
        // Events are about objects, and nobody looks after them.
        let followed = served.keys().filter(|resource| &*resource.plural != "events");
        let mut new: Vec<Resource> =
            followed.filter(|resource| !known(resource)).cloned().collect();
        new.sort();
        self.kinds = served;
        for resource in new {
            if let Some(watch) = self.kinds.get(&resource).and_then(|kind| open(&self.api, kind)) {
                self.watches.push(Following { resource, watch });
            }
        }
    }

    /// Starts over with a kind whose history no longer reaches back far enough.
    fn follow_again(&mut self, at: usize) {
        let Some(following) = self.watches.get_mut(at) else { return };
        let resource = following.resource.clone();
        let Some(kind) = self.kinds.get(&resource) else { return };
        let Some(watch) = open(&self.api, kind) else { return };
        following.watch = watch;
        self.taken = 0;
        // What vanished meanwhile is told by nobody. Objects without owners are not in the index: whoever depends on one is
        // looked at again because everything is.
        let listing = self.api.list(kind, &ListQuery::default());
        let there: rustc_hash::FxHashSet<Key> = listing
            .map(|listing| listing.items.iter().map(|item| item.key.clone()).collect())
            .unwrap_or_default();
        let vanished: Vec<_> =
            self.index.known(&resource).filter(|object| !there.contains(&object.key)).collect();
        for object in vanished {
            self.hear(at, WatchEvent::Deleted(object));
        }
    }
}

/// Until when an object is left alone about which a decision has cost this much; `now` if it need not be.
fn rest_after(shown: usize, now: Timestamp) -> Timestamp {
    if shown < MANY {
        return now;
    }
    let rest = REST * i32::try_from(shown).unwrap_or(i32::MAX);
    now.checked_add(rest.min(LONGEST_REST)).unwrap_or(now)
}

fn open(api: &Api, kind: &Kind) -> Option<Watch> {
    // Only a bad query is refused, and this one is not.
    api.watch(kind, &WatchQuery::default()).ok()
}
