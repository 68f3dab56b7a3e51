//! Questions to a running autoscaler, over HTTP.

use std::{fs, net::IpAddr, path::PathBuf, time::Duration};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use plimsoll_net::tls;
use serde_json::Value;

use crate::failure::{Failure, HELP};

/// Longer than the autoscaler itself waits for anything.
const PATIENCE: Duration = Duration::from_secs(40);

/// Whom to ask, and how to show the answer.
#[derive(Debug, Args)]
#[group(id = "asking")]
pub(crate) struct Arguments {
    /// Where the autoscaler answers, as its flag --address says.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8085")]
    server: String,
    /// File with a bearer token that the API server accepts. Other machines than the autoscaler's own need one.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Send the token also over http:// to another machine, where others may read it on its way.
    #[arg(long, requires = "token_file")]
    insecure: bool,
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
        let mut request = client.get(url.clone()).query(query);
        if let Some(token) = self.token(&url)? {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(unreached)?;
        let code = response.status();
        let body = response.bytes().await.map_err(unreached)?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if code.is_success() && !answer.is_null() {
            return Ok(answer);
        }
        let text = |key: &str| answer.get(key).and_then(Value::as_str);
        let said = match (text("error"), text("help")) {
            (Some(error), Some(help)) => format!("{error}{HELP}{help}"),
            (Some(error), None) => error.to_owned(),
            (None, _) => format!("{server} answers {code} and not like an autoscaler"),
        };
        // A name that nobody has is the asker's mistake; an autoscaler that cannot tell yet is not.
        if code.is_client_error() && !answer.is_null() {
            Err(Failure::Input(anyhow!(said)))
        } else {
            Err(Failure::Running(anyhow!(said)))
        }
    }

    /// The token to send, if there is one and the way to the server keeps it secret.
    fn token(&self, url: &reqwest::Url) -> Result<Option<String>, Failure> {
        let Some(path) = &self.token_file else { return Ok(None) };
        if !self.insecure && url.scheme() != "https" && !is_local(url) {
            let host = url.host_str().unwrap_or_default();
            return Err(Failure::Input(anyhow!(
                "--token-file: the token would be sent to {host} over plaintext HTTP{HELP}use https://, or kubectl port-forward; or say --insecure"
            )));
        }
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the token file {}", path.display()))
            .map_err(Failure::Input)?;
        match text.trim() {
            "" => Err(Failure::Input(anyhow!("the token file {} is empty", path.display()))),
            token => Ok(Some(token.to_owned())),
        }
    }
}

/// Whether a server is on this machine.
fn is_local(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address: Result<IpAddr, _> = host.trim_matches(['[', ']']).parse();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// The innermost reason, which is the one that helps.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    inner.to_string()
}
