//! Services behind REST: one way to ask them, whatever the infrastructure.
//!
//! ```text
//! typed client ──Ask──▶ Rest ──http::Request──▶ Exchange      a socket, or an emulator in the same process
//!              ◀─Reply──      ◀─http::Response─
//! ```
//! What a reply means is decided here once: a request that was not answered, or was answered in part, is `Retry`; a status code
//! has a class; a body that is no answer to the question is an error. Nothing is retried here, see [`plimsoll_provider::Steady`].

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response, header};
use plimsoll_net::Fence;
use plimsoll_provider::Error;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;

mod endpoint;
mod hidden;
#[cfg(feature = "lab")]
mod local;
mod redirect;
mod reply;
mod socket;

#[cfg(feature = "lab")]
pub use self::local::Local;
pub use self::{
    endpoint::Endpoint,
    hidden::Hidden,
    reply::{Reply, class_of},
    socket::{Socket, Trust},
};

/// No answer is longer than this; what is, is not read to its end.
pub const LONGEST_BODY: usize = 16 * 1024 * 1024;

/// The code of a request that was sent and not answered in full.
pub const UNREACHABLE: &str = "Unreachable";

/// A service that sends a request on more often than this sends it in circles.
const MOST_REDIRECTS: usize = 3;

/// How long to wait for a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For a whole answer, connection included, unless the request has a [`TimeLimit`] of its own.
    pub request: Duration,
}

/// How long to wait for the answer to one request, where that is longer or shorter than for others. It travels as an extension of the
/// request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Duration);

/// What carries a request to a service and brings back the whole of its answer.
#[async_trait]
pub trait Exchange: fmt::Debug + Send + Sync {
    /// Sends one request. The error says in words what went wrong on the way; whether the request took effect is not known then.
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String>;
}

/// A service that can be asked. Clones share connections.
#[derive(Clone, Debug)]
pub struct Rest {
    exchange: Arc<dyn Exchange>,
    endpoint: Endpoint,
    /// Sent with every request.
    token: Option<SecretString>,
    user_agent: Box<str>,
    hidden: Arc<Hidden>,
    /// Asked before every request that may change something.
    fence: Fence,
}

/// A request as a typed client writes it.
#[derive(Clone, Debug)]
pub struct Ask {
    method: Method,
    path: Vec<String>,
    query: Vec<(&'static str, String)>,
    body: Option<Result<Vec<u8>, String>>,
    limit: Option<TimeLimit>,
}

// === impl Patience ===

impl Default for Patience {
    fn default() -> Self {
        Self { connect: Duration::from_secs(4), request: Duration::from_secs(12) }
    }
}

// === impl Rest ===

impl Rest {
    /// A service over an exchange.
    pub fn new(exchange: Arc<dyn Exchange>, endpoint: Endpoint, user_agent: &str) -> Self {
        let hidden = Arc::new(Hidden::default());
        let fence = Fence::open();
        Self { exchange, endpoint, token: None, user_agent: user_agent.into(), hidden, fence }
    }

    /// A service behind a socket of the network, or of this machine.
    pub fn connect(
        endpoint: Endpoint,
        trust: &Trust,
        patience: Patience,
        user_agent: &str,
    ) -> Result<Self, String> {
        let socket = Socket::new(&endpoint, trust, patience)?;
        Ok(Self::new(Arc::new(socket), endpoint, user_agent))
    }

    /// With a bearer token, which is hidden from everything that is told.
    #[must_use]
    pub fn with_token(self, token: SecretString) -> Self {
        let mut this = self.hiding(token.expose_secret());
        this.token = Some(token);
        this
    }

    /// Hides a text from everything that is told about answers, as the service may repeat what it was sent.
    #[must_use]
    pub fn hiding(mut self, secret: &str) -> Self {
        self.hidden = Arc::new(self.hidden.with(secret));
        self
    }

    /// Sends what may change something only while this fence holds.
    #[must_use]
    pub fn with_fence(mut self, fence: Fence) -> Self {
        self.fence = fence;
        self
    }

    /// Where the service is.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request and reads the whole answer, whatever its status. What may change something is not sent once the fence has
    /// lapsed: then the error is `Retry` with the code `NotLeader`.
    pub async fn send(&self, ask: Ask) -> Result<Reply, Error> {
        let what = format!("{} {}", ask.method, ask.place());
        let fail = |problem: String| {
            let problem = self.hidden.clean(&problem);
            Error::retry(format!("{}: {what}: {problem}", self.endpoint)).with_code(UNREACHABLE)
        };
        let request = self.request(ask).map_err(|problem| {
            Error::bug(format!("{}: {what}: {}", self.endpoint, self.hidden.clean(&problem)))
        })?;
        if !request.method().is_safe() {
            // Here and nowhere earlier: whoever makes several requests stops between two of them.
            self.fence.check()?;
        }
        let response = self.follow(request).await?.map_err(fail)?;
        let place = format!("{}: {what}", self.endpoint);
        Ok(Reply::new(place, response, Arc::clone(&self.hidden)))
    }

    /// Sends a request, and sends it again where the service says that it has to go, as long as that is the same service: a token
    /// goes nowhere else. The outer error is the fence's.
    async fn follow(
        &self,
        request: Request<Bytes>,
    ) -> Result<Result<Response<Bytes>, String>, Error> {
        let mut request = request;
        for _ in 0..MOST_REDIRECTS {
            let response = match self.exchange.exchange(request.clone()).await {
                Ok(response) => response,
                Err(problem) => return Ok(Err(problem)),
            };
            let Some(next) = redirect::target(&request, &response) else { return Ok(Ok(response)) };
            if !request.method().is_safe() {
                self.fence.check()?;
            }
            *request.uri_mut() = next;
        }
        Ok(self.exchange.exchange(request).await)
    }

    fn request(&self, ask: Ask) -> Result<Request<Bytes>, String> {
        let url = self.endpoint.url(&ask.path, &ask.query)?;
        let mut request = Request::builder()
            .method(ask.method)
            .uri(url.as_str())
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, &*self.user_agent);
        if let Some(token) = &self.token {
            let mut value =
                header::HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
                    .map_err(|_| "the token cannot stand in a header".to_owned())?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        if let Some(limit) = ask.limit {
            request = request.extension(limit);
        }
        let body = match ask.body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Bytes::from(body?)
            }
            None => Bytes::new(),
        };
        request.body(body).map_err(|error| error.to_string())
    }
}

// === impl Ask ===

impl Ask {
    /// A request without a body. The parts of the path are put together with slashes, and whatever they contain stays inside them.
    pub fn new<'p>(method: Method, path: impl IntoIterator<Item = &'p str>) -> Self {
        let path = path.into_iter().map(str::to_owned).collect();
        Self { method, path, query: Vec::new(), body: None, limit: None }
    }

    /// Reads something.
    pub fn get<'p>(path: impl IntoIterator<Item = &'p str>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Removes something.
    pub fn delete<'p>(path: impl IntoIterator<Item = &'p str>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Sends something.
    pub fn post<'p>(path: impl IntoIterator<Item = &'p str>, body: &impl Serialize) -> Self {
        Self::new(Method::POST, path).with_body(body)
    }

    /// With a body in JSON.
    #[must_use]
    pub fn with_body(mut self, body: &impl Serialize) -> Self {
        self.body = Some(serde_json::to_vec(body).map_err(|error| error.to_string()));
        self
    }

    /// With a parameter.
    #[must_use]
    pub fn with_query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// With a time limit of its own, for a verb that takes longer than others.
    #[must_use]
    pub const fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = Some(TimeLimit(limit));
        self
    }

    /// The path as people read it. Parameters are left out: they may be long, or secret.
    fn place(&self) -> String {
        format!("/{}", self.path.join("/"))
    }
}

#[cfg(test)]
mod tests;
