//! The loop: waits for a reason, looks, decides, begins what was decided, and tells.
//!
//! ```text
//! watches ──Change──▶ mirror ─┐                       ┌▶ calls aside ──Event──┐
//! keepers ──news────▶ fleet  ─┼─▶ pass ─▶ decide ─▶ act                      │
//! lease ────────────▶ reign  ─┘            (aside)    └▶ Pass, News            │
//!    ▲                  └───────────────────────────────────────────────────────┘
//! ```
//! One task owns everything that changes. It never waits for a provider or for the API server: calls are made aside and tell by
//! an [`Event`] how they ended. While somebody else leads there is no [`Reign`] and nothing is done but watching.

use std::{
    hash::{Hash as _, Hasher as _},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use futures::{Stream, StreamExt as _};
use jiff::Timestamp;
use plimsoll_cluster::{
    Client,
    lease::Standing,
    mirror::{Effect, Mirror},
    notebook::Notebook,
    orders::Orders,
    source::{self, Change},
};
use plimsoll_model::{Question, Symbol};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Fleet, Inventory};
use rustc_hash::FxHasher;
use tokio::sync::watch;
use tracing::{info, warn};

mod act;
mod decide;
mod handle;
mod hear;
mod pass;
mod reign;
mod run;

use self::{
    decide::Sight,
    reign::{Event, Reign, State},
};
pub use self::{
    handle::Handle,
    pass::{Begun, Cause, HeldBack, News, OpenOrder, OpenRetirement, Pass, Seen, Took},
};
use crate::{
    fault::Faults,
    observe::Owners,
    orders::Clerk,
    retire::crew::Crew,
    settings::{Mode, Settings},
};

/// How long the first look at all providers is waited for; who is slower is left out for the time being.
const FIRST_LOOK: Duration = Duration::from_secs(10);

/// How long to wait before what an earlier run left is read again.
const RELOAD: Duration = Duration::from_secs(2);

/// What the loop is made of.
pub struct Parts {
    /// The cluster.
    pub client: Client,
    /// The providers. The loop keeps them fresh.
    pub fleet: Arc<Fleet>,
    /// The time.
    pub clock: Clock,
    /// What the user wants, now and later: a change calls for a pass. Where our own objects are kept does not change with it.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Whether we lead.
    pub standing: watch::Receiver<Standing>,
    /// Who is asked which group to grow, if the user has such a service.
    pub adviser: Option<Arc<dyn Adviser>>,
    /// Where tests stop it.
    pub faults: Faults,
}

/// A service of the user's that chooses which group to grow.
#[async_trait]
pub trait Adviser: std::fmt::Debug + Send + Sync {
    /// Groups that are as good as any; empty when it cannot tell.
    async fn advise(&self, question: &Question, seen: &Seen) -> Vec<Symbol>;
}

/// The loop.
pub struct Engine {
    client: Client,
    fleet: Arc<Fleet>,
    clock: Clock,
    /// What the user wants at the moment.
    settings: Arc<Settings>,
    wishes: watch::Receiver<Arc<Settings>>,
    standing: watch::Receiver<Standing>,
    adviser: Option<Arc<dyn Adviser>>,
    handle: Handle,
    clerk: Clerk,
    crew: Crew,
    notebook: Notebook,
    sight: Sight,
    /// Tells an inventory from the next.
    fingerprint: u64,
    started: Timestamp,
    /// When the next pass is made, and why.
    due: Option<(Timestamp, Cause)>,
    /// When the first of the changes came that call for it.
    called: Option<Timestamp>,
    /// When nodes on their way out are looked at.
    step_at: Option<Timestamp>,
    number: u64,
    reign: Option<Reign>,
}

// === impl Parts ===

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("settings", &self.settings).finish_non_exhaustive()
    }
}

// === impl Engine ===

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Engine {
    /// A loop that has seen nothing yet.
    pub fn new(parts: Parts) -> Self {
        let Parts { client, fleet, clock, settings: wishes, standing, adviser, faults } = parts;
        let now = clock.now();
        let settings = Arc::clone(&wishes.borrow());
        let orders = Orders::new(client.clone());
        let clerk = Clerk {
            orders: orders.clone(),
            fleet: Arc::clone(&fleet),
            clock,
            faults: faults.clone(),
        };
        let crew =
            Crew { client: client.clone(), orders, fleet: Arc::clone(&fleet), clock, faults };
        let notebook = Notebook::new(client.clone(), &settings.namespace);
        Self {
            client,
            fleet,
            clock,
            settings,
            wishes,
            standing,
            adviser,
            handle: Handle::default(),
            clerk,
            crew,
            notebook,
            sight: Sight { mirror: Mirror::new(now), owners: Owners::default() },
            fingerprint: 0,
            started: now,
            due: None,
            called: None,
            step_at: None,
            number: 0,
            reign: None,
        }
    }

    /// What others may see of it.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Runs until `shutdown`. What is under way then is left to be taken up again.
    pub async fn run(mut self, shutdown: Shutdown) {
        let fleet = Arc::clone(&self.fleet);
        tokio::join!(fleet.run(&shutdown), self.watch(&shutdown));
        fleet_close(&fleet).await;
    }

    async fn watch(&mut self, shutdown: &Shutdown) {
        let mut changes = source::follow_all(&self.client).boxed();
        let mut fleet = fleet_news(&self.fleet).boxed();
        let (mut standing, mut wishes) = (self.standing.clone(), self.wishes.clone());
        let handle = self.handle.clone();
        let (clock, mut leads, mut wished) = (self.clock, true, true);
        self.stand();
        loop {
            let wake = self.wake();
            tokio::select! {
                biased;
                () = shutdown.wait() => break,
                // Once nobody can tell us any more, we stay what we are: nothing.
                outcome = standing.changed(), if leads => {
                    leads = outcome.is_ok();
                    self.stand();
                }
                outcome = wishes.changed(), if wished => {
                    wished = outcome.is_ok();
                    self.wish();
                }
                Some(event) = next_event(&mut self.reign) => self.hear(event),
                Some(()) = fleet.next() => self.look(),
                () = handle.asked() => self.call(Cause::Asked),
                Some(change) = changes.next() => self.see(change),
                () = sleep_until(clock, wake) => {}
            }
            self.tend().await;
        }
        self.farewell().await;
    }

    /// Takes what the user wants from now on.
    fn wish(&mut self) {
        let wanted = Arc::clone(&self.wishes.borrow_and_update());
        if wanted == self.settings {
            return;
        }
        let before = std::mem::replace(&mut self.settings, wanted);
        info!("goes on with other settings");
        if before.mode != self.settings.mode && self.reign.is_some() {
            // A dry run knows nothing of orders: what there is to take up is read anew.
            self.abdicate();
            self.stand();
        }
        self.call(Cause::Settings);
    }

    /// Takes over, or steps back. Who steps back does nothing more, not even tidy up.
    fn stand(&mut self) {
        let leads = *self.standing.borrow_and_update() == Standing::Leading;
        match (leads, self.reign.is_some()) {
            (true, false) => {
                self.reign = Some(Reign::new(self.clock.now()));
                self.call(Cause::Leading);
            }
            (false, true) => {
                warn!("does not lead any more; leaves everything as it is");
                self.abdicate();
            }
            _ => {}
        }
    }

    /// Forgets what there is only while we lead. Calls under way end with it.
    fn abdicate(&mut self) {
        self.reign = None;
        self.sight.owners.forget_questions();
        self.due = None;
        self.called = None;
        self.step_at = None;
    }

    /// Takes a change of the cluster.
    fn see(&mut self, change: Change) {
        let now = self.clock.now();
        let effect = self.sight.mirror.apply(change, now);
        let staleness = self.sight.mirror.staleness(now, self.settings.pace.stale_after);
        self.handle.set_warm(staleness.is_none());
        if effect == Effect::Urgent {
            self.call(Cause::Cluster);
        }
        if effect >= Effect::Changed {
            self.step_soon();
        }
    }

    /// Looks whether the providers show something new.
    fn look(&mut self) {
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let fingerprint = fingerprint(&inventory);
        if fingerprint != self.fingerprint {
            self.fingerprint = fingerprint;
            self.sight.owners.inventory_changed();
            self.call(Cause::Fleet);
        }
        self.step_soon();
    }

    /// Something calls for a pass. It is made soon, and not at once: more may follow.
    fn call(&mut self, cause: Cause) {
        if self.reign.is_none() {
            return;
        }
        let now = self.clock.now();
        self.called.get_or_insert(now);
        let at = later(now, self.settings.pace.batch);
        match &mut self.due {
            Some((due, known)) if *due <= at => *known = (*known).max(cause),
            due => *due = Some((at, cause)),
        }
    }

    /// Nodes on their way out are to be looked at.
    fn step_soon(&mut self) {
        let at = later(self.clock.now(), self.settings.pace.batch);
        if self.reign.as_ref().is_some_and(|reign| !reign.retiring.is_empty()) {
            self.step_at = Some(self.step_at.map_or(at, |known| known.min(at)));
        }
    }

    /// When there is something to do even if nothing happens.
    fn wake(&self) -> Option<Timestamp> {
        let reign = self.reign.as_ref()?;
        match reign.state {
            State::Waiting(until) => Some(until),
            State::Loading => None,
            State::Ready { .. } => {
                let saving = reign.save_at.filter(|_| !reign.saving);
                let due = self.due.map(|(due, _)| due);
                [due, saving, self.step_at, reign.ledger.wake()].into_iter().flatten().min()
            }
        }
    }

    /// Writes down what there is, and waits a little for calls under way, so that they are known to whoever comes next.
    async fn farewell(&mut self) {
        let Some(reign) = &mut self.reign else { return };
        let patience = self.settings.pace.farewell;
        if tokio::time::timeout(patience, reign.settle()).await.is_err() {
            warn!("calls under way did not end in time; whoever comes next makes them again");
        }
        while let Some(event) = self.reign.as_mut().and_then(|reign| reign.inbox.try_recv().ok()) {
            self.hear(event);
        }
        let Some(reign) = &self.reign else { return };
        let known = reign.saved.as_ref() == Some(&reign.memory);
        if self.settings.mode == Mode::Act && matches!(reign.state, State::Ready { .. }) && !known {
            match self.notebook.save(&reign.memory).await {
                Ok(()) => info!("memory is written, and what is under way waits to be taken up"),
                Err(error) => warn!(%error, "the last changes of memory are lost"),
            }
        }
    }
}

async fn next_event(reign: &mut Option<Reign>) -> Option<Event> {
    match reign {
        Some(reign) => reign.inbox.recv().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(clock: Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn fleet_close(fleet: &Fleet) {
    use plimsoll_provider::Provider as _;

    fleet.close().await;
}

/// Something whenever a provider has been looked at.
fn fleet_news(fleet: &Fleet) -> impl Stream<Item = ()> + Send + use<> {
    let news = fleet.keepers().map(|keeper| {
        let receiver = keeper.subscribe();
        let next = async |mut receiver: watch::Receiver<_>| {
            receiver.changed().await.ok()?;
            Some(((), receiver))
        };
        futures::stream::unfold(receiver, next).boxed()
    });
    futures::stream::select_all(news.collect::<Vec<_>>())
}

/// What tells an inventory from another, as far as a decision can tell.
fn fingerprint(inventory: &Inventory) -> u64 {
    let mut hasher = FxHasher::default();
    for state in &inventory.groups {
        let group = &state.group;
        (group.id.as_str(), group.min, group.max, group.target).hash(&mut hasher);
        (group.stock, &group.frozen, group.price.map(|price| price.micros())).hash(&mut hasher);
        for instance in &group.instances {
            (&instance.id, instance.node.map(Symbol::as_str)).hash(&mut hasher);
            std::mem::discriminant(&instance.state).hash(&mut hasher);
            instance.error.as_ref().map(|error| &error.code).hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}
