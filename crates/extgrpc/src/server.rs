//! Any provider, served to the upstream autoscaler.
//!
//! Nobody who asks waits for the infrastructure: answers come from the last inventory, which a task of its own keeps fresh, with
//! what was told since laid over it. Wishes go to the provider and are carried out to their end even when the caller has gone.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use plimsoll_net::{Clock, Shutdown, listen, tls::ServerTls};
use plimsoll_provider::{Kept, Provider};
use prometheus_client::registry::Registry;
use thiserror::Error;
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic_health::{ServingStatus, server::HealthReporter};
use tracing::info;

use crate::proto;
use metrics::Metrics;
use protocol::cloud_provider_server::CloudProviderServer;
use service::Service;
use state::State;
use watched::Watched;

mod answers;
mod deadline;
mod metrics;
mod prepared;
mod price;
mod protocol;
mod service;
mod shown;
mod state;
mod told;
mod view;
mod watched;
mod wishes;

/// How a server treats its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// The provider is read this often, and after every wish.
    pub refresh_every: Duration,
    /// What is older than this is not given out any more: callers are told that the provider is away.
    pub stale_after: Duration,
    /// Certificates are looked at this often.
    pub reload_every: Duration,
    /// How long calls and wishes have to finish when the server stops. What has not ended then is left to itself.
    pub grace: Duration,
}

/// A provider at the port of the protocol.
#[derive(Debug)]
pub struct Server {
    state: Arc<State>,
    settings: ServerSettings,
    metrics: Metrics,
}

/// The server cannot start.
#[derive(Debug, Error)]
#[error("the reflection service cannot describe the protocol: {0}")]
pub struct ServerError(#[from] tonic_reflection::server::Error);

/// Messages of requests are small; a large one is a mistake or an attack.
const LARGEST_REQUEST: usize = 16 << 20;

/// How often the health service is told how the provider is.
const HEALTH_EVERY: Duration = Duration::from_secs(1);

// === impl ServerSettings ===

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            refresh_every: Duration::from_secs(10),
            stale_after: Duration::from_mins(2),
            reload_every: Duration::from_secs(30),
            grace: Duration::from_secs(10),
        }
    }
}

// === impl Server ===

impl Server {
    /// A server for this provider.
    pub fn new(provider: Arc<dyn Provider>, settings: ServerSettings, clock: Clock) -> Self {
        let stale_after =
            SignedDuration::try_from(settings.stale_after).unwrap_or(SignedDuration::MAX);
        let state = Arc::new(State::new(provider, clock, stale_after));
        Self { state, settings, metrics: Metrics::default() }
    }

    /// Adds its metrics.
    pub fn register(&self, registry: &mut Registry) {
        self.metrics.register(registry);
    }

    /// Waits until the provider has been looked at, whatever came of it. Needs [`Server::serve`] to be running.
    pub async fn looked(&self) {
        let has_looked = |kept: &Kept| kept.as_of.is_some() || kept.failing.is_some();
        // The sender lives as long as the state.
        let _ = self.state.keeper.subscribe().wait_for(has_looked).await;
    }

    /// Serves until `shutdown`; then calls and wishes that are under way finish first. Plaintext without `tls`.
    pub async fn serve(
        &self,
        listener: TcpListener,
        tls: Option<ServerTls>,
        shutdown: &Shutdown,
    ) -> Result<(), ServerError> {
        let (reporter, health) = tonic_health::server::health_reporter();
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let protocol = CloudProviderServer::new(Service::new(Arc::clone(&self.state)))
            .max_decoding_message_size(LARGEST_REQUEST)
            .max_encoding_message_size(usize::MAX);
        let others = Routes::new(health)
            .add_service(reflection().build_v1()?)
            .add_service(reflection().build_v1alpha()?);
        let service = Watched::new(protocol, others, self.metrics.clone());

        let address = listener.local_addr().ok();
        info!(provider = self.state.provider().name(), ?address, "serving externalgrpc");
        let port = async {
            listen::serve(listener, tls.clone(), service, shutdown, self.settings.grace).await;
            self.state.at_rest().await;
        };
        let patience = async {
            shutdown.wait().await;
            tokio::time::sleep(self.settings.grace).await;
        };
        // Calls that finish need what runs beside them, so that ends with the port and not with the signal.
        let until_dropped = Shutdown::new();
        let certificates = async {
            match &tls {
                Some(tls) => tls.follow(self.settings.reload_every, &until_dropped).await,
                None => until_dropped.wait().await,
            }
        };
        let beside = async {
            tokio::join!(
                certificates,
                self.state.keeper.run(self.settings.refresh_every, &until_dropped),
                self.report_health(&reporter, shutdown),
            )
        };
        tokio::select! {
            () = port => Ok(()),
            () = patience => Ok(()),
            _ = beside => Ok(()),
        }
    }

    /// Tells the health service whether the provider can be answered for.
    async fn report_health(&self, reporter: &HealthReporter, shutdown: &Shutdown) {
        let name = <CloudProviderServer<Service> as tonic::server::NamedService>::NAME;
        let mut changes = self.state.keeper.subscribe();
        loop {
            let status = match self.state.known() {
                Ok(_) => ServingStatus::Serving,
                Err(_) => ServingStatus::NotServing,
            };
            for service in ["", name] {
                reporter.set_service_status(service, status).await;
            }
            tokio::select! {
                () = shutdown.wait() => break,
                // The sender lives as long as the state.
                _ = changes.changed() => {}
                () = tokio::time::sleep(HEALTH_EVERY) => {}
            }
        }
        for service in ["", name] {
            reporter.set_service_status(service, ServingStatus::NotServing).await;
        }
    }
}
