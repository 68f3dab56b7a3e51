//! The service, emulated: it no longer exists, and before it is asked for machines one would like to try.
//!
//! ```text
//! requests ──▶ routes ──▶ State     the books; time changes them when somebody looks
//!                          │ ▲
//!              knobs ──────┘ └────── run      looks when something is due, and lets machines join a cluster
//! ```
//! What a machine does takes the time that its [`Pace`] says; nothing here waits for a machine.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::Router;
use jiff::Timestamp;
use plimsoll_net::{Clock, Shutdown, listen};
use tokio::{net::TcpListener, sync::Notify};

mod faults;
mod journey;
mod knobs;
mod offer;
mod replies;
mod routes;
mod run;
mod state;

use self::{faults::Faults, state::Books};
pub use self::{
    faults::{Failure, Generation, Paths, Reach, ReplyStyle},
    knobs::{Foreign, Trouble},
    offer::{Offer, Pace, PoolOffer},
    state::{Machine, State as Doing},
};

/// How long open requests have to finish in the end.
const GRACE: Duration = Duration::from_secs(1);

/// The service, emulated. Clones are the same one.
#[derive(Clone)]
pub struct Emulator {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Clock,
    state: Mutex<State>,
    /// Something may be due earlier than it was.
    changed: Notify,
}

/// What the service knows, and what goes wrong between it and its callers.
#[derive(Debug)]
struct State {
    books: Books,
    faults: Faults,
}

// === impl Emulator ===

impl Emulator {
    /// What is offered, with the initial machines running.
    pub fn new(offer: Offer, clock: Clock) -> Self {
        let state = State { books: Books::new(offer, clock.now()), faults: Faults::default() };
        let inner = Inner { clock, state: Mutex::new(state), changed: Notify::new() };
        Self { inner: Arc::new(inner) }
    }

    /// What answers requests.
    pub fn router(&self) -> Router {
        Router::new().fallback(routes::answer).with_state(self.clone())
    }

    /// Answers requests until `shutdown`.
    pub async fn serve(&self, listener: TcpListener, shutdown: &Shutdown) {
        listen::serve(listener, None, self.router(), shutdown, GRACE).await;
    }

    /// The books as of now.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.books.advance(self.now());
        state
    }

    /// Changes the books as of now.
    fn change<T>(&self, change: impl FnOnce(&mut State, Timestamp) -> T) -> T {
        let result = {
            let mut state = self.state();
            let now = self.now();
            change(&mut state, now)
        };
        self.inner.changed.notify_one();
        result
    }

    fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator").finish_non_exhaustive()
    }
}
