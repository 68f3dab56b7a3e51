//! Requests that nobody answers end after a while.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::timeout;
use tower::{BoxError, Layer, Service};

/// Ends requests whose answer does not begin in time. What comes after the beginning, as in a watch, may take as long as it likes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(pub Duration);

/// A service behind a [`Deadline`].
#[derive(Clone, Debug)]
pub(super) struct Limited<S> {
    inner: S,
    deadline: Duration,
}

// === impl Deadline ===

impl<S> Layer<S> for Deadline {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited { inner, deadline: self.0 }
    }
}

// === impl Limited ===

impl<S, R> Service<R> for Limited<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let (answer, deadline) = (self.inner.call(request), self.deadline);
        Box::pin(async move {
            let Ok(answer) = timeout(deadline, answer).await else {
                let seconds = deadline.as_secs();
                return Err(format!("the API server did not answer within {seconds} s").into());
            };
            answer.map_err(Into::into)
        })
    }
}
