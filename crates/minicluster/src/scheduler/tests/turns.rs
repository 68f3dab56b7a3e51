use expect_test::expect;
use serde_json::json;

use super::Cluster;

#[tokio::test(start_paused = true)]
async fn a_binding_looks_like_that_of_the_real_scheduler() {
    let mut cluster = Cluster::new();
    cluster.node("n", 1000, json!({}));
    cluster.pod("p", 100, json!({}));
    cluster.settle();
    let pod = cluster.get("pods", "p");
    assert_eq!(pod["spec"]["nodeName"], "n");
    assert_eq!(
        pod["status"]["conditions"],
        json!([{
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": null,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }])
    );
    let event = &cluster.events("Scheduled")[0];
    assert_eq!(event["message"], "Successfully assigned default/p to n");
    assert_eq!(event["reportingComponent"], "default-scheduler");
    assert_eq!(event["action"], "Binding");
    assert_eq!(event["type"], "Normal");
    assert_eq!(event["involvedObject"]["uid"], pod["metadata"]["uid"]);
}

#[tokio::test(start_paused = true)]
async fn reasons_are_counted_and_worded_as_the_real_scheduler_does() {
    let mut cluster = Cluster::new();
    let pod = cluster.pod("p", 2000, json!({ "nodeSelector": { "disk": "fast" } }));
    cluster.settle();
    expect!["no nodes available to schedule pods"].assert_eq(&cluster.why("p"));
    assert_eq!(pod["metadata"]["generation"], 1);
    let labels = |cluster: &Cluster, name: &str| {
        cluster.change_node(name, |node| node["metadata"]["labels"]["disk"] = json!("fast"));
    };
    cluster.node("slow", 4000, json!({}));
    cluster.node("cordoned", 4000, json!({ "unschedulable": true }));
    let taint = json!({ "key": "gpu", "value": "yes", "effect": "NoSchedule" });
    cluster.node("tainted", 4000, json!({ "taints": [taint] }));
    for name in ["small-1", "small-2"] {
        cluster.node(name, 1000, json!({}));
        labels(&cluster, name);
    }
    cluster.settle_later().await;
    expect!["0/5 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling."]
        .assert_eq(&cluster.why("p"));
    let events = cluster.events("FailedScheduling");
    assert_eq!(events.len(), 2, "one for each new sentence");
    assert_eq!(events[1]["message"], cluster.why("p"));
    assert_eq!(events[1]["type"], "Warning");
    cluster.node("right", 4000, json!({}));
    labels(&cluster, "right");
    cluster.settle_later().await;
    assert_eq!(cluster.node_of("p").as_deref(), Some("right"));
}

#[tokio::test(start_paused = true)]
async fn only_pods_of_this_scheduler_without_gates_are_bound() {
    let mut cluster = Cluster::new();
    cluster.node("n", 1000, json!({}));
    cluster.pod("other", 100, json!({ "schedulerName": "recorder" }));
    cluster.pod("gated", 100, json!({ "schedulingGates": [{ "name": "example.com/wait" }] }));
    cluster.settle();
    assert_eq!((cluster.node_of("other"), cluster.node_of("gated")), (None, None));
    let target = crate::api::Target::new("default", "gated");
    let open = |pod: &mut serde_json::Value| {
        pod["spec"].as_object_mut().unwrap().remove("schedulingGates");
    };
    cluster.api.modify(&cluster.kind("pods"), &target, open).unwrap();
    cluster.settle();
    assert_eq!(cluster.node_of("gated").as_deref(), Some("n"));
}

#[tokio::test(start_paused = true)]
async fn higher_priority_goes_first_and_equal_pods_spread() {
    let mut cluster = Cluster::new();
    cluster.node("a", 1000, json!({}));
    cluster.node("b", 1000, json!({}));
    cluster.make("priorityclasses", json!({ "metadata": { "name": "high" }, "value": 1000 }));
    for name in ["low-1", "low-2"] {
        cluster.pod(name, 600, json!({}));
    }
    cluster.pod("high-1", 600, json!({ "priorityClassName": "high" }));
    cluster.settle();
    assert!(cluster.node_of("high-1").is_some());
    assert!(cluster.node_of("low-1").is_some());
    assert_ne!(cluster.node_of("high-1"), cluster.node_of("low-1"));
    expect!["0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."]
        .assert_eq(&cluster.why("low-2"));
    cluster.end("low-1");
    cluster.settle_later().await;
    assert!(cluster.node_of("low-2").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_waits_is_told_its_node() {
    let mut cluster = Cluster::new();
    cluster.node("n", 1000, json!({}));
    cluster.make(
        "storageclasses",
        json!({ "metadata": { "name": "late" }, "provisioner": "example.com/disk",
                "volumeBindingMode": "WaitForFirstConsumer" }),
    );
    let volumes = json!([{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }]);
    cluster.pod("p", 100, json!({ "volumes": volumes }));
    cluster.settle();
    expect![[r#"0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."#]]
        .assert_eq(&cluster.why("p"));
    cluster.make(
        "persistentvolumeclaims",
        json!({ "metadata": { "name": "data" },
                "spec": { "storageClassName": "late", "accessModes": ["ReadWriteOnce"],
                          "resources": { "requests": { "storage": "1Gi" } } } }),
    );
    cluster.settle_later().await;
    assert_eq!(cluster.node_of("p").as_deref(), Some("n"));
    let claim = cluster.get("persistentvolumeclaims", "data");
    assert_eq!(claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"], "n");
}

#[tokio::test(start_paused = true)]
async fn running_it_binds_what_comes_and_stops_when_told() {
    let cluster = Cluster::new();
    cluster.node("n", 1000, json!({}));
    let Cluster { api, scheduler } = cluster;
    let shutdown = plimsoll_net::Shutdown::new();
    let running = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { scheduler.run(&shutdown).await }
    });
    let cluster = Cluster { scheduler: super::Scheduler::new(&api).unwrap(), api };
    cluster.pod("too-big", 2000, json!({}));
    cluster.pod("p", 500, json!({}));
    // Time is paused: it passes when nobody has anything to do.
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    assert_eq!(cluster.node_of("p").as_deref(), Some("n"));
    cluster.node("large", 4000, json!({}));
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(cluster.node_of("too-big").as_deref(), Some("large"));
    shutdown.trigger();
    running.await.unwrap();
}
