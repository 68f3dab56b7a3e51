//! Around every call: its deadline, its place in the metrics.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status, body::Body, server::NamedService, service::Routes};
use tower::Service;

use crate::{
    proto::external::cloud_provider_server::CloudProviderServer,
    server::{
        deadline::Deadline,
        metrics::{Metrics, method_of},
        service::Service as Protocol,
    },
};

/// The services of a port, with a deadline and a record for each call.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    routes: Routes,
    metrics: Metrics,
}

type Answer = Result<Response<Body>, Infallible>;

// === impl Watched ===

impl Watched {
    pub(crate) fn new(routes: Routes, metrics: Metrics) -> Self {
        Self { routes: routes.prepare(), metrics }
    }
}

impl<B> Service<Request<B>> for Watched
where
    B: tonic::codegen::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<tonic::codegen::StdError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<B>>::poll_ready(&mut self.routes, context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let began = Instant::now();
        let method =
            method_of(request.uri().path(), <CloudProviderServer<Protocol> as NamedService>::NAME);
        let (deadline, patience) = Deadline::of(request.headers());
        request.extensions_mut().insert(deadline);
        let answer = self.routes.call(request);
        let metrics = self.metrics.clone();
        Box::pin(async move {
            let response = match timeout_at(deadline.0, answer).await {
                Ok(Ok(response)) => response,
                Err(_) => Status::deadline_exceeded(format!(
                    "{method} did not end within {patience:?}; it may still take effect"
                ))
                .into_http(),
            };
            metrics.record(method, code_of(response.headers()), began.elapsed());
            Ok(response)
        })
    }
}

/// A status in the headers is that of a call that failed; one that succeeds has it after its message.
fn code_of(headers: &HeaderMap) -> Code {
    headers.get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
}
