//! Around every call: its deadline, its place in the metrics.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::future::Either;
use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status, body::Body, service::Routes};
use tower::Service;

use crate::server::{
    deadline::Deadline,
    metrics::{Metrics, method_of},
    protocol::cloud_provider_server::CloudProviderServer,
    service::Service as Protocol,
};

/// The services of a port, with a deadline and a record for each call.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    protocol: CloudProviderServer<Protocol>,
    /// Health and reflection, which are asked less often than it takes a while to find them.
    others: Routes,
    metrics: Metrics,
}

type Answer = Result<Response<Body>, Infallible>;

// === impl Watched ===

impl Watched {
    pub(crate) fn new(
        protocol: CloudProviderServer<Protocol>,
        others: Routes,
        metrics: Metrics,
    ) -> Self {
        Self { protocol, others: others.prepare(), metrics }
    }
}

impl<B> Service<Request<B>> for Watched
where
    B: tonic::codegen::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<tonic::codegen::StdError> + Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<B>>::poll_ready(&mut self.others, context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let began = Instant::now();
        let method = method_of(request.uri().path());
        let (deadline, patience) = Deadline::of(request.headers());
        request.extensions_mut().insert(deadline);
        let answer = match method {
            Some(_) => Either::Left(self.protocol.call(request)),
            None => Either::Right(self.others.call(request)),
        };
        let method = method.unwrap_or("other");
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
