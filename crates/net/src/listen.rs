//! Serving HTTP/1.1 and HTTP/2 on one port, with or without TLS.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto,
        graceful::{GracefulShutdown, Watcher},
    },
    service::TowerToHyperService,
};
use rustls::pki_types::CertificateDer;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tower::{Service, ServiceExt as _};
use tracing::{debug, warn};
use x509_parser::parse_x509_certificate;

use self::connections::{Connections, Counted, Use};
use crate::{Shutdown, tls::ServerTls};

mod connections;

/// Who takes longer than this to agree on TLS is not going to.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How often a quiet HTTP/2 connection is asked whether anybody is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How long to leave the port alone after an accept failed, as it does while the process has too many files open.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// Fewer bytes than this a connection cannot read at once.
const LEAST_BUFFER: usize = 8192;

/// How much callers may ask of a port that strangers reach. Without limits a caller that opens connections and says nothing, or
/// sends a head without an end, costs memory for as long as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time. One more takes the place of the connection that has been without a request for the longest, so
    /// idle callers keep nobody out.
    pub connections: usize,
    /// Bytes in the first line and the headers of a request.
    pub head: usize,
    /// How long a caller has for its first request, and for the head of each.
    pub patience: Duration,
    /// Requests at a time on one connection of HTTP/2.
    pub streams: u32,
}

/// Who is at the other end of a connection. In the extensions of every request.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Where from.
    pub address: SocketAddr,
    /// As whom, when a certificate was shown and its authority is trusted.
    pub certificate: Option<Arc<Subject>>,
}

/// Whom a certificate names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The common name.
    pub name: String,
    /// The organizations.
    pub organizations: Vec<String>,
}

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 256, head: 16 << 10, patience: Duration::from_secs(10), streams: 16 }
    }
}

// === impl Peer ===

impl Peer {
    /// Whether it is a process of this machine or pod: it came over the loopback address. A port that listens on all addresses
    /// sees IPv4 as part of IPv6.
    pub fn is_local(&self) -> bool {
        is_loopback(self.address)
    }
}

/// Whether only processes of this machine or pod reach an address.
pub fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// Serves until `shutdown`; then open requests have `grace` to finish. Callers may ask as much as they like.
///
/// A connection that breaks or talks nonsense ends alone.
pub async fn serve<S, B>(
    listener: TcpListener,
    tls: Option<ServerTls>,
    service: S,
    shutdown: &Shutdown,
    grace: Duration,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    accept(listener, tls, None, service, shutdown, grace).await;
}

/// Serves as [`serve`] does, within limits.
pub async fn serve_within<S, B>(
    listener: TcpListener,
    limits: Limits,
    service: S,
    shutdown: &Shutdown,
    grace: Duration,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    accept(listener, None, Some(limits), service, shutdown, grace).await;
}

async fn accept<S, B>(
    listener: TcpListener,
    tls: Option<ServerTls>,
    limits: Option<Limits>,
    service: S,
    shutdown: &Shutdown,
    grace: Duration,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let graceful = GracefulShutdown::new();
    // Owned here, so that what is left when the grace is over ends with this call.
    let mut connections = Connections::new(limits.map(|limits| limits.connections));
    loop {
        let (stream, address) = tokio::select! {
            () = shutdown.wait() => break,
            () = connections.ended() => continue,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    warn!(%error, "could not accept a connection");
                    tokio::time::sleep(AFTER_FAILURE).await;
                    continue;
                }
            },
        };
        if !connections.has_place() {
            debug!(%address, "connection refused: every other one has a request under way");
            continue;
        }
        // Small answers would otherwise wait for the next packet.
        let _ = stream.set_nodelay(true);
        let use_ = Use::default();
        let watcher = graceful.watcher();
        let (tls, service) = (tls.clone(), Counted::new(service.clone(), use_.clone()));
        let first_request = use_.clone();
        connections.spawn(use_, async move {
            let talk = async move {
                let Some(tls) = tls else {
                    let peer = Peer { address, certificate: None };
                    return converse(stream, peer, limits, service, watcher).await;
                };
                match handshake(stream, &tls).await {
                    Ok(stream) => {
                        let certificates = stream.get_ref().1.peer_certificates();
                        let certificates = certificates.unwrap_or_default();
                        let certificate = certificates.first().and_then(subject).map(Arc::new);
                        let peer = Peer { address, certificate };
                        converse(stream, peer, limits, service, watcher).await;
                    }
                    Err(error) => debug!(%address, %error, "no TLS with this client"),
                }
            };
            match limits {
                Some(limits) => tokio::select! {
                    () = talk => {}
                    () = first_request.is_late(limits.patience) => {
                        debug!(%address, "connection closed: no request came");
                    }
                },
                None => talk.await,
            }
        });
    }
    drop(listener);
    let _ = timeout(grace, graceful.shutdown()).await;
}

async fn handshake(
    stream: TcpStream,
    tls: &ServerTls,
) -> io::Result<tokio_rustls::server::TlsStream<TcpStream>> {
    match timeout(HANDSHAKE, TlsAcceptor::from(tls.config()).accept(stream)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut)),
    }
}

async fn converse<S, B, T>(
    stream: T,
    peer: Peer,
    limits: Option<Limits>,
    service: S,
    watcher: Watcher,
) where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let address = peer.address;
    let service = service.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer.clone());
        request
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // A peer that vanished without a word is noticed, and its connection closed.
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(Some(KEEP_ALIVE));
    builder.http1().timer(TokioTimer::new());
    if let Some(limits) = limits {
        builder.http1().header_read_timeout(limits.patience);
        builder.http1().max_buf_size(limits.head.max(LEAST_BUFFER));
        builder.http2().max_concurrent_streams(limits.streams);
        builder.http2().max_header_list_size(u32::try_from(limits.head).unwrap_or(u32::MAX));
    }
    let connection = builder
        .serve_connection_with_upgrades(TokioIo::new(stream), TowerToHyperService::new(service))
        .into_owned();
    if let Err(error) = watcher.watch(connection).await {
        debug!(%address, %error, "a connection broke");
    }
}

/// Whom a certificate names; `None` for one that cannot be read.
fn subject(certificate: &CertificateDer<'_>) -> Option<Subject> {
    let (_, certificate) = parse_x509_certificate(certificate).ok()?;
    let subject = certificate.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?.to_owned();
    let organizations = subject
        .iter_organization()
        .filter_map(|organization| organization.as_str().ok().map(str::to_owned))
        .collect();
    Some(Subject { name, organizations })
}

#[cfg(test)]
mod tests;
