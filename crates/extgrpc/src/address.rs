//! Where a server is, in the forms that Go's gRPC takes, and the way there.

use std::{fmt, io, path::PathBuf, time::Duration};

use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, UnixStream};
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

/// A server's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A host and a port.
    Tcp {
        /// A name, or an address without brackets.
        host: String,
        /// The interface that an address of a link is on.
        zone: Option<String>,
        /// The port.
        port: u16,
    },
    /// A socket of this machine.
    Unix(PathBuf),
}

// === impl Address ===

impl Address {
    /// Reads `host:port`, `[host]:port`, either with a zone behind the host (`fe80::1%eth0`), or `unix:/path`; no host is this machine.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "is not of the form host:port, [host]:port or unix:/path";
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let is_path = path.starts_with('/') && path.len() > 1;
            return if is_path { Ok(Self::Unix(path.into())) } else { Err(FORM) };
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once("]:").ok_or(FORM)?,
            None => text.rsplit_once(':').filter(|(host, _)| !host.contains(':')).ok_or(FORM)?,
        };
        let port =
            port.parse().ok().filter(|port| *port > 0).ok_or("has no port from 1 to 65535")?;
        let (host, zone) = match host.split_once('%') {
            Some((host, zone)) => (host, Some(zone.to_owned())),
            None => (host, None),
        };
        let is_zone = |zone: &String| !zone.is_empty() && !zone.contains(['%', ' ', '/']);
        if zone.as_ref().is_some_and(|zone| !is_zone(zone) || host.is_empty()) {
            return Err("has a zone that cannot be one");
        }
        let host = if host.is_empty() { "localhost" } else { host };
        let address = Self::Tcp { host: host.to_owned(), zone, port };
        let is_host = address.uri("http").parse::<Uri>().is_ok_and(|uri| {
            uri.path() == "/" && uri.query().is_none() && !text.contains(['@', '/', '?', '#'])
        });
        if is_host { Ok(address) } else { Err("has a host that cannot be one") }
    }

    /// The name that a certificate of the server has to have.
    pub(crate) fn server_name(&self) -> &str {
        match self {
            Self::Tcp { host, .. } => host,
            Self::Unix(_) => "localhost",
        }
    }

    /// What a request names as its destination, which has neither a zone nor a path.
    pub(crate) fn uri(&self, scheme: &str) -> String {
        match self {
            Self::Tcp { host, port, .. } if host.contains(':') => {
                format!("{scheme}://[{host}]:{port}")
            }
            Self::Tcp { host, port, .. } => format!("{scheme}://{host}:{port}"),
            Self::Unix(_) => format!("{scheme}://localhost"),
        }
    }

    /// A channel of this endpoint that connects at its first call.
    pub(crate) fn channel(&self, endpoint: &Endpoint) -> Channel {
        match self.clone() {
            Self::Tcp { zone: None, .. } => endpoint.connect_lazy(),
            Self::Tcp { host, zone: Some(zone), port } => {
                let place = format!("{host}%{zone}");
                endpoint.connect_with_connector_lazy(service_fn(move |_: Uri| {
                    let place = place.clone();
                    async move { TcpStream::connect((&*place, port)).await.map(TokioIo::new) }
                }))
            }
            Self::Unix(path) => endpoint.connect_with_connector_lazy(service_fn(move |_: Uri| {
                let path = path.clone();
                async move { UnixStream::connect(path).await.map(TokioIo::new) }
            })),
        }
    }

    /// Connects to a host and a port.
    pub(crate) async fn connect(&self, patience: Duration) -> io::Result<TcpStream> {
        let (place, port) = match self {
            Self::Tcp { host, zone: Some(zone), port } => (format!("{host}%{zone}"), *port),
            Self::Tcp { host, zone: None, port } => (host.clone(), *port),
            Self::Unix(_) => {
                return Err(io::Error::other("a certificate is for a host, not for a socket"));
            }
        };
        match tokio::time::timeout(patience, TcpStream::connect((&*place, port))).await {
            Ok(connected) => connected,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, zone, port } => {
                let zone = zone.as_ref().map(|zone| format!("%{zone}")).unwrap_or_default();
                if host.contains(':') {
                    write!(f, "[{host}{zone}]:{port}")
                } else {
                    write!(f, "{host}{zone}:{port}")
                }
            }
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
