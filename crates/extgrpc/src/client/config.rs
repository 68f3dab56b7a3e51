//! The cloud-config of the upstream autoscaler: YAML with the keys that it has there.
//!
//! ```yaml
//! address: "provider.example:8086"
//! key: /etc/tls/tls.key        # without cert, key and cacert the connection is plaintext
//! cert: /etc/tls/tls.crt
//! cacert: /etc/tls/ca.crt
//! grpc_timeout: 5s
//! ```

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use plimsoll_manifest::{duration, flags::did_you_mean};
use plimsoll_net::{
    pki::Identity,
    tls::{TlsError, client_config},
};
use serde::{Deserialize, de::IgnoredAny};
use serde_saphyr::{Location, Spanned};
use thiserror::Error;
use tracing::warn;

use crate::address::Address;

/// Upstream's, too.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// Where an external provider is, and how to speak to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudConfig {
    /// Where.
    pub address: Address,
    /// With which certificates; `None` for plaintext.
    pub tls: Option<CertificateFiles>,
    /// How long a call may take.
    pub timeout: Duration,
}

/// Files of certificates. They are read for every new connection, so that renewed ones are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The client's private key.
    pub key: PathBuf,
    /// The client's certificate.
    pub cert: PathBuf,
    /// The authority that the server's certificate is from; no other is trusted.
    pub cacert: PathBuf,
}

/// A cloud-config that cannot be used, in one line: where, and what is wrong.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Something in the file is wrong.
    #[error("{place}: {problem}")]
    Wrong {
        /// File, line and column.
        place: String,
        /// What.
        problem: String,
    },
}

/// Certificates as they are in their files.
#[derive(Debug)]
pub(crate) struct Certificates {
    pub(crate) authority: String,
    pub(crate) identity: Identity,
}

/// What is written.
#[derive(Debug, Deserialize)]
struct Written {
    address: Option<Spanned<String>>,
    key: Option<Spanned<String>>,
    cert: Option<Spanned<String>>,
    cacert: Option<Spanned<String>>,
    grpc_timeout: Option<Spanned<String>>,
}

/// The keys there are.
const KEYS: [&str; 5] = ["address", "key", "cert", "cacert", "grpc_timeout"];

// === impl CloudConfig ===

impl CloudConfig {
    /// Reads a file, and the certificates that it names, without contacting anybody.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path)
            .map_err(|cause| ConfigError::Unreadable { path: path.to_owned(), cause })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a text that stands in `file`, and the certificates that it names.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let whole = |problem: &str| wrong(file, None, problem);
        if text.trim().is_empty() {
            return Err(whole("address is missing"));
        }
        let options = serde_saphyr::options! { with_snippet: false };
        let written: Written = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| syntax(file, &error))?;
        for problem in unknown_keys(file, text) {
            warn!("{problem}");
        }

        let set = |key: &Option<Spanned<String>>| key.as_ref().is_some_and(|v| !v.value.is_empty());
        let Some(address) = written.address.as_ref().filter(|_| set(&written.address)) else {
            return Err(whole("address is missing"));
        };
        let at =
            |key: &Spanned<String>, problem: String| wrong(file, Some(&key.referenced), &problem);
        let tls = match (&written.cert, &written.key, &written.cacert) {
            (Some(cert), Some(key), Some(cacert))
                if set(&written.cert) && set(&written.key) && set(&written.cacert) =>
            {
                let files = CertificateFiles {
                    key: key.value.clone().into(),
                    cert: cert.value.clone().into(),
                    cacert: cacert.value.clone().into(),
                };
                files.check().map_err(|(which, problem)| {
                    let place = match which {
                        "key" => key,
                        "cacert" => cacert,
                        _ => cert,
                    };
                    at(place, format!("{which}: {problem}"))
                })?;
                Some(files)
            }
            _ => {
                let keys =
                    [("cert", &written.cert), ("key", &written.key), ("cacert", &written.cacert)];
                let missing =
                    keys.iter().find(|(_, value)| !set(value)).map_or("", |(name, _)| name);
                if let Some((name, Some(value))) = keys.iter().find(|(_, value)| set(value)) {
                    let problem = format!(
                        "{name} is given without {missing}: TLS needs cert, key and cacert, plaintext none of them"
                    );
                    return Err(at(value, problem));
                }
                None
            }
        };
        let timeout = match &written.grpc_timeout {
            None => DEFAULT_TIMEOUT,
            Some(text) => duration::parse(&text.value)
                .and_then(|timeout| Duration::try_from(timeout).ok())
                .filter(|timeout| !timeout.is_zero())
                .ok_or_else(|| {
                    let problem = "is not a duration above zero, such as 5s or 1m30s";
                    at(text, format!("grpc_timeout: {:?} {problem}", text.value))
                })?,
        };
        let address = Address::parse(&address.value)
            .map_err(|problem| at(address, format!("address: {:?} {problem}", address.value)))?;
        Ok(Self { address, tls, timeout })
    }
}

// === impl CertificateFiles ===

impl CertificateFiles {
    /// What is in the files now.
    pub(crate) fn read(&self) -> Result<Certificates, (&'static str, String)> {
        let text = |which, path: &Path| {
            fs::read_to_string(path)
                .map_err(|error| (which, format!("cannot read {}: {error}", path.display())))
        };
        Ok(Certificates {
            authority: text("cacert", &self.cacert)?,
            identity: Identity {
                certificate: text("cert", &self.cert)?,
                key: text("key", &self.key)?.into(),
            },
        })
    }

    /// Whether they can be used, and if not, which of them and why.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let certificates = self.read()?;
        let Certificates { authority, identity } = &certificates;
        let problem = |which| move |error: TlsError| (which, error.to_string());
        client_config(authority, None).map_err(problem("cacert"))?;
        client_config(authority, Some(identity)).map_err(|error| match &error {
            TlsError::Unusable { what: "key", .. } => problem("key")(error),
            _ => problem("cert")(error),
        })?;
        Ok(())
    }
}

/// Keys that have no meaning, each with its place. The upstream autoscaler passes over them without a word.
fn unknown_keys(file: &str, text: &str) -> Vec<String> {
    let Ok(keys) = serde_saphyr::from_str::<BTreeMap<String, Option<IgnoredAny>>>(text) else {
        return Vec::new();
    };
    let place = |key: &str| {
        let is_it = |line: &str| {
            let line = line.trim_start().trim_start_matches(['"', '\'', '{']).trim_start();
            let rest = line.strip_prefix(key)?.trim_start_matches(['"', '\'']).trim_start();
            rest.starts_with(':').then_some(())
        };
        let line = text.lines().position(|line| is_it(line).is_some());
        line.map_or_else(|| file.to_owned(), |line| format!("{file}:{}", line + 1))
    };
    let unknown = keys.keys().filter(|key| !KEYS.contains(&key.as_str()));
    unknown.map(|key| format!("{}: {}", place(key), did_you_mean("key", key, KEYS))).collect()
}

fn wrong(file: &str, location: Option<&Location>, problem: &str) -> ConfigError {
    let place = match location {
        Some(at) if at.line() > 0 => format!("{file}:{}:{}", at.line(), at.column()),
        _ => file.to_owned(),
    };
    ConfigError::Wrong { place, problem: problem.to_owned() }
}

fn syntax(file: &str, error: &serde_saphyr::Error) -> ConfigError {
    let location = error.location();
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    // The place stands in front.
    let suffix = location
        .map(|at| format!(" at line {}, column {}", at.line(), at.column()))
        .unwrap_or_default();
    wrong(file, location.as_ref(), text.strip_suffix(&suffix).unwrap_or(text))
}

#[cfg(test)]
mod tests;
