//! Reads a kubeconfig.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plimsoll_net::pki::Identity;
use secrecy::SecretString;
use serde_json::Value;
use thiserror::Error;

use crate::read::{is_true, items, text};

/// Where a cluster is and how to prove who one is: the current context of a kubeconfig.
#[derive(Clone, Debug)]
pub struct Kubeconfig {
    /// The address, such as `https://127.0.0.1:6443`.
    pub server: String,
    /// The certificate (PEM) by which the server is known; empty without TLS.
    pub authority: String,
    /// A certificate of the client.
    pub identity: Option<Identity>,
    /// A token of the client.
    pub token: Option<SecretString>,
}

/// A kubeconfig cannot be used.
#[derive(Debug, Error)]
pub enum KubeconfigError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not YAML.
    #[error("the kubeconfig is not YAML: {0}")]
    Syntax(String),
    /// Something is missing or makes no sense.
    #[error("the kubeconfig's {field} {problem}")]
    Field {
        /// Which field.
        field: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Its certificates cannot be used.
    #[error("the kubeconfig's certificates cannot be used: {0}")]
    Tls(String),
}

// === impl Kubeconfig ===

impl Kubeconfig {
    /// Reads a file. Other files that it names are looked for beside it.
    pub fn read(path: &Path) -> Result<Self, KubeconfigError> {
        let text = read_file(path)?;
        Self::parse(&text, path.parent().unwrap_or_else(|| Path::new("")))
    }

    /// Reads the text of one. Files that it names are looked for in `directory`.
    pub fn parse(yaml: &str, directory: &Path) -> Result<Self, KubeconfigError> {
        let config: Value = serde_saphyr::from_str(yaml)
            .map_err(|error| KubeconfigError::Syntax(first_line(&error.to_string())))?;
        let context = find(&config, "context", text(&config, "/current-context"))?;
        let cluster = find(&config, "cluster", text(context, "/cluster"))?;
        let user = match text(context, "/user") {
            "" => &Value::Null,
            name => find(&config, "user", name)?,
        };
        let server = text(cluster, "/server").to_owned();
        if !server.starts_with("http://") && !server.starts_with("https://") {
            return Err(wrong("server", "is not an address that begins with https:// or http://"));
        }
        if is_true(cluster, "/insecure-skip-tls-verify") {
            let problem = "is not supported: name the authority instead";
            return Err(wrong("insecure-skip-tls-verify", problem));
        }
        let authority = pem(cluster, "certificate-authority", directory)?.unwrap_or_default();
        if server.starts_with("https://") && authority.is_empty() {
            return Err(wrong("certificate-authority-data", "is missing"));
        }
        let certificate = pem(user, "client-certificate", directory)?;
        let identity = match (certificate, pem(user, "client-key", directory)?) {
            (Some(certificate), Some(key)) => Some(Identity { certificate, key: key.into() }),
            (None, None) => None,
            (Some(_), None) => return Err(wrong("client-key", "is missing")),
            (None, Some(_)) => return Err(wrong("client-certificate", "is missing")),
        };
        let token = match (text(user, "/token"), text(user, "/tokenFile")) {
            ("", "") => None,
            ("", file) => Some(read_file(&directory.join(file))?.trim().to_owned().into()),
            (token, _) => Some(token.to_owned().into()),
        };
        Ok(Self { server, authority, identity, token })
    }
}

/// The entry of a list of named things.
fn find<'c>(config: &'c Value, kind: &str, name: &str) -> Result<&'c Value, KubeconfigError> {
    let list = format!("/{kind}s");
    let mut entries = items(config, &list);
    let entry = entries.find(|entry| text(entry, "/name") == name);
    let found = entry.and_then(|entry| entry.get(kind));
    found.ok_or_else(|| wrong(&format!("{kind} \"{name}\""), "is not there"))
}

/// Certificates stand in the file itself, or in a file that it names.
fn pem(holder: &Value, field: &str, directory: &Path) -> Result<Option<String>, KubeconfigError> {
    let embedded = format!("{field}-data");
    let data = text(holder, &format!("/{embedded}"));
    if !data.is_empty() {
        let bytes = STANDARD.decode(data).map_err(|_| wrong(&embedded, "is not base64"))?;
        let pem = String::from_utf8(bytes).map_err(|_| wrong(&embedded, "is not PEM"))?;
        return Ok(Some(pem));
    }
    match text(holder, &format!("/{field}")) {
        "" => Ok(None),
        file => read_file(&directory.join(file)).map(Some),
    }
}

fn read_file(path: &Path) -> Result<String, KubeconfigError> {
    let problem = |source| KubeconfigError::Unreadable { path: path.to_owned(), source };
    fs::read_to_string(path).map_err(problem)
}

fn wrong(field: &str, problem: &'static str) -> KubeconfigError {
    KubeconfigError::Field { field: field.to_owned(), problem }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
