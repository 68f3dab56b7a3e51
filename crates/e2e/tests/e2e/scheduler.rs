//! The plan and the real kube-scheduler agree: what the plan placed runs on the nodes that it bought.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use plimsoll_e2e::{Api, ControlPlane, Flavour};
use plimsoll_manifest::scenario;
use plimsoll_plan::{Outcome, plan};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::case::Case;

mod case;

/// How many clusters are tried.
const CASES: u64 = 300;

/// How often it is looked whether all pods have a node; a pod may wait for another to be placed first.
const LOOK: Duration = Duration::from_millis(50);
/// How many looks without any change are taken as the scheduler's last word.
const CALM: u32 = 60;

/// What came of one cluster.
#[derive(Default)]
struct Tally {
    clusters: u32,
    pods: usize,
    /// Pods that the plan placed and the scheduler did not, after the first pass.
    second_pass: usize,
    troubled: Vec<u64>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_plan_places_the_real_scheduler_places() {
    let plane = ControlPlane::start(Flavour::Scheduling).await.unwrap();
    let api = plane.api().unwrap();
    let mut tally = Tally::default();
    for seed in 0..CASES {
        let case = Case::new(seed);
        let (placed, waiting) = play(&api, &case, seed).await;
        tally.clusters += 1;
        tally.pods += placed;
        tally.second_pass += waiting.len();
        if !waiting.is_empty() {
            eprintln!("seed {seed}: {waiting:?}");
            tally.troubled.push(seed);
        }
        clear(&api).await;
    }
    eprintln!(
        "{} clusters, {} pods placed by a plan, {} of them not by the scheduler in the first pass (clusters {:?})",
        tally.clusters, tally.pods, tally.second_pass, tally.troubled
    );
    assert_eq!(tally.troubled, Vec::<u64>::new());
}

/// Plans, makes the nodes, lets the scheduler work. Answers with the number of pods that the plan placed, and those that wait.
async fn play(api: &Api, case: &Case, seed: u64) -> (usize, BTreeSet<String>) {
    let world = scenario::read(&case.scenario.to_string()).unwrap();
    let plan = plan(&world);
    let mut nodes = case.nodes.clone();
    for purchase in &plan.purchases {
        let numbers = purchase.from..purchase.to;
        nodes.extend(numbers.map(|number| case.new_node(purchase.group.as_str(), number)));
    }
    create(api, "/api/v1/nodes", &nodes).await;
    create(api, "/api/v1/namespaces/default/pods", &case.pods).await;
    let placed = |outcome| matches!(outcome, Outcome::TriggeredScaleUp | Outcome::FitsExisting);
    let planned = plan.pods.iter().filter(|report| placed(report.outcome));
    let planned: BTreeSet<String> = planned.map(|report| report.pod.name.to_string()).collect();
    let waiting = settle(api, &planned, seed).await;
    (planned.len(), waiting)
}

/// Waits until all of `planned` have a node, or nothing changes any more; those that have none.
async fn settle(api: &Api, planned: &BTreeSet<String>, seed: u64) -> BTreeSet<String> {
    let mut before = BTreeMap::new();
    let mut calm = 0;
    loop {
        let list = api.get("/api/v1/namespaces/default/pods").await.unwrap();
        let nodes: BTreeMap<String, String> = (list["items"].as_array().unwrap().iter())
            .filter_map(|pod| {
                let node = pod["spec"]["nodeName"].as_str()?;
                Some((pod["metadata"]["name"].as_str()?.to_owned(), node.to_owned()))
            })
            .collect();
        let waiting: BTreeSet<String> =
            planned.iter().filter(|pod| !nodes.contains_key(*pod)).cloned().collect();
        calm = if nodes == before { calm + 1 } else { 0 };
        assert!(calm < 100 * CALM, "seed {seed} never settles");
        if waiting.is_empty() || calm >= CALM {
            return waiting;
        }
        before = nodes;
        sleep(LOOK).await;
    }
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
