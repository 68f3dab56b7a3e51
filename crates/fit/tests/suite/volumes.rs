//! How many volumes a node takes that is modelled on another one.

use std::{fmt::Write as _, sync::Arc};

use plimsoll_fit::{NodeId, Outfit, ShapeId, Snapshot, VolumeLimits};
use plimsoll_manifest::Reader;
use plimsoll_model::{Node, Symbol, Timestamp};

const DRIVER: &str = "disk.example";

/// A node that takes two volumes, and pods with a volume each; the last two share theirs.
fn cluster() -> (Snapshot, Arc<Node>, Vec<ShapeId>) {
    let mut text = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disk}
provisioner: disk.example
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: old}
spec: {drivers: [{name: disk.example, nodeID: old, allocatable: {count: 2}}]}
---
apiVersion: v1
kind: Node
metadata: {name: old}
status: {allocatable: {cpu: 8, pods: 20}}
"
    .to_owned();
    for claim in ["a", "b", "c", "shared"] {
        write!(
            text,
            "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {claim}}}, spec: {{accessModes: [ReadWriteMany], storageClassName: disk, resources: {{requests: {{storage: 1Gi}}}}}}}}\n"
        )
        .unwrap();
    }
    for (pod, claim) in [("a", "a"), ("b", "b"), ("c", "c"), ("d", "shared"), ("e", "shared")] {
        write!(
            text,
            "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {pod}, labels: {{app: {pod}}}}}, spec: {{containers: [{{name: c}}], volumes: [{{name: v, persistentVolumeClaim: {{claimName: {claim}}}}}]}}}}\n"
        )
        .unwrap();
    }
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    reader.read_manifests(&text).unwrap();
    let objects = reader.finish().unwrap();
    let mut snapshot = Snapshot::new(objects.namespaces, objects.storage);
    let shapes = objects.pods.iter().map(|pod| snapshot.shape(&pod.shape)).collect();
    (snapshot, Arc::clone(&objects.nodes[0]), shapes)
}

/// How many of the shapes a node takes beside each other.
fn taken(snapshot: &mut Snapshot, shapes: &[ShapeId], node: NodeId) -> usize {
    let mut trial = snapshot.fork();
    let mut count = 0;
    for shape in shapes {
        if trial.fits(*shape, node) {
            trial.place(*shape, node);
            count += 1;
        }
    }
    count
}

fn named(node: &Node, name: &str) -> Arc<Node> {
    Arc::new(Node { name: Symbol::new(name), ..node.clone() })
}

fn like(limits: &[(Symbol, i64)]) -> Outfit {
    Outfit { volume_limits: VolumeLimits::Like(limits.into()), ..Outfit::default() }
}

#[test]
fn a_node_has_its_own_limits_or_those_that_it_was_given() {
    let (mut snapshot, node, shapes) = cluster();
    let driver = Symbol::new(DRIVER);
    let published = snapshot.add_node(Arc::clone(&node));
    let stranger = snapshot.add_node(named(&node, "stranger"));
    let narrow = snapshot.add_equipped(named(&node, "narrow"), &like(&[(driver, 1)]));
    // What is given holds, whatever is published for the name.
    let free = snapshot.add_equipped(node, &like(&[]));
    let nodes = [published, stranger, narrow, free];
    assert_eq!(nodes.map(|node| taken(&mut snapshot, &shapes[..3], node)), [2, 3, 1, 3]);
    snapshot.place(shapes[0], published);
    let supply = nodes.map(|node| snapshot.volume_supply(node, driver));
    assert_eq!(supply, [Some(1), None, Some(1), None]);
}

#[test]
fn limits_come_and_go_with_their_node() {
    let (mut snapshot, node, shapes) = cluster();
    let one = like(&[(Symbol::new(DRIVER), 1)]);
    let first = snapshot.add_equipped(named(&node, "first"), &one);
    let mark = snapshot.mark();
    snapshot.remove_node(first);
    let wide = snapshot.add_equipped(named(&node, "new"), &like(&[(Symbol::new(DRIVER), 3)]));
    assert_eq!(taken(&mut snapshot, &shapes[..3], wide), 3);
    snapshot.undo(mark);
    assert_eq!(taken(&mut snapshot, &shapes[..3], first), 1);
    let again = snapshot.add_equipped(named(&node, "new"), &one);
    assert_eq!(again, wide, "the row is used again");
    assert_eq!(taken(&mut snapshot, &shapes[..3], again), 1);
}

#[test]
fn a_volume_that_pods_share_is_no_ones_own() {
    let (snapshot, _, shapes) = cluster();
    let counted: Vec<_> = shapes.iter().map(|shape| (*shape, 1)).collect();
    let one = vec![(Symbol::new(DRIVER), 1)];
    let (own, shared) = (one, Vec::new());
    let demand = snapshot.volume_demand(&counted);
    assert_eq!(demand, [own.clone(), own.clone(), own.clone(), shared.clone(), shared.clone()]);
    assert_eq!(snapshot.volume_demand(&[(shapes[0], 2), (shapes[3], 1)]), [shared, own]);
}
