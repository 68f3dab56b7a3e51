//! Not too many requests: so many a second on average, and some at once.
//!
//! Watches do not count. The upstream autoscaler's last for minutes and its limit is set with that in mind; ours are begun anew every
//! few seconds to show that the way is open, and would use up a good part of what the user allows for everything else.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use http::Request;
use tokio::time::{Instant, sleep_until};
use tower::{Layer, Service};

/// Makes requests wait for their turn. What is made with one value shares one allowance.
#[derive(Clone, Debug)]
pub(super) struct Throttle {
    /// The time that one request takes up; zero for no limit.
    interval: Duration,
    /// How far the books may be behind, which is how many requests may come at once.
    slack: Duration,
    /// When the next request would be due if all came evenly.
    next: Arc<Mutex<Instant>>,
}

/// A service behind a [`Throttle`].
#[derive(Clone, Debug)]
pub(super) struct Throttled<S> {
    inner: S,
    throttle: Throttle,
}

// === impl Throttle ===

impl Throttle {
    pub(super) fn new(rate: f64, burst: u32) -> Self {
        let interval = if rate > 0.0 {
            Duration::try_from_secs_f64(1.0 / rate).unwrap_or_default()
        } else {
            Duration::ZERO
        };
        let slack = interval.saturating_mul(burst.saturating_sub(1));
        // The first requests are the ones that come at once.
        let now = Instant::now();
        let next = now.checked_sub(slack).unwrap_or(now);
        Self { interval, slack, next: Arc::new(Mutex::new(next)) }
    }

    /// When a request that comes now may go.
    fn turn(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let due = (*next).max(now.checked_sub(self.slack).unwrap_or(now));
        *next = due + self.interval;
        due.max(now)
    }
}

impl<S> Layer<S> for Throttle {
    type Service = Throttled<S>;

    fn layer(&self, inner: S) -> Throttled<S> {
        Throttled { inner, throttle: self.clone() }
    }
}

// === impl Throttled ===

impl<S, B> Service<Request<B>> for Throttled<S>
where
    S: Service<Request<B>>,
    S::Future: Send + 'static,
    S::Response: Send,
    S::Error: Send,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let now = Instant::now();
        let turn = if is_watch(&request) { now } else { self.throttle.turn(now) };
        // A call does nothing before it is polled, so waiting first holds the request back.
        let answer = self.inner.call(request);
        Box::pin(async move {
            if turn > now {
                sleep_until(turn).await;
            }
            answer.await
        })
    }
}

fn is_watch<B>(request: &Request<B>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    query.split('&').any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, time::Duration};

    use http::Request;
    use tokio::time::Instant;
    use tower::{Layer as _, Service as _, service_fn};

    use super::Throttle;

    #[tokio::test(start_paused = true)]
    async fn watches_neither_wait_nor_make_others_wait() {
        let service = service_fn(async |_: Request<()>| Ok::<_, Infallible>(()));
        let mut service = Throttle::new(1.0, 1).layer(service);
        let begun = Instant::now();
        let mut ask = |path: &str| service.call(Request::get(path).body(()).unwrap());
        for _ in 0..100 {
            ask("/api/v1/pods?limit=5&watch=true").await.unwrap();
        }
        ask("/api/v1/pods?fieldSelector=watch%3Dtrue").await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
        ask("/api/v1/nodes/watch=true").await.unwrap();
        ask("/api/v1/pods?watch=1").await.unwrap();
        assert_eq!(begun.elapsed(), Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn some_at_once_and_then_one_at_a_time() {
        let start = Instant::now();
        let throttle = Throttle::new(5.0, 3);
        let waits = |now: Instant| (throttle.turn(now) - now).as_millis();
        assert_eq!([0; 5].map(|_: u32| waits(start)), [0, 0, 0, 200, 400]);
        tokio::time::advance(Duration::from_secs(10)).await;
        let now = Instant::now();
        assert_eq!([0; 5].map(|_: u32| waits(now)), [0, 0, 0, 200, 400]);
        let later = start + Duration::from_secs(11);
        assert_eq!([0; 4].map(|_: u32| waits(later)), [0, 0, 0, 200]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nobody_waits() {
        let throttle = Throttle::new(0.0, 0);
        let now = Instant::now();
        assert!((0..100).all(|_| throttle.turn(now) == now));
    }
}
