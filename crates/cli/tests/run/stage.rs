//! A cluster and an autoscaler, each in a process of its own.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use plimsoll_minicluster::kubelet::{Cluster as _, Collection, Kubeconfig, Remote};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How often something is looked at that comes about by itself, before the test gives up on it.
const LOOKS: u32 = 600;
/// And how long it is left alone in between.
const PAUSE: Duration = Duration::from_millis(200);

/// A cluster without nodes, and a catalogue of machines.
pub(crate) struct Stage {
    cluster: Child,
    /// Kept open, because the cluster ends when it cannot say what it has to say.
    _stdout: BufReader<ChildStdout>,
    client: Remote,
    folder: TempDir,
}

/// An autoscaler. It ends with the test, however that ends.
pub(crate) struct Autoscaler {
    process: Child,
    address: String,
    log: Arc<Mutex<Vec<String>>>,
}

/// The program with these words.
pub(crate) fn plimsoll(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(words).env_remove("KUBECONFIG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

// === impl Stage ===

impl Stage {
    pub(crate) fn set(catalogue: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("catalogue.yaml"), catalogue).unwrap();
        let mut cluster = plimsoll(&["minicluster", "--nodes=0", "--kubeconfig=kubeconfig"])
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(cluster.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.starts_with("A cluster runs at "), "{line}");
        let kubeconfig = Kubeconfig::read(&folder.path().join("kubeconfig")).unwrap();
        let client = Remote::new(&kubeconfig).unwrap();
        Self { cluster, _stdout: stdout, client, folder }
    }

    /// Starts an autoscaler over the catalogue, which is there when this returns.
    pub(crate) fn run(&self, flags: &[&str]) -> Autoscaler {
        let provider = ["--cloud-provider=simulated", "--cloud-config=catalogue.yaml"];
        self.run_with(provider, flags)
    }

    /// Starts an autoscaler over this provider.
    pub(crate) fn run_with(&self, provider: [&str; 2], flags: &[&str]) -> Autoscaler {
        let words = [
            "run",
            "--kubeconfig=kubeconfig",
            "--address=127.0.0.1:0",
            "--scan-interval=1s",
            "--logging-format=json",
        ];
        let mut command = plimsoll(&words);
        command.args(provider).args(flags);
        self.start(command)
    }

    /// Starts a program that autoscales and logs in JSON, in the folder of the cluster. It is there when this returns.
    pub(crate) fn start(&self, mut command: Command) -> Autoscaler {
        let mut process = command.current_dir(self.folder.path()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let address = loop {
            let line = lines.next().expect("it says where it listens").unwrap();
            log.lock().unwrap().push(line.clone());
            let line: Value = serde_json::from_str(&line).unwrap();
            if let Some(address) = line.get("address").and_then(Value::as_str) {
                break address.to_owned();
            }
        };
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push(line);
            }
        });
        Autoscaler { process, address, log }
    }

    /// Where the cluster's kubeconfig is.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Makes an object, in its namespace if it has one.
    pub(crate) async fn create(&self, of: Collection, object: Value) {
        let namespace = text(&object, "/metadata/namespace");
        self.client.create(of, &namespace, object).await.unwrap();
    }

    /// Pods that somebody keeps running: so many of so many cores.
    pub(crate) async fn deploy(&self, name: &str, replicas: u32, cpu: &str) {
        let labels = json!({ "app": name });
        let requests = json!({ "cpu": cpu, "memory": "100Mi" });
        let container =
            json!({ "name": "main", "image": "i", "resources": { "requests": requests } });
        let deployment = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": name },
            "spec": {
                "replicas": replicas,
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
            },
        });
        let deployments = Collection { group: "apps", version: "v1", plural: "deployments" };
        self.client.create(deployments, "default", deployment).await.unwrap();
    }

    async fn list(&self, group: &'static str, plural: &'static str) -> Vec<Value> {
        self.list_version(group, "v1", plural).await
    }

    async fn list_version(
        &self,
        group: &'static str,
        version: &'static str,
        plural: &'static str,
    ) -> Vec<Value> {
        let collection = Collection { group, version, plural };
        self.client.list(collection, "").await.unwrap().items.collect()
    }

    /// How many orders there are.
    pub(crate) async fn orders(&self) -> usize {
        self.list_version("plimsoll.dev", "v1alpha1", "nodeorders").await.len()
    }

    /// How many pods of a deployment run.
    pub(crate) async fn running(&self, app: &str) -> usize {
        let pods = self.list("", "pods").await;
        let runs = |pod: &&Value| {
            text(pod, "/metadata/labels/app") == app && text(pod, "/status/phase") == "Running"
        };
        pods.iter().filter(runs).count()
    }

    /// The first pod of a deployment.
    pub(crate) async fn pod_of(&self, app: &str) -> String {
        let mut found = None;
        for _ in 0..LOOKS {
            let pods = self.list("", "pods").await;
            found = pods.iter().find(|pod| text(pod, "/metadata/labels/app") == app).cloned();
            if found.is_some() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        text(&found.expect("the pod is there"), "/metadata/name")
    }

    pub(crate) async fn nodes(&self) -> Vec<String> {
        self.list("", "nodes").await.iter().map(|node| text(node, "/metadata/name")).collect()
    }

    /// Who holds the autoscaler's lease; empty when nobody does.
    pub(crate) async fn lease_holder(&self) -> String {
        let leases = self.list("coordination.k8s.io", "leases").await;
        let ours =
            leases.iter().find(|lease| text(lease, "/metadata/name") == "cluster-autoscaler");
        ours.map(|lease| text(lease, "/spec/holderIdentity")).unwrap_or_default()
    }

    /// Waits until it is so.
    pub(crate) async fn until(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        for _ in 0..LOOKS {
            if is_so().await {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        let nodes = self.nodes().await;
        assert!(is_so().await, "in the end it is not so that {what}; nodes {nodes:?}");
    }

    /// The first answer with this in it.
    pub(crate) async fn until_told(
        &self,
        autoscaler: &Autoscaler,
        words: &[&str],
        wanted: &str,
    ) -> String {
        let mut told = String::new();
        for _ in 0..LOOKS {
            let output = autoscaler.ask(words).output().unwrap();
            told = String::from_utf8(output.stdout).unwrap();
            if told.contains(wanted) {
                return told;
            }
            tokio::time::sleep(PAUSE).await;
        }
        let log = autoscaler.log();
        assert!(told.contains(wanted), "{words:?} never tells of {wanted:?}: {told}\n{log}");
        told
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.cluster.kill();
        let _ = self.cluster.wait();
    }
}

// === impl Autoscaler ===

impl Autoscaler {
    /// What it answers, which must be an answer.
    #[track_caller]
    pub(crate) fn told(&self, words: &[&str]) -> String {
        let output = self.ask(words).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {stderr}\n{}", self.log());
        String::from_utf8(output.stdout).unwrap()
    }

    /// A question to it.
    pub(crate) fn ask(&self, words: &[&str]) -> Command {
        let mut command = plimsoll(words);
        command.arg(format!("--server=http://{}", self.address));
        command
    }

    /// Asks it to end, and says how it did.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.process.wait().unwrap().code()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }

    /// What it has said so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

impl Drop for Autoscaler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
