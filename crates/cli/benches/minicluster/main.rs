//! Figures of `plimsoll minicluster` as a user runs it: the binary in a process of its own, spoken to over HTTPS.
//!
//! `cargo bench -p plimsoll --bench minicluster`, with other numbers of nodes and pods as its arguments. The last column is what the
//! cluster's process has used of processors meanwhile, which says more than time on a machine that has other things to do.

#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops where it is surprised")]

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{task::JoinSet, time::Instant};

use self::{client::Client, process::Process};

mod client;
mod process;

const STARTS: usize = 10;
const CREATIONS: usize = 20_000;
const CREATORS: usize = 16;
const DEPLOYMENTS: usize = 100;
const WATCHES: usize = 500;
const CHANGES: usize = 200;
/// How long a cluster with nothing to do is looked at.
const REST: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(500);

fn main() {
    let numbers: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let nodes = numbers.first().copied().unwrap_or(5_000);
    let pods = numbers.get(1).copied().unwrap_or(150_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        starts().await;
        creations().await;
        large(nodes, pods).await;
    });
}

/// From the start of the process to the first answer.
async fn starts() {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let process = Process::start(3);
        let client = Client::new(&process.kubeconfig().await);
        client.first_answer().await;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!(
        "start to first answer     median {median:.0?}, longest {:.0?}",
        times.last().unwrap()
    );
}

/// Pods made one by one by several clients.
async fn creations() {
    let process = Process::start(0);
    let kubeconfig = process.kubeconfig().await;
    Client::new(&kubeconfig).first_answer().await;
    let meter = process.meter();
    let mut creators = JoinSet::new();
    for creator in 0..CREATORS {
        let client = Client::new(&kubeconfig);
        creators.spawn(async move {
            for number in 0..CREATIONS / CREATORS {
                let pod = pod(&format!("pod-{creator}-{number}"));
                client.post("/api/v1/namespaces/default/pods", &pod).await;
            }
        });
    }
    creators.join_all().await;
    let per_second = rate(CREATIONS, meter.elapsed());
    println!("pods made by {CREATORS} clients  {CREATIONS}, {per_second} per second, {meter}");
}

/// A large cluster: how long it takes to fill, what it weighs, what reading and watching it costs.
async fn large(nodes: usize, pods: usize) {
    let process = Process::start(nodes);
    let client = Client::new(&process.kubeconfig().await);
    client.first_answer().await;
    let meter = process.meter();
    while ready_nodes(&client).await < nodes {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    println!("nodes ready               {nodes}, {meter}");

    let meter = process.meter();
    for number in 0..DEPLOYMENTS {
        let replicas = pods / DEPLOYMENTS + usize::from(number < pods % DEPLOYMENTS);
        let deployment = deployment(&format!("app-{number}"), replicas);
        client.post("/apis/apps/v1/namespaces/default/deployments", &deployment).await;
    }
    while available(&client).await < pods {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let per_second = rate(pods, meter.elapsed());
    println!("pods of Deployments run   {pods}, {per_second} per second, {meter}");

    let meter = process.meter();
    tokio::time::sleep(REST).await;
    println!("nothing to do             {meter}");

    let meter = process.meter();
    let bytes = client.read_all("/api/v1/pods").await;
    println!("list of all pods          {} MiB, {meter}", bytes >> 20);

    let meter = process.meter();
    let told = watches(&process, &client).await;
    println!("{WATCHES} watches of all pods  {CHANGES} changes, {told} events told, {meter}");
}

/// Many watches, then changes: how many events were told when everybody had heard of everything.
async fn watches(process: &Process, client: &Client) -> usize {
    let list = client.get("/api/v1/pods?limit=200").await;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    let path = format!("/api/v1/pods?watch=true&resourceVersion={version}&labelSelector=app");
    let path: Arc<str> = path.into();
    let kubeconfig = process.kubeconfig().await;
    let mut watches = JoinSet::new();
    for _ in 0..WATCHES {
        let (client, path) = (Client::new(&kubeconfig), Arc::clone(&path));
        // Bound pods are written by nobody else now, so that each line is one of the changes.
        watches.spawn(async move { client.read_lines(&path, CHANGES).await });
    }
    for item in list["items"].as_array().unwrap() {
        let name = item["metadata"]["name"].as_str().unwrap();
        let patch = json!({"metadata": {"annotations": {"example.com/touched": "yes"}}});
        client.merge(&format!("/api/v1/namespaces/default/pods/{name}"), &patch).await;
    }
    watches.join_all().await.into_iter().sum()
}

async fn ready_nodes(client: &Client) -> usize {
    let list = client.get("/api/v1/nodes").await;
    let is_ready = |node: &&Value| {
        let conditions = node["status"]["conditions"].as_array();
        conditions
            .into_iter()
            .flatten()
            .any(|one| one["type"] == "Ready" && one["status"] == "True")
    };
    list["items"].as_array().into_iter().flatten().filter(is_ready).count()
}

async fn available(client: &Client) -> usize {
    let list = client.get("/apis/apps/v1/deployments").await;
    let counts = list["items"].as_array().into_iter().flatten();
    let counts = counts.filter_map(|one| one["status"]["availableReplicas"].as_u64());
    usize::try_from(counts.sum::<u64>()).unwrap()
}

fn rate(count: usize, took: Duration) -> u128 {
    u128::try_from(count).unwrap() * 1_000 / took.as_millis().max(1)
}

/// A pod that nobody schedules.
fn pod(name: &str) -> Value {
    let mut spec = template_spec();
    spec["schedulerName"] = json!("nobody");
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec})
}

fn deployment(name: &str, replicas: usize) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": template_spec()},
        },
    })
}

fn template_spec() -> Value {
    json!({
        "containers": [{
            "name": "main", "image": "registry.example/app:1.2.3",
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
            "ports": [{"containerPort": 8080, "name": "http"}],
            "env": [{"name": "MODE", "value": "production"}],
        }],
    })
}
