use expect_test::expect_file;
use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaPropsOrArray;
use plimsoll_model::{DeleteMachine, Intent, OrderPhase, RemoveNode, ScaleUp, Symbol};
use serde_json::Value;

use super::*;
use crate::{
    lease::Term,
    orders::{Progress, wire},
};

const HEAD: &str = "\
# What Plimsoll has set out to do with machines: written before a provider is called, so that nothing is ordered twice and
# nothing forgotten, whatever happens in between.
#
# Generated from crates/cluster/src/orders/fields.rs; after a change there: UPDATE_EXPECT=1 cargo test -p plimsoll-cluster
";

#[test]
fn the_shipped_definition_is_the_one_of_the_types() {
    let text = serde_saphyr::to_string(&definition()).unwrap();
    expect_file!["../../../../../deploy/crds/nodeorders.yaml"].assert_eq(&format!("{HEAD}{text}"));
}

#[test]
fn the_definition_is_read_as_it_was_written() {
    let text = serde_saphyr::to_string(&definition()).unwrap();
    let read: CustomResourceDefinition = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(read, definition());
}

/// The API server drops what the schema does not list, and refuses what the schema forbids.
#[test]
fn every_order_satisfies_the_schema() {
    let (group, why) = (Symbol::new("web"), "for pods".to_owned());
    let pods = (0..2000).map(|number| format!("uid-{number}").into()).collect();
    let intents = [
        Intent::ScaleUp(ScaleUp { group, count: 3, from: 0, pods, why: why.clone() }),
        Intent::RemoveNode(RemoveNode {
            group,
            node: Symbol::new("web-1"),
            node_uid: Some("uid-1".into()),
            instance: "cloud://web-1".into(),
            was_closed: true,
            replaced: true,
            why: why.clone(),
            reason: Some("Empty".to_owned()),
            drains: true,
        }),
        Intent::DeleteMachine(DeleteMachine { group, instance: "cloud://web-2".into(), why }),
    ];
    let term = Term { holder: "a_1".to_owned(), number: 7 };
    for intent in &intents {
        for phase in OrderPhase::ALL {
            let progress = Progress { phase, message: "slow", made: Some(2) };
            let status = wire::status(&progress, &term, Timestamp::UNIX_EPOCH);
            let order = json!({ "spec": wire::spec(intent, Some("cellar")), "status": status });
            assert_eq!(problems("", &order, &schema()), [""; 0], "{order:#}");
        }
    }
}

#[test]
fn an_order_that_the_schema_lacks_a_field_for_is_noticed() {
    let order = json!({
        "spec": { "action": "Resize", "group": "g".repeat(513), "count": 0, "colour": 1 },
        "status": { "leader": { "term": "7" } },
    });
    assert_eq!(
        problems("", &order, &schema()),
        [
            ".spec.action is none of its values",
            ".spec.colour is not in the schema",
            ".spec.count is too small",
            ".spec.group is too long",
            ".status.leader.term is not of type integer",
        ]
    );
}

/// What an API server would drop of a value, or refuse it for.
fn problems(path: &str, value: &Value, schema: &JSONSchemaProps) -> Vec<String> {
    let kind = schema.type_.as_deref().unwrap_or_default();
    let is_of_kind = match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        _ => false,
    };
    if !is_of_kind {
        return vec![format!("{path} is not of type {kind}")];
    }
    let mut found = Vec::new();
    let length = |value: &Value| value.as_str().map(|text| text.chars().count());
    let exceeds = |length: Option<usize>, most: Option<i64>| {
        length.zip(most).is_some_and(|(length, most)| length > usize::try_from(most).unwrap())
    };
    if exceeds(length(value), schema.max_length)
        || exceeds(value.as_array().map(Vec::len), schema.max_items)
    {
        found.push(format!("{path} is too long"));
    }
    if schema.enum_.as_ref().is_some_and(|names| names.iter().all(|name| name.0 != *value)) {
        found.push(format!("{path} is none of its values"));
    }
    if value.as_f64().zip(schema.minimum).is_some_and(|(number, least)| number < least) {
        found.push(format!("{path} is too small"));
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &schema.items {
        let entries = value.as_array().into_iter().flatten().enumerate();
        found.extend(
            entries.flat_map(|(at, entry)| problems(&format!("{path}[{at}]"), entry, items)),
        );
    }
    for (name, entry) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match schema.properties.as_ref().and_then(|properties| properties.get(name)) {
            Some(schema) => found.extend(problems(&path, entry, schema)),
            None => found.push(format!("{path} is not in the schema")),
        }
    }
    let missing = schema.required.iter().flatten().filter(|name| value.get(name).is_none());
    found.extend(missing.map(|name| format!("{path}.{name} is missing")));
    found.sort();
    found
}
