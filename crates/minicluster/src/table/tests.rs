use serde_json::json;

use super::*;
use crate::{custom::kind_from, registry::Registry};

mod pods;
mod robust;

const NOW: &str = "2026-03-01T12:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// The row of an object, with bars between the cells.
fn row(kind: &Kind, object: &Value) -> String {
    let cells = Printer::of(kind).cells(object, now());
    let cells = cells.as_array().unwrap().iter().map(|cell| match cell {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    cells.collect::<Vec<_>>().join("|")
}

fn check(api_version: &str, kind: &str, object: &Value, expected: &str) {
    let registry = Registry::new();
    let kind = registry.find_kind(api_version, kind).unwrap();
    assert_eq!(row(kind, object), expected, "{object}");
}

#[test]
fn every_kind_has_as_many_cells_as_columns() {
    for kind in Registry::new().kinds() {
        let printer = Printer::of(kind);
        let columns = printer.columns();
        let cells = printer.cells(&json!({ "metadata": { "resourceVersion": "7" } }), now());
        let (columns, cells) = (columns.as_array().unwrap(), cells.as_array().unwrap());
        assert_eq!(columns.len(), cells.len(), "{}", kind.kind);
        for (column, cell) in columns.iter().zip(cells) {
            let fits = match column["type"].as_str().unwrap() {
                "integer" => cell.is_i64(),
                "boolean" => cell.is_boolean(),
                // The real server has numbers and flags in some columns of texts.
                _ => !cell.is_null(),
            };
            assert!(fits, "{} {column} {cell}", kind.kind);
        }
    }
}

#[test]
fn ages_have_two_or_three_digits() {
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    for (seconds, expected) in [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (599, "9m59s"),
        (600, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (8 * HOUR - 1, "7h59m"),
        (8 * HOUR, "8h"),
        (2 * DAY - 1, "47h"),
        (2 * DAY, "2d"),
        (8 * DAY - 1, "7d23h"),
        (8 * DAY, "8d"),
        (730 * DAY - 1, "729d"),
        (730 * DAY, "2y"),
        (800 * DAY, "2y70d"),
        (8 * 365 * DAY, "8y"),
    ] {
        assert_eq!(age::human(jiff::SignedDuration::from_secs(seconds)), expected);
    }
    assert_eq!(age::since("2026-03-01T11:55:00Z", now()), "5m");
    assert_eq!(age::since("2026-03-01T11:59:59.500000Z", now()), "0s");
    assert_eq!(age::since("yesterday", now()), "<unknown>");
}

#[test]
fn nodes() {
    let node = json!({
        "metadata": {
            "name": "n",
            "creationTimestamp": "2026-02-27T12:00:00Z",
            "labels": { "kubernetes.io/role": "spare", "node-role.kubernetes.io/control-plane": "", "node-role.kubernetes.io/": "" },
        },
        "spec": { "unschedulable": true },
        "status": {
            "conditions": [{ "type": "Ready", "status": "Unknown" }],
            "addresses": [{ "type": "Hostname", "address": "n" }, { "type": "ExternalIP", "address": "192.0.2.1" }],
            "nodeInfo": { "kubeletVersion": "v1.36.4", "architecture": "arm64" },
        },
    });
    let expected = "n|NotReady,SchedulingDisabled|control-plane,spare|2d|v1.36.4|<none>|192.0.2.1|<unknown>|<unknown> (arm64)|<unknown>";
    check("v1", "Node", &node, expected);
    let expected = "|Unknown|<none>|<unknown>||<none>|<none>|<unknown>|<unknown>|<unknown>";
    check("v1", "Node", &json!({}), expected);
}

#[test]
fn workloads() {
    let template = json!({ "spec": {
        "nodeSelector": { "b": "2", "a": "1" },
        "containers": [{ "name": "x", "image": "x:1" }, { "name": "y", "image": "y:2" }],
    } });
    let selector = json!({
        "matchLabels": { "app": "a" },
        "matchExpressions": [
            { "key": "tier", "operator": "NotIn", "values": ["z", "b"] },
            { "key": "aaa", "operator": "Exists" },
            { "key": "bbb", "operator": "DoesNotExist" },
            { "key": "ccc", "operator": "In", "values": ["1"] },
        ],
    });
    let deployment = json!({
        "metadata": { "name": "d", "creationTimestamp": NOW },
        "spec": { "replicas": 3, "selector": selector, "template": template },
        "status": { "readyReplicas": 1, "updatedReplicas": 2 },
    });
    let expected = "d|1/3|2|0|0s|x,y|x:1,y:2|aaa,app=a,!bbb,ccc in (1),tier notin (b,z)";
    check("apps/v1", "Deployment", &deployment, expected);
    check(
        "apps/v1",
        "DaemonSet",
        &deployment,
        &format!("d|0|0|0|0|0|a=1,b=2|0s|{}", &expected[13..]),
    );
    let revision = json!({ "metadata": { "name": "r", "ownerReferences": [
        { "apiVersion": "v1", "kind": "Other", "name": "o" },
        { "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "controller": true },
    ] }, "revision": 4 });
    check("apps/v1", "ControllerRevision", &revision, "r|daemonset.apps/d|4|<unknown>");
}

#[test]
fn jobs() {
    let job = |spec: Value, status: Value| json!({ "metadata": { "name": "j" }, "spec": spec, "status": status });
    let rest = "|<unknown>|||<none>";
    let started = json!({ "startTime": "2026-03-01T11:58:30Z", "succeeded": 1 });
    let object = job(json!({ "parallelism": 4 }), started);
    check("batch/v1", "Job", &object, &format!("j|Running|1/1 of 4|90s{rest}"));
    let done = json!({
        "startTime": "2026-03-01T09:00:00Z",
        "completionTime": "2026-03-01T09:00:07Z",
        "succeeded": 2,
        "conditions": [{ "type": "SuccessCriteriaMet", "status": "True" }, { "type": "Complete", "status": "True" }],
    });
    let object = job(json!({ "completions": 2 }), done);
    check("batch/v1", "Job", &object, &format!("j|Complete|2/2|7s{rest}"));
    let halted = json!({ "conditions": [{ "type": "Suspended", "status": "True" }] });
    check("batch/v1", "Job", &job(json!({}), halted), &format!("j|Suspended|0/1|{rest}"));
}

#[test]
fn services() {
    let service = |spec: Value, status: Value| json!({ "metadata": { "name": "s" }, "spec": spec, "status": status });
    let balanced = service(
        json!({
            "type": "LoadBalancer",
            "clusterIPs": ["10.0.0.1"],
            "externalIPs": ["192.0.2.9"],
            "ports": [{ "port": 80, "nodePort": 30080, "protocol": "TCP" }, { "port": 53, "protocol": "UDP" }],
        }),
        json!({ "loadBalancer": { "ingress": [{ "hostname": "b.example" }, { "ip": "192.0.2.1" }] } }),
    );
    let expected = "s|LoadBalancer|10.0.0.1|192.0.2.1,b.example,192.0.2.9|80:30080/TCP,53/UDP|<unknown>|<none>";
    check("v1", "Service", &balanced, expected);
    let pending = service(json!({ "type": "LoadBalancer" }), json!({}));
    check("v1", "Service", &pending, "s|LoadBalancer|<none>|<pending>|<none>|<unknown>|<none>");
    let named = service(json!({ "type": "ExternalName", "externalName": "a.example" }), json!({}));
    check("v1", "Service", &named, "s|ExternalName|<none>|a.example|<none>|<unknown>|<none>");
}

#[test]
fn storage() {
    let claim = json!({
        "metadata": { "name": "c", "deletionTimestamp": NOW },
        "spec": { "volumeName": "v", "storageClassName": "fast", "volumeMode": "Block" },
        "status": { "phase": "Bound", "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOncePod", "ReadOnlyMany"] },
    });
    let expected = "c|Terminating|v|1Gi|ROX,RWOP|fast|<unset>|<unknown>|Block";
    check("v1", "PersistentVolumeClaim", &claim, expected);
    let class = json!({
        "metadata": { "name": "s", "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } },
        "provisioner": "example.com/p",
    });
    let expected = "s (default)|example.com/p|Delete|Immediate|false|<unknown>";
    check("storage.k8s.io/v1", "StorageClass", &class, expected);
}

#[test]
fn events_of_both_groups_are_shown_alike() {
    let expected = "5m|Warning|Why|pod/p|spec|a, b|what|59m|3|e";
    let core = json!({
        "metadata": { "name": "e" }, "type": "Warning", "reason": "Why", "message": " what\n", "count": 3,
        "involvedObject": { "kind": "Pod", "name": "p", "fieldPath": "spec" },
        "source": { "component": "a", "host": "b" },
        "firstTimestamp": "2026-03-01T11:01:00Z", "lastTimestamp": "2026-03-01T11:55:00Z",
    });
    check("v1", "Event", &core, expected);
    let other = json!({
        "metadata": { "name": "e" }, "type": "Warning", "reason": "Why", "note": "what",
        "regarding": { "kind": "Pod", "name": "p", "fieldPath": "spec" },
        "reportingController": "a", "reportingInstance": "b", "eventTime": "2026-03-01T11:01:00.000000Z",
        "series": { "count": 3, "lastObservedTime": "2026-03-01T11:55:00.000000Z" },
    });
    check("events.k8s.io/v1", "Event", &other, expected);
}

#[test]
fn custom_columns_show_what_fits_their_type() {
    let spec = json!({
        "n": 3, "f": 2.5, "b": true, "s": "text", "null": null, "list": [10, 20, 30], "map": { "a.b": "dotted" },
        "time": "2026-03-01T11:00:00Z",
        "conditions": [{ "type": "Live", "status": "False", "n": 1 }, { "type": "Ready", "status": "True", "n": 2 }],
    });
    let object = json!({ "metadata": { "name": "a" }, "spec": spec });
    for (kind, path, expected) in [
        ("integer", ".spec.n", "3"),
        ("integer", ".spec.f", "2"),
        ("integer", ".spec.s", "null"),
        ("number", ".spec.n", "3"),
        ("number", ".spec.f", "2.5"),
        ("boolean", ".spec.b", "true"),
        ("boolean", ".spec.n", "null"),
        ("string", ".spec.n", "3"),
        ("string", ".spec.list", "[10,20,30]"),
        ("string", ".spec.missing.deeper", "null"),
        ("string", ".spec.null", "<no value>"),
        ("date", ".spec.time", "60m"),
        ("date", ".spec.s", "<invalid>"),
        ("integer", ".spec.list[0]", "10"),
        ("integer", ".spec.list[-1]", "30"),
        ("integer", ".spec.list[1:]", "20"),
        ("integer", ".spec.list[*]", "10"),
        ("integer", ".spec.list[3]", "null"),
        ("string", r".spec.map.a\.b", "dotted"),
        ("string", ".spec.map['a.b']", "dotted"),
        ("string", r#".spec.conditions[?(@.type=="Ready")].status"#, "True"),
        ("string", ".spec.conditions[?(@.type != 'Live')].status", "True"),
        ("string", ".spec.conditions[?(@.n<2)].type", "Live"),
        ("string", ".spec.conditions[?(@.n>=2)].type", "Ready"),
        ("string", ".spec.conditions[?(@.other)].type", "null"),
        ("string", ".spec..n", "null"),
        ("string", ".spec.list[", "null"),
    ] {
        let columns = json!([{ "name": "Shown", "type": kind, "jsonPath": path }]);
        let versions = json!([{ "name": "v1", "additionalPrinterColumns": columns }]);
        let kind = kind_from(&json!({ "spec": { "versions": versions } }), "v1").unwrap();
        assert_eq!(row(&kind, &object), format!("a|{expected}"), "{path}");
    }
}
