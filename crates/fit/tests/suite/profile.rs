//! What the arguments of plugins change, and what is left of a plugin whose Filter is off while its `PreFilter` is not.

use plimsoll_fit::{NodeId, Rejection, ShapeId, Snapshot};
use plimsoll_manifest::case;
use plimsoll_model::{
    Extent, LabelOperator, LabelRequirement, LabelSelector, NodeTerm, Plugin, Profile, Symbol,
    Timestamp,
};
use serde_json::{Value, json};

/// One node and one pending pod, and what the profile has against the pair.
fn judged(profile: &Profile, node: &Value, pod: &Value, others: &[Value]) -> Vec<String> {
    let (snapshot, shape, node) = set(profile, node, pod, others);
    let said: Vec<_> = snapshot.judge(shape, node).iter().map(Rejection::to_string).collect();
    assert_eq!(snapshot.fits(shape, node), said.is_empty(), "the quick answer is the same");
    said
}

fn set(
    profile: &Profile,
    node: &Value,
    pod: &Value,
    others: &[Value],
) -> (Snapshot, ShapeId, NodeId) {
    let of_kind = |kind: &str| -> Vec<&Value> {
        others.iter().filter(|object| object["kind"] == kind).collect()
    };
    let line = json!({
        "id": "one", "nodes": [node], "pending": [pod], "pods": of_kind("Pod"),
        "persistentVolumes": of_kind("PersistentVolume"),
        "persistentVolumeClaims": of_kind("PersistentVolumeClaim"),
    })
    .to_string();
    let case = case::read(&line, Timestamp::UNIX_EPOCH).unwrap();
    let mut snapshot =
        Snapshot::new(case.objects.namespaces, case.objects.storage).following(profile);
    let node = snapshot.add_node(case.objects.nodes[0].clone());
    for pod in &case.objects.pods {
        let shape = snapshot.shape(&pod.shape);
        snapshot.place(shape, node);
    }
    let shape = snapshot.shape(&case.pending[0].shape);
    (snapshot, shape, node)
}

fn node(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", "example.com/fast": "1"}},
    })
}

fn pod(name: &str, requests: &Value, more: &Value) -> Value {
    let container =
        json!({"name": "c", "image": "i", "resources": {"requests": requests, "limits": requests}});
    let mut spec = json!({"containers": [container]});
    for (key, value) in more.as_object().into_iter().flatten() {
        spec[key] = value.clone();
    }
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec,
    })
}

/// A term that wants a label.
fn wants(key: &str, value: &str) -> NodeTerm {
    let operator = LabelOperator::In([value.into()].into());
    let requirement = LabelRequirement { key: Symbol::new(key), operator };
    NodeTerm { labels: LabelSelector::new([requirement]), ..NodeTerm::default() }
}

fn reduced(plugin: Plugin, extent: Extent) -> Profile {
    Profile { reduced: [(plugin, extent)].into(), ..Profile::default() }
}

#[test]
fn added_affinity_holds_beside_what_a_pod_asks_for() {
    let profile = Profile {
        added_affinity: Some([wants("pool", "a"), wants("pool", "b")].into()),
        ..Profile::default()
    };
    let said = |labels: Value, more: Value| {
        judged(&profile, &node("n", &labels), &pod("p", &json!({}), &more), &[])
    };
    let zone = json!({"nodeSelector": {"zone": "z"}});
    let term = json!({"matchExpressions": [{"key": "zone", "operator": "Exists"}]});
    let required =
        json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}});
    let affinity = json!({"affinity": {"nodeAffinity": required}});
    let added = ["no term of the scheduler's added affinity matches"];
    assert_eq!(said(json!({"pool": "a"}), json!({})), [""; 0]);
    assert_eq!(said(json!({"pool": "b"}), json!({})), [""; 0]);
    assert_eq!(said(json!({"pool": "c"}), json!({})), added);
    assert_eq!(said(json!({"zone": "z"}), zone.clone()), added);
    assert_eq!(said(json!({"zone": "z"}), affinity.clone()), added);
    assert_eq!(said(json!({"pool": "a", "zone": "z"}), zone.clone()), [""; 0]);
    assert_eq!(said(json!({"pool": "a", "zone": "z"}), affinity.clone()), [""; 0]);
    assert_eq!(
        said(json!({"pool": "a"}), zone),
        ["wants zone=z, the node has no such label"],
        "the pod's own demand stays"
    );
    assert_eq!(
        said(json!({"pool": "a"}), affinity),
        ["no term of the required node affinity matches"]
    );
}

#[test]
fn what_is_added_goes_with_the_plugin() {
    let profile = Profile {
        added_affinity: Some([wants("pool", "a")].into()),
        ..reduced(Plugin::NodeAffinity, Extent::Off)
    };
    let said = judged(&profile, &node("n", &json!({})), &pod("p", &json!({}), &json!({})), &[]);
    assert_eq!(said, [""; 0]);
}

#[test]
fn resources_that_are_ignored_may_be_short_and_are_counted_all_the_same() {
    let asks = pod("p", &json!({"example.com/fast": "2", "cpu": "1"}), &json!({}));
    let node = node("n", &json!({}));
    let short = ["insufficient example.com/fast: asks 2, free 1"];
    assert_eq!(judged(&Profile::default(), &node, &asks, &[]), short);
    let by_name = Profile {
        ignored_resources: [Symbol::new("example.com/fast")].into(),
        ..Profile::default()
    };
    let by_group = Profile { ignored_groups: ["example.com".into()].into(), ..Profile::default() };
    let another = Profile { ignored_groups: ["example".into()].into(), ..Profile::default() };
    assert_eq!(judged(&by_name, &node, &asks, &[]), [""; 0]);
    assert_eq!(judged(&by_group, &node, &asks, &[]), [""; 0]);
    assert_eq!(judged(&another, &node, &asks, &[]), short);
    let (mut snapshot, shape, id) = set(&by_name, &node, &asks, &[]);
    snapshot.place(shape, id);
    assert_eq!(snapshot.free(id, Symbol::new("example.com/fast")), -1);
}

#[test]
fn only_extended_resources_can_be_ignored() {
    let profile = Profile {
        ignored_resources: ["cpu", "example.kubernetes.io/x"].map(Symbol::new).into(),
        ignored_groups: ["example.kubernetes.io".into()].into(),
        ..Profile::default()
    };
    let asks = pod("p", &json!({"cpu": "5"}), &json!({}));
    let said = judged(&profile, &node("n", &json!({})), &asks, &[]);
    assert_eq!(said, ["insufficient cpu: asks 5, free 4"]);
}

/// The scheduler's `PreFilter` of NodeAffinity leaves only the nodes that are asked for by name.
#[test]
fn before_it_looks_at_nodes_node_affinity_knows_names_only() {
    let profile = reduced(Plugin::NodeAffinity, Extent::Early);
    let said = |terms: Value| {
        let required =
            json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
        let more = json!({"affinity": {"nodeAffinity": required}, "nodeSelector": {"zone": "z"}});
        judged(&profile, &node("n", &json!({})), &pod("p", &json!({}), &more), &[])
    };
    let name = |name: &str| json!([{"key": "metadata.name", "operator": "In", "values": [name]}]);
    let labels = json!([{"key": "pool", "operator": "Exists"}]);
    assert_eq!(said(json!([{"matchExpressions": labels}])), [""; 0]);
    assert_eq!(said(json!([{"matchFields": name("n"), "matchExpressions": labels}])), [""; 0]);
    assert_eq!(said(json!([{"matchFields": name("m")}, {"matchExpressions": labels}])), [""; 0]);
    let refused = ["no term of the required node affinity matches"];
    assert_eq!(said(json!([{"matchFields": name("m")}])), refused);
}

#[test]
fn before_they_look_at_nodes_plugins_of_volumes_know_claims_only() {
    let claim = |name: &str, volume: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            "spec": {"volumeName": volume, "accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1Gi"}}},
            "status": {"phase": "Bound"},
        })
    };
    let zone = "topology.kubernetes.io/zone";
    let term = json!({"matchExpressions": [{"key": zone, "operator": "In", "values": ["east"]}]});
    let volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "labels": {zone: "east"}},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOncePod"], "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}},
    });
    let uses = |claim: &str| json!({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": claim}}]});
    let mut user = pod("user", &json!({}), &uses("c"));
    user["spec"]["nodeName"] = json!("n");
    let west = node("n", &json!({zone: "west"}));
    let objects = [claim("c", "v"), volume, user];
    let plugins = |profile: &Profile, claim: &str| {
        let asks = pod("p", &json!({}), &uses(claim));
        let (snapshot, shape, node) = set(profile, &west, &asks, &objects);
        let rejections = snapshot.judge(shape, node);
        assert_eq!(snapshot.fits(shape, node), rejections.is_empty());
        rejections.iter().map(Rejection::plugin).collect::<Vec<_>>()
    };
    let [restrictions, binding, zone] =
        [Plugin::VolumeRestrictions, Plugin::VolumeBinding, Plugin::VolumeZone];
    let early = Profile {
        reduced: [restrictions, binding, zone].map(|plugin| (plugin, Extent::Early)).into(),
        ..Profile::default()
    };
    assert_eq!(plugins(&Profile::default(), "c"), [restrictions, binding, zone]);
    assert_eq!(plugins(&early, "c"), []);
    let all = [restrictions, Plugin::NodeVolumeLimits, binding, zone];
    assert_eq!(plugins(&Profile::default(), "missing"), all);
    assert_eq!(plugins(&early, "missing"), all);
}
