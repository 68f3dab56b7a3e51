//! An honest provider, served over the externalgrpc protocol and used over it again: what comes out has to be a provider still.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, LazyLock},
    time::Duration,
};

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
    Home, NodeIdentity, Provider,
    conformance::{self, Check, Knob, Machine, NoSuchKnob, Report, TestGroup, Testbed},
};
use plimsoll_providers::simulated::testbed::SimulatedTestbed;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// The simulated infrastructure behind a server and a client.
struct Loopback {
    inner: SimulatedTestbed,
    /// Ends the servers with the check.
    shutdown: Shutdown,
}

impl Loopback {
    fn new() -> Self {
        Self { inner: SimulatedTestbed::new().unwrap(), shutdown: Shutdown::new() }
    }
}

/// The file of this name among the certificates, which are the same for all checks.
fn path(name: &str) -> PathBuf {
    static CERTIFICATES: LazyLock<TempDir> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::new("loopback", Clock::system().now()).unwrap();
        let write = |name: &str, identity: &Identity| {
            let path = |suffix: &str| directory.path().join(format!("{name}.{suffix}"));
            fs::write(path("crt"), &identity.certificate).unwrap();
            fs::write(path("key"), identity.key_pem()).unwrap();
        };
        write("server", &authority.server(&["127.0.0.1"]).unwrap());
        write("client", &authority.client("client", None).unwrap());
        fs::write(directory.path().join("ca.crt"), authority.certificate()).unwrap();
        directory
    });
    CERTIFICATES.path().join(name)
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
        let (cert, key) = (path("server.crt"), path("server.key"));
        let tls = ServerTls::from_files(&cert, &key, Some(&path("ca.crt"))).unwrap();
        let settings = ServerSettings { grace: Duration::ZERO, ..ServerSettings::default() };
        let server = Arc::new(Server::new(self.inner.connect().await, settings, Clock::system()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shutdown = self.shutdown.clone();
        let serving = Arc::clone(&server);
        tokio::spawn(async move { serving.serve(listener, Some(tls), &shutdown).await });
        let config = CloudConfig {
            address: Address::parse(&address).unwrap(),
            tls: Some(CertificateFiles {
                key: path("client.key"),
                cert: path("client.crt"),
                cacert: path("ca.crt"),
            }),
            timeout: Duration::from_mins(1),
        };
        // The server has looked once before a check turns its knobs, whatever came of it.
        server.looked().await;
        Arc::new(ExternalGrpc::new(
            "loopback",
            config,
            GroupOptions::default(),
            Home::alone(Clock::system()),
        ))
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

    async fn deletions_begun(&self, machine: &str) -> Option<u32> {
        self.inner.deletions_begun(machine).await
    }

    fn node(&self, machine: &Machine) -> NodeIdentity {
        self.inner.node(machine)
    }

    fn unknown_machine(&self) -> Box<str> {
        self.inner.unknown_machine()
    }
}

/// What cannot be tried: the protocol has no names for orders, no stock and one answer for all machines, and makes no groups; the
/// minimum is kept, machines of no group are not seen; and there are no secrets.
const UNTRIED: [&str; 12] = [
    "same_order_after_its_machines_were_deleted_buys_nothing",
    "stock_is_honest",
    "deletion_of_a_mixed_bag",
    "deletion_below_the_minimum_is_done",
    "foreign_machine_is_refused",
    "errors_contain_no_secret",
    "orders_at_once_all_count",
    "orders_and_deletions_at_once_add_up",
    "group_can_be_made",
    "group_is_made_once",
    "group_can_be_removed",
    "group_with_machines_is_kept",
];

/// Sockets keep real time, so checks wait side by side.
const SIDE_BY_SIDE: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_through_the_protocol_keeps_its_promises() {
    let run = |check: &'static Check| async move {
        let report =
            conformance::run_some(async || Loopback::new(), |other| other.name == check.name);
        report.await.results
    };
    let results: Vec<_> =
        futures::stream::iter(conformance::checks()).map(run).buffered(SIDE_BY_SIDE).concat().await;
    let report = Report { results };
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert_eq!(untried, UNTRIED, "everything else can be tried\n{report}");
}
