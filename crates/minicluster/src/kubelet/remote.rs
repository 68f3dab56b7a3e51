//! Any API server over HTTP, for kubelets of a cluster elsewhere.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Buf as _, BytesMut};
use futures::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use plimsoll_net::tls::{TlsError, client_config, install_default};
use reqwest::{Client, Method, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

pub use self::kubeconfig::{Kubeconfig, KubeconfigError};
use super::cluster::{At, Cluster, ClusterError, Collection, Event, Listing, Part};
use crate::read::text;

mod kubeconfig;

/// How many objects a list asks for at once.
const PAGE: usize = 500;
/// Who takes longer than this to answer is not going to.
const PATIENCE: Duration = Duration::from_secs(30);
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// An API server at an address.
#[derive(Clone, Debug)]
pub struct Remote {
    client: Client,
    server: String,
    token: Option<SecretString>,
}

/// A watch on its way in.
struct Lines {
    response: Response,
    buffer: BytesMut,
}

// === impl Remote ===

impl Remote {
    /// The server that a kubeconfig names, as the user that it names.
    pub fn new(kubeconfig: &Kubeconfig) -> Result<Self, KubeconfigError> {
        // The client looks for it although it is told everything.
        install_default();
        let mut builder = Client::builder().connect_timeout(PATIENCE).no_proxy();
        if kubeconfig.server.starts_with("https://") {
            let tls = client_config(&kubeconfig.authority, kubeconfig.identity.as_ref());
            let mut tls = tls.map_err(|error: TlsError| KubeconfigError::Tls(error.to_string()))?;
            tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            builder = builder.tls_backend_preconfigured(tls);
        }
        let client = builder.build().map_err(|error| KubeconfigError::Tls(error.to_string()))?;
        let server = kubeconfig.server.trim_end_matches('/').to_owned();
        Ok(Self { client, server, token: kubeconfig.token.clone() })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.server));
        let request = request.header("Accept", "application/json");
        match &self.token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        }
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Value, ClusterError> {
        let response = send(request.timeout(PATIENCE)).await?;
        let body = response.bytes().await.map_err(|error| no_answer(&error))?;
        serde_json::from_slice(&body).map_err(|error| ClusterError::unanswered(error.to_string()))
    }
}

#[async_trait]
impl Cluster for Remote {
    async fn list(&self, of: Collection, fields: &str) -> Result<Listing, ClusterError> {
        let mut items: Vec<Value> = Vec::new();
        let mut token = String::new();
        loop {
            let limit = PAGE.to_string();
            let query = [("fieldSelector", fields), ("limit", &limit), ("continue", &token)];
            let request = self.request(Method::GET, &path(of, "", "", Part::Whole)).query(&query);
            let mut page = self.answer(request).await?;
            if let Some(Value::Array(more)) = page.get_mut("items").map(Value::take) {
                items.extend(more);
            }
            text(&page, "/metadata/continue").clone_into(&mut token);
            if token.is_empty() {
                let version = text(&page, "/metadata/resourceVersion").to_owned();
                return Ok(Listing { items: Box::new(items.into_iter()), version });
            }
        }
    }

    async fn watch(
        &self,
        of: Collection,
        fields: &str,
        version: &str,
    ) -> Result<BoxStream<'static, Result<Event, ClusterError>>, ClusterError> {
        let query = [("watch", "true"), ("fieldSelector", fields), ("resourceVersion", version)];
        let request = self.request(Method::GET, &path(of, "", "", Part::Whole)).query(&query);
        let lines = Lines { response: send(request).await?, buffer: BytesMut::new() };
        let events = stream::unfold(Some(lines), |lines| async move {
            let mut lines = lines?;
            match lines.next().await {
                Ok(Some(event)) => Some((Ok(event), Some(lines))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(events.boxed())
    }

    async fn create(
        &self,
        of: Collection,
        namespace: &str,
        body: Value,
    ) -> Result<Value, ClusterError> {
        let request = self.request(Method::POST, &path(of, namespace, "", Part::Whole));
        self.answer(request.json(&body)).await
    }

    async fn patch(&self, of: Collection, at: At<'_>, body: Value) -> Result<Value, ClusterError> {
        let request = self.request(Method::PATCH, &path(of, at.namespace, at.name, at.part));
        let request = request.header("Content-Type", STRATEGIC).body(body.to_string());
        self.answer(request).await
    }

    async fn delete(&self, of: Collection, at: At<'_>, options: Value) -> Result<(), ClusterError> {
        let request = self.request(Method::DELETE, &path(of, at.namespace, at.name, at.part));
        self.answer(request.json(&options)).await.map(|_| ())
    }
}

// === impl Lines ===

impl Lines {
    /// The next event; none at the end of the stream.
    async fn next(&mut self) -> Result<Option<Event>, ClusterError> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(end);
                self.buffer.advance(1);
                match read_event(&line)? {
                    Some(event) => return Ok(Some(event)),
                    None => continue,
                }
            }
            match self.response.chunk().await.map_err(|error| no_answer(&error))? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

fn read_event(line: &[u8]) -> Result<Option<Event>, ClusterError> {
    let mut event: Value = serde_json::from_slice(line)
        .map_err(|error| ClusterError::unanswered(error.to_string()))?;
    let object = event.get_mut("object").map(Value::take).unwrap_or_default();
    match text(&event, "/type") {
        "ADDED" | "MODIFIED" => Ok(Some(Event::Put(object))),
        "DELETED" => Ok(Some(Event::Gone(object))),
        "ERROR" => Err(status_error(&object, 0)),
        _ => Ok(None),
    }
}

/// Sends a request and waits for the head of the answer.
async fn send(request: RequestBuilder) -> Result<Response, ClusterError> {
    let response = request.send().await.map_err(|error| no_answer(&error))?;
    let code = response.status();
    if code.is_success() {
        return Ok(response);
    }
    let body = response.bytes().await.unwrap_or_default();
    let status: Value = serde_json::from_slice(&body).unwrap_or_default();
    Err(status_error(&status, code.as_u16()))
}

fn status_error(status: &Value, code: u16) -> ClusterError {
    let said = status.get("code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
    let message = match text(status, "/message") {
        "" => format!("the server answered {code}"),
        message => message.to_owned(),
    };
    ClusterError { code: said.unwrap_or(code), message }
}

fn no_answer(error: &reqwest::Error) -> ClusterError {
    // The address is in the kubeconfig, and what is in a query is nobody's business.
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    ClusterError::unanswered(text)
}

fn path(of: Collection, namespace: &str, name: &str, part: Part) -> String {
    let mut path = match of.group {
        "" => format!("/api/{}", of.version),
        group => format!("/apis/{group}/{}", of.version),
    };
    if !namespace.is_empty() {
        path.push_str("/namespaces/");
        path.push_str(namespace);
    }
    path.push('/');
    path.push_str(of.plural);
    if !name.is_empty() {
        path.push('/');
        path.push_str(name);
    }
    if part == Part::Status {
        path.push_str("/status");
    }
    path
}
