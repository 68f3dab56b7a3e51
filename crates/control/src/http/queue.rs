//! Answers that take work: a few at a time, away from the threads that the loop, health and the Lease run on.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use super::Refusal;

/// How many requests are taken on, those that wait for a pass included. The rest is asked to come again.
const PLACES: usize = 8;

/// How many answers are computed at the same time.
const AT_WORK: usize = 2;

/// Who is at work. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

/// A request that was taken on. Its place is free when it has been answered and no work for it is left.
#[derive(Clone, Debug)]
pub(super) struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
    turns: Arc<Semaphore>,
}

// === impl Queue ===

impl Default for Queue {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(PLACES)), turns: Arc::new(Semaphore::new(AT_WORK)) }
    }
}

impl Queue {
    /// Takes a request on, if there are not too many.
    pub(super) fn enter(&self) -> Result<Place, Refusal> {
        let permit = Arc::clone(&self.places).try_acquire_owned();
        let permit = permit.map_err(|_| {
            Refusal::busy(format!("{PLACES} requests are being answered; try again in a second"))
        })?;
        Ok(Place { _permit: Arc::new(permit), turns: Arc::clone(&self.turns) })
    }
}

// === impl Place ===

impl Place {
    /// Does the work of an answer on a thread of its own, when it is its turn. A caller that leaves does not end work that has
    /// begun, so it keeps its place and its turn until then.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let failed = || {
            let error = "the answer could not be computed; look at the log";
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)
        };
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| failed())?;
        let place = self.clone();
        let computed = spawn_blocking(move || {
            let computed = work();
            drop((turn, place));
            computed
        });
        computed.await.map_err(|_| failed())
    }
}

#[cfg(test)]
mod tests;
