//! The HTTP side: a `tower` service over [`Api`], for in-process clients and for a socket alike.
//!
//! ```text
//!  request ─▶ who ─▶ may they ─▶ path ─┬▶ info      version, health, discovery, OpenAPI
//!                                      ├▶ review    who am I, may I
//!                                      └▶ resource  get, list, watch, create, update, patch, delete of any kind
//! ```
//!
//! There are no routes per kind: a path is taken apart, its kind is looked up, and one generic operation answers.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http::{Method, Request, Response};
use plimsoll_net::listen::Peer;
use tower::{BoxError, Service};

use self::{
    accept::{Accepted, Encoding, Offer},
    answer::{Answer, page_not_found, refusal},
    impersonate::impersonate,
    path::Route,
    query::Query,
    resource::Call,
};
pub use self::{
    access::{Access, Anonymous, Authorization, User},
    kubeconfig::{Credentials, kubeconfig},
    tls::{Certificates, CertificatesError},
};
use crate::{Api, ApiError, openapi::OpenApi};

mod accept;
mod access;
mod answer;
mod below;
mod body;
mod impersonate;
mod info;
mod kubeconfig;
mod list;
mod options;
mod path;
mod query;
mod resource;
mod review;
mod roles;
mod rows;
mod shape;
mod stub;
mod tls;
mod watch;

/// A server. Clones are the same server.
#[derive(Clone, Debug)]
pub struct Server {
    shared: Arc<Shared>,
    /// Whose requests these are, whatever their credentials say.
    user: Option<Arc<User>>,
}

#[derive(Debug)]
struct Shared {
    api: Api,
    access: Access,
    openapi: OpenApi,
}

// === impl Server ===

impl Server {
    /// Serves an API to whom `access` lets in.
    pub fn new(api: Api, access: Access) -> Self {
        Self { shared: Arc::new(Shared { api, access, openapi: OpenApi::default() }), user: None }
    }

    /// The same server for callers in this process, who need no credentials: all their requests come from `user`.
    #[must_use]
    pub fn trusting(&self, user: User) -> Self {
        Self { shared: Arc::clone(&self.shared), user: Some(Arc::new(user)) }
    }

    /// The API behind it.
    pub fn api(&self) -> &Api {
        &self.shared.api
    }

    /// Who is let in.
    pub(crate) fn access(&self) -> &Access {
        &self.shared.access
    }

    fn openapi(&self) -> &OpenApi {
        &self.shared.openapi
    }

    async fn answer(self, request: Request<Body>) -> Answer {
        let encoding = Accepted::negotiate(request.headers(), Offer::Plain)
            .map_or(Encoding::Json, |accepted| accepted.encoding);
        let is_head = request.method() == Method::HEAD;
        let mut answer =
            self.try_answer(request).await.unwrap_or_else(|error| refusal(&error, encoding));
        if is_head {
            *answer.body_mut() = Body::empty();
        }
        answer
    }

    async fn try_answer(&self, request: Request<Body>) -> Result<Answer, ApiError> {
        let (parts, body) = request.into_parts();
        let user = if let Some(user) = &self.user {
            Arc::clone(user)
        } else {
            let peer = parts.extensions.get::<Peer>();
            let now = self.api().clock().now();
            let user = self.access().authenticate(&parts.headers, peer, now)?;
            Arc::new(impersonate(self.api(), self.access(), user, &parts.headers)?)
        };
        let (method, headers) = (parts.method, parts.headers);
        let query = Query::parse(parts.uri.query());
        let text = parts.uri.path();
        match Route::parse(text) {
            None => Ok(page_not_found()),
            Some(Route::Other(segments)) => {
                self.access().check_path(self.api(), &user, &method, text)?;
                let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
                info::answer(self, &method, &segments, &headers)
            }
            Some(Route::Version { group, version }) => {
                self.access().check_path(self.api(), &user, &method, text)?;
                info::resources(self.api(), &method, &group, &version, &headers)
            }
            Some(Route::Resource(path)) => {
                let verb = path.verb(&method, &query);
                self.access().check_resource(self.api(), &user, verb, &path)?;
                let body = body::read(body).await;
                let call = Call { server: self, user, method, headers, path, query, body };
                match review::answer(&call) {
                    Some(answer) => answer,
                    None => call.answer().await,
                }
            }
        }
    }
}

impl<B> Service<Request<B>> for Server
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move { Ok(server.answer(request.map(Body::new)).await) })
    }
}
