//! What happens when others fail: providers, leases, and those who left marks behind.

use plimsoll_cluster::lease::Standing;
use plimsoll_control::{
    engine::{Cause, HeldBack},
    fault::Faults,
    settings::Mode,
};
use plimsoll_providers::simulated::Reach;
use serde_json::json;

use crate::stage::{Stage, TWO_GROUPS, of};

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_away_is_asked_again_when_it_is_back() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.set_reach(Reach::Down);
    stage.deploy("web", 6, "1");
    stage.pass(40).await;
    assert_eq!(stage.machines(), 0);
    assert_eq!(stage.orders(), ["Increase Wanted"]);
    stage.cloud.set_reach(Reach::Up);
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!(stage.bought(), of("cheap", 2));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_buys_nothing_twice() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.lose_replies(2);
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(300).await;
    assert_eq!(stage.bought(), of("cheap", 2));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_answers_is_given_up() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.set_reach(Reach::Down);
    stage.deploy("web", 1, "1");
    stage.pass(600).await;
    assert!(
        stage.orders().iter().all(|order| order.starts_with("Increase Failed")),
        "{:?}",
        stage.orders()
    );
    stage.cloud.set_reach(Reach::Up);
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    assert_eq!(stage.machines(), 1);
}

/// All that there is, but for what a cluster writes by itself: statuses as well.
fn everything(stage: &Stage) -> Vec<String> {
    let stripped = stage.ground.everything().into_iter().map(|mut object| {
        object.as_object_mut().unwrap().remove("status");
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
        object.to_string()
    });
    stripped.collect()
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_tells_and_touches_nothing() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(300).await;
    stage.stop().await;
    // One node is not needed any more, and something has no place.
    stage.scale("web", 1);
    stage.deploy("wide", 3, "3500m");
    stage.pass(60).await;
    let before = (everything(&stage), stage.cloud.journal().len());
    stage.settings.mode = Mode::DryRun;
    let mut passes = stage.start(Faults::default()).passes();
    let planned =
        passes.wait_for(|pass| pass.as_ref().is_some_and(|pass| !pass.plan.purchases.is_empty()));
    assert_eq!(planned.await.unwrap().as_ref().unwrap().held_back, Some(HeldBack::DryRun));
    stage.pass(1200).await;
    stage.stop().await;
    assert_eq!((everything(&stage), stage.cloud.journal().len()), before);
}

#[tokio::test(start_paused = true)]
async fn who_does_not_lead_does_nothing() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.standing.send_replace(Standing::Standby { leader: Some("other".to_owned()) });
    stage.start(Faults::default());
    stage.deploy("web", 6, "1");
    stage.pass(300).await;
    assert_eq!(stage.machines(), 0);
    stage.standing.send_replace(Standing::Leading);
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!(stage.bought(), of("cheap", 2));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_lost_in_the_middle_leaves_everything_to_the_next_leader() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("wide", 2, "3");
    stage.until("two pods run", |stage| stage.running("wide") == 2).await;
    stage.deploy("small", 2, "500m");
    stage.until("small pods run", |stage| stage.running("small") == 2).await;
    stage.scale("wide", 0);
    stage.until("a node is marked", |stage| !stage.is_all_open()).await;
    stage.standing.send_replace(Standing::Standby { leader: Some("other".to_owned()) });
    stage.pass(300).await;
    assert_eq!((stage.machines(), stage.node_names().len()), (2, 2), "nothing was done");
    assert!(!stage.is_all_open(), "nothing was undone either");
    stage.standing.send_replace(Standing::Leading);
    stage
        .until("one machine is left", |stage| {
            stage.machines() == 1 && stage.node_names().len() == 1
        })
        .await;
    stage.pass(60).await;
    assert_eq!(stage.running("small"), 2);
    assert!(stage.is_all_open());
    stage.stop().await;
}

#[tokio::test(start_paused = true)]
async fn marks_that_nobody_explains_are_taken_off() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.kill().await;
    let node = stage.node_names().remove(0);
    stage.modify("nodes", &node, |node| {
        node["spec"]["unschedulable"] = json!(true);
        node["spec"]["taints"] = json!([{
            "key": "ToBeDeletedByClusterAutoscaler", "value": "1772366400", "effect": "NoSchedule",
        }]);
    });
    stage.create("nodes", json!({
        "metadata": { "name": "foreign" },
        "spec": { "taints": [{ "key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule" }] },
    }));
    stage.start(Faults::default());
    stage.pass(30).await;
    assert_eq!(stage.nodes(), [node, "foreign marked".to_owned()]);
}

#[tokio::test(start_paused = true)]
async fn clocks_and_rests_survive_a_restart() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.pass(90).await;
    let before = stage.last_pass().memory.unneeded_since.clone();
    assert_eq!(before.len(), 1);
    stage.stop().await;
    stage.start(Faults::default());
    stage.pass(15).await;
    assert_eq!(stage.last_pass().memory.unneeded_since, before);
}

#[tokio::test(start_paused = true)]
async fn settings_change_while_it_runs() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.mode = Mode::DryRun;
    stage.start(Faults::default());
    stage.deploy("web", 3, "1");
    stage.pass(60).await;
    assert_eq!(
        (stage.machines(), stage.last_pass().held_back.clone()),
        (0, Some(HeldBack::DryRun))
    );
    stage.reset(|settings| settings.mode = Mode::Act);
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.bought(), of("cheap", 1));
    let before = stage.last_pass().number;
    stage.reset(|settings| settings.pace.scan = std::time::Duration::from_hours(1));
    stage.pass(1).await;
    let pass = stage.last_pass();
    assert_eq!((pass.number, pass.cause), (before + 1, Cause::Settings));
    assert_eq!(pass.settings.pace.scan.as_secs(), 3600);
}
