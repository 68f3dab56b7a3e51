//! A real Kubernetes control plane, with RBAC and without kubelets.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use plimsoll_minicluster::server::{Credentials, kubeconfig};
use plimsoll_net::{
    Clock,
    pki::{Authority, Identity},
};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{
    Api, Process, Program,
    audit::{self, Request},
};

/// How often to look whether it is ready.
const LOOK: Duration = Duration::from_millis(100);
/// How often at most: a busy machine may take its time.
const LOOKS: u32 = 3000;
/// How often it is started at most: somebody may take a port between the moment when it was free and the moment when it is used.
const STARTS: u32 = 3;
/// Where the API server writes down who asked for what.
const AUDIT_LOG: &str = "audit.log";
/// What makes controllers notice silent nodes soon, and write as fast as they can.
const HURRY: [&str; 5] = [
    "--node-monitor-period=500ms",
    "--node-monitor-grace-period=20s",
    "--node-eviction-rate=100",
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
];
/// What everybody's certificate but the administrators' is worth.
const NOBODY: Option<&str> = None;

/// Which parts of it run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// All of them.
    Whole,
    /// Only etcd and the API server: whatever happens, the test did it.
    ApiOnly,
    /// Only the scheduler beside them. Nodes are ready when they say so, and pods need no service account.
    Scheduling,
    /// All of them, with little patience for nodes that fall silent: for those who live much faster than it does.
    Hurried,
}

/// A control plane. Dropped, it is gone with everything in it.
#[derive(Debug)]
pub struct ControlPlane {
    processes: Vec<Process>,
    url: String,
    authority: Authority,
    // Last, so that nobody writes any more when it is removed.
    directory: TempDir,
}

/// What one part needs to be started.
struct Part<'a> {
    program: &'a Path,
    directory: &'a Path,
}

// === impl ControlPlane ===

impl ControlPlane {
    /// Starts one and waits until it answers; builds it first on a machine that never had it.
    pub async fn start(flavour: Flavour) -> Result<Self> {
        let program = tokio::task::spawn_blocking(|| Program::CONTROL_PLANE.build()).await??;
        for _ in 1..STARTS {
            match Self::start_once(flavour, &program).await {
                Err(error) if is_about_a_port(&error) => {}
                started => return started,
            }
        }
        Self::start_once(flavour, &program).await
    }

    async fn start_once(flavour: Flavour, program: &Path) -> Result<Self> {
        let directory = tempfile::tempdir().context("cannot make a directory")?;
        let authority = Authority::new("e2e", Clock::system().now())?;
        let part = Part { program, directory: directory.path() };
        let [client, peer, secure] = free_ports()?;
        let url = format!("https://127.0.0.1:{secure}");
        part.write_identities(&authority)?;
        part.write_audit_policy()?;
        let processes = vec![part.etcd(client, peer)?, part.api_server(client, secure, flavour)?];
        let mut plane = Self { processes, url, authority, directory };
        plane.write_kubeconfig("admin", Some("system:masters"))?;
        for name in ["kube-controller-manager", "kube-scheduler"] {
            plane.write_kubeconfig(&format!("system:{name}"), NOBODY)?;
        }
        // The others give up on an API server that takes its time.
        plane.wait_for(&["/readyz", "/api/v1/namespaces/default"]).await?;
        let part = Part { program, directory: plane.directory.path() };
        let more = match flavour {
            Flavour::Whole | Flavour::Hurried => {
                vec![part.controllers(flavour)?, part.scheduler()?]
            }
            Flavour::Scheduling => vec![part.scheduler()?],
            Flavour::ApiOnly => Vec::new(),
        };
        plane.processes.extend(more);
        if matches!(flavour, Flavour::Whole | Flavour::Hurried) {
            // Pods need it, and a controller makes it.
            plane.wait_for(&["/api/v1/namespaces/default/serviceaccounts/default"]).await?;
        }
        Ok(plane)
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("admin.yaml")
    }

    /// The administrator's way in.
    pub fn api(&self) -> Result<Api> {
        Api::new(&self.kubeconfig())
    }

    /// A kubeconfig for a service account that exists, which may do what its roles say and nothing else.
    pub async fn kubeconfig_of(&self, namespace: &str, account: &str) -> Result<PathBuf> {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
        let wish =
            json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let granted = self.api()?.create(&path, &wish).await?;
        let token = granted["status"]["token"].as_str().context("no token was granted")?;
        let text =
            kubeconfig(&self.url, Some(self.authority.certificate()), Credentials::Token(token));
        let path = self.directory.path().join(format!("{namespace}-{account}.yaml"));
        fs::write(&path, text).context("cannot write a kubeconfig")?;
        Ok(path)
    }

    /// What a service account has asked for so far.
    pub fn requests_of(&self, namespace: &str, account: &str) -> Result<Vec<Request>> {
        let log = fs::read_to_string(self.directory.path().join(AUDIT_LOG))
            .context("cannot read the audit log")?;
        audit::requests(&log, &format!("system:serviceaccount:{namespace}:{account}"))
    }

    /// The numbers of its processes.
    pub fn processes(&self) -> Vec<u32> {
        self.processes.iter().map(Process::id).collect()
    }

    /// The last that every part has printed, for the message of a test that fails.
    pub fn output(&self) -> String {
        self.processes.iter().map(Process::output).collect::<Vec<_>>().join("\n")
    }

    fn write_kubeconfig(&self, user: &str, group: Option<&str>) -> Result<()> {
        let identity = self.authority.client(user, group)?;
        let credentials = Credentials::Certificate(&identity);
        let text = kubeconfig(&self.url, Some(self.authority.certificate()), credentials);
        let name = user.strip_prefix("system:").unwrap_or(user);
        let path = self.directory.path().join(format!("{name}.yaml"));
        fs::write(path, text).context("cannot write a kubeconfig")
    }

    /// Waits until all of these are there.
    async fn wait_for(&mut self, wanted: &[&str]) -> Result<()> {
        let api = self.api()?;
        let mut last = String::new();
        for _ in 0..LOOKS {
            for process in &mut self.processes {
                process.check()?;
            }
            match first_refusal(&api, wanted).await {
                None => return Ok(()),
                Some(refusal) => last = refusal,
            }
            sleep(LOOK).await;
        }
        bail!("the control plane does not get ready: {last}\n{}", self.output())
    }
}

/// Whether a part ended because somebody else has its port.
fn is_about_a_port(error: &anyhow::Error) -> bool {
    format!("{error:#}").contains("address already in use")
}

async fn first_refusal(api: &Api, paths: &[&str]) -> Option<String> {
    for path in paths {
        if let Err(error) = api.get(path).await {
            return Some(format!("{error:#}"));
        }
    }
    None
}

// === impl Part ===

impl Part<'_> {
    /// Writes what the parts know each other by.
    fn write_identities(&self, authority: &Authority) -> Result<()> {
        let write = |name: &str, text: &str| {
            fs::write(self.path(name), text).with_context(|| format!("cannot write {name}"))
        };
        let write_identity = |name: &str, identity: &Identity| {
            write(&format!("{name}.crt"), &identity.certificate)?;
            write(&format!("{name}.key"), identity.key_pem())
        };
        write("ca.crt", authority.certificate())?;
        write_identity("server", &authority.server(&["127.0.0.1", "localhost"])?)?;
        // Signs the tokens of service accounts.
        write_identity("accounts", &authority.client("accounts", NOBODY)?)
    }

    /// What service accounts ask for is written down.
    fn write_audit_policy(&self) -> Result<()> {
        let policy = json!({
            "apiVersion": "audit.k8s.io/v1",
            "kind": "Policy",
            "omitStages": ["RequestReceived"],
            "rules": [
                {"level": "Metadata", "userGroups": ["system:serviceaccounts"]},
                {"level": "None"},
            ],
        });
        fs::write(self.path("audit-policy.json"), policy.to_string())
            .context("cannot write the audit policy")
    }

    fn etcd(&self, client: u16, peer: u16) -> Result<Process> {
        let (client, peer) =
            (format!("http://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
        self.start(
            "etcd",
            &[
                format!("--data-dir={}", self.path("etcd").display()),
                format!("--listen-client-urls={client}"),
                format!("--advertise-client-urls={client}"),
                format!("--listen-peer-urls={peer}"),
                format!("--initial-advertise-peer-urls={peer}"),
                format!("--initial-cluster=default={peer}"),
                // Nobody needs it after a crash.
                "--unsafe-no-fsync".to_owned(),
                "--log-level=error".to_owned(),
            ],
        )
    }

    fn api_server(&self, etcd: u16, secure: u16, flavour: Flavour) -> Result<Process> {
        let file = |flag: &str, name: &str| format!("--{flag}={}", self.path(name).display());
        let left_out = match flavour {
            Flavour::Whole | Flavour::ApiOnly | Flavour::Hurried => "",
            Flavour::Scheduling => "ServiceAccount,TaintNodesByCondition",
        };
        // How long pods stay on nodes that have fallen silent.
        let patience = if flavour == Flavour::Hurried { 1 } else { 300 };
        self.start(
            "kube-apiserver",
            &[
                format!("--default-not-ready-toleration-seconds={patience}"),
                format!("--default-unreachable-toleration-seconds={patience}"),
                format!("--disable-admission-plugins={left_out}"),
                format!("--etcd-servers=http://127.0.0.1:{etcd}"),
                "--bind-address=127.0.0.1".to_owned(),
                "--advertise-address=127.0.0.1".to_owned(),
                format!("--secure-port={secure}"),
                file("cert-dir", "certificates"),
                file("tls-cert-file", "server.crt"),
                file("tls-private-key-file", "server.key"),
                file("client-ca-file", "ca.crt"),
                file("service-account-key-file", "accounts.crt"),
                file("service-account-signing-key-file", "accounts.key"),
                "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
                "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
                "--authorization-mode=Node,RBAC".to_owned(),
                file("audit-policy-file", "audit-policy.json"),
                file("audit-log-path", AUDIT_LOG),
                // Nobody reaches it through a Service.
                "--endpoint-reconciler-type=none".to_owned(),
                "--profiling=false".to_owned(),
            ],
        )
    }

    fn controllers(&self, flavour: Flavour) -> Result<Process> {
        let file = |flag: &str, name: &str| format!("--{flag}={}", self.path(name).display());
        let mut flags = vec![
            file("kubeconfig", "kube-controller-manager.yaml"),
            file("service-account-private-key-file", "accounts.key"),
            file("root-ca-file", "ca.crt"),
            "--use-service-account-credentials=true".to_owned(),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
            "--profiling=false".to_owned(),
        ];
        if flavour == Flavour::Hurried {
            flags.extend(HURRY.map(str::to_owned));
        }
        self.start("kube-controller-manager", &flags)
    }

    fn scheduler(&self) -> Result<Process> {
        // Everything as it is by default, except that nobody waits longer than needed.
        let configuration = json!({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": self.path("kube-scheduler.yaml"), "qps": 1000, "burst": 2000},
            "leaderElection": {"leaderElect": false},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 1,
        });
        let path = self.path("scheduler.json");
        fs::write(&path, configuration.to_string()).context("cannot write a configuration")?;
        let flags = [format!("--config={}", path.display()), "--secure-port=0".to_owned()];
        self.start("kube-scheduler", &flags)
    }

    fn start(&self, name: &str, flags: &[String]) -> Result<Process> {
        let arguments = std::iter::once(name.to_owned()).chain(flags.iter().cloned());
        Process::start(name, self.program, arguments, self.directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

/// Ports that nobody listens on at the moment.
fn free_ports<const N: usize>() -> Result<[u16; N]> {
    let mut ports = [0; N];
    let mut held = Vec::new();
    for port in &mut ports {
        let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
        *port = listener.local_addr().context("no free port")?.port();
        held.push(listener);
    }
    Ok(ports)
}
