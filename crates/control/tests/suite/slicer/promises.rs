//! Machines that are smaller, or take longer, than their host's list makes one think.

use std::time::Duration;

use serde_json::json;

use super::stage::Stage;

/// A pod that asks for so much memory, on machines that are made with 16384 MiB and report 16018.
fn want(stage: &Stage, name: &str, mebibytes: u32) {
    let memory = format!("{mebibytes}Mi");
    let container = json!({
        "name": "main", "image": "pause", "resources": { "requests": { "memory": memory } },
    });
    let pod = json!({ "metadata": { "name": name }, "spec": { "containers": [container] } });
    stage.ground.create("pods", "default", pod);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_fits_only_what_a_machine_is_made_with_buys_nothing() {
    let stage = Stage::new().await;
    want(&stage, "wide", 16_200);
    stage.pass(1800).await;
    assert_eq!(stage.machines(), 0);
    want(&stage, "fitting", 15_000);
    stage.until("the pod that fits runs", |stage| stage.running() == 1).await;
    stage.pass(1800).await;
    assert_eq!((stage.machines(), stage.running()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn what_a_node_of_the_group_really_has_counts_from_the_first_one_on() {
    let stage = Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    stage.pass(120).await;
    // Less than a node has, and more than is promised before there was one.
    want(&stage, "close", 15_950);
    stage.until("the close one runs as well", |stage| stage.running() == 4).await;
    assert_eq!(stage.machines(), 2);
    let empty = Stage::new().await;
    want(&empty, "close", 15_950);
    empty.pass(1800).await;
    assert_eq!(empty.machines(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_takes_long_to_be_made_is_bought_once() {
    // The first is waited for, the second is given up and appears later.
    for seconds in [90, 150] {
        let stage = Stage::new().await;
        stage.host.set_creation_time(1, Duration::from_secs(seconds));
        stage.deploy("web", 3);
        stage.until("three pods run", |stage| stage.running() == 3).await;
        stage.pass(1800).await;
        let names: Vec<_> = stage.host.machines().into_iter().map(|one| one.hostname).collect();
        assert_eq!((names.as_slice(), stage.running()), (&["api-1".into()][..], 3), "{seconds} s");
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_made_twice_over_a_restart_is_given_back() {
    let mut stage = Stage::new().await;
    stage.host.set_creation_time(1, Duration::from_mins(10));
    stage.deploy("web", 3);
    stage.pass(20).await;
    assert_eq!(stage.machines(), 0);
    // A new process knows nothing of the request that the host is working on.
    stage.restart().await;
    stage.until("three pods run", |stage| stage.running() == 3).await;
    assert_eq!(stage.machines(), 1);
    // It is deleted as soon as it appears, by an order. Had it become a node it would have left by a drain.
    let is_deletion = |order: &String| order == "Delete Done";
    stage.until("the other is deleted", |stage| stage.orders().iter().any(is_deletion)).await;
    stage.pass(600).await;
    let names: Vec<_> = stage.host.machines().into_iter().map(|one| one.hostname).collect();
    assert_eq!((names.as_slice(), stage.running()), (&["api-1".into()][..], 3));
}
