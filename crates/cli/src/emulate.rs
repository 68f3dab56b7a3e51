//! `plimsoll emulate`: the service of an infrastructure without the infrastructure.

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
};

use anyhow::{Context as _, anyhow};
use clap::{Args, Subcommand};
use plimsoll_minicluster::kubelet::{Behaviour, Kubeconfig, Kubelets, Remote};
use plimsoll_net::{Clock, Shutdown, tls};
use plimsoll_providers::{Joins, joins, slicer, stackpoint};

use crate::{failure::Failure, listen, log};

/// Which service.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A Slicer host, with host groups from a file.
    Slicer(Arguments),
    /// StackPointCloud, with node pools from a file.
    #[command(alias = "spc", alias = "nks")]
    Stackpoint(Arguments),
}

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to listen; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = listen::parse)]
    listen: SocketAddr,
    /// What it offers, YAML or JSON.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The cluster that its machines join, as fake nodes. Without it they boot and join nothing.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

/// An emulated service.
enum Service {
    Slicer(slicer::emulator::Emulator),
    StackPoint(stackpoint::emulator::Emulator),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    log::start();
    tls::install_default();
    let (Command::Slicer(arguments) | Command::Stackpoint(arguments)) = command;
    let clock = Clock::system();
    let service = command.service(clock).map_err(Failure::Input)?;
    let nodes = arguments.kubeconfig.as_ref().map(|path| {
        let kubeconfig = Kubeconfig::read(path).and_then(|kubeconfig| Remote::new(&kubeconfig));
        kubeconfig.with_context(|| format!("--kubeconfig {}", path.display()))
    });
    let nodes = nodes.transpose().map_err(Failure::Input)?;
    let nodes = nodes.map(|remote| Kubelets::new(Arc::new(remote), clock, Behaviour::default()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    runtime.block_on(serve(arguments, &service, nodes))
}

/// Serves until the process is asked to end.
async fn serve(
    arguments: &Arguments,
    service: &Service,
    nodes: Option<Kubelets>,
) -> Result<(), Failure> {
    let shutdown = Shutdown::new();
    let signals = shutdown.clone();
    tokio::spawn(async move { signals.on_signal().await });
    let listener = listen::bind(arguments.listen).await.map_err(Failure::Input)?;
    let address = listener.local_addr().map_err(|error| Failure::Running(anyhow!(error)))?;
    writeln!(io::stdout(), "It answers at http://{address} until Ctrl-C.")?;
    let joins: Box<dyn Joins> = match nodes {
        Some(kubelets) => {
            let (running, stop) = (kubelets.clone(), shutdown.clone());
            tokio::spawn(async move { running.run(&stop).await });
            // The nodes of machines that are gone fall silent.
            let gone = kubelets.clone();
            Box::new(joins(move |node| kubelets.add(node), move |name| gone.vanish(name)))
        }
        None => Box::new(joins(|_| {}, |_| {})),
    };
    match service {
        Service::Slicer(host) => {
            tokio::join!(host.serve(listener, &shutdown), host.run(&*joins, shutdown.clone()));
        }
        Service::StackPoint(cloud) => {
            tokio::join!(cloud.serve(listener, &shutdown), cloud.run(&*joins, shutdown.clone()));
        }
    }
    Ok(())
}

// === impl Command ===

impl Command {
    fn service(&self, clock: Clock) -> anyhow::Result<Service> {
        Ok(match self {
            Self::Slicer(arguments) => {
                let settings = slicer::emulator::HostSettings::load(&arguments.config)?;
                Service::Slicer(slicer::emulator::Emulator::new(settings, clock))
            }
            Self::Stackpoint(arguments) => {
                let offer = stackpoint::emulator::Offer::load(&arguments.config)?;
                Service::StackPoint(stackpoint::emulator::Emulator::new(offer, clock))
            }
        })
    }
}
