//! Claims for devices: what the DynamicResources plugin and its allocator say in cases that can be worked out by hand.
//!
//! The clusters are manifests. Every node `n…` of them is asked about the pod `asked`; the other pods run.

use std::fmt::Write as _;

use expect_test::Expect;
use plimsoll_fit::{NodeId, ShapeId, Snapshot};
use plimsoll_manifest::Reader;
use plimsoll_model::Timestamp;

mod claims;
mod conditions;
mod forks;
mod found;
mod requests;
mod shared;

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
