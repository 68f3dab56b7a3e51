//! Claims with a name, claims that several pods have, and claims that cannot be met.

use expect_test::expect;
use plimsoll_fit::{NodeId, Snapshot};
use plimsoll_manifest::Reader;
use plimsoll_model::Timestamp;

use super::{CLASSES, allocated, asked, check, cluster, node, pod, show, template};

#[test]
fn a_claim_with_a_name_is_where_its_devices_are() {
    let named = pod("asked", "resourceClaims: [{name: c, resourceClaimName: mine}]");
    check(
        &[node("n1", 1, 0), node("n2", 1, 0), allocated("mine", "n1", &["gpu-0"]), named.clone()],
        expect![[r"
            n1: fits
            n2: resourceclaim not available on the node
        "]],
    );
    check(
        &[node("n1", 1, 0), named.clone()],
        expect![[r#"
            n1: resourceclaim.resource.k8s.io "mine" not found
        "#]],
    );
    let deleted = allocated("mine", "n1", &["gpu-0"])
        .replace("{name: mine}", "{name: mine, deletionTimestamp: 2026-01-01T00:00:00Z}");
    check(
        &[node("n1", 1, 0), deleted, named],
        expect![[r#"
            n1: resourceclaim "mine" is being deleted
        "#]],
    );
}

#[test]
fn pods_share_a_claim_with_a_name() {
    let claim = "
---
kind: ResourceClaim
apiVersion: resource.k8s.io/v1
metadata: {name: shared}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
";
    let asked = pod("asked", "resourceClaims: [{name: c, resourceClaimName: shared}]");
    let (mut snapshot, shape) =
        cluster(&[CLASSES, &node("n1", 1, 0), &node("n2", 1, 0), claim, &asked].concat());
    let nodes: Vec<NodeId> = snapshot.node_ids().collect();
    let first = snapshot.place(shape, nodes[1]);
    expect![[r"
        n1: resourceclaim not available on the node
        n2: fits
    "]]
    .assert_eq(&show(&snapshot, shape));
    let second = snapshot.place(shape, nodes[1]);
    snapshot.evict(first);
    assert!(!snapshot.fits(shape, nodes[0]));
    // With its last pod the claim gives its device back.
    snapshot.evict(second);
    expect![[r"
        n1: fits
        n2: fits
    "]]
    .assert_eq(&show(&snapshot, shape));
}

#[test]
fn a_claim_has_only_so_many_pods() {
    let asked = pod("asked", "resourceClaims: [{name: c, resourceClaimName: mine}]");
    let large = node("n1", 1, 0).replace("pods: 20", "pods: 1000");
    let (mut snapshot, shape) =
        cluster(&[CLASSES, &large, &allocated("mine", "n1", &["gpu-0"]), &asked].concat());
    let node = snapshot.node_ids().next().expect("a node");
    for _ in 0..256 {
        assert!(snapshot.fits(shape, node));
        snapshot.place(shape, node);
    }
    expect![[r"
        n1: resourceclaim in use
    "]]
    .assert_eq(&show(&snapshot, shape));
}

#[test]
fn pods_that_wait_share_a_shape_whatever_was_made_for_them() {
    let one = "
---
kind: Pod
metadata: {name: one}
spec: {resourceClaims: [{name: c, resourceClaimTemplateName: t}]}
status: {resourceClaimStatuses: [{name: c, resourceClaimName: one-c-1}]}
---
kind: Pod
metadata: {name: two}
spec: {resourceClaims: [{name: c, resourceClaimTemplateName: t}]}
status: {resourceClaimStatuses: [{name: c, resourceClaimName: two-c-1}]}
---
kind: Pod
metadata: {name: placed}
spec: {resourceClaims: [{name: c, resourceClaimTemplateName: t}]}
status: {resourceClaimStatuses: [{name: c, resourceClaimName: given}]}
";
    let template = template("requests: [{name: r, exactly: {deviceClassName: gpu}}]");
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let manifests = [CLASSES, &template, &allocated("given", "n1", &["gpu-0"]), one].concat();
    reader.read_manifests(&manifests).expect("manifests");
    let objects = reader.finish().expect("manifests");
    let mut snapshot =
        Snapshot::new(objects.namespaces, objects.storage).with_devices(&objects.devices);
    let shapes: Vec<_> = objects.pods.iter().map(|pod| snapshot.shape(&pod.shape)).collect();
    assert_eq!(shapes[0], shapes[1]);
    assert_ne!(shapes[0], shapes[2]);
}

#[test]
fn a_class_that_does_not_exist_is_named() {
    check(
        &[
            node("n1", 1, 0),
            template("requests: [{name: r, firstAvailable: [{name: x, deviceClassName: tpu}]}]"),
            asked(),
        ],
        expect![[r"
            n1: request r/x: device class tpu does not exist
        "]],
    );
}
