//! The autoscaler as one, with everything that it tells: status map, events, explanations, metrics.

use std::time::Duration;

use plimsoll_control::settings::Mode;
use serde_json::{Value, json};

use crate::{
    running::{Running, events},
    stage::{Stage, TWO_GROUPS, text},
};

fn status(stage: &Stage) -> Option<Value> {
    let mut maps = stage.list("configmaps").into_iter();
    maps.find(|map| text(map, "/metadata/name") == "cluster-autoscaler-status")
}

fn holder(stage: &Stage) -> String {
    let leases = stage.list("leases.coordination.k8s.io");
    let lease = leases.iter().find(|one| text(one, "/metadata/name") == "cluster-autoscaler");
    lease.map(|lease| text(lease, "/spec/holderIdentity")).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_nobody_can_take_and_one_that_somebody_can() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.pass(5).await;
    assert_eq!(running.get("/ready").await, (200, "OK".to_owned()));
    stage.deploy("web", 2, "1");
    stage.deploy("huge", 1, "64");
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    stage.pass(15).await;

    let map = status(&stage).expect("the status is there");
    let told = text(&map, "/data/status");
    assert!(told.contains("autoscalerStatus: Running\nclusterWide:\n"), "{told}");
    assert!(told.contains("- name: cheap\n  health:\n    status: Healthy\n"), "{told}");
    assert!(
        told.contains("    cloudProviderTarget: 1\n    minSize: 0\n    maxSize: 20\n"),
        "{told}"
    );
    let updated =
        map["metadata"]["annotations"]["cluster-autoscaler.kubernetes.io/last-updated"].clone();
    assert!(told.starts_with(&format!("time: {}\n", updated.as_str().unwrap())), "{told}");

    let events = events(&stage);
    let said = |about: &str, words: &str| {
        events.iter().filter(|line| line.starts_with(about) && line.contains(words)).count()
    };
    let triggered = "TriggeredScaleUp: pod triggered scale-up: [{cheap 0->1 (max: 20)}]";
    assert_eq!(said("Pod/web-", triggered), 2, "{events:#?}");
    let refused = "NotTriggerScaleUp: pod didn't trigger scale-up: 2 Insufficient cpu";
    assert_eq!(said("Pod/huge-", refused), 1, "{events:#?}");
    assert_eq!(said("ConfigMap/cluster-autoscaler-status", "ScaledUpGroup: "), 1, "{events:#?}");

    let pods = stage.list("pods");
    let mut names = pods.iter().map(|pod| text(pod, "/metadata/name"));
    let huge = names.find(|name| name.starts_with("huge-")).unwrap();
    let told = running.json(&format!("/explain?pod=default/{huge}")).await;
    assert_eq!(told["outcome"], "NoGroupFits", "{told}");
    let groups: Vec<&str> = told["rejections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rejection| rejection["group"].as_str().unwrap())
        .collect();
    assert_eq!(groups, ["cheap", "dear"]);
    assert_eq!(told["sentences"].as_array().unwrap().len(), 3, "{told}");
    let web =
        pods.iter().map(|pod| text(pod, "/metadata/name")).find(|name| name.starts_with("web-"));
    let told = running.json(&format!("/explain?pod={}", web.unwrap())).await;
    assert_eq!(told["outcome"], "Running", "{told}");
    let node = stage.node_names().pop().unwrap();
    let told = running.json(&format!("/explain?node={node}")).await;
    assert_eq!(told["group"], "cheap", "{told}");

    let whole = running.json("/status").await;
    assert_eq!(whole["standing"], "Leading");
    assert_eq!(whole["nodes"].as_array().unwrap().len(), 1);
    let metrics = running.get("/metrics").await.1;
    for line in [
        "cluster_autoscaler_nodes_count{state=\"ready\"} 1.0",
        "cluster_autoscaler_node_group_target_count{node_group=\"cheap\"} 1.0",
        "plimsoll_pods{outcome=\"NoGroupFits\"} 1.0",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    let bought = "cluster_autoscaler_scaled_up_nodes_total{gpu_resource_name=\"\",gpu_name=\"\",dra_drivers=\"\"} 1";
    assert!(metrics.contains(bought), "{metrics}");

    running.stop().await;
    assert!(status(&stage).is_none(), "no old status is left behind");
    assert_eq!(holder(&stage), "", "the lease is given back");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_leaves_is_told() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    let node = stage.node_names().pop().unwrap();
    stage.scale("web", 0);
    stage.pass(30).await;
    let told = running.json(&format!("/explain?node={node}")).await;
    assert_eq!(told["state"], "Unneeded", "{told}");
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
    stage.pass(10).await;
    let events = events(&stage);
    for line in [
        format!(
            "Node/{node} ScaleDown: marked the node as toBeDeleted/unschedulable: nothing runs on it"
        ),
        format!("Node/{node} ScaleDown: node removed by cluster autoscaler"),
        format!(
            "ConfigMap/cluster-autoscaler-status ScaleDownEmpty: Scale-down: removing empty node \"{node}\""
        ),
        format!(
            "ConfigMap/cluster-autoscaler-status ScaleDownEmpty: Scale-down: empty node {node} removed"
        ),
    ] {
        assert!(events.contains(&line), "{line} in {events:#?}");
    }
    let metrics = running.get("/metrics").await.1;
    let removed = "cluster_autoscaler_scaled_down_nodes_total{reason=\"empty\"";
    assert!(metrics.contains(removed), "{metrics}");
    let lines = running.json("/status").await["decisions"].to_string();
    assert!(lines.contains("is gone"), "{lines}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn one_leads_and_the_other_stands_by_warm() {
    let stage = Stage::set(TWO_GROUPS).await;
    let one = Running::start(&stage, "one", Mode::Act);
    stage.pass(5).await;
    let two = Running::start(&stage, "two", Mode::Act);
    stage.pass(5).await;
    assert_eq!(holder(&stage), "one");
    assert_eq!(two.get("/ready").await, (200, "OK".to_owned()), "warm");
    assert_eq!(two.get("/health-check").await.0, 200);
    assert_eq!(two.json("/status").await["leader"], "one");
    assert!(!two.get("/metrics").await.1.contains("cluster_autoscaler_nodes_count{"));
    one.stop().await;
    stage.until("the other leads", |stage| holder(stage) == "two").await;
    stage.pass(5).await;
    assert_eq!(two.json("/status").await["standing"], "Leading");
    assert!(status(&stage).is_some(), "written by who leads now");
    tokio::time::sleep(Duration::from_secs(30)).await;
    two.stop().await;
}

#[tokio::test(start_paused = true)]
async fn why_a_node_leaves_is_known_after_a_restart() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    let node = stage.node_names().pop().unwrap();
    stage.scale("web", 0);
    stage.until("the node leaves", |stage| !stage.is_all_open()).await;
    running.stop().await;
    assert_eq!(stage.node_names().len(), 1, "it is still there");
    let running = Running::start(&stage, "two", Mode::Act);
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
    stage.pass(10).await;
    let metrics = running.get("/metrics").await.1;
    let removed = "cluster_autoscaler_scaled_down_nodes_total{reason=\"empty\"";
    assert!(metrics.contains(removed), "{metrics}");
    let line = format!(
        "ConfigMap/cluster-autoscaler-status ScaleDownEmpty: Scale-down: empty node {node} removed"
    );
    assert!(events(&stage).contains(&line), "{:#?}", events(&stage));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_leaves_no_traces() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::DryRun);
    stage.deploy("web", 2, "1");
    stage.deploy("huge", 1, "64");
    stage.pass(60).await;
    assert!(status(&stage).is_none());
    assert_eq!(events(&stage), [""; 0]);
    let whole = running.json("/status").await;
    assert_eq!(whole["heldBack"], "dry run: plans are told and not acted on");
    let told = running.json("/explain?group=cheap").await;
    assert_eq!(told["target"], 0, "{told}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_the_same_event_is_counted_and_not_written_again() {
    let stage = Stage::set(TWO_GROUPS).await;
    stage.deploy("huge", 1, "64");
    for _ in 0..3 {
        let running = Running::start(&stage, "one", Mode::Act);
        stage.pass(60).await;
        running.stop().await;
    }
    let events = stage.list("events");
    let told: Vec<&Value> =
        events.iter().filter(|event| text(event, "/reason") == "NotTriggerScaleUp").collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0]["count"], 3);
    assert_ne!(told[0]["firstTimestamp"], told[0]["lastTimestamp"]);
}

#[tokio::test(start_paused = true)]
async fn a_status_that_is_not_ours_is_kept_but_for_what_we_say() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.pass(5).await;
    let mark = |object: &mut Value| object["metadata"]["labels"] = json!({ "team": "platform" });
    stage.ground.modify("configmaps", "kube-system", "cluster-autoscaler-status", mark);
    let before = text(&status(&stage).unwrap(), "/data/status");
    stage.pass(30).await;
    let map = status(&stage).unwrap();
    assert_eq!(text(&map, "/metadata/labels/team"), "platform");
    assert_ne!(text(&map, "/data/status"), before, "written anew every ten seconds");
    running.stop().await;
}
