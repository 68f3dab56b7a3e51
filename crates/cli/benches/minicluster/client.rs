//! A client with a connection of its own.

use std::{path::Path, time::Duration};

use plimsoll_minicluster::kubelet::Kubeconfig;
use plimsoll_net::tls;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;

const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A client of a cluster.
pub(super) struct Client {
    client: reqwest::Client,
    server: String,
}

// === impl Client ===

impl Client {
    /// The administrator of the cluster that the kubeconfig names.
    pub(super) fn new(kubeconfig: &Path) -> Self {
        tls::install_default();
        let config = Kubeconfig::read(kubeconfig).unwrap();
        let mut tls = tls::client_config(&config.authority, config.identity.as_ref()).unwrap();
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let builder = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(tls);
        Self { client: builder.build().unwrap(), server: config.server }
    }

    /// Asks until there is an answer.
    pub(super) async fn first_answer(&self) {
        while self.request(Method::GET, "/version").send().await.is_err() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let body = answer(self.request(Method::GET, path)).await.bytes().await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) {
        answer(self.request(Method::POST, path).json(body)).await.bytes().await.unwrap();
    }

    /// Changes an object by a merge patch.
    pub(super) async fn merge(&self, path: &str, patch: &Value) {
        let request = self.request(Method::PATCH, path).body(patch.to_string());
        let request = request.header("Content-Type", "application/merge-patch+json");
        answer(request).await.bytes().await.unwrap();
    }

    /// Reads an answer to its end and forgets it; tells how long it was.
    pub(super) async fn read_all(&self, path: &str) -> usize {
        let mut response = answer(self.request(Method::GET, path)).await;
        let mut length = 0;
        while let Some(chunk) = response.chunk().await.unwrap() {
            length += chunk.len();
        }
        length
    }

    /// Reads so many lines of an answer, and tells how many there were.
    pub(super) async fn read_lines(&self, path: &str, lines: usize) -> usize {
        let mut response = answer(self.request(Method::GET, path)).await;
        let mut read = 0;
        while read < lines
            && let Some(chunk) = response.chunk().await.unwrap()
        {
            read += chunk.split(|byte| *byte == b'\n').count() - 1;
        }
        read
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.server));
        request.header("Accept", "application/json")
    }
}

async fn answer(request: RequestBuilder) -> Response {
    request.send().await.unwrap().error_for_status().unwrap()
}
