//! Requests that change something are sent only by a leader.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http::{Method, Request};
use plimsoll_net::Fence;
use tower::{BoxError, Layer, Service};

/// What changes nothing that matters although it is written: the Lease itself, by which a process becomes the leader, and
/// questions about rights.
const ALWAYS: [&str; 4] =
    ["leases", "tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews"];

/// Keeps requests back that would change something once a fence has lapsed. It is asked when a request is about to be sent: one
/// that waited for its turn is judged by the moment at which its turn came.
#[derive(Clone, Debug)]
pub(super) struct Guard(pub Fence);

/// A service behind a [`Guard`].
#[derive(Clone, Debug)]
pub(super) struct Guarded<S> {
    inner: S,
    fence: Fence,
}

// === impl Guard ===

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner, fence: self.0.clone() }
    }
}

// === impl Guarded ===

impl<S, B> Service<Request<B>> for Guarded<S>
where
    S: Service<Request<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    S::Response: 'static,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let changes = changes(&request);
        let fence = self.fence.clone();
        // A call does nothing before it is polled.
        let answer = self.inner.call(request);
        Box::pin(async move {
            if changes {
                fence.check()?;
            }
            answer.await.map_err(Into::into)
        })
    }
}

/// Whether a request changes something that only a leader may change.
fn changes<B>(request: &Request<B>) -> bool {
    let asks = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    !asks && !request.uri().path().split('/').any(|part| ALWAYS.contains(&part))
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicU32, Ordering},
        },
    };

    use http::Response;
    use plimsoll_net::Clock;
    use tower::{ServiceExt as _, service_fn};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_lost_leadership_asks_and_changes_nothing() {
        let sent = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&sent);
        let server = service_fn(move |_: Request<()>| {
            let counter = Arc::clone(&counter);
            async move {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Infallible>(Response::new(()))
            }
        });
        let clock = Clock::starting_at(jiff::Timestamp::UNIX_EPOCH);
        let fence = Fence::closed(clock);
        let client = Guard(fence.clone()).layer(server);
        let send_to = |method: Method, path: &str| {
            let request = Request::builder().method(method).uri(path).body(()).unwrap();
            client.clone().oneshot(request)
        };
        let send = |method: Method| send_to(method, "/api/v1/nodes/a");
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(send(method).await.is_err());
        }
        assert_eq!(sent.load(Ordering::Relaxed), 0);
        send(Method::GET).await.unwrap();
        let lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a";
        send_to(Method::PUT, lease).await.unwrap();
        fence.extend(clock.now(), std::time::Duration::from_secs(1));
        send(Method::PATCH).await.unwrap();
        assert_eq!(sent.load(Ordering::Relaxed), 3);
    }
}
