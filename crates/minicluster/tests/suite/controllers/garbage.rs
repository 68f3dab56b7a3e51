//! What goes with its owner, and what goes with its namespace.

use plimsoll_minicluster::api::{
    DeleteOptions, Propagation, Target, WatchEvent, WatchQuery, WriteOptions,
};
use serde_json::json;

use super::{Cluster, settle, text, workload};

#[tokio::test(start_paused = true)]
async fn in_the_foreground_dependents_go_first() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 2, &json!({})));
    settle().await;
    let mut watches: Vec<_> = ["pods", "replicasets.apps", "deployments.apps"]
        .map(|resource| cluster.api.watch(&cluster.kind(resource), &WatchQuery::default()).unwrap())
        .into();
    let options =
        DeleteOptions { propagation: Some(Propagation::Foreground), ..DeleteOptions::default() };
    cluster.delete("deployments.apps", "web", &options);
    settle().await;
    let mut gone = Vec::new();
    for watch in &mut watches {
        while let Some(event) = watch.try_next() {
            if let WatchEvent::Deleted(object) = event {
                gone.push((object.revision, text(&object.value(), "/kind")));
            }
        }
    }
    gone.sort();
    let kinds: Vec<String> = gone.into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["Pod", "Pod", "ReplicaSet", "Deployment"]);
}

#[tokio::test(start_paused = true)]
async fn orphans_stay_and_are_adopted_again() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 2, &json!({})));
    settle().await;
    let (pods, sets) =
        (cluster.names("pods", "app=web"), cluster.names("replicasets.apps", "app=web"));
    let options =
        DeleteOptions { propagation: Some(Propagation::Orphan), ..DeleteOptions::default() };
    cluster.delete("deployments.apps", "web", &options);
    settle().await;
    assert!(cluster.find("deployments.apps", "web").is_none());
    assert_eq!(
        cluster.get("replicasets.apps", &sets[0]).pointer("/metadata/ownerReferences"),
        None
    );
    cluster.create("deployments.apps", workload("web", 2, &json!({})));
    settle().await;
    assert_eq!(cluster.names("replicasets.apps", "app=web"), sets);
    assert_eq!(cluster.names("pods", "app=web"), pods);
}

#[tokio::test(start_paused = true)]
async fn objects_of_custom_kinds_own_and_are_owned() {
    let cluster = Cluster::start();
    let definition = json!({
        "metadata": { "name": "boats.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": { "plural": "boats", "singular": "boat", "kind": "Boat", "listKind": "BoatList" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    cluster.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    settle().await;
    let boat =
        json!({ "apiVersion": "example.com/v1", "kind": "Boat", "metadata": { "name": "owner" } });
    let owner = cluster.create("boats.example.com", boat);
    let reference = json!([{ "apiVersion": "example.com/v1", "kind": "Boat", "name": "owner", "uid": owner["metadata"]["uid"] }]);
    let small = json!({
        "apiVersion": "example.com/v1", "kind": "Boat", "metadata": { "name": "small", "ownerReferences": reference },
    });
    cluster.create("boats.example.com", small);
    cluster.create(
        "configmaps",
        json!({ "metadata": { "name": "chart", "ownerReferences": reference } }),
    );
    settle().await;
    assert!(cluster.find("configmaps", "chart").is_some());
    cluster.delete("boats.example.com", "owner", &DeleteOptions::default());
    settle().await;
    assert!(cluster.find("configmaps", "chart").is_none());
    assert!(cluster.find("boats.example.com", "small").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_namespace_takes_everything_along() {
    let cluster = Cluster::with_kubelets();
    cluster.create("namespaces", json!({ "metadata": { "name": "team" } }));
    settle().await;
    let place = |resource: &str, object| {
        cluster
            .api
            .create(&cluster.kind(resource), "team", object, &WriteOptions::default())
            .unwrap();
    };
    assert!(cluster.api.get(&cluster.kind("serviceaccounts"), "team", "default").is_ok());
    place("deployments.apps", workload("web", 3, &json!({})));
    place(
        "configmaps",
        json!({ "metadata": { "name": "held", "finalizers": ["example.com/hold"] } }),
    );
    settle().await;
    cluster.delete("namespaces", "team", &DeleteOptions::default());
    settle().await;
    let namespace = cluster.get("namespaces", "team");
    assert_eq!(text(&namespace, "/status/phase"), "Terminating");
    assert_eq!(super::condition(&namespace, "NamespaceFinalizersRemaining"), "True");
    let left = |resource: &str| {
        let all = cluster.list(resource, "");
        all.iter().filter(|object| text(object, "/metadata/namespace") == "team").count()
    };
    assert_eq!(
        ["pods", "deployments.apps", "replicasets.apps", "events", "configmaps"].map(left),
        [0, 0, 0, 0, 1]
    );
    let at = Target::new("team", "held");
    let free = |object: &mut serde_json::Value| object["metadata"]["finalizers"] = json!([]);
    cluster.api.modify(&cluster.kind("configmaps"), &at, free).unwrap();
    settle().await;
    assert!(cluster.find("namespaces", "team").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_cluster_begins_with_a_service_and_an_account() {
    let cluster = Cluster::start();
    settle().await;
    assert_eq!(text(&cluster.get("services", "kubernetes"), "/spec/clusterIP"), "10.0.0.1");
    assert!(cluster.find("serviceaccounts", "default").is_some());
}
