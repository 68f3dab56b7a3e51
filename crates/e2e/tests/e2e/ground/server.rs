//! The way of the loop to the API server.

use std::{
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Buf as _, Bytes, BytesMut};
use futures::{Stream, stream};
use http::{Request, Response, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use plimsoll_e2e::Api;
use serde_json::Value;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use tower::{BoxError, Service};

use super::road::Road;

/// Watches last.
const FOR_EVER: Duration = Duration::from_hours(24 * 365);

/// An API server, as a service in this process.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    api: Api,
    road: Arc<Road>,
}

/// There was no answer.
#[derive(Debug, Error)]
pub(crate) enum NoAnswer {
    #[error("the test is over")]
    Closed,
    #[error("no answer: {0}")]
    Broken(#[from] reqwest::Error),
    #[error("the request cannot be read: {0}")]
    Request(BoxError),
}

type Body = UnsyncBoxBody<Bytes, BoxError>;

/// A watch on its way in.
struct Lines {
    response: reqwest::Response,
    buffer: BytesMut,
    /// When it ends. The API server would end it by its own clock, by which hours of the test take seconds; how long a watch was
    /// asked for is translated like any other time, so that it ends when the one who asked expects it to.
    ends: Instant,
    road: Arc<Road>,
}

// === impl Server ===

impl Server {
    pub(super) fn new(kubeconfig: &Path, road: Arc<Road>) -> Self {
        Self { api: Api::new(kubeconfig).unwrap(), road }
    }

    async fn answer<B>(self, request: Request<B>) -> Result<Response<Body>, NoAnswer>
    where
        B: BodyExt<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let passage = self.road.enter().ok_or(NoAnswer::Closed)?;
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(|error| NoAnswer::Request(error.into()))?;
        let path = head.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        let is_watch = path.contains("watch=true");
        let mut asked =
            self.api.request(head.method, &path).timeout(FOR_EVER).body(body.to_bytes());
        for name in [header::ACCEPT, header::CONTENT_TYPE] {
            if let Some(value) = head.headers.get(&name) {
                asked = asked.header(name, value);
            }
        }
        let response = asked.send().await?;
        let code = response.status();
        let mut answer = Response::builder().status(code);
        if let Some(value) = response.headers().get(header::CONTENT_TYPE) {
            answer = answer.header(header::CONTENT_TYPE, value);
        }
        let body = if is_watch && code.is_success() {
            drop(passage);
            let ends = Instant::now() + watch_time(&path);
            let lines = Lines { response, buffer: BytesMut::new(), ends, road: self.road };
            StreamBody::new(frames(lines)).boxed_unsync()
        } else {
            let body = self.road.translated(&response.bytes().await?);
            Full::new(body).map_err(|never| match never {}).boxed_unsync()
        };
        Ok(answer.body(body).unwrap())
    }
}

impl<B> Service<Request<B>> for Server
where
    B: BodyExt<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = NoAnswer;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, NoAnswer>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NoAnswer>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        Box::pin(self.clone().answer(request))
    }
}

/// How long a watch is asked for.
fn watch_time(path: &str) -> Duration {
    let mut pairs = path.split(['?', '&']);
    let seconds = pairs.find_map(|pair| pair.strip_prefix("timeoutSeconds=")?.parse().ok());
    seconds.map_or(FOR_EVER, Duration::from_secs)
}

fn frames(lines: Lines) -> impl Stream<Item = Result<Frame<Bytes>, BoxError>> + Send {
    stream::unfold(Some(lines), |lines| async move {
        let mut lines = lines?;
        match lines.next().await {
            Ok(Some(line)) => Some((Ok(Frame::data(line)), Some(lines))),
            Ok(None) => None,
            Err(error) => Some((Err(error.into()), None)),
        }
    })
}

// === impl Lines ===

impl Lines {
    /// The next event, with the end of its line; none at the end of the stream.
    async fn next(&mut self) -> Result<Option<Bytes>, reqwest::Error> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(end);
                self.buffer.advance(1);
                self.road.count();
                let mut event = BytesMut::from(self.road.translated(&line));
                event.extend_from_slice(b"\n");
                return Ok(Some(event.freeze()));
            }
            let Ok(chunk) = timeout_at(self.ends, self.response.chunk()).await else {
                return Ok(None);
            };
            match chunk? {
                Some(chunk) if !self.road.is_closed() => self.buffer.extend_from_slice(&chunk),
                _ => return Ok(None),
            }
        }
    }
}

// === impl Road ===

impl Road {
    /// JSON with all dates translated; anything else as it is.
    fn translated(&self, text: &[u8]) -> Bytes {
        match serde_json::from_slice::<Value>(text) {
            Ok(mut value) => {
                self.calendar.translate(&mut value);
                value.to_string().into()
            }
            Err(_) => Bytes::copy_from_slice(text),
        }
    }
}
