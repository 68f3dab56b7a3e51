use serde_json::json;

use super::*;
use crate::schema::{ListRule, decode, with_zero_values};

fn definition() -> Value {
    let mut crd = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"], "categories": ["all"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "required": ["size"], "properties": {
                        "size": {"type": "integer", "minimum": 1, "maximum": 10},
                        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8, "minLength": 2},
                        "replicas": {"type": "integer", "default": 1},
                        "tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                            "items": {"type": "object", "required": ["port"], "properties": {
                                "port": {"type": "integer"}, "proto": {"type": "string", "default": "TCP"}}}},
                        "quantity": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                        "when": {"type": "string", "format": "date-time"},
                        "maybe": {"type": "string", "nullable": true},
                        "ratio": {"type": "number", "multipleOf": 0.5},
                        "template": {"type": "object", "x-kubernetes-embedded-resource": true,
                            "x-kubernetes-preserve-unknown-fields": true},
                    }},
                    "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                }}},
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "Tag", "type": "string", "jsonPath": ".spec.tags[0]", "priority": 1, "description": "first"}],
            }],
        },
    });
    default_definition(&mut crd);
    (DEFINITION_RULES.prepare_create)(&mut crd);
    crd
}

fn widget() -> Kind {
    kind_from(&definition(), "v1").unwrap()
}

/// What is said about an object with this specification.
fn complaints(spec: &Value) -> String {
    let kind = widget();
    let custom = kind.custom.as_ref().unwrap();
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec});
    default_custom(custom, &mut object);
    let found = validate_custom(custom, &object, None);
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn objects_are_refused_in_the_words_of_the_real_server() {
    let cases = [
        (json!({}), "spec.size: Required value"),
        (
            json!({"size": 0}),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
        (
            json!({"size": 11}),
            "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
        ),
        (
            json!({"size": "three"}),
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"",
        ),
        (
            json!({"size": 1.5}),
            "spec.size: Invalid value: \"number\": spec.size in body must be of type integer: \"number\"; \
          <nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec.size",
        ),
        (
            json!({"size": 1, "color": "green"}),
            "spec.color: Unsupported value: \"green\": supported values: \"red\", \"blue\"",
        ),
        (
            json!({"size": 1, "name": "ABC"}),
            "spec.name: Invalid value: \"ABC\": spec.name in body should match '^[a-z]+$'",
        ),
        (
            json!({"size": 1, "name": "abcdefghij"}),
            "spec.name: Too long: may not be more than 8 bytes",
        ),
        (
            json!({"size": 1, "name": "a"}),
            "spec.name: Invalid value: \"a\": spec.name in body should be at least 2 chars long",
        ),
        (json!({"size": 1, "tags": ["a", "a"]}), "spec.tags[1]: Duplicate value: \"a\""),
        (
            json!({"size": 1, "ports": [{"port": 1}, {"port": 1}]}),
            "spec.ports[1]: Duplicate value: {\"port\":1}",
        ),
        (json!({"size": 1, "ports": [{"proto": "x"}]}), "spec.ports[0].port: Required value"),
        (
            json!({"size": 1, "tags": ["a", "b", "c", "d"]}),
            "spec.tags: Too many: 4: must have at most 3 items",
        ),
        (
            json!({"size": 1, "quantity": true}),
            "spec.quantity: Invalid value: \"boolean\": spec.quantity in body must be of type integer,string: \"boolean\"; \
          <nil>: Invalid value: \"\": \"spec.quantity\" must validate at least one schema (anyOf); \
          spec.quantity: Invalid value: \"boolean\": spec.quantity in body must be of type integer: \"boolean\"",
        ),
        (
            json!({"size": 1, "labels": {"a": 1}}),
            "spec.labels.a: Invalid value: \"integer\": spec.labels.a in body must be of type string: \"integer\"",
        ),
        (
            json!({"size": 1, "when": "yesterday"}),
            "spec.when: Invalid value: \"yesterday\": spec.when in body must be of type date-time: \"yesterday\"",
        ),
        (
            json!({"size": 1, "ratio": 0.3}),
            "spec.ratio: Invalid value: 0.3: spec.ratio in body should be a multiple of 0.5",
        ),
        (
            json!("x"),
            "spec: Invalid value: \"string\": spec in body must be of type object: \"string\"",
        ),
        (
            json!({"size": 1, "tags": {}}),
            "spec.tags: Invalid value: \"object\": spec.tags in body must be of type array: \"object\"",
        ),
        (
            json!({"size": 1, "quantity": "10%", "when": "2026-01-01T00:00:00Z", "ratio": 1, "name": null, "color": null,
            "maybe": null, "free": {"any": [1]}}),
            "",
        ),
    ];
    for (spec, expected) in cases {
        assert_eq!(complaints(&spec), expected, "{spec}");
    }
}

#[test]
fn nulls_go_and_defaults_come() {
    let kind = widget();
    let mut object = json!({"spec": {"size": 1, "name": null, "color": null, "maybe": null, "ports": [{"port": 80}]}});
    default_custom(kind.custom.as_ref().unwrap(), &mut object);
    let expected = json!({"size": 1, "color": "red", "replicas": 1, "maybe": null, "ports": [{"port": 80, "proto": "TCP"}]});
    assert_eq!(object["spec"], expected);
}

#[test]
fn unknown_fields_are_pruned_where_the_schema_does_not_keep_them() {
    let kind = widget();
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "odd": 1},
        "spec": {"size": "kept for the check", "replicas": 2.0, "ratio": 0.5, "unknown": 1, "free": {"kept": {"deep": true}}, "ports": [{"port": 1, "x": 2}],
            "template": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "t", "odd": 1}, "kept": 1}}});
    let findings = decode(&kind.schema, &mut object);
    let expected =
        ["metadata.odd", "spec.ports[0].x", "spec.template.metadata.odd", "spec.unknown"];
    assert_eq!(findings.unknown, expected);
    assert_eq!(findings.type_error, None);
    let before = object.clone();
    with_zero_values(&kind.schema, &mut object);
    assert_eq!(object, before, "custom resources have no zero values");
    assert_eq!(object["spec"]["template"]["kept"], 1);
    assert_eq!((&object["spec"]["replicas"], &object["spec"]["ratio"]), (&json!(2), &json!(0.5)));
    let wrong = decode(&kind.schema, &mut json!({"metadata": {"name": 1}}));
    assert!(wrong.type_error.is_some(), "metadata is checked like any");
}

#[test]
fn a_definition_gives_a_kind() {
    let kind = widget();
    assert_eq!((&*kind.list_kind, &*kind.singular), ("WidgetList", "widget"));
    assert_eq!(kind.subresources, [Subresource::Status, Subresource::Scale]);
    let ports = kind.schema.field("spec").unwrap().field("ports").unwrap();
    assert_eq!(ports.list_rule(), ListRule::Map(&["port".into()]));
    let custom = kind.custom.unwrap();
    assert_eq!(
        &*custom.columns[0].description,
        "Custom resource definition column (in JSONPath format): .spec.size"
    );
    assert_eq!((&*custom.columns[1].description, custom.columns[1].priority), ("first", 1));
    assert_eq!(&*custom.scale.as_ref().unwrap().spec_replicas, ".spec.replicas");
    assert_eq!(
        kind_from(&definition(), "v2").unwrap_err().to_string(),
        "custom resource definition widgets.example.com has no version v2"
    );
}

#[test]
fn definitions_are_refused_in_the_words_of_the_real_server() {
    let label = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, \
        and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
        '[a-z]([-a-z0-9]*[a-z0-9])?')";
    let schema = "/spec/versions/0/schema/openAPIV3Schema";
    let cases = [
        ("/metadata/name", json!("foo"),
         "metadata.name: Invalid value: \"foo\": must be spec.names.plural+\".\"+spec.group".to_owned()),
        ("/spec/versions/0/schema", json!({}),
         "spec.versions[0].schema.openAPIV3Schema: Required value".to_owned()),
        (schema, json!({"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}),
         "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields; \
          spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root".to_owned()),
        (schema, json!({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}),
         "spec.validation.openAPIV3Schema.properties[a].default: Invalid value: \"string\":  in body must be of type integer: \
          \"string\"".to_owned()),
        (schema, json!({"type": "object", "properties": {"a": {"type": "array"}}}),
         "spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified".to_owned()),
        ("/spec/scope", json!("Galaxy"),
         "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\"".to_owned()),
        ("/spec/names/singular", json!("foo bar"),
         format!("spec.names.singular: Invalid value: \"foo bar\": {label}")),
        ("/spec/names/kind", json!("foo bar"),
         format!("spec.names.kind: Invalid value: \"foo bar\": may have mixed case, but should otherwise match: {label}")),
        ("/spec/versions/0/subresources/scale/specReplicasPath", json!("spec.replicas"),
         "spec.subresources.scale.specReplicasPath: Invalid value: \"spec.replicas\": must be a simple json path starting with \
          .".to_owned()),
    ];
    let shown = |crd: &Value| {
        validate_definition(crd).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(shown(&definition()), "");
    for (pointer, value, expected) in cases {
        let mut crd = definition();
        *crd.pointer_mut(pointer).unwrap() = value;
        assert_eq!(shown(&crd), expected, "{pointer}");
    }
    let mut crd = definition();
    crd["spec"]["group"] = json!("nodots");
    crd["metadata"]["name"] = json!("widgets.nodots");
    assert_eq!(
        shown(&crd),
        "spec.group: Invalid value: \"nodots\": should be a domain with at least one dot"
    );
    let mut crd = definition();
    crd["spec"]["versions"][0]["storage"] = json!(false);
    (DEFINITION_RULES.prepare_create)(&mut crd);
    let found: Vec<String> =
        validate_definition(&crd).into_iter().map(|error| error.path).collect();
    assert_eq!(found, ["spec.versions", "status.storedVersions"]);
}

#[test]
fn names_are_accepted_unless_somebody_has_them() {
    let mut crd = definition();
    assert!(accept(&mut crd, &[], "2026-01-01T00:00:00Z"));
    assert_eq!(crd["status"]["acceptedNames"]["listKind"], "WidgetList");
    let conditions = crd["status"]["conditions"].clone();
    assert!(accept(&mut crd, &[], "2026-01-02T00:00:00Z"));
    assert_eq!(crd["status"]["conditions"], conditions, "times stay while nothing changes");
    let mut other = definition();
    other["metadata"]["name"] = json!("gadgets.example.com");
    other["spec"]["names"]["plural"] = json!("gadgets");
    assert!(!accept(&mut other, &[crd], "2026-01-01T00:00:00Z"));
    assert_eq!(other["status"]["conditions"][0]["reason"], "SingularConflict");
    assert_eq!(other["status"]["conditions"][1]["status"], "False");
}

#[test]
fn the_status_is_written_through_its_subresource_alone() {
    let rules = widget().rules;
    let old = json!({"metadata": {"name": "a"}, "spec": {"size": 1}, "status": {"phase": "old"}});
    let mut new =
        json!({"metadata": {"name": "a"}, "spec": {"size": 2}, "status": {"phase": "new"}});
    (rules.prepare_update)(&mut new, &old);
    assert_eq!((&new["spec"]["size"], &new["status"]["phase"]), (&json!(2), &json!("old")));
    let mut new =
        json!({"metadata": {"name": "a"}, "spec": {"size": 2}, "status": {"phase": "new"}});
    (rules.prepare_status)(&mut new, &old);
    assert_eq!((&new["spec"]["size"], &new["status"]["phase"]), (&json!(1), &json!("new")));
}
