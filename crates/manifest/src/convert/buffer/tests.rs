use expect_test::expect;

use crate::Reader;

fn read(object: &serde_json::Value) -> Result<crate::Objects, String> {
    let mut reader = Reader::new("2026-01-01T00:00:00Z".parse().unwrap());
    reader.add_json(&object.to_string()).map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())
}

fn buffer(spec: &serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": {"name": "spare", "namespace": "shop", "generation": 2},
        "spec": spec,
    })
}

#[test]
fn a_buffer_is_read() {
    let mut object = buffer(&serde_json::json!({
        "scalableRef": {"apiGroup": "apps", "kind": "Deployment", "name": "web"},
        "percentage": 20,
        "limits": {"cpu": "1500m", "memory": "0", "requests.nvidia.com/gpu": "2"},
    }));
    object["status"] = serde_json::json!({
        "podTemplateRef": {"name": "made"},
        "replicas": 3,
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
    });
    let objects = read(&object).unwrap();
    expect![[r#"
        Buffer {
            namespace: "shop",
            name: "spare",
            uid: "",
            created: 2026-01-01T00:00:00Z,
            generation: 2,
            strategy: "",
            source: Some(
                Scalable {
                    group: "apps",
                    kind: "Deployment",
                    name: "web",
                },
            ),
            replicas: None,
            percentage: Some(
                20,
            ),
            limits: Some(
                [
                    (
                        "cpu",
                        1500,
                    ),
                    (
                        "memory",
                        0,
                    ),
                    (
                        "nvidia.com/gpu",
                        2,
                    ),
                ],
            ),
            status: BufferStatus {
                template: Some(
                    "made",
                ),
                replicas: Some(
                    3,
                ),
                template_generation: None,
                strategy: "",
                conditions: [
                    Condition {
                        name: "Ready",
                        status: True,
                        reason: "",
                        message: "",
                        at: 2026-01-01T00:00:00Z,
                        generation: None,
                    },
                ],
            },
            refusal: None,
        }
    "#]]
    .assert_debug_eq(&objects.buffers[0]);
}

#[test]
fn a_buffer_that_names_two_sources_has_none() {
    let both = buffer(&serde_json::json!({
        "scalableRef": {"apiGroup": "apps", "kind": "Deployment", "name": "web"},
        "podTemplateRef": {"name": "unit"},
    }));
    assert_eq!(read(&both).unwrap().buffers[0].source, None);
}

#[test]
fn what_makes_no_sense_is_refused_by_its_place() {
    let wrong = buffer(&serde_json::json!({ "limits": {"cpu": "much"} }));
    expect![[r#"CapacityBuffer shop/spare: spec.limits[cpu]: quantity "much" is not a number with an optional suffix"#]]
        .assert_eq(&read(&wrong).unwrap_err());
}

#[test]
fn a_quota_bounds_what_pods_ask_for() {
    let objects = read(&serde_json::json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "shop"},
        "spec": {
            "hard": {"cpu": "99"},
            "scopes": ["NotTerminating"],
            "scopeSelector": {"matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "NotIn", "values": ["gold"]}]},
        },
        "status": {
            "hard": {"cpu": "10", "requests.cpu": "8", "limits.cpu": "1", "pods": "3", "count/jobs.batch": "1"},
            "used": {"cpu": "2", "requests.cpu": "2"},
        },
    }))
    .unwrap();
    expect![[r#"
        NamespaceQuota {
            namespace: "shop",
            name: "team",
            scopes: [
                All,
                OtherClasses(
                    [
                        "gold",
                    ],
                ),
            ],
            hard: [
                (
                    "cpu",
                    10000,
                ),
                (
                    "cpu",
                    8000,
                ),
            ],
            used: {
                "cpu": 2000,
            },
        }
    "#]]
    .assert_debug_eq(&objects.namespace_quotas[0]);
}
