//! The way to the API server, which can be closed, freeze, and speak of things that nobody knows.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{
    FutureExt as _, Stream, StreamExt as _, TryStreamExt as _,
    future::{BoxFuture, Either, pending, select},
    stream,
};
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
    words: Words,
}

/// A word, and the one that stands in its place.
#[derive(Clone, Debug, Default)]
struct Words(Arc<Mutex<(String, String)>>);

/// What becomes of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// They are answered.
    Open,
    /// They are refused.
    Refusing,
    /// They are never answered.
    Silent,
    /// Watches are frozen, as by a proxy that forwards nothing any more: those that are open neither tell anything nor end, and
    /// never will. Other requests are answered.
    Frozen(NewWatches),
}

/// What becomes of watches that are begun while others are frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewWatches {
    /// They are never answered.
    Hang,
    /// They are answered, and frozen like the others.
    AreMute,
}

// === impl Gate ===

impl Gate {
    pub(crate) fn new(server: Server) -> Self {
        Self { server, state: watch::Sender::new(State::Open), words: Words::default() }
    }

    /// Answers that are under way are cut off, unless it is set to [`State::Frozen`].
    pub(crate) fn set(&self, state: State) {
        self.state.send_replace(state);
    }

    /// From now on everything that the API server tells has another word for something, as after an upgrade of Kubernetes.
    pub(crate) fn reword(&self, word: &str, other: &str) {
        *self.words.0.lock().unwrap() = (word.to_owned(), other.to_owned());
    }
}

// === impl Words ===

impl Words {
    fn put_in(&self, told: Bytes) -> Bytes {
        let words = self.0.lock().unwrap();
        let (word, other) = &*words;
        match std::str::from_utf8(&told) {
            Ok(text) if !word.is_empty() && text.contains(&**word) => {
                text.replace(&**word, other).into()
            }
            _ => told,
        }
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
        let (mut server, words) = (self.server.clone(), self.words.clone());
        let query = request.uri().query().unwrap_or_default();
        let is_watch = query.split('&').any(|pair| pair == "watch=true");
        Box::pin(async move {
            match now {
                State::Frozen(NewWatches::Hang) if is_watch => pending::<()>().await,
                State::Open | State::Frozen(_) => {}
                State::Refusing => return Err("connection refused".into()),
                State::Silent => pending::<()>().await,
            }
            let (head, body) = server.call(request).await?.into_parts();
            let frames = BodyStream::new(body.map_err(Into::into));
            let frames = frames.map_ok(move |frame| frame.map_data(|told| words.put_in(told)));
            let frames = match now {
                State::Frozen(_) if is_watch => stream::pending().boxed(),
                _ => frames.take_until(cut_off(state.clone())).boxed(),
            };
            let frames = if is_watch { until_frozen(frames, state).boxed() } else { frames };
            Ok(Response::from_parts(head, StreamBody::new(frames).boxed_unsync()))
        })
    }
}

/// Waits until answers that are under way are cut off.
fn cut_off(mut state: watch::Receiver<State>) -> BoxFuture<'static, ()> {
    async move {
        // Nobody changes it any more once the test is over.
        while state.changed().await.is_ok() {
            if !matches!(*state.borrow_and_update(), State::Frozen(_)) {
                return;
            }
        }
    }
    .boxed()
}

/// The same, until it freezes: then nothing comes any more, not even the end.
fn until_frozen<T: Send + 'static>(
    answer: impl Stream<Item = T> + Send + Unpin + 'static,
    mut state: watch::Receiver<State>,
) -> impl Stream<Item = T> + Send {
    let frozen = async move {
        let _ = state.wait_for(|state| matches!(state, State::Frozen(_))).await;
    }
    .boxed();
    stream::unfold((answer, frozen), |(mut answer, frozen)| async move {
        match select(frozen, answer.next()).await {
            Either::Left(_) => pending().await,
            Either::Right((told, frozen)) => Some((told?, (answer, frozen))),
        }
    })
}
