//! Figures of the API without HTTP: how fast pods are made, what they weigh, how long lists and fan-out take.
//!
//! `cargo bench -p plimsoll-minicluster --bench store`, with another number of pods as its argument.

use std::{error::Error, fs, io::Write, sync::Arc, time::Duration};

use plimsoll_minicluster::{
    Api, Kind,
    api::{ListQuery, Target, Watch, WatchEvent, WatchQuery, WriteOptions},
    store::{FieldSelector, LabelSelector},
};
use plimsoll_net::Clock;
use serde_json::{Value, json};
use tokio::time::Instant;

const PODS: usize = 150_000;
const NODES: usize = 5_000;
const NAMESPACES: usize = 50;
const WATCHES: usize = 500;
const FAN_OUT_EVENTS: usize = 2_000;
const PAGE_BYTES: usize = 4096;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(figures())
}

async fn figures() -> Outcome {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let total: usize = asked.unwrap_or(PODS);
    let started = Instant::now();
    let api = Api::new(Clock::system());
    say("start", &millis(started.elapsed()))?;
    let pods = kind(&api, "", "pods")?;
    prepare(&api)?;

    let before = resident_bytes();
    let started = Instant::now();
    for number in 0..total {
        let namespace = format!("team-{}", number % NAMESPACES);
        api.create(&pods, &namespace, pod(number), &WriteOptions::default())?;
    }
    let took = started.elapsed();
    say("creations", &per_second(total, took))?;
    say("memory per pod", &format!("{} bytes", (resident_bytes() - before) / total.max(1)))?;
    let listing = api.list(&pods, &ListQuery::default())?;
    let json: usize = listing.items.iter().map(|item| item.json.len()).sum();
    say("JSON per pod", &format!("{} bytes", json / total.max(1)))?;
    say("memory in all", &format!("{} MiB", resident_bytes() >> 20))?;

    timed("list of all", || api.list(&pods, &ListQuery::default()).map(|list| list.items.len()))?;
    let labels = LabelSelector::parse("app=app-7")?;
    timed("list by label", || {
        api.list(&pods, &ListQuery::default().labels(labels.clone())).map(|list| list.items.len())
    })?;
    let fields = FieldSelector::parse(&pods, "spec.nodeName=node-7")?;
    timed("list by node", || {
        api.list(&pods, &ListQuery::default().fields(fields.clone())).map(|list| list.items.len())
    })?;
    timed("all pages of 500", || pages(&api, &pods))?;

    let started = Instant::now();
    let changes = total.min(20_000);
    for number in 0..changes {
        let (namespace, name) = (format!("team-{}", number % NAMESPACES), format!("pod-{number}"));
        let at = Target::status(&namespace, &name);
        api.modify(&pods, &at, |pod| pod["status"]["phase"] = json!("Running"))?;
    }
    say("status changes", &per_second(changes, started.elapsed()))?;
    fan_out(&api, &pods, "fan-out, all see all", |_| WatchQuery::default()).await?;
    fan_out(&api, &pods, "fan-out, one node each", |number| {
        let mut query = WatchQuery::default();
        let selector = format!("spec.nodeName=node-{number}");
        query.filter.fields = FieldSelector::parse(&pods, &selector).unwrap_or_default();
        query
    })
    .await?;
    say("memory at the end", &format!("{} MiB", resident_bytes() >> 20))
}

/// Many watches, then writes: how long until every watch has seen everything.
async fn fan_out(
    api: &Api,
    pods: &Kind,
    what: &str,
    query: impl Fn(usize) -> WatchQuery,
) -> Outcome {
    let from = api.revision();
    let until = from + u64::try_from(FAN_OUT_EVENTS)?;
    let watches = (0..WATCHES).map(|number| {
        let query = WatchQuery { resource_version: from.to_string(), ..query(number) };
        Ok(tokio::spawn(follow(api.watch(pods, &query)?, until, api.clone())))
    });
    let watches = watches.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let started = Instant::now();
    for number in 0..FAN_OUT_EVENTS {
        let (namespace, name) = (format!("team-{}", number % NAMESPACES), format!("pod-{number}"));
        let text = format!("round {from}");
        let at = Target::status(&namespace, &name);
        api.modify(pods, &at, |pod| pod["status"]["message"] = json!(text))?;
        if number % 16 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let wrote = started.elapsed();
    let mut told = 0;
    for watch in watches {
        told += watch.await?;
    }
    let took = started.elapsed();
    say(
        what,
        &format!(
            "{WATCHES} watches, {FAN_OUT_EVENTS} writes in {}, {told} events told in {}",
            millis(wrote),
            millis(took)
        ),
    )
}

/// Reads until nothing can come any more; tells how many events there were.
async fn follow(mut watch: Watch, until: u64, api: Api) -> usize {
    let mut told = 0;
    loop {
        match tokio::time::timeout(Duration::from_millis(200), watch.next()).await {
            Ok(Some(WatchEvent::Error(_)) | None) => return told,
            Ok(Some(_)) => told += 1,
            Err(_) if api.revision() >= until => return told,
            Err(_) => {}
        }
    }
}

fn pages(api: &Api, pods: &Kind) -> Result<usize, plimsoll_minicluster::ApiError> {
    let mut query = ListQuery { limit: 500, ..ListQuery::default() };
    let mut seen = 0;
    loop {
        let page = api.list(pods, &query)?;
        seen += page.items.len();
        let Some(token) = page.continue_token else { return Ok(seen) };
        query.continue_token = token;
    }
}

fn prepare(api: &Api) -> Outcome {
    let options = WriteOptions::default();
    let (namespaces, accounts) = (kind(api, "", "namespaces")?, kind(api, "", "serviceaccounts")?);
    for number in 0..NAMESPACES {
        let name = format!("team-{number}");
        api.create(&namespaces, "", json!({"metadata": {"name": name}}), &options)?;
        api.create(&accounts, &name, json!({"metadata": {"name": "default"}}), &options)?;
    }
    let nodes = kind(api, "", "nodes")?;
    for number in 0..NODES {
        let labels = json!({"kubernetes.io/hostname": format!("node-{number}"), "zone": "a"});
        let body = json!({"metadata": {"name": format!("node-{number}"), "labels": labels}});
        api.create(&nodes, "", body, &options)?;
    }
    Ok(())
}

/// A pod as a Deployment makes it.
fn pod(number: usize) -> Value {
    let app = format!("app-{}", number % 500);
    json!({
        "metadata": {
            "name": format!("pod-{number}"),
            "labels": {"app": app, "pod-template-hash": "7c5ddbdf54", "tier": "backend"},
            "annotations": {"example.com/checksum": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0"},
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": true,
                "uid": "6f1c1d3e-0f0c-4a53-9a0e-2f7c1b9d1e11", "blockOwnerDeletion": true,
            }],
        },
        "spec": {
            "nodeName": format!("node-{}", number % NODES),
            "containers": [{
                "name": "main", "image": "registry.example/app:1.2.3",
                "resources": {
                    "requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "512Mi"},
                },
                "ports": [{"containerPort": 8080, "name": "http"}],
                "env": [{"name": "MODE", "value": "production"}],
                "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
            }],
        },
    })
}

fn kind(api: &Api, group: &str, plural: &str) -> Result<Arc<Kind>, Box<dyn Error>> {
    api.kind(group, "v1", plural).ok_or_else(|| format!("no kind {plural}").into())
}

fn timed<E: Error + 'static>(what: &str, run: impl FnOnce() -> Result<usize, E>) -> Outcome {
    let started = Instant::now();
    let items = run()?;
    say(what, &format!("{items} items in {}", millis(started.elapsed())))
}

/// How much memory the process has.
fn resident_bytes() -> usize {
    let statistics = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statistics.split_whitespace().nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_usize) * PAGE_BYTES
}

fn per_second(count: usize, took: Duration) -> String {
    let rate = u128::try_from(count).unwrap_or_default() * 1_000_000 / took.as_micros().max(1);
    format!("{count} in {}, {rate} per second", millis(took))
}

fn millis(duration: Duration) -> String {
    format!("{} ms", duration.as_millis())
}

fn say(what: &str, figure: &str) -> Outcome {
    Ok(writeln!(std::io::stdout(), "{what:<24}{figure}")?)
}
