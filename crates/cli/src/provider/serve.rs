//! `plimsoll provider serve`: any infrastructure at the port of the externalgrpc protocol.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use plimsoll_extgrpc::{Server, ServerSettings};
use plimsoll_model::GroupOptions;
use plimsoll_net::{
    Clock, Shutdown,
    metrics::Metrics,
    tls::{self, ServerTls},
};
use prometheus_client::registry::Registry;
use tower::service_fn;

use super::open::{self, Infrastructure};
use crate::{failure::Failure, listen, log};

/// Flags are those of the upstream's example server.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    infrastructure: open::Arguments,
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS", default_value = ":8086", value_parser = listen::parse)]
    address: SocketAddr,
    /// Private key of the server, PEM. With --cert and --ca-cert; without all three the port is plaintext.
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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    let served = runtime.block_on(async {
        infrastructure.ask().await.map_err(Failure::Input)?;
        serve(arguments, &infrastructure, certificates, clock).await.map_err(Failure::Running)
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

async fn serve(
    arguments: &Arguments,
    infrastructure: &Infrastructure,
    certificates: Option<ServerTls>,
    clock: Clock,
) -> Result<()> {
    let shutdown = Shutdown::new();
    infrastructure.start(&shutdown);
    let provider = &infrastructure.provider;
    let server = Server::new(Arc::clone(provider), ServerSettings::default(), clock);
    let listener = listen::bind(arguments.address).await?;
    let mut registry = Registry::with_prefix("plimsoll");
    server.register(&mut registry);
    if let Some(address) = arguments.metrics_address {
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
        plimsoll_net::listen::serve(listener, None, service, &shutdown, grace).await;
    });
}
