//! Orders: what others wrote, deleted or changed, and what was served in part.

use plimsoll_cluster::{
    connect,
    lease::{Candidacy, Leadership, Standing, Timings, stand},
    orders::{Orders, OrdersError},
};
use plimsoll_control::fault::Faults;
use plimsoll_model::{Intent, OrderPhase, ScaleUp};
use plimsoll_net::Shutdown;
use plimsoll_provider::{Class, OrderId};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::stage::{Stage, TWO_GROUPS, of, text};

const ORDERS: &str = "nodeorders.plimsoll.dev";

/// A cluster in which the kind of orders is known, and no loop runs.
async fn idle() -> Stage {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.pass(15).await;
    stage.stop().await;
    stage
}

/// Writes an order as a person could.
fn write(stage: &Stage, name: &str, spec: &Value) {
    let object = json!({
        "apiVersion": "plimsoll.dev/v1alpha1", "kind": "NodeOrder",
        "metadata": { "name": name }, "spec": spec,
    });
    stage.create(ORDERS, object);
}

fn find(stage: &Stage, name: &str) -> Value {
    let orders = stage.list(ORDERS);
    let found = orders.into_iter().find(|order| text(order, "/metadata/name") == name);
    found.unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_scale_up_that_somebody_wrote_keeps_to_the_limits() {
    let mut stage = idle().await;
    let spec = json!({ "action": "Increase", "group": "cheap", "count": 6, "from": 0, "why": "" });
    write(&stage, "by-hand", &spec);
    stage.settings.plan.limits.nodes = 2;
    stage.start(Faults::default());
    stage.pass(120).await;
    assert_eq!(stage.machines(), 0);
    let order = find(&stage, "by-hand");
    assert_eq!(text(&order, "/status/phase"), "Failed");
    assert!(text(&order, "/status/message").contains("max-nodes-total"), "{order}");
}

#[tokio::test(start_paused = true)]
async fn a_maximum_that_was_lowered_holds_for_orders_of_an_earlier_run() {
    let mut stage = idle().await;
    let spec = json!({ "action": "Increase", "group": "cheap", "count": 3, "from": 0, "why": "" });
    write(&stage, "earlier", &spec);
    stage.cloud.set_bounds("cheap".into(), 0, 2).unwrap();
    stage.start(Faults::default());
    stage.pass(120).await;
    assert_eq!(
        (stage.machines(), text(&find(&stage, "earlier"), "/status/phase")),
        (0, "Failed".into())
    );
}

#[tokio::test(start_paused = true)]
async fn a_removal_that_somebody_wrote_touches_no_node_of_another() {
    let mut stage = idle().await;
    let resources = json!({ "cpu": "2", "memory": "4Gi", "pods": "110" });
    let key = "node-role.kubernetes.io/control-plane";
    for (name, labels) in [("server", json!({ key: "" })), ("bare", json!({}))] {
        stage.ground.kubelets().add(json!({
            "metadata": { "name": name, "labels": labels },
            "status": { "capacity": resources, "allocatable": resources },
        }));
    }
    stage.pass(5).await;
    for node in stage.list("nodes") {
        let (name, uid) = (text(&node, "/metadata/name"), text(&node, "/metadata/uid"));
        for (phase, number) in [("Deleting", 1), ("Draining", 2)] {
            let order = format!("{name}-{number}");
            let spec = json!({
                "action": "Retire", "group": "cheap", "node": name, "nodeUid": uid,
                "instance": "simulated://cheap/none", "why": "by hand",
            });
            write(&stage, &order, &spec);
            stage.modify_status(ORDERS, &order, |object| {
                object["status"] = json!({ "phase": phase });
            });
        }
    }
    stage.start(Faults::default());
    for _ in 0..90 {
        stage.pass(10).await;
        let mut nodes = stage.nodes();
        nodes.sort();
        assert_eq!(nodes, ["bare", "server"], "{:?}", stage.orders());
    }
    let orders = stage.orders();
    assert!(orders.iter().all(|order| order.starts_with("Retire Released")), "{orders:?}");
}

#[tokio::test(start_paused = true)]
async fn every_deletion_of_a_machine_is_an_order() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.cloud.fail_machines("cheap".into(), 1, Class::Bug).unwrap();
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    let deletions = || -> Vec<Value> {
        let orders = stage.list(ORDERS).into_iter();
        orders.filter(|order| text(order, "/spec/action") == "Delete").collect()
    };
    let found = deletions();
    let [order] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(text(order, "/status/phase"), "Done");
    assert!(text(order, "/spec/instance").starts_with("simulated://cheap/"), "{order}");
    // What is over is tidied up after a while.
    stage.pass(900).await;
    assert_eq!(deletions(), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn an_order_that_was_served_in_part_promises_no_more_than_was_made() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.set_stock("cheap".into(), Some(1)).unwrap();
    stage.deploy("web", 5, "3");
    // The others are ordered elsewhere as soon as the first has answered, and not after the next look at the provider.
    stage.until("all machines are ordered", |stage| stage.machines() == 5).await;
    assert_eq!(stage.bought().get("cheap"), Some(&1));
    stage.until("five pods run", |stage| stage.running("web") == 5).await;
    stage.pass(120).await;
    assert_eq!(stage.machines(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_order_that_somebody_deletes_is_written_again_before_its_machine_is_deleted() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.until("the node is tainted", |stage| !stage.is_all_open()).await;
    for order in stage.list(ORDERS) {
        stage.ground.delete(ORDERS, "", &text(&order, "/metadata/name"));
    }
    stage.until("the machine is gone", |stage| stage.machines() == 0).await;
    assert!(
        stage.orders().iter().any(|order| order.starts_with("Retire ")),
        "{:?}",
        stage.orders()
    );
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn whoever_led_before_cannot_write_to_an_order_that_was_taken_over() {
    let stage = idle().await;
    let client = || connect::over(stage.ground.service());
    let before = Orders::new(client(), Leadership::alone());
    let (id, now) = (OrderId::new("increase-1").unwrap(), stage.clock.now());
    let group = "cheap".into();
    let scale_up = ScaleUp { group, count: 1, from: 0, pods: Vec::new(), why: String::new() };
    let intent = Intent::ScaleUp(scale_up);
    before.write(&id, &intent, None, now).await.unwrap();
    // Another one wins the Lease, and takes over.
    let leadership = Leadership::contested(stage.clock);
    let standing = watch::Sender::new(Standing::Standby { leader: None });
    let mut stands = standing.subscribe();
    let candidacy = Candidacy {
        namespace: "kube-system".to_owned(),
        name: "cluster-autoscaler".to_owned(),
        identity: "two".to_owned(),
        timings: Timings::default(),
    };
    let (shares, end) = (leadership.clone(), Shutdown::new());
    let election = stand(client(), candidacy, stage.clock, standing, shares, end.clone());
    let election = tokio::spawn(election);
    stands.wait_for(|standing| *standing == Standing::Leading).await.unwrap();
    let after = Orders::new(client(), leadership);
    assert_eq!(after.list(now).await.unwrap().orders.len(), 1);
    after.take_over(&id).await.unwrap();
    let refused = before.advance(&id, &OrderPhase::Placed.into(), now).await;
    assert!(
        matches!(&refused, Err(OrdersError::Superseded { by, .. }) if by == "two"),
        "{refused:?}"
    );
    after.advance(&id, &OrderPhase::Placed.into(), now).await.unwrap();
    assert_eq!(text(&find(&stage, "increase-1"), "/status/leader/holder"), "two");
    end.trigger();
    election.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn adding_a_provider_orphans_no_removal() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.until("the node is tainted", |stage| !stage.is_all_open()).await;
    stage.kill().await;
    // From here on groups are called after their provider as well.
    stage.add_provider(
        "name: other\ngroups: [{id: third, max: 2, template: {cpu: 4, memory: 16Gi}}]",
    );
    stage.start(Faults::default());
    stage.until("the machine is gone", |stage| stage.machines() == 0).await;
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
    assert_eq!(stage.bought(), of("cheap", 1));
}
