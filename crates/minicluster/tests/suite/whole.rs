//! A whole cluster: controllers, scheduler and kubelets at work together, in this process and over a socket.

use std::{sync::Arc, time::Duration};

use plimsoll_minicluster::{
    Api, Minicluster,
    api::{DeleteOptions, ListQuery, Propagation, Target, WatchEvent, WatchQuery, WriteOptions},
    kubelet::{Behaviour, Kubeconfig, Kubelets, Remote},
    minicluster::{Part, Settings, StartError},
};
use plimsoll_net::{Clock, Shutdown};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

fn make(api: &Api, plural: &str, object: Value) {
    let kind = api.kinds().into_iter().find(|kind| &*kind.plural == plural).unwrap();
    let options = WriteOptions::manager("test");
    api.create(&kind, "default", object, &options).unwrap();
}

fn list(api: &Api, plural: &str) -> Vec<Value> {
    let kind = api.kinds().into_iter().find(|kind| &*kind.plural == plural).unwrap();
    let listing = api.list(&kind, &ListQuery::default()).unwrap();
    listing.items.iter().map(|object| object.value()).collect()
}

fn nodes(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!({ "metadata": { "name": format!("node-{number}") } })).collect()
}

/// What runs, as sorted `pod phase`.
fn phases(api: &Api) -> Vec<String> {
    let pods = list(api, "pods");
    let mut phases: Vec<String> =
        pods.iter().map(|pod| pod["status"]["phase"].as_str().unwrap().to_owned()).collect();
    phases.sort();
    phases
}

fn template(annotations: &Value, restart: &str) -> Value {
    json!({
        "metadata": { "labels": { "app": "a" }, "annotations": annotations },
        "spec": { "restartPolicy": restart, "containers": [{ "name": "c", "image": "i" }] },
    })
}

fn deployment(replicas: u32) -> Value {
    json!({
        "metadata": { "name": "web" },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "a" } },
                  "template": template(&json!({}), "Always") },
    })
}

#[tokio::test(start_paused = true)]
async fn pods_are_bound_run_and_go_with_grace() {
    let settings = Settings { nodes: nodes(3), ..Settings::default() };
    let cluster = Minicluster::start(Clock::system(), settings).await.unwrap();
    let api = cluster.api().clone();
    make(&api, "deployments", deployment(6));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(phases(&api), ["Running"; 6]);
    let mut used: Vec<Value> =
        list(&api, "pods").iter().map(|pod| pod["spec"]["nodeName"].clone()).collect();
    used.sort_by_key(ToString::to_string);
    used.dedup();
    assert_eq!(used.len(), 3, "equal pods spread");
    assert_eq!(list(&api, "deployments")[0]["status"]["availableReplicas"], 6);
    // A deleted pod stays for its grace period, and another takes its place at once.
    let pods = api.kind("", "v1", "pods").unwrap();
    let victim = list(&api, "pods")[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let at = Target::new("default", &victim);
    api.delete(&pods, &at, &DeleteOptions::default()).unwrap();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(list(&api, "pods").len(), 7);
    sleep(Duration::from_secs(30)).await;
    assert_eq!(phases(&api), ["Running"; 6]);
    assert!(api.get(&pods, "default", &victim).is_err());
    // Without its owner everything goes.
    let deployments = api.kind("apps", "v1", "deployments").unwrap();
    let options =
        DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
    api.delete(&deployments, &Target::new("default", "web"), &options).unwrap();
    sleep(Duration::from_mins(1)).await;
    assert_eq!(phases(&api), Vec::<String>::new());
    cluster.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn history_is_forgotten_after_minutes_and_events_after_an_hour() {
    let settings = Settings { nodes: nodes(1), ..Settings::default() };
    let cluster = Minicluster::start(Clock::system(), settings).await.unwrap();
    let api = cluster.api().clone();
    make(&api, "deployments", deployment(1));
    sleep(Duration::from_mins(50)).await;
    assert!(list(&api, "events").iter().any(|event| event["reason"] == "Scheduled"));
    let pods = api.kind("", "v1", "pods").unwrap();
    let from_the_start = WatchQuery { resource_version: "1".to_owned(), ..WatchQuery::default() };
    let mut watch = api.watch(&pods, &from_the_start).unwrap();
    assert!(matches!(watch.next().await, Some(WatchEvent::Error(error)) if error.code == 410));
    sleep(Duration::from_mins(20)).await;
    assert_eq!(list(&api, "events"), [Value::Null; 0]);
    cluster.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn jobs_complete_because_their_pods_end() {
    let settings = Settings { nodes: nodes(1), ..Settings::default() };
    let cluster = Minicluster::start(Clock::system(), settings).await.unwrap();
    let api = cluster.api();
    make(
        api,
        "jobs",
        json!({ "metadata": { "name": "work" },
                "spec": { "completions": 3, "parallelism": 2,
                          "template": template(&json!({ "plimsoll.dev/run-for": "30s" }), "Never") } }),
    );
    sleep(Duration::from_secs(20)).await;
    assert_eq!(phases(api), ["Running"; 2]);
    sleep(Duration::from_mins(2)).await;
    assert_eq!(phases(api), ["Succeeded"; 3]);
    let job = &list(api, "jobs")[0];
    assert_eq!(job["status"]["succeeded"], 3);
    assert!(job["status"]["completionTime"].is_string(), "{job}");
}

#[tokio::test(start_paused = true)]
async fn pods_leave_a_machine_that_falls_silent() {
    let settings = Settings { nodes: nodes(2), ..Settings::default() };
    let cluster = Minicluster::start(Clock::system(), settings).await.unwrap();
    let api = cluster.api();
    make(api, "deployments", deployment(2));
    sleep(Duration::from_secs(30)).await;
    cluster.kubelets().vanish("node-0");
    sleep(Duration::from_mins(2)).await;
    let ready = |node: &Value| {
        let conditions = node["status"]["conditions"].as_array().unwrap();
        conditions.iter().find(|one| one["type"] == "Ready").unwrap()["status"].clone()
    };
    let states: Vec<Value> = list(api, "nodes").iter().map(ready).collect();
    assert_eq!(states, [json!("Unknown"), json!("True")]);
    // Five minutes are tolerated.
    sleep(Duration::from_secs(400)).await;
    let running = list(api, "pods").into_iter().filter(|pod| {
        pod["metadata"].get("deletionTimestamp").is_none() && pod["spec"]["nodeName"] == "node-1"
    });
    assert_eq!(running.count(), 2);
}

#[tokio::test]
async fn kubelets_run_nodes_of_a_cluster_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kubeconfig");
    let settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        kubeconfig: Some(path.clone()),
        parts: vec![Part::Controllers, Part::Scheduler],
        ..Settings::default()
    };
    let clock = Clock::system();
    let cluster = Minicluster::start(clock, settings).await.unwrap();
    let api = cluster.api().clone();
    let remote = Remote::new(&Kubeconfig::read(&path).unwrap()).unwrap();
    let behaviour =
        Behaviour { termination: Some(Duration::from_millis(50)), ..Behaviour::default() };
    let kubelets = Kubelets::new(Arc::new(remote), clock, behaviour);
    for node in nodes(2) {
        kubelets.add(node);
    }
    let shutdown = Shutdown::new();
    let running = tokio::spawn({
        let (kubelets, shutdown) = (kubelets.clone(), shutdown.clone());
        async move { kubelets.run(&shutdown).await }
    });
    make(&api, "deployments", deployment(4));
    until(|| phases(&api) == ["Running"; 4]).await;
    assert_eq!(list(&api, "leases").len(), 2);
    let pods = api.kind("", "v1", "pods").unwrap();
    let victim = list(&api, "pods")[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let at = Target::new("default", &victim);
    api.delete(&pods, &at, &DeleteOptions::default()).unwrap();
    until(|| api.get(&pods, "default", &victim).is_err() && phases(&api) == ["Running"; 4]).await;
    kubelets.remove("node-1");
    until(|| list(&api, "nodes").len() == 1).await;
    shutdown.trigger();
    running.await.unwrap();
    cluster.stop().await.unwrap();
}

/// Waits until something is so; a minute is long enough for anything here.
async fn until(mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_mins(1), wait).await.unwrap();
}

#[tokio::test]
async fn a_cluster_outlives_its_process_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let persist = Some(directory.path().join("cluster"));
    let settings = Settings { persist, nodes: nodes(1), ..Settings::default() };
    let cluster = Minicluster::start(Clock::system(), settings.clone()).await.unwrap();
    make(cluster.api(), "deployments", deployment(2));
    until(|| phases(cluster.api()) == ["Running"; 2]).await;
    let before: Vec<Value> =
        list(cluster.api(), "pods").iter().map(|pod| pod["metadata"]["uid"].clone()).collect();
    cluster.stop().await.unwrap();
    let cluster = Minicluster::start(Clock::system(), settings).await.unwrap();
    let api = cluster.api().clone();
    let uids = |api: &Api| -> Vec<Value> {
        list(api, "pods").iter().map(|pod| pod["metadata"]["uid"].clone()).collect()
    };
    assert_eq!(uids(&api), before);
    assert_eq!(list(&api, "nodes").len(), 1);
    // It goes on where it was: the pods are looked after again.
    let pods = api.kind("", "v1", "pods").unwrap();
    let name = list(&api, "pods")[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let options = DeleteOptions { grace_period: Some(1), ..DeleteOptions::default() };
    api.delete(&pods, &Target::new("default", &name), &options).unwrap();
    until(|| api.get(&pods, "default", &name).is_err() && phases(&api) == ["Running"; 2]).await;
    cluster.stop().await.unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing else is left");
}

#[tokio::test]
async fn the_kubeconfig_of_somebody_else_is_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config");
    let settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        kubeconfig: Some(path.clone()),
        ..Settings::default()
    };
    std::fs::write(&path, "apiVersion: v1\nkind: Config\n").unwrap();
    let refused = Minicluster::start(Clock::system(), settings.clone()).await;
    assert!(matches!(refused, Err(StartError::Occupied(_))));
    std::fs::remove_file(&path).unwrap();
    // One's own may be written again.
    for _ in 0..2 {
        Minicluster::start(Clock::system(), settings.clone()).await.unwrap().stop().await.unwrap();
    }
}
