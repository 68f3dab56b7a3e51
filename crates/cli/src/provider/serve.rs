//! `plimsoll provider serve`: any infrastructure at the port of the externalgrpc protocol.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use plimsoll_extgrpc::{Server, ServerSettings};
use plimsoll_model::GroupOptions;
use plimsoll_net::{
    Clock, Shutdown,
    listen::{Limits, is_loopback, serve_within},
    metrics::Metrics,
    tls::{self, ServerTls},
};
use prometheus_client::registry::Registry;
use tower::service_fn;
use tracing::warn;

use super::open::{self, Infrastructure};
use crate::{
    failure::{Failure, HELP},
    listen, log,
};

/// Flags are those of the upstream's example server.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    infrastructure: open::Arguments,
    /// Where to listen [default: :8086 with certificates, 127.0.0.1:8086 without].
    #[arg(long, value_name = "ADDRESS", value_parser = listen::parse)]
    address: Option<SocketAddr>,
    /// Listen on other addresses than loopback also without certificates: every caller may then create and delete machines.
    #[arg(long)]
    insecure: bool,
    /// Private key of the server, PEM. With --cert and --ca-cert; without all three the port is plaintext, and on loopback only.
    #[arg(long, value_name = "FILE")]
    key_cert: Option<PathBuf>,
    /// Certificate of the server, PEM.
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
    /// Authority that signed the certificates of clients, PEM. Others are not let in.
    #[arg(long, value_name = "FILE")]
    ca_cert: Option<PathBuf>,
    /// Where to offer metrics, at /metrics; nowhere when not given.
    #[arg(long, value_name = "ADDRESS", value_parser = listen::parse)]
    metrics_address: Option<SocketAddr>,
}

/// Where and how to serve.
struct Port {
    address: SocketAddr,
    /// With these files a client has to show a certificate; without them every client is served.
    certificates: Option<ServerTls>,
}

/// The port of upstream's example server.
const PORT: u16 = 8086;

/// How long the provider has for its farewell.
const CLOSING: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::start();
    tls::install_default();
    let clock = Clock::system();
    let defaults = GroupOptions::default();
    let mut infrastructure = Infrastructure::open(&arguments.infrastructure, clock, &defaults)
        .map_err(Failure::Input)?;
    let certificates = certificates(arguments).map_err(Failure::Input)?;
    let address = address(arguments, certificates.as_ref()).map_err(Failure::Input)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    let served = runtime.block_on(async {
        infrastructure.ask().await.map_err(Failure::Input)?;
        let port = Port { address, certificates };
        serve(port, arguments.metrics_address, &infrastructure, clock)
            .await
            .map_err(Failure::Running)
    });
    // Neither must a look-up of a name that hangs.
    runtime.shutdown_background();
    served
}

/// All three files or none.
fn certificates(arguments: &Arguments) -> Result<Option<ServerTls>> {
    let Arguments { key_cert, cert, ca_cert, .. } = arguments;
    match (cert, key_cert, ca_cert) {
        (Some(cert), Some(key), Some(clients)) => {
            Ok(Some(ServerTls::from_files(cert, key, Some(clients))?))
        }
        (None, None, None) => Ok(None),
        _ => Err(anyhow!("--key-cert, --cert and --ca-cert go together; one of them is missing")),
    }
}

/// Where to listen. Without certificates callers are not asked who they are, so only those on this machine are let in, unless the
/// user says otherwise.
fn address(arguments: &Arguments, certificates: Option<&ServerTls>) -> Result<SocketAddr> {
    let everywhere = SocketAddr::from((Ipv6Addr::UNSPECIFIED, PORT));
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
    if certificates.is_some() {
        return Ok(arguments.address.unwrap_or(everywhere));
    }
    let address = arguments.address.unwrap_or(here);
    if is_loopback(address) {
        return Ok(address);
    }
    if !arguments.insecure {
        return Err(anyhow!(
            "--address: without certificates, every caller that reaches {address} may create and delete machines{HELP}give --cert, --key-cert and --ca-cert; listen on 127.0.0.1; or say --insecure"
        ));
    }
    warn!(%address, "provider is served without certificates: every caller that reaches the address may create and delete machines");
    Ok(address)
}

async fn serve(
    Port { address, certificates }: Port,
    metrics_address: Option<SocketAddr>,
    infrastructure: &Infrastructure,
    clock: Clock,
) -> Result<()> {
    let shutdown = Shutdown::new();
    infrastructure.start(&shutdown);
    let provider = &infrastructure.provider;
    let server = Server::new(Arc::clone(provider), ServerSettings::default(), clock);
    let listener = listen::bind(address).await?;
    let mut registry = Registry::with_prefix("plimsoll");
    server.register(&mut registry);
    if let Some(address) = metrics_address {
        offer_metrics(listen::bind(address).await?, Metrics::new(registry), &shutdown);
    }
    let signals = shutdown.clone();
    tokio::spawn(async move { signals.on_signal().await });
    server.serve(listener, certificates, &shutdown).await.context("cannot serve")?;
    // A provider that does not answer must not hold up the end.
    let _ = tokio::time::timeout(CLOSING, provider.close()).await;
    Ok(())
}

fn offer_metrics(listener: tokio::net::TcpListener, metrics: Metrics, shutdown: &Shutdown) {
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        let service = service_fn(move |request| {
            let metrics = metrics.clone();
            async move { metrics.answer(&request) }
        });
        let grace = ServerSettings::default().grace;
        serve_within(listener, Limits::default(), service, &shutdown, grace).await;
    });
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use plimsoll_net::{pki::Authority, tls::Clients};

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        serve: Arguments,
    }

    fn address_of(words: &[&str], certificates: Option<&ServerTls>) -> Option<String> {
        let line = Line::try_parse_from([&["serve"], words].concat()).unwrap();
        address(&line.serve, certificates).ok().map(|address| address.to_string())
    }

    #[test]
    fn a_port_is_open_to_other_machines_only_with_certificates_or_when_told_so() {
        let authority = Authority::new("test", Clock::system().now()).unwrap();
        let server = authority.server(&["localhost"]).unwrap();
        let tls = ServerTls::from_pem(&server, Clients::Required(authority.certificate())).unwrap();
        let address = |words: &[&str]| address_of(words, None);
        assert_eq!(address(&[]).unwrap(), "127.0.0.1:8086");
        assert_eq!(address(&["--address=[::1]:1"]).unwrap(), "[::1]:1");
        assert_eq!(address(&["--address=:8086"]), None);
        assert_eq!(address(&["--address=10.0.0.7:1"]), None);
        assert_eq!(address(&["--address=:8086", "--insecure"]).unwrap(), "[::]:8086");
        assert_eq!(
            address(&["--insecure"]).unwrap(),
            "127.0.0.1:8086",
            "as little as is asked for"
        );
        assert_eq!(address_of(&[], Some(&tls)).unwrap(), "[::]:8086");
        assert_eq!(address_of(&["--address=10.0.0.7:1"], Some(&tls)).unwrap(), "10.0.0.7:1");
    }
}
