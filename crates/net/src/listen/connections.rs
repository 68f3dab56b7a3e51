//! The connections of a port, of which there may be only so many.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    task::{AbortHandle, JoinSet},
    time::Instant,
};
use tower::Service;

/// The open connections. They end when this is dropped.
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: Vec<(AbortHandle, Use)>,
    /// How many there may be; any number without.
    most: Option<usize>,
}

/// What a connection is used for. Clones are about the same connection.
#[derive(Clone, Debug)]
pub(super) struct Use(Arc<Mutex<Requests>>);

#[derive(Debug)]
struct Requests {
    /// Whether any has come.
    has_come: bool,
    /// How many are under way.
    under_way: usize,
    /// When the last one ended, or the connection began.
    idle_since: Instant,
}

/// A service that notes which requests of a connection are under way.
#[derive(Clone, Debug)]
pub(super) struct Counted<S> {
    inner: S,
    connection: Use,
}

/// A request that is under way for as long as this lives: it may also be given up.
struct UnderWay(Use);

// === impl Connections ===

impl Connections {
    pub(super) fn new(most: Option<usize>) -> Self {
        Self { tasks: JoinSet::new(), open: Vec::new(), most }
    }

    /// Waits until a connection has ended; for ever while there is none.
    pub(super) async fn ended(&mut self) {
        match self.tasks.join_next().await {
            Some(_) => self.open.retain(|(task, _)| !task.is_finished()),
            None => std::future::pending().await,
        }
    }

    /// Whether one more may be opened. Where there are too many, the one that has been idle for the longest makes way; one with a
    /// request under way does not.
    pub(super) fn has_place(&mut self) -> bool {
        let Some(most) = self.most else { return true };
        self.open.retain(|(task, _)| !task.is_finished());
        if self.open.len() < most {
            return true;
        }
        let idle = self.open.iter().enumerate();
        let idle = idle.filter_map(|(place, (_, usage))| Some((usage.idle_since()?, place)));
        let Some((_, place)) = idle.min() else { return false };
        let (task, _) = self.open.swap_remove(place);
        task.abort();
        true
    }

    pub(super) fn spawn(&mut self, usage: Use, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(task);
        // Without a limit no connection has to make way, and there is nothing to choose from.
        if self.most.is_some() {
            self.open.push((task, usage));
        }
    }
}

// === impl Use ===

impl Default for Use {
    fn default() -> Self {
        let idle_since = Instant::now();
        Self(Arc::new(Mutex::new(Requests { has_come: false, under_way: 0, idle_since })))
    }
}

impl Use {
    /// Returns when no request has come for so long after the beginning; never once one has.
    pub(super) async fn is_late(&self, patience: Duration) {
        tokio::time::sleep(patience).await;
        if self.requests().has_come {
            std::future::pending::<()>().await;
        }
    }

    /// Since when there is no request under way; `None` while there is one.
    fn idle_since(&self) -> Option<Instant> {
        let requests = self.requests();
        (requests.under_way == 0).then_some(requests.idle_since)
    }

    fn begin(&self) -> UnderWay {
        let mut requests = self.requests();
        requests.has_come = true;
        requests.under_way += 1;
        UnderWay(self.clone())
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl UnderWay ===

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut requests = self.0.requests();
        requests.under_way = requests.under_way.saturating_sub(1);
        requests.idle_since = Instant::now();
    }
}

// === impl Counted ===

impl<S> Counted<S> {
    pub(super) fn new(inner: S, connection: Use) -> Self {
        Self { inner, connection }
    }
}

impl<S, R> Service<R> for Counted<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let under_way = self.connection.begin();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            drop(under_way);
            answer
        })
    }
}
