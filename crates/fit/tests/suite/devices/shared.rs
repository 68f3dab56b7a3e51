//! Devices that several nodes or several claims have a part of.

use expect_test::expect;

use super::{CLASSES, allocated, asked, check, cluster, node, show, template};

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
