use super::{Bed, Behaviour, ListQuery, WatchEvent, WatchQuery, json, seconds, sleep};
use crate::read::condition;

#[tokio::test(start_paused = true)]
async fn a_machine_boots_registers_and_shows_that_it_lives() {
    let bed = Bed::new(Behaviour { boot: seconds(30), ..Behaviour::default() });
    bed.kubelets.add(json!({
        "metadata": { "name": "n", "labels": { "zone": "a" } },
        "status": { "capacity": { "cpu": "8", "memory": "32Gi", "pods": "50" } },
    }));
    sleep(seconds(29)).await;
    assert_eq!(bed.get("nodes", "", "n"), None);
    sleep(seconds(2)).await;
    let node = bed.get("nodes", "", "n").unwrap();
    assert_eq!(node["metadata"]["labels"]["kubernetes.io/hostname"], "n");
    assert_eq!(node["metadata"]["labels"]["zone"], "a");
    assert_eq!(node["status"]["allocatable"]["cpu"], "8");
    assert_eq!(node["status"]["nodeInfo"]["kubeletVersion"], "v1.36.4");
    let ready = condition(&node, "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("True"), &json!("KubeletReady")));
    assert_eq!(node["status"]["conditions"].as_array().unwrap().len(), 4);
    let lease = bed.get("leases", "kube-node-lease", "n").unwrap();
    assert_eq!(lease["spec"]["holderIdentity"], "n");
    assert_eq!(lease["metadata"]["ownerReferences"][0]["uid"], node["metadata"]["uid"]);
    // The lease is renewed every ten seconds, and the node is not written meanwhile.
    let before = bed.get("nodes", "", "n").unwrap()["metadata"]["resourceVersion"].clone();
    let mut renewals = std::collections::BTreeSet::new();
    for _ in 0..60 {
        sleep(seconds(1)).await;
        renewals.extend(bed.renewed("n"));
    }
    assert!((6..=8).contains(&renewals.len()), "{renewals:?}");
    assert_eq!(bed.get("nodes", "", "n").unwrap()["metadata"]["resourceVersion"], before);
    // Every five minutes it says that it is well although nothing has changed.
    sleep(seconds(300)).await;
    assert_ne!(bed.get("nodes", "", "n").unwrap()["metadata"]["resourceVersion"], before);
}

#[tokio::test(start_paused = true)]
async fn machines_fail_as_they_are_told() {
    let bed = Bed::new(Behaviour::default());
    let node = |name: &str, annotation: &str| json!({ "metadata": { "name": name, "annotations": { annotation: "1m" } } });
    bed.kubelets.add(node("unready", "plimsoll.dev/unready-after"));
    bed.kubelets.add(node("silent", "plimsoll.dev/vanish-after"));
    bed.kubelets.add(node("well", "plimsoll.dev/other"));
    sleep(seconds(55)).await;
    for name in ["unready", "silent", "well"] {
        let node = bed.get("nodes", "", name).unwrap();
        assert_eq!(condition(&node, "Ready").unwrap()["status"], "True");
    }
    sleep(seconds(30)).await;
    let node = bed.get("nodes", "", "unready").unwrap();
    let ready = condition(&node, "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("False"), &json!("KubeletNotReady")));
    assert_eq!(ready["lastTransitionTime"], "2026-01-01T00:01:00Z");
    let last = bed.renewed("silent");
    let others = (bed.renewed("unready"), bed.renewed("well"));
    sleep(seconds(60)).await;
    assert_eq!(bed.renewed("silent"), last);
    assert_ne!(bed.renewed("unready"), others.0);
    assert_ne!(bed.renewed("well"), others.1);
    // A silent machine says nothing of its pods either.
    bed.pod("p", "silent", &json!({}), &json!({}));
    sleep(seconds(60)).await;
    assert_eq!(bed.status("p")["phase"], "Pending");
    assert_eq!(bed.status("p").get("startTime"), None);
}

#[tokio::test(start_paused = true)]
async fn nodes_of_others_and_their_pods_are_left_alone() {
    let bed = Bed::with_node(Behaviour::default()).await;
    let room = json!({ "cpu": "1", "memory": "1Gi", "pods": "10" });
    bed.make("nodes", json!({ "metadata": { "name": "foreign" }, "status": { "capacity": room } }));
    bed.pod("there", "foreign", &json!({ "plimsoll.dev/run-for": "1s" }), &json!({}));
    bed.pod("nowhere", "missing", &json!({}), &json!({}));
    bed.make(
        "pods",
        json!({
            "metadata": { "name": "unbound" },
            "spec": { "containers": [{ "name": "c", "image": "i" }] },
        }),
    );
    let pods = bed.kind("pods");
    let before = bed.api.list(&pods, &ListQuery::default()).unwrap();
    let mut writes = bed.api.watch(&pods, &WatchQuery::after(&before)).unwrap();
    let node = bed.get("nodes", "", "foreign");
    sleep(seconds(600)).await;
    assert_eq!(bed.get("nodes", "", "foreign"), node);
    assert_eq!(bed.renewed("foreign"), None);
    bed.delete("pods", "there");
    sleep(seconds(600)).await;
    let mut told = Vec::new();
    while let Some(event) = writes.try_next() {
        told.push(event);
    }
    // Only the mark of its deletion; nobody ended it.
    assert!(matches!(told.as_slice(), [WatchEvent::Modified(_)]), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kubelet_stops_with_its_node() {
    let bed = Bed::with_node(Behaviour::default()).await;
    sleep(seconds(20)).await;
    bed.delete("nodes", "n");
    sleep(seconds(1)).await;
    let last = bed.renewed("n");
    sleep(seconds(60)).await;
    assert_eq!(bed.renewed("n"), last);
    assert_eq!(bed.get("nodes", "", "n"), None);
    // A machine of that name may come again, and one that is taken away takes its node along.
    bed.kubelets.add(json!({ "metadata": { "name": "n" } }));
    sleep(seconds(1)).await;
    assert!(bed.get("nodes", "", "n").is_some());
    assert_ne!(bed.renewed("n"), last);
    bed.kubelets.remove("n");
    sleep(seconds(1)).await;
    assert_eq!(bed.get("nodes", "", "n"), None);
    assert_eq!(bed.renewed("n"), None);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_there_is_taken_over_with_its_pods() {
    let bed = Bed::new(Behaviour::default());
    bed.make("nodes", json!({ "metadata": { "name": "n", "labels": { "kept": "yes" } } }));
    bed.pod("old", "n", &json!({}), &json!({}));
    bed.pod("early", "later", &json!({}), &json!({}));
    sleep(seconds(1)).await;
    assert_eq!(bed.status("old")["phase"], "Pending");
    bed.kubelets.add(json!({ "metadata": { "name": "n" } }));
    bed.kubelets.add(json!({ "metadata": { "name": "later" } }));
    sleep(seconds(1)).await;
    let node = bed.get("nodes", "", "n").unwrap();
    assert_eq!(node["metadata"]["labels"]["kept"], "yes");
    assert_eq!(condition(&node, "Ready").unwrap()["status"], "True");
    assert_eq!(bed.status("old")["phase"], "Running");
    assert_eq!(bed.status("early")["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_machines_are_one_task() {
    let bed = Bed::new(Behaviour::default());
    for number in 0..1000 {
        bed.kubelets.add(json!({ "metadata": { "name": format!("n{number}") } }));
    }
    sleep(seconds(25)).await;
    let nodes = bed.api.list(&bed.kind("nodes"), &ListQuery::default()).unwrap().items;
    assert_eq!(nodes.len(), 1000);
    let addresses: std::collections::BTreeSet<String> =
        nodes.iter().map(|node| super::super::node::address(&node.value())).collect();
    assert_eq!(addresses.len(), 1000);
    let leases = bed.api.list(&bed.kind("leases"), &ListQuery::default()).unwrap().items;
    assert_eq!(leases.len(), 1000);
}
