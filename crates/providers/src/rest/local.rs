//! An emulator in the same process, asked without a socket, so that time can be paused.

use std::fmt;

use async_trait::async_trait;
use axum::{Router, body};
use bytes::Bytes;
use http::{Request, Response};
use tower::ServiceExt as _;

use super::{Exchange, LONGEST_BODY, TimeLimit};

/// A service of this process.
#[derive(Clone)]
pub struct Local {
    router: Router,
}

// === impl Local ===

impl Local {
    /// What this router answers.
    pub const fn new(router: Router) -> Self {
        Self { router }
    }
}

#[async_trait]
impl Exchange for Local {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let limit = request.extensions().get::<TimeLimit>().copied();
        let answer = self.answer(request);
        match limit {
            Some(TimeLimit(limit)) => tokio::time::timeout(limit, answer)
                .await
                .unwrap_or_else(|_| Err("no answer in time".to_owned())),
            None => answer.await,
        }
    }
}

impl Local {
    async fn answer(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let answered = self.router.clone().oneshot(request.map(body::Body::from)).await;
        let response = answered.unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        let bytes = body::to_bytes(body, LONGEST_BODY).await.map_err(|error| error.to_string())?;
        Ok(Response::from_parts(parts, bytes))
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}
