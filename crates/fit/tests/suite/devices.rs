//! Claims for devices: what the DynamicResources plugin and its allocator say in cases that can be worked out by hand.
//!
//! The clusters are manifests. Every node `n…` of them is asked about the pod `asked`; the other pods run.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use plimsoll_fit::{NodeId, ShapeId, Snapshot};
use plimsoll_manifest::Reader;
use plimsoll_model::Timestamp;

mod forks;
mod found;

const CLASSES: &str = r#"
---
kind: DeviceClass
apiVersion: resource.k8s.io/v1
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
"#;

/// A node with so many GPUs; the first of them are of the kind `big`, the rest `small`, and two share a board.
fn node(name: &str, gpus: usize, big: usize) -> String {
    let mut text = format!(
        "
---
kind: Node
metadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}
status: {{allocatable: {{cpu: 8, pods: 20}}}}
---
kind: ResourceSlice
apiVersion: resource.k8s.io/v1
metadata: {{name: {name}-gpus}}
spec:
  driver: gpu.example.com
  nodeName: {name}
  pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}
  devices:
"
    );
    for number in 0..gpus {
        let kind = if number < big { "big" } else { "small" };
        let board = number / 2;
        let _ = writeln!(
            text,
            "  - {{name: gpu-{number}, attributes: {{kind: {{string: {kind}}}, board: {{int: {board}}}}}, \
             capacity: {{memory: {{value: {}0Gi}}}}}}",
            if number < big { 8 } else { 2 },
        );
    }
    text
}

/// A template with these requests, and constraints after them if there are any.
fn template(devices: &str) -> String {
    format!(
        "
---
kind: ResourceClaimTemplate
apiVersion: resource.k8s.io/v1
metadata: {{name: t}}
spec: {{spec: {{devices: {{{devices}}}}}}}
"
    )
}

fn pod(name: &str, spec: &str) -> String {
    format!("\n---\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
}

/// The pod that is asked about, with a claim from the template.
fn asked() -> String {
    pod("asked", "resourceClaims: [{name: c, resourceClaimTemplateName: t}]")
}

/// A claim that was given these devices, on a node.
fn allocated(name: &str, node: &str, devices: &[&str]) -> String {
    let results = devices.iter().map(|device| {
        format!("{{request: r, driver: gpu.example.com, pool: {node}, device: {device}}}")
    });
    format!(
        "
---
kind: ResourceClaim
apiVersion: resource.k8s.io/v1
metadata: {{name: {name}}}
spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, count: {}}}}}]}}}}
status:
  allocation:
    devices: {{results: [{}]}}
    nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [{node}]}}]}}]}}
",
        devices.len(),
        results.collect::<Vec<_>>().join(", "),
    )
}

/// A snapshot of manifests, and the shape of the pod that is asked about.
fn cluster(manifests: &str) -> (Snapshot, ShapeId) {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    reader.read_manifests(manifests).expect("manifests");
    let objects = reader.finish().expect("manifests");
    let mut snapshot =
        Snapshot::new(objects.namespaces, objects.storage).with_devices(&objects.devices);
    let nodes: Vec<NodeId> =
        objects.nodes.into_iter().map(|node| snapshot.add_node(node)).collect();
    let mut asked = None;
    for pod in &objects.pods {
        let shape = snapshot.shape(&pod.shape);
        let place = pod
            .node
            .and_then(|name| nodes.iter().find(|node| snapshot.node(**node).name == name).copied());
        match place {
            Some(node) => {
                snapshot.place(shape, node);
            }
            None => asked = Some(shape),
        }
    }
    (snapshot, asked.expect("a pod that is asked about"))
}

fn show(snapshot: &Snapshot, shape: ShapeId) -> String {
    let mut shown = String::new();
    for node in snapshot.node_ids() {
        let rejections = snapshot.judge(shape, node);
        assert_eq!(rejections.is_empty(), snapshot.fits(shape, node));
        let reasons: Vec<String> =
            rejections.iter().flat_map(plimsoll_fit::Rejection::scheduler_reasons).collect();
        let verdict = if reasons.is_empty() { "fits".to_owned() } else { reasons.join("; ") };
        let _ = writeln!(shown, "{}: {verdict}", snapshot.node(node).name);
    }
    shown
}

#[expect(clippy::needless_pass_by_value, reason = "so that the tables read well")]
fn check(manifests: &[String], expected: Expect) {
    let (snapshot, shape) = cluster(&(CLASSES.to_owned() + &manifests.concat()));
    expected.assert_eq(&show(&snapshot, shape));
}

#[test]
fn a_request_gets_as_many_devices_as_it_asks_for() {
    check(
        &[
            node("n1", 1, 0),
            node("n2", 2, 0),
            node("n3", 0, 0),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: cannot allocate all claims
        "]],
    );
}

#[test]
fn devices_that_others_have_are_not_given_twice() {
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 0),
            allocated("mine", "n1", &["gpu-0"]),
            pod("runs", "nodeName: n1, resourceClaims: [{name: c, resourceClaimName: mine}]"),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
}

#[test]
fn selectors_of_class_and_request_both_count() {
    let wants = |selector: &str| {
        template(&format!(
            "requests: [{{name: r, exactly: {{deviceClassName: gpu, selectors: [{{cel: {{expression: '{selector}'}}}}]}}}}]"
        ))
    };
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 1),
            wants(r#"device.attributes["gpu.example.com"].kind == "big""#),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 1),
            wants(r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) > 0"#),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    check(
        &[node("n1", 1, 0), wants(r#"device.attributes["gpu.example.com"].colour == 1"#), asked()],
        expect![[r"
            n1: claim t, class gpu: CEL runtime error: No such key: colour
        "]],
    );
}

#[test]
fn all_means_every_device_that_matches() {
    let wants_all =
        template("requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: All}}]");
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 0),
            node("n3", 0, 0),
            allocated("mine", "n1", &["gpu-0"]),
            wants_all.clone(),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: cannot allocate all claims
        "]],
    );
    // A slice is missing, so nobody knows what all is.
    let incomplete = node("n1", 2, 0).replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    check(
        &[incomplete.clone(), wants_all, asked()],
        expect![[r"
            n1: claim t, request r: asks for all devices, but resource pool gpu.example.com/n1 is currently being updated
        "]],
    );
    check(
        &[incomplete, template("requests: [{name: r, exactly: {deviceClassName: gpu}}]"), asked()],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
}

#[test]
fn only_the_newest_generation_counts() {
    let newer = node("n1", 3, 0)
        .replace("generation: 1", "generation: 2")
        .replace("n1-gpus", "n1-gpus-newer");
    let newer = newer.split("---").last().expect("the slice").to_owned();
    check(
        &[
            node("n1", 1, 0),
            "---".to_owned() + &newer,
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 3}}]"),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
}

#[test]
fn the_first_alternative_that_can_be_had_is_taken() {
    let kind = |kind: &str| {
        format!(
            r#"selectors: [{{cel: {{expression: 'device.attributes["gpu.example.com"].kind == "{kind}"'}}}}]"#
        )
    };
    let either = template(&format!(
        "requests: [{{name: r, firstAvailable: [
           {{name: one-big, deviceClassName: gpu, {}}},
           {{name: two-small, deviceClassName: gpu, count: 2, {}}}]}}]",
        kind("big"),
        kind("small")
    ));
    check(
        &[node("n1", 1, 0), node("n2", 2, 0), node("n3", 1, 1), either.clone(), asked()],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: fits
        "]],
    );
    let (mut snapshot, shape) = cluster(&[CLASSES, &node("n1", 3, 1), &either, &asked()].concat());
    let node = snapshot.node_ids().next().expect("a node");
    // First the big one, then the two small ones.
    snapshot.place(shape, node);
    assert!(snapshot.fits(shape, node));
    snapshot.place(shape, node);
    assert!(!snapshot.fits(shape, node));
}

#[test]
fn constraints_hold_over_all_requests_of_a_claim() {
    let two = "requests: [{name: a, exactly: {deviceClassName: gpu}}, {name: b, exactly: {deviceClassName: gpu}}]";
    let same =
        template(&format!("{two}, constraints: [{{matchAttribute: gpu.example.com/board}}]"));
    check(
        // The first board has one GPU left, so both come from the second.
        &[
            node("n1", 4, 0),
            node("n2", 3, 0),
            allocated("one", "n1", &["gpu-0"]),
            allocated("other", "n2", &["gpu-0"]),
            same,
            asked(),
        ],
        expect![[r"
            n1: fits
            n2: cannot allocate all claims
        "]],
    );
    let distinct =
        template(&format!("{two}, constraints: [{{distinctAttribute: gpu.example.com/board}}]"));
    check(
        &[node("n1", 2, 0), node("n2", 3, 0), distinct, asked()],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    // A constraint can be for some of the requests.
    let some = template(&format!(
        "{two}, constraints: [{{requests: [a], matchAttribute: gpu.example.com/board}}, {{requests: [b], matchAttribute: gpu.example.com/none}}]"
    ));
    check(
        &[node("n1", 2, 0), some, asked()],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
}

#[test]
fn taints_have_to_be_tolerated_and_administrators_share() {
    let tainted = |name: &str| {
        node(name, 1, 0)
            .replace("capacity:", "taints: [{key: broken, effect: NoSchedule}], capacity:")
    };
    check(
        &[
            tainted("n1"),
            template("requests: [{name: r, exactly: {deviceClassName: gpu}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
    check(
        &[
            tainted("n1"),
            template(
                "requests: [{name: r, exactly: {deviceClassName: gpu, tolerations: [{key: broken, operator: Exists}]}}]",
            ),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
    check(
        &[
            node("n1", 1, 0),
            allocated("mine", "n1", &["gpu-0"]),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]"),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
}

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

#[test]
fn devices_can_be_reached_over_the_network() {
    let slice = "
---
kind: ResourceSlice
apiVersion: resource.k8s.io/v1
metadata: {name: fabric}
spec:
  driver: gpu.example.com
  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1, n2]}]}]}
  pool: {name: fabric, generation: 1, resourceSliceCount: 1}
  devices: [{name: far-0}]
";
    let wants = template("requests: [{name: r, exactly: {deviceClassName: gpu}}]");
    let manifests =
        [CLASSES, &node("n1", 0, 0), &node("n2", 0, 0), &node("n3", 0, 0), slice, &wants, &asked()];
    let (mut snapshot, shape) = cluster(&manifests.concat());
    expect![[r"
        n1: fits
        n2: fits
        n3: cannot allocate all claims
    "]]
    .assert_eq(&show(&snapshot, shape));
    let first = snapshot.node_ids().next().expect("a node");
    snapshot.place(shape, first);
    assert!(snapshot.node_ids().all(|node| !snapshot.fits(shape, node)));
}

#[test]
fn partitions_share_the_counters_of_their_device() {
    let slices = "
---
kind: ResourceSlice
apiVersion: resource.k8s.io/v1
metadata: {name: n1-counters}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: gpu-0, counters: {memory: {value: 40Gi}}}]
---
kind: ResourceSlice
apiVersion: resource.k8s.io/v1
metadata: {name: n1-devices}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - {name: whole, attributes: {size: {int: 4}}, consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 40Gi}}}]}
  - {name: half-0, attributes: {size: {int: 2}}, consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 20Gi}}}]}
  - {name: half-1, attributes: {size: {int: 2}}, consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 20Gi}}}]}
";
    let node = "\n---\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {pods: 20}}\n";
    let wants = template(
        r#"requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].size == 2'}}]}}]"#,
    );
    let (mut snapshot, half) = cluster(&[CLASSES, slices, node, &wants, &asked()].concat());
    let id = snapshot.node_ids().next().expect("a node");
    for _ in 0..2 {
        assert!(snapshot.fits(half, id));
        snapshot.place(half, id);
    }
    assert!(!snapshot.fits(half, id));
    let whole = wants.replace("size == 2", "size == 4");
    let taken = allocated("mine", "n1", &["half-1"]);
    check(
        &[slices.to_owned(), node.to_owned(), taken, whole.clone(), asked()],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
    let unknown = slices.replace("counterSet: gpu-0", "counterSet: gpu-1");
    check(
        &[unknown, node.to_owned(), whole, asked()],
        expect![[r"
            n1: invalid resource pools were encountered
        "]],
    );
}

#[test]
fn a_device_is_shared_as_far_as_its_capacity_goes() {
    let shareable = |policy: &str| {
        node("n1", 1, 0)
            .replace("value: 20Gi", &format!("value: 20Gi{policy}"))
            .replace("attributes:", "allowMultipleAllocations: true, attributes:")
    };
    let wants = |amount: &str| {
        template(&format!(
            "requests: [{{name: r, exactly: {{deviceClassName: gpu, capacity: {{requests: {{memory: {amount}}}}}}}}}]"
        ))
    };
    let how_many = |node: String, amount: &str| {
        let (mut snapshot, shape) = cluster(&[CLASSES, &node, &wants(amount), &asked()].concat());
        let id = snapshot.node_ids().next().expect("a node");
        let mut count = 0;
        while snapshot.fits(shape, id) && count < 30 {
            snapshot.place(shape, id);
            count += 1;
        }
        count
    };
    assert_eq!(how_many(shareable(""), "8Gi"), 2);
    assert_eq!(how_many(shareable(""), "5Gi"), 4);
    assert_eq!(how_many(shareable(""), "21Gi"), 0);
    let values = ", requestPolicy: {default: 1Gi, validValues: [1Gi, 10Gi]}";
    assert_eq!(how_many(shareable(values), "5Gi"), 2);
    assert_eq!(how_many(shareable(values), "11Gi"), 0);
    let range = ", requestPolicy: {default: 4Gi, validRange: {min: 4Gi, max: 12Gi, step: 4Gi}}";
    assert_eq!(how_many(shareable(range), "5Gi"), 2);
    assert_eq!(how_many(shareable(range), "13Gi"), 0);
    // A device that is not shared goes to one claim, whatever is asked of it.
    assert_eq!(how_many(node("n1", 1, 0), "1Gi"), 1);
}
