use jiff::Timestamp;

use super::{is_case, read};

fn error(line: &str) -> String {
    read(line, Timestamp::UNIX_EPOCH).unwrap_err().to_string()
}

#[test]
fn a_case_is_a_cluster_and_a_question() {
    let line = r#"{"id":"c1","note":{"any":["thing"]},"namespaces":[{"metadata":{"name":"default"}}],
        "nodes":[{"metadata":{"name":"n1"}}],"pods":[{"metadata":{"name":"a"},"spec":{"nodeName":"n1"}}],
        "pending":[{"metadata":{"name":"b"},"spec":{"nodeName":"n1","priorityClassName":"system-node-critical"}}],
        "volumeAttachments":[{"metadata":{"name":"x"},"spec":{"nodeName":"n1","source":{"persistentVolumeName":"v"}}},
            {"metadata":{"name":"y"},"spec":{"nodeName":"n1","source":{}}}],"csiDrivers":null}"#;
    assert!(is_case(line));
    let case = read(line, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(case.id, "c1");
    assert_eq!(case.objects.pods[0].node, Some("n1".into()));
    let [pending] = &*case.pending else { panic!("one pod is pending") };
    assert_eq!((pending.node, pending.shape.pinned_to), (None, Some("n1".into())));
    assert_eq!(pending.priority, 2_000_001_000);
    assert_eq!(case.objects.storage.attachments[&"n1".into()], ["v".into()]);
}

#[test]
fn manifests_are_no_case() {
    assert!(!is_case(r#"{"apiVersion":"v1","kind":"List","pending":[]}"#));
    assert!(!is_case("kind: Pod"));
    assert!(!is_case(""));
    assert!(is_case(r#"{"id":"cut off","pending":[{"met"#));
}

#[test]
fn what_is_wrong_is_named_by_object_or_place() {
    assert_eq!(error(r#"{"nodes":[],"pending":[]}"#), "id: is missing");
    assert_eq!(
        error(r#"{"id":"c","nodes":[{"metadata":{"name":"n"}},{"spec":{}}]}"#),
        "Node: nodes[1].metadata.name: is missing"
    );
    assert_eq!(
        error(r#"{"id":"c","nodes":[{"metadata":{"name":"n"},"spec":{"taints":7}}]}"#),
        "Node n: spec.taints: invalid type: integer `7`, expected a list"
    );
    assert_eq!(
        error(
            r#"{"id":"c","pods":[{"metadata":{"name":"p"}}],"pending":[{"metadata":{"name":"p"}}]}"#
        ),
        "Pod default/p: metadata.name: another Pod has the name \"p\" already"
    );
    assert_eq!(error(r#"{"id":"c","nodes":{}}"#), "nodes: invalid type: map, expected a list");
    assert_eq!(error(r#"{"id":"c","nodes":[}"#), "column 20: nodes[0]: expected value");
}
