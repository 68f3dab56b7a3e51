//! Questions to a running autoscaler, over HTTP.

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use plimsoll_net::tls;
use serde_json::Value;

use crate::failure::Failure;

/// Longer than the autoscaler itself waits for anything.
const PATIENCE: Duration = Duration::from_secs(40);

/// Whom to ask, and how to show the answer.
#[derive(Debug, Args)]
#[group(id = "asking")]
pub(crate) struct Arguments {
    /// Where the autoscaler answers, as its flag --address says.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8085")]
    server: String,
    /// How the answer is written.
    #[arg(long, short, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// As the autoscaler gave it.
    Json,
    /// Sentences.
    Text,
}

// === impl Arguments ===

impl Arguments {
    /// Asks, and waits for the answer.
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Failure> {
        tls::install_default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::Running(error.into()))?;
        runtime.block_on(self.get(path, query))
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Failure> {
        let server = self.server.trim_end_matches('/');
        let server =
            if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
        let url = format!("{server}{path}");
        let url: reqwest::Url =
            url.parse().with_context(|| format!("--server {server}")).map_err(Failure::Input)?;
        let client = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build();
        let client = client.map_err(|error| Failure::Running(error.into()))?;
        let unreached = |error: reqwest::Error| {
            let hint = "is it running, and is --server right?";
            Failure::Running(anyhow!(
                "no autoscaler answers at {server}: {}; {hint}",
                cause(&error)
            ))
        };
        let response = client.get(url).query(query).send().await.map_err(unreached)?;
        let code = response.status();
        let body = response.bytes().await.map_err(unreached)?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if code.is_success() && !answer.is_null() {
            return Ok(answer);
        }
        let said = match answer.get("error").and_then(Value::as_str) {
            Some(error) => error.to_owned(),
            None => format!("{server} answers {code} and not like an autoscaler"),
        };
        // A name that nobody has is the asker's mistake; an autoscaler that cannot tell yet is not.
        if code.is_client_error() && !answer.is_null() {
            Err(Failure::Input(anyhow!(said)))
        } else {
            Err(Failure::Running(anyhow!(said)))
        }
    }
}

/// The innermost reason, which is the one that helps.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    inner.to_string()
}
