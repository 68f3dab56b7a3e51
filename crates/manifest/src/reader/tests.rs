use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::label;

use super::{Objects, Reader};

fn read(text: &str) -> Result<Objects, String> {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let read = reader.read_manifests(text).and_then(|()| reader.finish());
    read.map_err(|error| error.to_string())
}

fn check_error(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text).unwrap_err());
}

#[test]
fn documents_lists_and_json_are_all_manifests() {
    let documents = "
# A comment, then documents.
---
apiVersion: v1
kind: Node
metadata: {name: n1}
---
---
apiVersion: v1
kind: PodList
items:
- metadata: {name: a}
- metadata: {name: b}
---
{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"c\"}, \"data\": {\"k\": \"v\"}}
---
apiVersion: example.com/v1
kind: Node
metadata: 7
";
    let objects = read(documents).unwrap();
    assert_eq!((objects.nodes.len(), objects.pods.len(), objects.config_maps.len()), (1, 2, 1));
    assert_eq!(objects.skipped["Node"], 1);
    let json = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}\n{\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}";
    assert_eq!(read(json).unwrap().pods.len(), 2);
    assert_eq!(read(&json.replace('\n', "\n---\n")).unwrap().pods.len(), 2);
    assert_eq!(read("{kind: Pod, metadata: {name: a}}").unwrap().pods.len(), 1);
    assert!(read("\u{feff}# nothing\n").unwrap().is_empty());
}

#[test]
fn pods_of_one_shape_share_it() {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let owner =
        r#""ownerReferences":[{"kind":"ReplicaSet","name":"r","uid":"u","controller":true}]"#;
    for name in ["a", "b"] {
        let pod = format!(r#"{{"kind":"Pod","metadata":{{"name":"{name}",{owner}}},"spec":{{}}}}"#);
        reader.add_json(&pod).unwrap();
    }
    let pods = reader.finish().unwrap().pods;
    assert!(std::sync::Arc::ptr_eq(&pods[0].shape, &pods[1].shape));
    assert!(std::sync::Arc::ptr_eq(
        pods[0].owner.as_ref().unwrap(),
        pods[1].owner.as_ref().unwrap()
    ));
}

#[test]
fn copies_are_numbered() {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let node = r#"{"kind":"Node","metadata":{"name":"n-%d-x","labels":
        {"kubernetes.io/hostname":"n-%d-x","zone":"n-%d-x"}}}"#;
    let pod = r#"{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","ephemeral":{}}]}}"#;
    reader.add_copies(node, 2).unwrap();
    reader.add_copies(pod, 3).unwrap();
    reader.add_copies(r#"{"kind":"Wish"}"#, 4).unwrap();
    let objects = reader.finish().unwrap();
    let [_, second] = &*objects.nodes else { panic!("two nodes") };
    let label = |key: &str| second.labels.get(key.into()).unwrap().as_str();
    assert_eq!((second.name.as_str(), label(label::HOSTNAME)), ("n-1-x", "n-1-x"));
    assert_eq!(label("zone"), "n-%d-x");
    let names: Vec<_> = objects.pods.iter().map(|pod| pod.id().to_string()).collect();
    assert_eq!(names, ["default/p-0", "default/p-1", "default/p-2"]);
    assert_ne!(objects.pods[0].shape, objects.pods[1].shape, "each waits for a claim of its own");
    assert_eq!((objects.skipped["Wish"], objects.count), (4, 9));
}

#[test]
fn priorities_are_settled_in_the_end() {
    let objects = read(
        "
{kind: Pod, metadata: {name: by-class}, spec: {priorityClassName: high}}
---
{kind: Pod, metadata: {name: by-default}}
---
{kind: Pod, metadata: {name: by-number}, spec: {priority: -7, priorityClassName: high}}
---
{kind: Pod, metadata: {name: unknown}, spec: {priorityClassName: what}}
---
{kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {priorityClassName: system-node-critical}}}}
---
{kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{kind: PriorityClass, metadata: {name: usual}, value: 5, globalDefault: true}
",
    )
    .unwrap();
    let priorities: Vec<i32> = objects.pods.iter().map(|pod| pod.priority).collect();
    assert_eq!(priorities, [1000, 5, -7, 0]);
    assert_eq!(objects.daemon_sets[0].priority, 2_000_001_000);
}

#[test]
fn controllers_want_one_pod_unless_they_say() {
    let objects = read(
        "
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 4}}
",
    )
    .unwrap();
    let wanted: Vec<_> =
        objects.controllers.iter().map(|one| (one.kind.as_str(), one.replicas)).collect();
    assert_eq!(wanted, [("ReplicaSet", 1), ("Job", 4)]);
}

#[test]
fn storage_is_read() {
    let objects = read(
        "
kind: List
items:
- kind: PersistentVolumeClaim
  metadata:
    name: data
    annotations: {volume.beta.kubernetes.io/storage-class: old, pv.kubernetes.io/bind-completed: ''}
  spec: {storageClassName: new, volumeName: v, accessModes: [ReadWriteOncePod, ReadWriteMany], resources: {requests: {storage: 1Gi}}}
- kind: PersistentVolume
  metadata: {name: v}
  spec:
    capacity: {storage: 1.5k}
    csi: {driver: d, volumeHandle: h}
    nodeAffinity: {required: {nodeSelectorTerms: [{}, {matchFields: [{key: metadata.name, operator: In, values: [n]}]}]}}
- {kind: StorageClass, metadata: {name: s}, provisioner: p, volumeBindingMode: WaitForFirstConsumer}
- {kind: CSINode, metadata: {name: n}, spec: {drivers: [{name: d, allocatable: {count: 0}}, {name: e}]}}
- {kind: CSIDriver, metadata: {name: d}, spec: {storageCapacity: true}}
- {kind: CSIStorageCapacity, metadata: {name: c}, storageClassName: s, capacity: 1Gi, maximumVolumeSize: 1Mi}
",
    )
    .unwrap();
    let storage = &objects.storage;
    let claim = &storage.claims[&("default".into(), "data".into())];
    assert_eq!((claim.class.as_str(), claim.size, claim.bind_completed), ("old", 1 << 30, true));
    assert_eq!(&*claim.access_modes, ["ReadWriteMany".into(), "ReadWriteOncePod".into()]);
    let volume = storage.volume("v".into()).unwrap();
    assert_eq!((volume.size, volume.csi), (1500, Some(("d".into(), "h".into()))));
    expect!["Some([Never, Labels(LabelSelector { requirements: [] })])"]
        .assert_eq(&format!("{:?}", volume.node_terms));
    assert!(storage.classes[&"s".into()].waits_for_consumer);
    assert_eq!(storage.limits.len(), 1);
    assert_eq!(storage.limits[&("n".into(), "d".into())], 0);
    assert!(storage.capacity_drivers.contains(&"d".into()));
    assert_eq!(storage.capacities[0].largest, Some(1 << 20));
}

#[test]
fn an_error_says_where_it_is() {
    check_error(
        "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{resources: {requests: {cpu: 1x}}}]}",
        &expect![[
            r#"Pod default/web: spec.containers[0].resources.requests[cpu]: quantity "1x" is not a number with an optional suffix"#
        ]],
    );
    check_error(
        "kind: Node\nmetadata: {name: n}\n---\nkind: Node\nmetadata: {name: n}",
        &expect![[r#"Node n: metadata.name: another Node has the name "n" already"#]],
    );
    check_error(
        "kind: Node\nmetadata: {name: n}\n---\nkind: Node\n",
        &expect!["document 2: Node: metadata.name: is missing"],
    );
    check_error("metadata: {name: n}", &expect!["kind: is missing"]);
    check_error(
        "{kind: List, items: [{kind: List}]}",
        &expect!["items[0]: a List can stand only by itself"],
    );
    check_error(
        "{kind: List, items: [{kind: Node, metadata: {name: a}}, {kind: Node, metadata: {labels: {a: true}}}]}",
        &expect![
            "Node: items[1].metadata.labels[a]: invalid type: boolean `true`, expected a string"
        ],
    );
    check_error(
        "just words",
        &expect![[r#"invalid type: string "just words", expected an object"#]],
    );
    check_error(
        "kind: Pod\n  metadata: [",
        &expect!["line 2, column 11: mapping values are not allowed in this context"],
    );
    check_error(
        "{\"kind\": \"Pod\",\n \"metadata\": oops}",
        &expect!["line 2, column 14: expected value"],
    );
    check_error("kind: Pod\nkind: Node", &expect!["line 2, column 1: duplicate mapping key: kind"]);
}
