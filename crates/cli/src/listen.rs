//! Addresses to listen on, as the upstream programs take them: `:8086` is every address of the machine.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use anyhow::{Context as _, Result};
use tokio::net::TcpListener;

/// Reads `host:port`, `[host]:port` or `:port`, for a flag.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, String> {
    let problem = || format!("\"{text}\" is not of the form address:port or :port");
    if let Some(port) = text.strip_prefix(':') {
        let port = port.parse().map_err(|_| problem())?;
        return Ok(SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port));
    }
    text.replacen("localhost:", "127.0.0.1:", 1).parse().map_err(|_| problem())
}

/// Takes the port.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}
