//! Whatever an object is, it can be shown.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::now;
use crate::{
    custom::kind_from,
    registry::Registry,
    table::{Printer, json_path},
};

/// Names that cells look for, so that nonsense gets past the first door.
const NAMES: [&str; 40] = [
    "metadata",
    "spec",
    "status",
    "name",
    "labels",
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "ownerReferences",
    "selector",
    "matchLabels",
    "matchExpressions",
    "values",
    "template",
    "containers",
    "initContainers",
    "restartPolicy",
    "containerStatuses",
    "initContainerStatuses",
    "restartCount",
    "state",
    "lastState",
    "terminated",
    "waiting",
    "running",
    "exitCode",
    "finishedAt",
    "reason",
    "conditions",
    "type",
    "readinessGates",
    "podIPs",
    "addresses",
    "ports",
    "series",
    "involvedObject",
    "capacity",
    "drivers",
    "subjects",
    "roleRef",
];

fn nonsense() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
        prop::sample::select(vec![
            "Always",
            "Ready",
            "Completed",
            "-009999-01-02T01:59:59Z",
            "9999-12-30T22:00:00Z",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 6, |inner| {
        let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn any_object_of_any_kind_can_be_shown(metadata in nonsense(), spec in nonsense(), status in nonsense()) {
        let whole = json!({ "metadata": metadata, "spec": spec, "status": status });
        for kind in Registry::new().kinds() {
            let printer = Printer::of(kind);
            for object in [&whole, &spec] {
                printer.cells(object, now());
                printer.conditions(object);
            }
        }
    }

    #[test]
    fn any_path_leads_somewhere_or_nowhere(path in "[-.\\[\\]?(@=!<>)\"'*:\\\\a0-3é]{0,16}", spec in nonsense()) {
        let object = json!({ "a": spec, "0": [spec, 1, { "a": "é" }] });
        json_path::first(&path, &object);
        for kind in ["string", "integer", "number", "boolean", "date", "other"] {
            let columns = json!([{ "name": "Shown", "type": kind, "jsonPath": path }]);
            let versions = json!([{ "name": "v1", "additionalPrinterColumns": columns }]);
            let kind = kind_from(&json!({ "spec": { "versions": versions } }), "v1").unwrap();
            Printer::of(&kind).cells(&object, now());
        }
    }
}
