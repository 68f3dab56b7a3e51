//! Nodes that nobody needs are given back, and pods are asked to leave in the way that their budgets allow.

use plimsoll_cluster::evict::Eviction;
use plimsoll_control::{engine::News, fault::Faults};
use plimsoll_model::{Consolidation, Symbol};
use serde_json::json;

use crate::stage::{Stage, TWO_GROUPS, of};

/// Two pods on two nodes that would fit on one.
async fn two_half_empty_nodes(stage: &Stage) {
    stage.deploy("wide", 2, "3");
    stage.until("two pods run", |stage| stage.running("wide") == 2).await;
    stage.deploy("small", 2, "500m");
    stage.until("small pods run", |stage| stage.running("small") == 2).await;
    assert_eq!(stage.node_names().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_empty_node_goes_with_its_machine() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.scale("web", 0);
    stage.until("a node leaves", |stage| !stage.is_all_open()).await;
    stage.until("no machine is left", |stage| stage.machines() == 0).await;
    stage.until("no node is left", |stage| stage.node_names().is_empty()).await;
    stage.pass(30).await;
    assert_eq!(stage.bought(), of("cheap", 2));
    let retired = stage.orders().iter().filter(|order| *order == "Retire Done").count();
    assert_eq!(retired, 2, "{:?}", stage.orders());
}

#[tokio::test(start_paused = true)]
async fn a_node_with_little_on_it_goes_when_its_pods_have_another_place() {
    let stage = Stage::with(TWO_GROUPS).await;
    two_half_empty_nodes(&stage).await;
    stage.scale("wide", 0);
    stage.until("one node is left", |stage| stage.node_names().len() == 1).await;
    stage.until("small pods run", |stage| stage.running("small") == 2).await;
    stage.pass(600).await;
    assert_eq!((stage.machines(), stage.bought()), (1, of("cheap", 2)));
    assert!(stage.is_all_open());
}

#[tokio::test(start_paused = true)]
async fn no_pod_is_evicted_past_its_budget() {
    let stage = Stage::with(TWO_GROUPS).await;
    two_half_empty_nodes(&stage).await;
    stage.protect("small", 2);
    stage.scale("wide", 0);
    stage.pass(1800).await;
    assert_eq!((stage.node_names().len(), stage.running("small")), (2, 2));
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_used_up_in_the_middle_gives_the_node_back() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.retire.waves = vec![(0, 600), (1000, 600)];
    stage.start(Faults::default());
    stage.create(
        "priorityclasses.scheduling.k8s.io",
        json!({ "metadata": { "name": "high" }, "value": 1000 }),
    );
    stage.deploy("wide", 2, "3");
    stage.until("two pods run", |stage| stage.running("wide") == 2).await;
    let apart = |template: &mut serde_json::Value| {
        let labels = template["metadata"]["labels"].clone();
        template["spec"]["topologySpreadConstraints"] = json!([{
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": labels },
        }]);
    };
    stage.deploy_as("low", 2, "100m", apart);
    stage.deploy_as("high", 2, "100m", |template| {
        apart(template);
        template["spec"]["priorityClassName"] = json!("high");
    });
    stage
        .until("small pods run", |stage| (stage.running("low"), stage.running("high")) == (2, 2))
        .await;
    let mut news = stage.handle().news();
    stage.scale("wide", 0);
    // The pod of the first wave leaves; meanwhile somebody protects the one of the second.
    stage
        .until("its pods are asked", |stage| {
            stage.orders().iter().any(|order| order == "Retire Draining")
        })
        .await;
    stage.protect("high", 2);
    stage.until("the node is open again", Stage::is_all_open).await;
    stage.pass(600).await;
    assert_eq!((stage.running("low"), stage.running("high")), (2, 2));
    assert_eq!(stage.machines(), 2);
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
    let (mut evicted, mut released) = (Vec::new(), Vec::new());
    while let Ok(told) = news.try_recv() {
        match &*told {
            News::Evicted { pod, outcome, .. } => {
                let app = pod.name.split('-').next().unwrap_or_default();
                evicted.push((app.to_owned(), *outcome == Eviction::Accepted));
            }
            News::Released { why, .. } => released.push(why.clone()),
            _ => {}
        }
    }
    assert_eq!(evicted.remove(0), ("low".to_owned(), true));
    assert_eq!(evicted, vec![("high".to_owned(), false); 12], "asked again for two minutes");
    assert!(
        matches!(released.as_slice(), [why] if why.contains("could not be evicted")),
        "{released:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn somebody_who_asks_for_a_delay_is_waited_for() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    let node = stage.node_names().remove(0);
    let key = "delay-deletion.cluster-autoscaler.kubernetes.io/backup";
    stage.modify("nodes", &node, |node| node["metadata"]["annotations"][key] = json!("wait"));
    stage.scale("web", 0);
    stage.until("the node leaves", |stage| !stage.is_all_open()).await;
    stage.pass(60).await;
    assert_eq!(stage.machines(), 1, "somebody wants it to wait");
    stage.modify("nodes", &node, |node| {
        node["metadata"]["annotations"].as_object_mut().unwrap().remove(key);
    });
    stage.pass(40).await;
    assert_eq!(stage.machines(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_comes_in_the_last_moment_keeps_its_node() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    let node = stage.node_names().remove(0);
    let mut news = stage.handle().news();
    stage.scale("web", 0);
    stage.until("the node leaves", |stage| !stage.is_all_open()).await;
    // It was bound before the scheduler saw the mark, and nobody would make another.
    stage.create(
        "pods",
        json!({
            "metadata": { "name": "late" },
            "spec": { "nodeName": node, "containers": [{ "name": "main", "image": "pause" }] },
        }),
    );
    stage.until("the node is open again", Stage::is_all_open).await;
    stage.pass(60).await;
    assert_eq!(stage.machines(), 1);
    let mut released = Vec::new();
    while let Ok(told) = news.try_recv() {
        if let News::Released { why, .. } = &*told {
            released.push(why.clone());
        }
    }
    assert_eq!(
        released,
        [
            "the node is needed: pod default/late cannot be moved, no controller that counts would make it again"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn nodes_that_nobody_needs_are_marked_for_the_scheduler() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    let soft = |stage: &Stage| {
        let text = stage.list("nodes").iter().map(ToString::to_string).collect::<String>();
        text.contains("DeletionCandidateOfClusterAutoscaler")
    };
    assert!(!soft(&stage));
    stage.scale("web", 0);
    stage.pass(30).await;
    assert!(soft(&stage));
    stage.deploy("next", 3, "1");
    stage.until("it runs", |stage| stage.running("next") == 3).await;
    stage.pass(30).await;
    assert!(!soft(&stage), "{:?}", stage.list("nodes"));
}

/// What was evicted, in order, by the beginning of its name.
fn evicted(news: &mut tokio::sync::broadcast::Receiver<std::sync::Arc<News>>) -> Vec<String> {
    let mut evicted = Vec::new();
    while let Ok(told) = news.try_recv() {
        if let News::Evicted { pod, .. } = &*told {
            evicted.push(pod.name.split('-').next().unwrap_or_default().to_owned());
        }
    }
    evicted
}

#[tokio::test(start_paused = true)]
async fn the_least_important_pods_leave_first_and_daemons_with_them() {
    for daemons in [true, false] {
        let mut stage = Stage::set(TWO_GROUPS).await;
        stage.settings.retire.waves = vec![(0, 600), (1000, 600)];
        stage.settings.retire.evict_daemons_occupied = daemons;
        stage.start(Faults::default());
        stage.create(
            "priorityclasses.scheduling.k8s.io",
            json!({ "metadata": { "name": "high" }, "value": 1000 }),
        );
        let labels = json!({ "app": "agent" });
        let spec = json!({ "containers": [{ "name": "main", "image": "agent" }] });
        stage.create(
            "daemonsets.apps",
            json!({
                "metadata": { "name": "agent" },
                "spec": {
                    "selector": { "matchLabels": labels },
                    "template": { "metadata": { "labels": labels }, "spec": spec },
                },
            }),
        );
        stage.deploy("wide", 1, "3");
        stage.until("a pod runs", |stage| stage.running("wide") == 1).await;
        stage.deploy("low", 1, "100m");
        stage.deploy_as("high", 1, "100m", |template| {
            template["spec"]["priorityClassName"] = json!("high");
        });
        let both = |stage: &Stage| (stage.running("low"), stage.running("high")) == (1, 1);
        stage.until("both run", both).await;
        // Another node, to which they can move.
        stage.deploy("other", 1, "3");
        stage.until("another runs", |stage| stage.running("other") == 1).await;
        let mut news = stage.handle().news();
        stage.scale("wide", 0);
        stage.until("one node is left", |stage| stage.node_names().len() == 1).await;
        stage.until("both run", both).await;
        let mut evicted = evicted(&mut news);
        // Those of one wave are asked at the same time.
        if let Some((_, first)) = evicted.split_last_mut() {
            first.sort();
        }
        let expected: &[&str] = if daemons { &["agent", "low", "high"] } else { &["low", "high"] };
        assert_eq!(evicted, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn dear_nodes_are_replaced_by_cheaper_ones() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.plan.scale_down.consolidation = Consolidation::Cost;
    stage.start(Faults::default());
    stage.cloud.set_stock(Symbol::new("cheap"), Some(0)).unwrap();
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!(stage.bought(), of("dear", 2));
    stage.cloud.set_stock(Symbol::new("cheap"), None).unwrap();
    let groups = |stage: &Stage| -> Vec<String> {
        let instances = stage.cloud.instances();
        instances.iter().map(|(group, _)| group.to_string()).collect()
    };
    stage.until("all is cheap", |stage| groups(stage) == ["cheap", "cheap"]).await;
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(1200).await;
    assert_eq!((groups(&stage), stage.node_names().len()), (vec!["cheap".to_owned(); 2], 2));
    assert_eq!(stage.bought()["cheap"], 2, "{:?}", stage.orders());
    assert!(stage.is_all_open());
}
