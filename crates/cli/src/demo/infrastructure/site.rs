//! An emulated service, and the way to it.

use std::{
    fmt,
    net::Ipv4Addr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow};
use axum::Router;
use plimsoll_net::{Shutdown, listen};
use plimsoll_providers::rest::{Endpoint, Local, Rest};
use tokio::net::TcpListener;

use super::Way;

/// How long open requests have at the end.
const GRACE: Duration = Duration::from_millis(500);

/// Who the service is asked as where there is no socket.
const USER_AGENT: &str = "plimsoll-demo";

/// An emulated service.
pub(super) struct Site {
    url: String,
    endpoint: Endpoint,
    router: Router,
    /// Until it is served; `None` where there is no socket.
    listener: Mutex<Option<TcpListener>>,
}

// === impl Site ===

impl Site {
    /// Opens the way to a service; `name` is what it is called where it has no address.
    pub(super) async fn open(name: &str, router: Router, way: Way) -> Result<Self> {
        let (url, listener) = match way {
            Way::Sockets => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
                let listener = listener.with_context(|| format!("cannot listen for {name}"))?;
                (format!("http://{}", listener.local_addr()?), Some(listener))
            }
            Way::Direct => (format!("https://{name}"), None),
        };
        let endpoint = Endpoint::parse(&url).map_err(|problem| anyhow!("{url} {problem}"))?;
        Ok(Self { url, endpoint, router, listener: Mutex::new(listener) })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks it without a socket.
    pub(super) fn directly(&self) -> Rest {
        let exchange = Arc::new(Local::new(self.router.clone()));
        Rest::new(exchange, self.endpoint.clone(), USER_AGENT)
    }

    /// Answers at its socket, if it has one, until `shutdown`.
    pub(super) async fn serve(&self, shutdown: &Shutdown) {
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(listener) = listener {
            listen::serve(listener, None, self.router.clone(), shutdown, GRACE).await;
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("url", &self.url).finish_non_exhaustive()
    }
}
