//! What all calls of a server share.

use std::{
    collections::BTreeSet,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use plimsoll_provider::{GroupState, Keeper, Kept, Provider};
use tokio::sync::RwLock;
use tonic::Status;
use tracing::warn;

use crate::{
    server::{shown::Shown, told::Told, view::View},
    status,
    turns::{Leave, Turns},
};

/// How long a caller waits for a provider of which nothing is known.
const ONE_MORE_CHANCE: Duration = Duration::from_secs(1);

/// The provider, what was last seen of it, and what it was told since.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) keeper: Keeper,
    clock: Clock,
    /// What is older is not given out any more.
    stale_after: SignedDuration,
    /// Made anew when another inventory has arrived.
    view: Mutex<Option<Arc<View>>>,
    told: Mutex<Told>,
    shown: Mutex<Shown>,
    /// Groups of which it was said that their settings are not sent to a caller that would misread them.
    withheld: Mutex<BTreeSet<Symbol>>,
    /// Each wish of a group starts from the target that the one before left.
    turns: Turns,
    /// Held for reading by every wish that the provider has been called for.
    under_way: Arc<RwLock<()>>,
}

// === impl State ===

impl State {
    pub(crate) fn new(
        provider: Arc<dyn Provider>,
        clock: Clock,
        stale_after: SignedDuration,
    ) -> Self {
        Self {
            keeper: Keeper::new(provider, clock),
            clock,
            stale_after,
            view: Mutex::default(),
            told: Mutex::default(),
            shown: Mutex::default(),
            withheld: Mutex::default(),
            turns: Turns::default(),
            under_way: Arc::default(),
        }
    }

    pub(crate) fn provider(&self) -> &dyn Provider {
        &**self.keeper.provider()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What was last seen. When that is too long ago, or nothing has been seen yet, the provider gets one more chance.
    pub(crate) async fn view(&self) -> Result<Arc<View>, Status> {
        let known = self.known();
        if known.is_ok() {
            return known;
        }
        let ticket = self.keeper.nudge();
        let mut changes = self.keeper.subscribe();
        let usable = changes.wait_for(|kept| self.is_fresh(kept));
        // One that is under way may do; it is the next that tells that there is nothing to be had.
        tokio::select! {
            _ = usable => {}
            _ = self.keeper.wait(ticket) => {}
            () = tokio::time::sleep(ONE_MORE_CHANCE) => {}
        }
        self.known()
    }

    /// What was last seen, if that is not too long ago.
    pub(crate) fn known(&self) -> Result<Arc<View>, Status> {
        self.view_of(self.keeper.latest())
    }

    /// What a refresh sees that begins now.
    pub(crate) async fn newer_view(&self) -> Result<Arc<View>, Status> {
        let ticket = self.keeper.nudge();
        let kept = self.keeper.wait(ticket).await;
        match &kept.failing {
            Some((_, error)) => Err(status::write(error)),
            None => self.view_of(kept),
        }
    }

    /// What was told and is not in the inventory yet.
    pub(crate) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the nodes of machines showed themselves.
    pub(crate) fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The settings of this group are not sent to a caller. Says so once.
    pub(crate) fn withhold_options(&self, group: Symbol) {
        let mut withheld = self.withheld.lock().unwrap_or_else(PoisonError::into_inner);
        if withheld.insert(group) {
            warn!(%group, "settings of the group are not sent: the caller's version would read a max-node-provision-time of 0 from them");
        }
    }

    /// The group's target, with what was told since.
    pub(crate) fn target(&self, view: &View, state: &GroupState) -> u32 {
        self.told().target(view, state)
    }

    /// Waits until no other wish of this group is under way. Who gives up waiting has changed nothing.
    pub(crate) async fn turn(&self, group: Symbol) -> Leave {
        self.turns.take(group).await
    }

    /// Carries out a wish to the end, whatever becomes of the caller: half a conversation with a provider helps nobody.
    pub(crate) async fn carry_out<T: Send + 'static>(
        &self,
        leave: Leave,
        wish: impl Future<Output = Result<T, Status>> + Send + 'static,
    ) -> Result<T, Status> {
        let under_way = Arc::clone(&self.under_way).read_owned().await;
        let task = tokio::spawn(async move {
            let outcome = wish.await;
            drop((leave, under_way));
            outcome
        });
        task.await.unwrap_or_else(|error| Err(Status::internal(format!("a wish broke: {error}"))))
    }

    /// Waits until every wish that is under way has been answered by the provider.
    pub(crate) async fn at_rest(&self) {
        drop(self.under_way.write().await);
    }

    fn is_fresh(&self, kept: &Kept) -> bool {
        kept.as_of.is_some_and(|as_of| self.now().duration_since(as_of) <= self.stale_after)
    }

    fn view_of(&self, kept: Kept) -> Result<Arc<View>, Status> {
        let (Some(inventory), Some(as_of)) = (kept.inventory, kept.as_of) else {
            return Err(match kept.failing {
                Some((_, error)) => status::write(&error),
                None => Status::unavailable("the provider has not been read yet"),
            });
        };
        let age = self.now().duration_since(as_of);
        if age > self.stale_after {
            return Err(match kept.failing {
                Some((_, error)) => status::write(&error),
                None => Status::unavailable(format!(
                    "what is known of the provider is {} s old",
                    age.as_secs()
                )),
            });
        }
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = view.as_ref().filter(|view| Arc::ptr_eq(&view.inventory, &inventory)) {
            return Ok(Arc::clone(view));
        }
        let new = Arc::new(View::new(inventory, as_of));
        // A call that began before may still hold an older inventory.
        if view.as_ref().is_none_or(|view| view.as_of < as_of) {
            self.told().forget(&new);
            self.shown().forget(&new);
            *view = Some(Arc::clone(&new));
        }
        Ok(new)
    }
}
