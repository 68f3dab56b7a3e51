//! An API server, asked in its own words.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, Result, bail};
use plimsoll_minicluster::kubelet::Kubeconfig;
use plimsoll_net::tls::{client_config, install_default};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

/// Who takes longer than this to answer is not going to.
const PATIENCE: Duration = Duration::from_mins(2);

/// An API server, as the user of a kubeconfig sees it.
#[derive(Clone, Debug)]
pub struct Api {
    client: Client,
    kubeconfig: Kubeconfig,
}

/// What it said.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub code: u16,
    /// The body; a string where it is not JSON.
    pub body: Value,
}

// === impl Api ===

impl Api {
    /// The server and the user that a kubeconfig names.
    pub fn new(kubeconfig: &Path) -> Result<Self> {
        install_default();
        let kubeconfig = Kubeconfig::read(kubeconfig)?;
        let mut tls = client_config(&kubeconfig.authority, kubeconfig.identity.as_ref())?;
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let builder = Client::builder().no_proxy().timeout(PATIENCE).tls_backend_preconfigured(tls);
        Ok(Self { client: builder.build().context("cannot make a client")?, kubeconfig })
    }

    /// A request with the user's credentials, for whoever needs more than the others here.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        use secrecy::ExposeSecret as _;

        let url = format!("{}{path}", self.kubeconfig.server);
        let request = self.client.request(method, url);
        match &self.kubeconfig.token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        }
    }

    /// Asks, with a body of this type unless it is null, and takes any answer.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        content: &str,
        body: &Value,
    ) -> Result<Answer> {
        let mut request = self.request(method, path);
        if !body.is_null() {
            request = request.header("Content-Type", content).body(body.to_string());
        }
        let response = request.send().await.with_context(|| format!("no answer to {path}"))?;
        let code = response.status().as_u16();
        let text = response.text().await.with_context(|| format!("half an answer to {path}"))?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(Answer { code, body })
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.succeed(Method::GET, path, "", &Value::Null).await
    }

    /// Makes an object.
    pub async fn create(&self, path: &str, object: &Value) -> Result<Value> {
        self.succeed(Method::POST, path, "application/json", object).await
    }

    /// Changes an object by a merge patch.
    pub async fn merge(&self, path: &str, patch: &Value) -> Result<Value> {
        self.succeed(Method::PATCH, path, "application/merge-patch+json", patch).await
    }

    /// Makes an object be as it is described, whether or not it is there.
    pub async fn apply(&self, path: &str, object: &Value) -> Result<Value> {
        let more = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{more}fieldManager=e2e&force=true");
        self.succeed(Method::PATCH, &path, "application/apply-patch+yaml", object).await
    }

    /// Deletes.
    pub async fn delete(&self, path: &str) -> Result<Value> {
        self.succeed(Method::DELETE, path, "", &Value::Null).await
    }

    async fn succeed(
        &self,
        method: Method,
        path: &str,
        content: &str,
        body: &Value,
    ) -> Result<Value> {
        let answer = self.ask(method.clone(), path, content, body).await?;
        if answer.code >= 400 {
            bail!("{method} {path}: {} {}", answer.code, answer.body);
        }
        Ok(answer.body)
    }
}
