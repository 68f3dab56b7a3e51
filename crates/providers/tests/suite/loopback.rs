//! An honest provider, served over the externalgrpc protocol and used over it again: what comes out has to be a provider still.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures::StreamExt as _;
use plimsoll_extgrpc::{
    Address, CertificateFiles, CloudConfig, ExternalGrpc, Server, ServerSettings,
};
use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_net::{
    Clock, Shutdown,
    pki::{Authority, Identity},
    tls::ServerTls,
};
use plimsoll_provider::{
    NodeIdentity, Provider,
    conformance::{self, Check, Knob, Machine, NoSuchKnob, Report, TestGroup, Testbed},
};
use plimsoll_providers::simulated::testbed::SimulatedTestbed;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// The simulated infrastructure behind a server and a client.
struct Loopback {
    inner: SimulatedTestbed,
    certificates: TempDir,
    /// Ends the servers with the check.
    shutdown: Shutdown,
}

impl Loopback {
    fn new() -> Self {
        let certificates = tempfile::tempdir().unwrap();
        let authority = Authority::new("loopback", Clock::system().now()).unwrap();
        let write = |name: &str, identity: &Identity| {
            let path = |suffix: &str| certificates.path().join(format!("{name}.{suffix}"));
            fs::write(path("crt"), &identity.certificate).unwrap();
            fs::write(path("key"), identity.key_pem()).unwrap();
        };
        write("server", &authority.server(&["127.0.0.1"]).unwrap());
        write("client", &authority.client("client", None).unwrap());
        fs::write(certificates.path().join("ca.crt"), authority.certificate()).unwrap();
        let inner = SimulatedTestbed::new().unwrap();
        Self { inner, certificates, shutdown: Shutdown::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.certificates.path().join(name)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

#[async_trait]
impl Testbed for Loopback {
    /// Both sides are new, and have lost all memory.
    async fn connect(&self) -> Arc<dyn Provider> {
        let (cert, key) = (self.path("server.crt"), self.path("server.key"));
        let tls = ServerTls::from_files(&cert, &key, Some(&self.path("ca.crt"))).unwrap();
        let settings = ServerSettings { grace: Duration::ZERO, ..ServerSettings::default() };
        let server = Server::new(self.inner.connect().await, settings, Clock::system());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shutdown = self.shutdown.clone();
        tokio::spawn(async move { server.serve(listener, Some(tls), &shutdown).await });
        let config = CloudConfig {
            address: Address::parse(&address).unwrap(),
            tls: Some(CertificateFiles {
                key: self.path("client.key"),
                cert: self.path("client.crt"),
                cacert: self.path("ca.crt"),
            }),
            timeout: Duration::from_mins(1),
        };
        let client = |config| {
            ExternalGrpc::new("loopback", config, GroupOptions::default(), Clock::system())
        };
        // The server has looked once before a check turns its knobs, whatever came of it.
        let _ = client(config.clone()).refresh().await;
        Arc::new(client(config))
    }

    fn groups(&self) -> Vec<TestGroup> {
        self.inner.groups()
    }

    async fn machines(&self) -> Vec<Machine> {
        self.inner.machines().await
    }

    async fn target(&self, group: Symbol) -> u32 {
        self.inner.target(group).await
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        self.inner.turn(knob).await
    }

    async fn settle(&self) {
        self.inner.settle().await;
    }

    fn node(&self, machine: &Machine) -> NodeIdentity {
        self.inner.node(machine)
    }

    fn unknown_machine(&self) -> Box<str> {
        self.inner.unknown_machine()
    }
}

/// What the protocol cannot carry, and what the server refuses where a provider would not.
///
/// A node that no group has and one that is gone look the same: an empty group. And the upstream autoscaler's server side keeps
/// healthy machines of a group that is at its minimum.
const NOT_PROMISED: [&str; 2] =
    ["deletion_below_the_minimum_is_done", "foreign_machine_is_refused"];

/// The time is real, because it is not the runtime's alone, so checks wait side by side.
const SIDE_BY_SIDE: usize = 64;

#[tokio::test]
async fn a_provider_through_the_protocol_keeps_its_promises() {
    let run = |check: &'static Check| async move {
        let report =
            conformance::run_some(async || Loopback::new(), |other| other.name == check.name);
        report.await.results
    };
    let results: Vec<_> =
        futures::stream::iter(conformance::checks()).map(run).buffered(SIDE_BY_SIDE).concat().await;
    let report = Report { results };
    let failed: Vec<_> = report.failed().collect();
    assert_eq!(failed, NOT_PROMISED, "{report}");
    let passed = report.passed().count();
    assert!(passed >= 115, "only {passed} checks were made\n{report}");
}
