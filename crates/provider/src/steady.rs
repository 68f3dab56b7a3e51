//! What every provider gets around it: deadlines, retries with jitter, a rate limit and a circuit breaker.
//!
//! ```text
//! call ─▶ breaker ─▶ rate limit ─▶ deadline ─▶ provider
//!            ▲                                    │ Retry: once more, after a pause
//!            └────────── outcome ─────────────────┘
//! ```
//! All calls of the contract may be repeated, so all but one are treated alike. A deletion is right only at the moment in which its
//! caller made sure that nothing runs on the machine, so it neither waits for its turn nor is tried again: who wants to try again
//! looks again first.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use rand::RngExt as _;
use tokio::time::{Instant, sleep, timeout};
use tracing::debug;

use self::{breaker::Breaker, bucket::Bucket};
use crate::{
    Capabilities, Class, Deletion, Error, GroupSpec, Inventory, NodeIdentity, Order, Provider,
    Whose, home::RATE_LIMITED,
};

mod breaker;
mod bucket;

/// How patient to be with a provider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How long one attempt may take.
    pub deadline: Duration,
    /// How often a call is tried in all.
    pub attempts: u32,
    /// The pause after the first attempt; each further one is twice as long.
    pub pause: Duration,
    /// No pause is longer, unless the service asks for it.
    pub longest_pause: Duration,
    /// Calls per second, on average.
    pub rate: f64,
    /// How many calls may come at once.
    pub burst: u32,
    /// After so many failed calls in a row the provider is left alone …
    pub trip_after: u32,
    /// … for so long; then one call tries whether it is back.
    pub rest: Duration,
}

/// A call that ended, for metrics.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The provider.
    pub provider: &'c str,
    /// Which method.
    pub method: &'static str,
    /// How it ended.
    pub outcome: Result<(), Class>,
    /// How often it was tried; 0 when the breaker refused it.
    pub attempts: u32,
    /// From beginning to end.
    pub took: Duration,
}

/// Who wants to know of calls.
pub trait Observer: fmt::Debug + Send + Sync {
    /// A call ended.
    fn observe(&self, call: &Call<'_>);
}

/// A provider that is asked with patience, and not too often.
#[derive(Debug)]
pub struct Steady {
    inner: Arc<dyn Provider>,
    limits: Limits,
    breaker: Mutex<Breaker>,
    bucket: Mutex<Bucket>,
    observer: Option<Arc<dyn Observer>>,
}

/// What is done about whatever keeps a call from being answered at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// It waits for its turn, and is tried again.
    Waits,
    /// It is made now or not at all, and once.
    NowOrNever,
}

/// What a call answers with, whatever the method.
type Attempt<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            attempts: 3,
            pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(5),
            rate: 20.0,
            burst: 40,
            trip_after: 5,
            rest: Duration::from_secs(15),
        }
    }
}

// === impl Steady ===

impl Steady {
    /// Around `inner`.
    pub fn new(inner: Arc<dyn Provider>, limits: Limits) -> Self {
        let bucket = Bucket::new(limits.rate, limits.burst, Instant::now());
        let breaker = Breaker::new(limits.trip_after, limits.rest);
        Self {
            inner,
            limits,
            breaker: Mutex::new(breaker),
            bucket: Mutex::new(bucket),
            observer: None,
        }
    }

    /// Tells `observer` of every call.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    async fn call<'a, T>(
        &'a self,
        method: &'static str,
        patience: Patience,
        attempt: impl Fn() -> Attempt<'a, T> + Send + Sync,
    ) -> Result<T, Error> {
        let begun = Instant::now();
        let mut attempts = 0;
        let outcome = self.try_until_told(method, patience, &mut attempts, attempt).await;
        if let Some(observer) = &self.observer {
            let outcome = outcome.as_ref().map(drop).map_err(Error::class);
            let took = begun.elapsed();
            let provider = self.inner.name();
            observer.observe(&Call { provider, method, outcome, attempts, took });
        }
        outcome
    }

    async fn try_until_told<'a, T>(
        &'a self,
        method: &'static str,
        patience: Patience,
        attempts: &mut u32,
        attempt: impl Fn() -> Attempt<'a, T> + Send + Sync,
    ) -> Result<T, Error> {
        loop {
            if patience == Patience::NowOrNever {
                self.bucket().try_take(Instant::now()).map_err(|wait| self.too_many(wait))?;
            }
            self.breaker().admit(Instant::now()).map_err(|open| {
                let name = self.inner.name();
                let (failures, last) = (open.failures, &open.last);
                Error::new(
                    last.class(),
                    format!("{name} is left alone after {failures} failures: {last}"),
                )
                .with_code(last.code())
                .with_retry_after(open.left)
            })?;
            if patience == Patience::Waits {
                let turn = self.bucket().take(Instant::now());
                sleep(turn).await;
            }
            *attempts += 1;
            let deadline = self.inner.deadline(method, self.limits.deadline);
            let outcome = match timeout(deadline, attempt()).await {
                Ok(outcome) => outcome,
                Err(_) => Err(self.too_slow(method, deadline)),
            };
            let error = outcome.as_ref().err();
            if error.is_some_and(Error::is_held_back) {
                // The service was not asked: that tells nothing of it, and the answer would be the same.
                return outcome;
            }
            self.breaker().record(error, Instant::now());
            match outcome {
                Err(error)
                    if error.class() == Class::Retry
                        && patience == Patience::Waits
                        && *attempts < self.limits.attempts =>
                {
                    debug!(provider = self.inner.name(), method, %error, "trying again");
                    sleep(self.pause(*attempts, &error)).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// Twice as long each time, somewhere in the upper half, so that those who failed together do not come back together.
    fn pause(&self, attempts: u32, error: &Error) -> Duration {
        let factor = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let longest = self.limits.pause.saturating_mul(factor).min(self.limits.longest_pause);
        let jittered = longest.mul_f64(rand::rng().random_range(0.5..=1.0));
        jittered.max(error.retry_after().unwrap_or_default())
    }

    fn too_many(&self, wait: Duration) -> Error {
        let name = self.inner.name();
        Error::retry(format!("{name} has been called too often to be called now"))
            .with_code(RATE_LIMITED)
            .with_retry_after(wait)
    }

    fn too_slow(&self, method: &str, deadline: Duration) -> Error {
        let (name, seconds) = (self.inner.name(), deadline.as_secs_f64());
        Error::retry(format!("{name} did not answer {method} within {seconds} s"))
            .with_code("DeadlineExceeded")
    }

    fn breaker(&self) -> impl std::ops::DerefMut<Target = Breaker> + '_ {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bucket(&self) -> impl std::ops::DerefMut<Target = Bucket> + '_ {
        self.bucket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Provider for Steady {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn introduce(&self, group: Symbol, instance: &str, node: &NodeIdentity) {
        self.inner.introduce(group, instance, node);
    }

    fn remarks(&self, group: Symbol) -> Vec<String> {
        self.inner.remarks(group)
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.call("refresh", Patience::Waits, || self.inner.refresh()).await
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.call("increase", Patience::Waits, || self.inner.increase(order)).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.call("lower_target", Patience::Waits, || self.inner.lower_target(group, target)).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.call("delete", Patience::NowOrNever, || self.inner.delete(group, instances)).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.call("owner", Patience::Waits, || self.inner.owner(node)).await
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        self.call("create_group", Patience::Waits, || self.inner.create_group(spec)).await
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        self.call("delete_group", Patience::Waits, || self.inner.delete_group(group)).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}

#[cfg(test)]
mod tests;
