//! The loop: it waits for a reason, observes, plans, begins what was decided, and records it.
//!
//! ```text
//! watches ──Change──▶ observation ─┐                     ┌▶ calls aside ──Event──┐
//! keepers ──news────▶ fleet       ─┼─▶ plan (aside) ─▶ begin                     │
//! lease ────────────▶ leader      ─┘                     └▶ Pass, News            │
//!    ▲                  └──────────────────────────────────────────────────────────┘
//! ```
//! One task owns everything that changes. It never waits for a provider, the API server or the planner: calls are made aside and
//! report by an [`Event`] how they ended, and a plan is made aside on the [`Observation`], which comes back with it. Changes of the
//! cluster that arrive meanwhile are kept in a [`Backlog`](backlog::Backlog) and taken before anything of the plan is begun.
//!
//! What only a leader may touch is in [`Leader`]. A replica that does not lead has none, so it cannot do anything but watch.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_cluster::{
    Client,
    lease::{Leadership, Standing},
    orders::Orders,
    saved_state::SavedState,
    source::Kinds,
};
use plimsoll_model::{Question, Symbol};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Provider as _};
use tokio::sync::watch;

mod answers;
mod backlog;
mod begin;
mod changes;
mod clock_skew;
mod decide;
mod gone_nodes;
mod handle;
mod holds;
mod iterate;
mod leader;
mod memory_edit;
mod pass;
mod planning;
mod preconditions;
mod publish;
mod removals;
mod takeover;
mod watch_loop;

use self::{decide::Observation, leader::Leader, planning::Planner};
pub use self::{
    handle::Handle,
    pass::{Begun, Cause, HeldBack, News, OpenRetirement, Pass, Seen, Took},
};
use crate::{
    fault::Faults,
    orders::{OrderExecutor, turns},
    retire::executor::RemovalExecutor,
    settings::Settings,
};

/// What the loop is made of.
pub struct Parts {
    /// The cluster.
    pub client: Client,
    /// The providers. The loop keeps their inventories fresh.
    pub fleet: Arc<Fleet>,
    /// The source of the time.
    pub clock: Clock,
    /// The user's settings, now and later: a change calls for a pass. Which kinds are watched and where our own objects are kept
    /// does not change with it.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Whether this replica leads.
    pub standing: watch::Receiver<Standing>,
    /// The proof of leadership that every order carries.
    pub leadership: Leadership,
    /// Which cluster it is, once the API server has identified it.
    pub cluster: Binding,
    /// The user's own service that chooses which group to scale up, if there is one.
    pub adviser: Option<Arc<dyn Adviser>>,
    /// The places at which tests stop the loop.
    pub faults: Faults,
}

/// A service of the user's that chooses which group to scale up.
#[async_trait]
pub trait Adviser: std::fmt::Debug + Send + Sync {
    /// Groups that are equally good choices, none when there is to be no scale-up; `None` when the service cannot tell.
    async fn advise(&self, question: &Question, seen: &Seen) -> Option<Vec<Symbol>>;
}

/// The loop.
pub struct Engine {
    context: Context,
    /// The observation of the cluster, and the planner that borrows it.
    planner: Planner,
    reloads: watch::Receiver<Arc<Settings>>,
    standing: watch::Receiver<Standing>,
    /// Tells an inventory from the next.
    fingerprint: u64,
    /// How many passes were begun since the process started.
    passes: u64,
    leader: Option<Leader>,
}

/// What every part of the loop may use, whether this replica leads or not.
struct Context {
    client: Client,
    fleet: Arc<Fleet>,
    clock: Clock,
    /// The kinds that are watched, from the beginning to the end.
    kinds: Kinds,
    /// The user's settings that hold at the moment.
    settings: Arc<Settings>,
    cluster: Binding,
    adviser: Option<Arc<dyn Adviser>>,
    handle: Handle,
    order_executor: OrderExecutor,
    removal_executor: RemovalExecutor,
    saved_state: SavedState,
    started: Timestamp,
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
        f.debug_struct("Engine").field("settings", &self.context.settings).finish_non_exhaustive()
    }
}

impl Engine {
    /// A loop that has observed nothing yet.
    pub fn new(parts: Parts) -> Self {
        let Parts {
            client,
            fleet,
            clock,
            settings: reloads,
            standing,
            leadership,
            cluster,
            adviser,
            faults,
        } = parts;
        let now = clock.now();
        let settings = Arc::clone(&reloads.borrow());
        let kinds = settings.kinds.clone();
        let orders = Orders::new(client.clone(), leadership);
        let order_executor = OrderExecutor {
            client: client.clone(),
            orders: orders.clone(),
            fleet: Arc::clone(&fleet),
            clock,
            faults: faults.clone(),
            turns: turns(settings.orders.calls),
        };
        let removal_executor = RemovalExecutor {
            client: client.clone(),
            orders,
            fleet: Arc::clone(&fleet),
            clock,
            faults,
        };
        let saved_state = SavedState::new(client.clone(), &settings.namespace);
        Self {
            planner: Planner::new(Observation::new(now, kinds.clone())),
            context: Context {
                client,
                fleet,
                clock,
                kinds,
                settings,
                cluster,
                adviser,
                handle: Handle::default(),
                order_executor,
                removal_executor,
                saved_state,
                started: now,
            },
            reloads,
            standing,
            fingerprint: 0,
            passes: 0,
            leader: None,
        }
    }

    /// What others may see of the loop.
    pub fn handle(&self) -> Handle {
        self.context.handle.clone()
    }

    /// Runs until `shutdown`. The next leader resumes what is under way then.
    pub async fn run(mut self, shutdown: Shutdown) {
        let fleet = Arc::clone(&self.context.fleet);
        tokio::join!(fleet.run(&shutdown), self.watch(&shutdown));
        fleet.close().await;
    }
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}
