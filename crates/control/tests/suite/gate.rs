//! The way to the API server, which can be closed.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response};
use http_body_util::{BodyExt, BodyStream, StreamBody, combinators::UnsyncBoxBody};
use tokio::sync::watch;
use tower::{BoxError, Service};

use crate::ground::Server;

/// A way to the API server.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    server: Server,
    state: watch::Sender<State>,
}

/// What becomes of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// They are answered.
    Open,
    /// They are refused.
    Refusing,
    /// They are never answered.
    Silent,
}

// === impl Gate ===

impl Gate {
    pub(crate) fn new(server: Server) -> Self {
        Self { server, state: watch::Sender::new(State::Open) }
    }

    /// Whatever it is set to, answers that are under way are cut off.
    pub(crate) fn set(&self, state: State) {
        self.state.send_replace(state);
    }
}

impl<B> Service<Request<B>> for Gate
where
    B: BodyExt<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<UnsyncBoxBody<Bytes, BoxError>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut state = self.state.subscribe();
        let now = *state.borrow_and_update();
        let mut server = self.server.clone();
        Box::pin(async move {
            match now {
                State::Open => {}
                State::Refusing => return Err("connection refused".into()),
                State::Silent => std::future::pending::<()>().await,
            }
            let (head, body) = server.call(request).await?.into_parts();
            let changed = async move {
                // Nobody changes it any more once the test is over.
                let _ = state.changed().await;
            };
            let frames = BodyStream::new(body.map_err(Into::into)).take_until(Box::pin(changed));
            Ok(Response::from_parts(head, StreamBody::new(frames).boxed_unsync()))
        })
    }
}
