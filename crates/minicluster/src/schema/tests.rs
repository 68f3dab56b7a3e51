use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::*;

mod properties;

fn pod() -> Arc<Type> {
    built_in_kind("", "v1", "Pod").unwrap()
}

#[test]
fn every_line_of_the_table_is_a_type_whose_references_exist() {
    fn look_into(ty: &Type, names: &mut Vec<String>) {
        match &ty.shape {
            Shape::Named(name, _) => names.push(name.to_string()),
            Shape::List(of) | Shape::Map(of) | Shape::Either(of) => look_into(of, names),
            Shape::Struct(of) => of.fields.values().for_each(|field| look_into(field, names)),
            _ => {}
        }
    }
    let lines = table::names().count();
    assert!(lines > 400, "only {lines} lines were read");
    for line in table::names() {
        let ty = built_in(line).unwrap_or_else(|| panic!("{line} cannot be read"));
        let mut names = Vec::new();
        look_into(&ty, &mut names);
        for name in names {
            assert!(built_in(&name).is_some(), "{line} refers to {name}");
        }
    }
}

#[test]
fn lists_say_how_they_are_merged() {
    let spec = pod().field("spec").unwrap();
    let containers = spec.field("containers").unwrap();
    assert_eq!(containers.patch_rule(), PatchRule::MergeByKey("name"));
    assert_eq!(containers.list_rule(), ListRule::Map(&["name".into()]));
    let ports = containers.item().unwrap().field("ports").unwrap();
    assert_eq!(ports.patch_rule(), PatchRule::MergeByKey("containerPort"));
    assert_eq!(ports.list_rule(), ListRule::Map(&["containerPort".into(), "protocol".into()]));
    assert_eq!(spec.field("tolerations").unwrap().patch_rule(), PatchRule::Replace);
    assert!(spec.field("volumes").unwrap().retains_keys());
    let finalizers = pod().field("metadata").unwrap().field("finalizers").unwrap();
    assert_eq!(finalizers.patch_rule(), PatchRule::MergeSet);
    assert_eq!(finalizers.list_rule(), ListRule::Set);
    assert!(spec.field("nodeSelector").unwrap().is_atomic());
    let deployment = built_in_kind("apps", "v1", "Deployment").unwrap();
    let selector = deployment.field("spec").unwrap().field("selector").unwrap();
    assert!(selector.is_atomic() && selector.is_struct());
    assert!(deployment.field("spec").unwrap().field("strategy").unwrap().retains_keys());
}

#[test]
fn types_that_contain_themselves_end() {
    let crd = built_in_kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    let mut ty = crd.field("spec").unwrap().field("versions").unwrap().item().unwrap();
    ty = ty.field("schema").unwrap().field("openAPIV3Schema").unwrap();
    for _ in 0..20 {
        ty = ty.field("properties").unwrap().field("anything").unwrap();
    }
    assert!(ty.is_struct());
}

#[test]
fn unknown_fields_are_named_and_gone() {
    let mut value = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "odd": "y"},
        "spec": {"containers": [{"name": "c", "imagePullPolice": "Always"}], "nonsense": 1}});
    let findings = decode(&pod(), &mut value);
    let expected = ["metadata.odd", "spec.containers[0].imagePullPolice", "spec.nonsense"];
    assert_eq!(findings.unknown, expected);
    assert_eq!(findings.type_error, None);
    assert_eq!(value["spec"], json!({"containers": [{"name": "c"}]}));
}

#[test]
fn keys_given_twice_are_named_and_merged() {
    let text = br#"{"data":{"a":"1"},"data":{"b":"2"},"l":[{"x":1,"x":2,"x":3}]}"#;
    let (value, duplicates) = parse(text).unwrap();
    assert_eq!(duplicates, ["data", "l[0].x"]);
    assert_eq!(value, json!({"data": {"a": "1", "b": "2"}, "l": [{"x": 3}]}));
    assert!(parse(b"{} x").is_err() && parse(b"").is_err());
}

#[test]
fn values_of_the_wrong_type_are_refused_in_the_words_of_the_real_server() {
    let pod_cases = [
        (
            json!({"spec": {"containers": "x"}}),
            "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            json!({"spec": {"terminationGracePeriodSeconds": "x"}}),
            "json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64",
        ),
        (
            json!({"metadata": {"name": true}}),
            "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string",
        ),
        (
            json!({"spec": {"priority": 3_000_000_000_u64}}),
            "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32",
        ),
        (
            json!({"spec": {"containers": [{"resources": {"requests": {"cpu": "ten"}}}]}}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (json!([]), "json: cannot unmarshal array into Go value of type v1.Pod"),
    ];
    for (mut value, expected) in pod_cases {
        let shown = value.to_string();
        assert_eq!(decode(&pod(), &mut value).type_error.as_deref(), Some(expected), "{shown}");
    }
    let map = built_in_kind("", "v1", "ConfigMap").unwrap();
    let found = decode(&map, &mut json!({"data": {"a": 1}})).type_error.unwrap();
    assert_eq!(
        found,
        "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
    );
    let secret = built_in_kind("", "v1", "Secret").unwrap();
    let found = decode(&secret, &mut json!({"data": {"a": "!!"}})).type_error.unwrap();
    assert_eq!(found, "illegal base64 data at input byte 0");
    let lease = built_in_kind("coordination.k8s.io", "v1", "Lease").unwrap();
    let times = [
        ("2026-01-01T00:00:02Z", "cannot parse \"Z\" as \".000000\""),
        ("2026-01-01T00:00:02.5Z", "cannot parse \".5Z\" as \".000000\""),
        ("2026-01-01T00:00:02.123456", "cannot parse \"\" as \"Z07:00\""),
        ("yesterday", "cannot parse \"yesterday\" as \"2006\""),
        ("2026-01-32T00:00:00.000000Z", "day out of range"),
    ];
    for (given, why) in times {
        let found = decode(&lease, &mut json!({"spec": {"renewTime": given}})).type_error.unwrap();
        assert!(found.ends_with(why), "{found}");
    }
}

#[test]
fn values_come_out_as_the_server_writes_them() {
    let mut value = json!({"metadata": {"creationTimestamp": null, "labels": {}, "annotations": {"a": null},
            "deletionTimestamp": "2026-01-01T02:00:00.5+02:00"},
        "spec": {"hostNetwork": false, "priorityClassName": "", "volumes": [], "nodeSelector": null, "securityContext": {},
            "containers": [{"name": "c", "resources": {"limits": {"cpu": 0.5, "memory": "1.5Gi"}},
                "livenessProbe": {"tcpSocket": {"port": 80}}}],
            "initContainers": [null]}});
    assert_eq!(decode(&pod(), &mut value), Findings::default());
    assert_eq!(
        value,
        json!({"metadata": {"annotations": {"a": ""}, "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"securityContext": {},
                "containers": [{"name": "c", "resources": {"limits": {"cpu": "500m", "memory": "1536Mi"}},
                    "livenessProbe": {"tcpSocket": {"port": 80}}}],
                "initContainers": [{"name": "", "resources": {}}]}})
    );
}

#[test]
fn zero_values_are_written_where_go_writes_them() {
    let node = built_in_kind("", "v1", "Node").unwrap();
    let mut value = json!({"metadata": {"name": "n"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    with_zero_values(&node, &mut value);
    assert_eq!(value["spec"], json!({}));
    assert_eq!(value["status"]["daemonEndpoints"], json!({"kubeletEndpoint": {"Port": 0}}));
    assert_eq!(value["status"]["nodeInfo"]["kubeletVersion"], json!(""));
    assert_eq!(
        value["status"]["conditions"][0],
        json!({"type": "Ready", "status": "True", "lastHeartbeatTime": null, "lastTransitionTime": null})
    );
}

/// Each line is an object as the real server's own library writes it in protobuf (in base64), and as JSON.
#[test]
fn protobuf_says_the_same_as_json() {
    for line in include_str!("tests/protobuf.tsv").lines() {
        let (body, expected) = line.split_once('\t').unwrap();
        let body = STANDARD.decode(body).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        let mut object = from_protobuf(&body).unwrap();
        let (group, version) =
            object["apiVersion"].as_str().unwrap().rsplit_once('/').unwrap_or(("", "v1"));
        let ty = built_in_kind(group, version, object["kind"].as_str().unwrap()).unwrap();
        assert_eq!(decode(&ty, &mut object), Findings::default());
        with_zero_values(&ty, &mut object);
        assert_eq!(object, expected);
        for end in 0..body.len() {
            // Cut short it is another message or none, but never more than an error.
            let _ = from_protobuf(&body[..end]);
        }
    }
    assert!(matches!(from_protobuf(b"{}"), Err(ProtobufError::Prefix)));
}
