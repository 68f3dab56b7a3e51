//! Work that goes on when its caller gives up: a request that was sent may take effect, so whoever asks next has to wait for it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use plimsoll_provider::Error;
use tokio::{sync::oneshot, task::JoinSet};

/// Work that was begun. It ends when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: Mutex<JoinSet<()>>,
}

/// Who asked for some work.
#[derive(Clone, Debug)]
pub(super) struct Caller(Weak<()>);

// === impl Caller ===

impl Caller {
    /// Whether the answer is still waited for.
    pub(super) fn waits(&self) -> bool {
        self.0.strong_count() > 0
    }
}

// === impl Tasks ===

impl Tasks {
    /// Begins some work and waits for it, as long as the caller does.
    pub(super) async fn run<T: Send + 'static, W>(
        &self,
        work: impl FnOnce(Caller) -> W + Send,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        // It is dropped with the caller's future, which is how the work notices.
        let waiting = Arc::new(());
        let work = work(Caller(Arc::downgrade(&waiting)));
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            while running.try_join_next().is_some() {}
            running.spawn(async move {
                // Nobody may be waiting any more.
                let _ = sender.send(work.await);
            });
        }
        let answer = receiver.await;
        drop(waiting);
        answer.unwrap_or_else(|_| Err(Error::bug("the work ended without an answer")))
    }
}
