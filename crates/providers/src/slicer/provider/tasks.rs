//! Work that goes on when its caller gives up: a request that was sent may take effect, so whoever asks next has to wait for it.

use std::sync::{Mutex, PoisonError};

use plimsoll_provider::Error;
use tokio::{sync::oneshot, task::JoinSet};

/// Work that was begun. It ends when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: Mutex<JoinSet<()>>,
}

// === impl Tasks ===

impl Tasks {
    /// Begins some work and waits for it, as long as the caller does.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            while running.try_join_next().is_some() {}
            running.spawn(async move {
                // Nobody may be waiting any more.
                let _ = sender.send(work.await);
            });
        }
        receiver.await.unwrap_or_else(|_| Err(Error::bug("the work ended without an answer")))
    }
}
