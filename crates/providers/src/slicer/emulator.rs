//! A Slicer host without virtual machines: the same REST interface, machines that exist only on paper, and knobs for everything
//! that goes wrong.
//!
//! ```text
//! requests ──▶ faults ──▶ routes ──▶ State    the books; time changes them when somebody looks
//!                                      ▲
//!                       run ───────────┘      looks when something is due, and lets machines join a cluster
//! ```
//! A machine joins if what it runs would make it join: its labels, taints and id are those of its userdata, and the token is
//! the one that its host has in the secret.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::Router;
use jiff::Timestamp;
use plimsoll_net::{Clock, Shutdown, listen};
use tokio::{net::TcpListener, sync::Notify};

mod agent;
mod faults;
mod knobs;
mod routes;
mod run;
mod settings;
mod show;
mod state;

use self::{faults::Faults, state::State};
pub use self::{
    knobs::{Dialect, Reach},
    settings::{HostSettings, Offer},
    state::{Fate, MachineView},
};

/// How long open requests have when the host is stopped.
const GRACE: Duration = Duration::from_secs(1);

/// An emulated host. Clones are the same one.
#[derive(Clone)]
pub struct Emulator {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Clock,
    books: Mutex<Books>,
    /// Something may be due earlier than it was.
    changed: Notify,
    /// Requests that are not answered yet.
    open: AtomicU32,
}

/// The machines, and what goes wrong on the way to them.
struct Books {
    state: State,
    faults: Faults,
}

// === impl Emulator ===

impl Emulator {
    /// A host with the machines that it keeps by itself.
    pub fn new(settings: HostSettings, clock: Clock) -> Self {
        let state = State::new(settings, clock.now());
        let books = Mutex::new(Books { state, faults: Faults::default() });
        let (changed, open) = (Notify::new(), AtomicU32::new(0));
        Self { inner: Arc::new(Inner { clock, books, changed, open }) }
    }

    /// Its interface.
    pub fn router(&self) -> Router {
        routes::router(self)
    }

    /// Serves its interface until `shutdown`.
    pub async fn serve(&self, listener: TcpListener, shutdown: &Shutdown) {
        listen::serve(listener, None, self.router(), shutdown, GRACE).await;
    }

    fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.inner.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes the books as of now.
    fn with<T>(&self, change: impl FnOnce(&mut State, Timestamp) -> T) -> T {
        let result = {
            let mut books = self.books();
            let now = self.now();
            books.state.advance(now);
            change(&mut books.state, now)
        };
        self.inner.changed.notify_one();
        result
    }

    /// Counts a request as open until this is dropped.
    fn open(&self) -> Open {
        self.inner.open.fetch_add(1, Ordering::SeqCst);
        Open(Arc::clone(&self.inner))
    }

    /// Waits until no request is open and every machine has booted.
    pub async fn settle(&self) {
        loop {
            let due = self.with(|state, _| state.next_due());
            if let Some(due) = due {
                self.inner.clock.sleep_until(due).await;
            } else if self.inner.open.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            } else {
                return;
            }
        }
    }
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator").finish_non_exhaustive()
    }
}

/// An open request.
struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}
