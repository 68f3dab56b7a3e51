//! The plan and the real kube-scheduler agree: what a plan places runs on the nodes that it buys.
//!
//! The scheduler takes pods as they come and spreads them by its own scores, so that now and then one finds a node full on which the
//! plan had a place for it. Then a further pass has to buy for it; how often that happens is printed. What must not happen is that a
//! pod waits for ever: that the plan sees a place where the scheduler sees none. Pods of one workload are alike, so that it does not
//! matter which of them run, only how many.

use std::{collections::BTreeMap, time::Duration};

use futures::{StreamExt as _, TryStreamExt as _, future, stream};
use plimsoll_e2e::{Api, ControlPlane, Flavour, is_idle};
use plimsoll_manifest::scenario;
use plimsoll_plan::{Outcome, plan};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::case::Case;

mod case;

/// How many clusters are tried.
const CASES: u64 = 300;
/// On how many control planes at once: they spend much time waiting for each other.
const PLANES: u64 = 3;

/// How often it is looked whether all pods have a node; a pod may wait for another to be placed first.
const LOOK: Duration = Duration::from_millis(50);
/// How many looks without any change, at a control plane that has nothing to do, are taken as the scheduler's last word: longer than it
/// lets any pod rest. On a busy machine it may have much to do, and not get to it.
const CALM: u32 = 30;
/// After so many passes everything has to run.
const PASSES: u32 = 5;

/// What came of the clusters.
#[derive(Debug, Default)]
struct Tally {
    clusters: usize,
    pods: usize,
    /// Clusters, and pods, for which one pass was not enough.
    clusters_again: usize,
    pods_again: usize,
    /// What never ran, cluster by cluster.
    stuck: Vec<String>,
}

/// What the scheduler has done.
struct Placed {
    /// The node of every pod that has one.
    nodes: BTreeMap<String, String>,
    /// Workloads of which fewer pods run than the plan placed: how many fewer, and why one of them waits.
    waiting: BTreeMap<String, (usize, String)>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_plan_places_the_real_scheduler_places() {
    let lanes = (0..PLANES).map(|lane| async move {
        let plane = ControlPlane::start(Flavour::Scheduling).await.unwrap();
        let api = plane.api().unwrap();
        let mut tally = Tally::default();
        for seed in (0..CASES).filter(|seed| seed % PLANES == lane) {
            play(&plane, &api, seed, &mut tally).await;
            clear(&api).await;
        }
        tally
    });
    let total = future::join_all(lanes).await.into_iter().fold(Tally::default(), Tally::plus);
    println!(
        "{} clusters: {} pods placed by a plan, {} of them by a second pass, in {} clusters",
        total.clusters, total.pods, total.pods_again, total.clusters_again,
    );
    assert_eq!(total.stuck, Vec::<String>::new());
}

/// Plans, makes the nodes and lets the scheduler work, until all that the first plan placed runs.
async fn play(plane: &ControlPlane, api: &Api, seed: u64, tally: &mut Tally) {
    let mut case = Case::new(seed);
    let mut planned = BTreeMap::new();
    tally.clusters += 1;
    for pass in 1..=PASSES {
        let plan = plan(&scenario::read(&case.scenario().to_string()).unwrap());
        let mut nodes = Vec::new();
        for purchase in &plan.purchases {
            let numbers = purchase.from..purchase.to;
            nodes.extend(numbers.map(|number| case.new_node(purchase.group.as_str(), number)));
        }
        if pass == 1 {
            let placed =
                |outcome| matches!(outcome, Outcome::TriggeredScaleUp | Outcome::FitsExisting);
            for report in plan.pods.iter().filter(|report| placed(report.outcome)) {
                *planned.entry(workload(&report.pod.name).to_owned()).or_default() += 1;
                tally.pods += 1;
            }
            create(api, "/api/v1/nodes", case.nodes()).await;
        }
        create(api, "/api/v1/nodes", &nodes).await;
        case.add(nodes);
        if pass == 1 {
            create(api, "/api/v1/namespaces/default/pods", case.pods()).await;
        }
        let placed = settle(plane, api, &planned).await;
        for node in placed.nodes.values() {
            assert!(case.has(node), "seed {seed}: bound to {node}, which is no longer there");
        }
        if placed.waiting.is_empty() {
            return;
        }
        if pass == 1 {
            tally.clusters_again += 1;
            tally.pods_again += placed.waiting.values().map(|(pods, _)| pods).sum::<usize>();
        }
        if pass == PASSES {
            let plan = format!("{:?}", plan.pods);
            tally.stuck.push(format!("seed {seed}: {:?}, and the plan: {plan}", placed.waiting));
        }
        case.bind(&placed.nodes);
    }
}

/// Waits until of every workload so many pods have a node, or nothing changes any more.
async fn settle(plane: &ControlPlane, api: &Api, planned: &BTreeMap<String, usize>) -> Placed {
    let mut before = BTreeMap::new();
    let mut calm = 0;
    loop {
        let list = api.get("/api/v1/namespaces/default/pods").await.unwrap();
        let mut placed = Placed { nodes: BTreeMap::new(), waiting: BTreeMap::new() };
        let mut missing = planned.clone();
        let mut reasons = BTreeMap::new();
        for pod in list["items"].as_array().unwrap() {
            let name = pod["metadata"]["name"].as_str().unwrap();
            match pod["spec"]["nodeName"].as_str() {
                Some(node) => {
                    placed.nodes.insert(name.to_owned(), node.to_owned());
                    missing.entry(workload(name).to_owned()).and_modify(|pods| {
                        *pods = pods.saturating_sub(1);
                    });
                }
                None => drop(reasons.insert(workload(name).to_owned(), reason(pod))),
            }
        }
        for (workload, pods) in missing.into_iter().filter(|(_, pods)| *pods > 0) {
            let reason = reasons.remove(&workload).unwrap_or_default();
            placed.waiting.insert(workload, (pods, reason));
        }
        if placed.nodes != before {
            calm = 0;
        } else if plane.processes().into_iter().all(is_idle) {
            calm += 1;
        }
        if placed.waiting.is_empty() || calm >= CALM {
            return placed;
        }
        before = placed.nodes;
        sleep(LOOK).await;
    }
}

/// The workload of a pod: `app3` of `app3-11`.
fn workload(pod: &str) -> &str {
    pod.rsplit_once('-').map_or(pod, |(workload, _)| workload)
}

/// Why a pod has no node.
fn reason(pod: &Value) -> String {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    let messages = conditions.filter_map(|condition| condition["message"].as_str());
    messages.collect::<Vec<_>>().join("; ")
}

async fn create(api: &Api, path: &str, objects: &[Value]) {
    let calls = objects.iter().map(|object| api.create(path, object));
    // In this order, and several under way: that is how controllers make them.
    stream::iter(calls).buffered(8).try_collect::<Vec<_>>().await.unwrap();
}

async fn clear(api: &Api) {
    for path in ["/api/v1/namespaces/default/pods", "/api/v1/nodes"] {
        let at_once = json!({"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0});
        let answer = api.ask(Method::DELETE, path, "application/json", &at_once).await.unwrap();
        assert!(answer.code < 300, "{answer:?}");
    }
}

// === impl Tally ===

impl Tally {
    fn plus(mut self, other: Self) -> Self {
        self.clusters += other.clusters;
        self.pods += other.pods;
        self.clusters_again += other.clusters_again;
        self.pods_again += other.pods_again;
        self.stuck.extend(other.stuck);
        self
    }
}
