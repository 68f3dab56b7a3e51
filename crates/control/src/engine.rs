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

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_cluster::{
    Client,
    lease::{Leadership, Standing},
    mirror::Mirror,
    notebook::Notebook,
    orders::Orders,
    source::Kinds,
};
use plimsoll_model::{Question, Symbol};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Provider as _};
use tokio::sync::watch;

mod act;
mod attend;
mod decide;
mod handle;
mod hear;
mod held;
mod leave;
mod pass;
mod recall;
mod reign;
mod remove;
mod run;
mod think;
mod wait;

use self::{decide::Sight, reign::Reign};
pub use self::{
    handle::Handle,
    pass::{Begun, Cause, HeldBack, News, OpenOrder, OpenRetirement, Pass, Seen, Took},
};
use crate::{
    fault::Faults,
    observe::Owners,
    orders::{Clerk, turns},
    retire::crew::Crew,
    settings::Settings,
};

/// How long the first look at all providers is waited for; who is slower is left out for the time being.
const FIRST_LOOK: Duration = Duration::from_secs(10);

/// How long to wait before what an earlier run left is read again.
const RELOAD: Duration = Duration::from_secs(2);

/// After a pass there is none for so many times as long as it took: however much happens, most of the time belongs to others.
const REST: u32 = 3;

/// What the loop is made of.
pub struct Parts {
    /// The cluster.
    pub client: Client,
    /// The providers. The loop keeps them fresh.
    pub fleet: Arc<Fleet>,
    /// The time.
    pub clock: Clock,
    /// What the user wants, now and later: a change calls for a pass. What is watched and where our own
    /// objects are kept does not change with it.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Whether we lead.
    pub standing: watch::Receiver<Standing>,
    /// What we have as long as we do.
    pub leadership: Leadership,
    /// Which cluster it is, once the API server has said so.
    pub cluster: Binding,
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
    /// What is watched, from the beginning to the end.
    kinds: Kinds,
    /// What the user wants at the moment.
    settings: Arc<Settings>,
    wishes: watch::Receiver<Arc<Settings>>,
    standing: watch::Receiver<Standing>,
    cluster: Binding,
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
    /// No pass is made before this, so that there is time for something else.
    rested: Timestamp,
    /// What was seen of the cluster is lost, and it has to be watched from the beginning.
    blind: bool,
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
        let Parts {
            client,
            fleet,
            clock,
            settings: wishes,
            standing,
            leadership,
            cluster,
            adviser,
            faults,
        } = parts;
        let now = clock.now();
        let settings = Arc::clone(&wishes.borrow());
        let kinds = settings.kinds.clone();
        let orders = Orders::new(client.clone(), leadership);
        let clerk = Clerk {
            client: client.clone(),
            orders: orders.clone(),
            fleet: Arc::clone(&fleet),
            clock,
            faults: faults.clone(),
            turns: turns(settings.orders.calls),
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
            cluster,
            adviser,
            handle: Handle::default(),
            clerk,
            crew,
            notebook,
            sight: Sight { mirror: Mirror::new(now, kinds.clone()), owners: Owners::default() },
            kinds,
            fingerprint: 0,
            started: now,
            due: None,
            called: None,
            rested: now,
            blind: false,
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
        fleet.close().await;
    }
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}
