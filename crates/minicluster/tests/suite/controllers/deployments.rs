//! Deployments and replica sets.

use plimsoll_minicluster::api::{WatchEvent, WatchQuery};
use serde_json::json;

use super::{Cluster, condition, is_leaving, is_ready, number, settle, template, text, workload};

#[tokio::test(start_paused = true)]
async fn a_rolling_update_stays_within_its_fences() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 10, &json!({})));
    settle().await;
    assert_eq!(number(&cluster.get("deployments.apps", "web"), "/status/availableReplicas"), 10);

    let mut watch = cluster.api.watch(&cluster.kind("pods"), &WatchQuery::default()).unwrap();
    cluster.change(
        "deployments.apps",
        "web",
        &json!({ "spec": { "template": template("web", "image:2") } }),
    );
    let (mut least, mut most) = (usize::MAX, 0);
    let end = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
    while let Ok(Some(event)) = tokio::time::timeout_at(end, watch.next()).await {
        assert!(!matches!(event, WatchEvent::Error(_)));
        let pods = cluster.list("pods", "app=web");
        let live: Vec<_> = pods.iter().filter(|pod| !is_leaving(pod)).collect();
        most = most.max(live.len());
        least = least.min(live.iter().filter(|pod| is_ready(pod)).count());
    }
    // A quarter of ten: three more, two fewer.
    assert_eq!((least, most), (8, 13));
    let pods = cluster.list("pods", "app=web");
    assert_eq!(pods.len(), 10);
    assert!(pods.iter().all(|pod| text(pod, "/spec/containers/0/image") == "image:2"));
    let deployment = cluster.get("deployments.apps", "web");
    assert_eq!(text(&deployment, "/metadata/annotations/deployment.kubernetes.io~1revision"), "2");
    assert_eq!(number(&deployment, "/status/updatedReplicas"), 10);
    assert_eq!(
        (condition(&deployment, "Available"), condition(&deployment, "Progressing")),
        ("True".into(), "True".into())
    );
}

#[tokio::test(start_paused = true)]
async fn going_back_uses_the_old_replica_set_under_a_new_revision() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 2, &json!({})));
    settle().await;
    let first = cluster.names("replicasets.apps", "app=web");
    for image in ["image:2", "image:1"] {
        cluster.change(
            "deployments.apps",
            "web",
            &json!({ "spec": { "template": template("web", image) } }),
        );
        settle().await;
    }
    let set = cluster.get("replicasets.apps", &first[0]);
    assert_eq!(number(&set, "/spec/replicas"), 2);
    assert_eq!(text(&set, "/metadata/annotations/deployment.kubernetes.io~1revision"), "3");
    assert_eq!(text(&set, "/metadata/annotations/deployment.kubernetes.io~1revision-history"), "1");
    assert_eq!(cluster.names("replicasets.apps", "app=web").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn old_replica_sets_are_kept_as_long_as_the_history_says() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 1, &json!({ "revisionHistoryLimit": 1 })));
    for image in ["image:2", "image:3", "image:4"] {
        settle().await;
        cluster.change(
            "deployments.apps",
            "web",
            &json!({ "spec": { "template": template("web", image) } }),
        );
    }
    settle().await;
    let sets = cluster.list("replicasets.apps", "app=web");
    let mut images: Vec<_> =
        sets.iter().map(|set| text(set, "/spec/template/spec/containers/0/image")).collect();
    images.sort();
    assert_eq!(images, ["image:3", "image:4"]);
}

#[tokio::test(start_paused = true)]
async fn recreate_never_runs_two_versions_at_once() {
    let cluster = Cluster::with_kubelets();
    let strategy = json!({ "strategy": { "type": "Recreate" } });
    cluster.create("deployments.apps", workload("web", 3, &strategy));
    settle().await;
    let mut watch = cluster.api.watch(&cluster.kind("pods"), &WatchQuery::default()).unwrap();
    cluster.change(
        "deployments.apps",
        "web",
        &json!({ "spec": { "template": template("web", "image:2") } }),
    );
    let end = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while let Ok(Some(_)) = tokio::time::timeout_at(end, watch.next()).await {
        let pods = cluster.list("pods", "app=web");
        let mut images: Vec<_> =
            pods.iter().map(|pod| text(pod, "/spec/containers/0/image")).collect();
        images.dedup();
        assert!(images.len() <= 1, "{images:?}");
    }
    let images: Vec<_> = cluster
        .list("pods", "app=web")
        .iter()
        .map(|pod| text(pod, "/spec/containers/0/image"))
        .collect();
    assert_eq!(images, ["image:2"; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_paused_deployment_is_scaled_but_not_updated() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 1, &json!({})));
    settle().await;
    let paused = json!({ "paused": true, "replicas": 3, "template": template("web", "image:2") });
    cluster.change("deployments.apps", "web", &json!({ "spec": paused }));
    settle().await;
    let images = |cluster: &Cluster| -> Vec<String> {
        cluster
            .list("pods", "app=web")
            .iter()
            .map(|pod| text(pod, "/spec/containers/0/image"))
            .collect()
    };
    assert_eq!(images(&cluster), ["image:1"; 3]);
    assert_eq!(condition(&cluster.get("deployments.apps", "web"), "Progressing"), "Unknown");
    cluster.change("deployments.apps", "web", &json!({ "spec": { "paused": false } }));
    settle().await;
    assert_eq!(images(&cluster), ["image:2"; 3]);
}

#[tokio::test(start_paused = true)]
async fn an_update_that_does_not_come_along_is_said_to_have_failed() {
    // Nobody starts pods here.
    let cluster = Cluster::start();
    cluster
        .create("deployments.apps", workload("web", 1, &json!({ "progressDeadlineSeconds": 60 })));
    settle().await;
    assert_eq!(condition(&cluster.get("deployments.apps", "web"), "Progressing"), "True");
    tokio::time::sleep(std::time::Duration::from_mins(1)).await;
    assert_eq!(condition(&cluster.get("deployments.apps", "web"), "Progressing"), "False");
}

#[tokio::test(start_paused = true)]
async fn a_replica_set_adopts_and_lets_go_by_labels() {
    let cluster = Cluster::with_kubelets();
    let mut own = template("web", "image:1");
    own["metadata"]["name"] = json!("own");
    cluster.create("pods", own);
    cluster.create("replicasets.apps", workload("web", 2, &json!({})));
    settle().await;
    assert_eq!(cluster.names("pods", "app=web").len(), 2);
    assert_eq!(text(&cluster.get("pods", "own"), "/metadata/ownerReferences/0/name"), "web");
    cluster.change("pods", "own", &json!({ "metadata": { "labels": { "app": "free" } } }));
    settle().await;
    assert_eq!(cluster.get("pods", "own").pointer("/metadata/ownerReferences"), None);
    assert_eq!(cluster.names("pods", "app=web").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_cheapest_pods_go_first() {
    let cluster = Cluster::with_kubelets();
    cluster.create("replicasets.apps", workload("web", 3, &json!({})));
    settle().await;
    let names = cluster.names("pods", "app=web");
    for (name, cost) in names.iter().zip(["5", "-5", "0"]) {
        let annotations = json!({ "controller.kubernetes.io/pod-deletion-cost": cost });
        cluster.change("pods", name, &json!({ "metadata": { "annotations": annotations } }));
    }
    cluster.change("replicasets.apps", "web", &json!({ "spec": { "replicas": 1 } }));
    settle().await;
    assert_eq!(cluster.names("pods", "app=web"), [names[0].clone()]);
    let events = cluster.list("events", "");
    let reasons: Vec<_> = events.iter().map(|event| text(event, "/reason")).collect();
    assert_eq!(reasons.iter().filter(|reason| *reason == "SuccessfulCreate").count(), 3);
    assert_eq!(reasons.iter().filter(|reason| *reason == "SuccessfulDelete").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn many_similar_events_become_one() {
    let cluster = Cluster::with_kubelets();
    cluster.create("replicasets.apps", workload("web", 12, &json!({})));
    settle().await;
    let events = cluster.list("events", "");
    let created = events.iter().filter(|event| text(event, "/reason") == "SuccessfulCreate");
    let (combined, alone): (Vec<_>, Vec<_>) = created
        .partition(|event| text(event, "/message").starts_with("(combined from similar events): "));
    assert_eq!((alone.len(), combined.len()), (9, 1));
    assert_eq!(number(combined[0], "/count"), 3);
}
