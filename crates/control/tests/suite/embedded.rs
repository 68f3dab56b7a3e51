//! What only the embedded cluster can be made to do, or does in time.
//!
//! | test | on a real control plane |
//! |------|-------------------------|
//! | `the_first_call_comes_within_a_second` | much time passes while it answers |
//! | `a_watch_that_breaks_misses_nothing_even_when_its_version_is_gone` | nobody makes it forget its history |
//! | `a_definition_that_is_deleted_is_installed_again` | it takes a while until a new kind is served, by its own clock |
//! | `node_deleted_with_kubectl_is_noticed` | pods of a node that is gone are collected after a minute by its own clock, by which hours have passed |

use crate::{
    gate::State,
    stackpoint,
    stage::{Stage, TWO_GROUPS},
};

#[tokio::test(start_paused = true)]
async fn the_first_call_comes_within_a_second() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.deploy("web", 1, "1");
    stage.until("the pod is there", |stage| !stage.list("pods").is_empty()).await;
    let seen = stage.clock.now();
    stage.until("something is bought", |stage| stage.machines() == 1).await;
    let waited = stage.clock.now().duration_since(seen);
    assert!(waited.as_millis() <= 500, "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_misses_nothing_even_when_its_version_is_gone() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    for round in 1..=3 {
        stage.gate.set(State::Refusing);
        stage.scale("web", 3 + 3 * round);
        stage.pass(1).await;
        let api = stage.ground.cluster.api();
        api.compact(api.revision());
        stage.gate.set(State::Open);
        let wanted = usize::try_from(3 + 3 * round).unwrap();
        stage.until("all pods run", |stage| stage.running("web") == wanted).await;
    }
    // Quiet kinds are heard of as well: nothing is held back long after.
    stage.pass(300).await;
    assert_eq!(stage.last_pass().held_back, None);
    stage.scale("web", 0);
    stage.until("all nodes are gone", |stage| stage.node_names().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_definition_that_is_deleted_is_installed_again() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(15).await;
    let definitions = "customresourcedefinitions.apiextensions.k8s.io";
    stage.ground.delete(definitions, "", "nodeorders.plimsoll.dev");
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.orders().len(), 1, "{:?}", stage.orders());
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.until("the node is tainted", |stage| !stage.is_all_open()).await;
    // With the definition all orders go, those under way as well.
    stage.ground.delete(definitions, "", "nodeorders.plimsoll.dev");
    stage.until("the machine is gone", |stage| stage.machines() == 0).await;
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn node_deleted_with_kubectl_is_noticed() {
    let stage = stackpoint::Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let machine = stage.machines().remove(0);
    let name = machine.node_name();
    stage.ground.kubelets().vanish(&name);
    stage.ground.delete("nodes", "", &name);
    // Its machine runs, and might join again; when it has had its time it is replaced.
    stage.pass(600).await;
    assert_eq!(stage.machines()[0].state.word(), "running");
    stage
        .until("the machine is given back", |stage| {
            stage.machines().iter().all(|known| known.instance_id != machine.instance_id)
        })
        .await;
    stage.until("the pods run elsewhere", |stage| stage.running("web") == 2).await;
    assert_eq!(stage.machines().len(), 1);
}
