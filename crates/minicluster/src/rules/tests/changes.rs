//! Changes, deletions and warnings, case by case.

use serde_json::{Value, json};

use super::{Objects, create, kind};
use crate::{
    FieldError,
    rules::{admit_delete, admit_update, metadata, warnings},
    schema::{decode, with_zero_values},
};

/// An object as it is stored.
fn stored(group: &str, name: &str, mut object: Value) -> Value {
    let kind = kind(group, name);
    let mut objects = Objects::default();
    objects.put("namespaces", &json!({ "metadata": { "name": "default" } }));
    let metadata = &mut object["metadata"];
    metadata["name"] = json!("x");
    metadata["uid"] = json!("u");
    if kind.is_namespaced() {
        metadata["namespace"] = json!("default");
    }
    create(&kind, object, &objects).expect("a good object")
}

/// What is said about a change, as the generic path asks for it.
fn change(group: &str, name: &str, old: &Value, edit: impl FnOnce(&mut Value)) -> Vec<String> {
    let kind = kind(group, name);
    let mut new = old.clone();
    edit(&mut new);
    decode(&kind.schema, &mut new);
    (kind.rules.defaults)(&mut new);
    admit_update(&kind, &mut new, old);
    (kind.rules.prepare_update)(&mut new, old);
    with_zero_values(&kind.schema, &mut new);
    let mut errors: Vec<FieldError> = metadata::validate_update(&new, old);
    errors.extend((kind.rules.validate)(&new));
    errors.extend((kind.rules.validate_update)(&new, old));
    errors.iter().map(ToString::to_string).collect()
}

fn pod() -> Value {
    stored(
        "",
        "Pod",
        json!({ "metadata": {}, "spec": { "containers": [{ "name": "c", "image": "a:1" }] } }),
    )
}

fn workload(extra: &Value) -> Value {
    let mut spec = json!({
        "selector": { "matchLabels": { "app": "x" } },
        "template": {
            "metadata": { "labels": { "app": "x" } },
            "spec": { "containers": [{ "name": "c", "image": "a:1" }] },
        },
    });
    for (name, value) in extra.as_object().cloned().unwrap_or_default() {
        spec[name] = value;
    }
    json!({ "metadata": {}, "spec": spec })
}

#[test]
fn a_pod_changes_its_image_and_little_else() {
    let old = pod();
    let good: [fn(&mut Value); 4] = [
        |pod| pod["spec"]["containers"][0]["image"] = json!("a:2"),
        |pod| pod["spec"]["activeDeadlineSeconds"] = json!(5),
        |pod| pod["metadata"]["labels"] = json!({ "a": "b" }),
        // Admission puts these back.
        |pod| pod["spec"]["tolerations"] = json!([]),
    ];
    for edit in good {
        assert_eq!(change("", "Pod", &old, edit), Vec::<String>::new());
    }
    let bad: [fn(&mut Value); 3] = [
        |pod| pod["spec"]["nodeName"] = json!("n"),
        |pod| pod["spec"]["priority"] = json!(7),
        |pod| pod["spec"]["containers"][0]["command"] = json!(["run"]),
    ];
    for edit in bad {
        let said = change("", "Pod", &old, edit);
        assert!(said.len() == 1 && said[0].starts_with("spec: Forbidden: pod updates"), "{said:?}");
    }
    let more = change("", "Pod", &old, |pod| {
        pod["spec"]["containers"] =
            json!([{ "name": "c", "image": "a" }, { "name": "d", "image": "a" }]);
    });
    assert_eq!(more, ["spec.containers: Forbidden: pod updates may not add or remove containers"]);
}

#[test]
fn a_gated_pod_loses_gates_and_may_be_narrowed() {
    let spec = json!({
        "containers": [{ "name": "c", "image": "a:1" }],
        "schedulingGates": [{ "name": "example.com/a" }],
        "nodeSelector": { "disk": "ssd" },
    });
    let old = stored("", "Pod", json!({ "metadata": {}, "spec": spec }));
    let good: [fn(&mut Value); 3] = [
        |pod| pod["spec"]["schedulingGates"] = json!([]),
        |pod| pod["spec"]["nodeSelector"]["zone"] = json!("z"),
        |pod| {
            let terms = json!({ "nodeSelectorTerms": [{}] });
            let required = json!({ "requiredDuringSchedulingIgnoredDuringExecution": terms });
            pod["spec"]["affinity"] = json!({ "nodeAffinity": required });
        },
    ];
    for edit in good {
        assert_eq!(change("", "Pod", &old, edit), Vec::<String>::new());
    }
    let wider = change("", "Pod", &old, |pod| pod["spec"]["nodeSelector"] = json!({}));
    assert!(wider[0].contains("only additions are allowed"), "{wider:?}");
    let gate = change("", "Pod", &old, |pod| {
        pod["spec"]["schedulingGates"] = json!([{ "name": "example.com/b" }]);
    });
    assert!(gate[0].contains("only deletion is allowed"), "{gate:?}");
}

#[test]
fn selectors_of_workloads_stay() {
    for name in ["Deployment", "ReplicaSet", "DaemonSet"] {
        let old = stored("apps", name, workload(&json!({})));
        assert_eq!(change("apps", name, &old, |_| {}), Vec::<String>::new(), "{name}");
        let said = change("apps", name, &old, |set| {
            set["spec"]["selector"] = json!({ "matchLabels": { "app": "y" } });
            set["spec"]["template"]["metadata"]["labels"]["app"] = json!("y");
        });
        assert_eq!(
            said,
            ["spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"y\"}}: field is immutable"]
        );
    }
}

#[test]
fn a_stateful_set_changes_what_it_may() {
    let claims = json!([{
        "metadata": { "name": "data" },
        "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
    }]);
    let extra = json!({ "serviceName": "s", "volumeClaimTemplates": claims });
    let old = stored("apps", "StatefulSet", workload(&extra));
    let scaled = change("apps", "StatefulSet", &old, |set| set["spec"]["replicas"] = json!(3));
    assert_eq!(scaled, Vec::<String>::new());
    let renamed =
        change("apps", "StatefulSet", &old, |set| set["spec"]["serviceName"] = json!("t"));
    assert!(renamed[0].starts_with("spec: Forbidden: updates to statefulset spec"), "{renamed:?}");
}

#[test]
fn a_stateful_set_mounts_what_it_claims() {
    let mut set = workload(&json!({ "volumeClaimTemplates": [{
        "metadata": { "name": "data" },
        "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
    }] }));
    set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] =
        json!([{ "name": "data", "mountPath": "/data" }]);
    stored("apps", "StatefulSet", set);
}

#[test]
fn a_job_keeps_its_template_and_selector() {
    let mut job = workload(&json!({}));
    job["spec"].as_object_mut().unwrap().remove("selector");
    job["spec"]["template"]["spec"]["restartPolicy"] = json!("Never");
    let old = stored("batch", "Job", job);
    assert_eq!(old["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"], "u");
    let wider = change("batch", "Job", &old, |job| job["spec"]["parallelism"] = json!(2));
    assert_eq!(wider, Vec::<String>::new());
    let other = change("batch", "Job", &old, |job| {
        job["spec"]["template"]["spec"]["containers"][0]["image"] = json!("b");
    });
    assert!(other[0].starts_with("spec.template: Invalid value"), "{other:?}");
}

#[test]
fn a_service_keeps_its_address() {
    let spec = json!({ "selector": { "a": "b" }, "ports": [{ "port": 80 }], "type": "NodePort" });
    let old = stored("", "Service", json!({ "metadata": {}, "spec": spec }));
    let kind = kind("", "Service");
    let mut new = json!({ "metadata": old["metadata"], "spec": spec });
    (kind.rules.defaults)(&mut new);
    (kind.rules.prepare_update)(&mut new, &old);
    assert_eq!(new["spec"], old["spec"]);
    let moved = change("", "Service", &old, |service| {
        service["spec"]["clusterIP"] = json!("10.0.0.1");
        service["spec"]["clusterIPs"] = json!(["10.0.0.1"]);
    });
    assert!(moved[0].contains("may not change once set"), "{moved:?}");
}

#[test]
fn the_clusters_own_namespaces_stay() {
    let namespace = kind("", "Namespace");
    assert!(admit_delete(&namespace, "mine").is_ok());
    assert!(admit_delete(&kind("", "ConfigMap"), "default").is_ok());
    let refused = admit_delete(&namespace, "kube-system").unwrap_err();
    assert_eq!(
        refused.message,
        "namespaces \"kube-system\" is forbidden: this namespace may not be deleted"
    );
}

#[test]
fn a_namespace_that_ends_takes_nothing_new() {
    let mut objects = Objects::default();
    objects.put(
        "namespaces",
        &json!({ "metadata": { "name": "old" }, "status": { "phase": "Terminating" } }),
    );
    let map = json!({ "metadata": { "name": "late", "namespace": "old" } });
    let refused = create(&kind("", "ConfigMap"), map, &objects).unwrap_err();
    assert_eq!(
        refused.message,
        "configmaps \"late\" is forbidden: unable to create new content in namespace old because it is being terminated"
    );
}

#[test]
fn a_claim_gets_the_youngest_default_class() {
    let mut objects = Objects::default();
    objects.put("namespaces", &json!({ "metadata": { "name": "default" } }));
    for (name, created) in [("old", "2025-01-01T00:00:00Z"), ("new", "2026-01-01T00:00:00Z")] {
        objects.put(
            "storageclasses",
            &json!({ "metadata": { "name": name, "creationTimestamp": created,
                "annotations": { "storageclass.kubernetes.io/is-default-class": "true" } } }),
        );
    }
    let claim = json!({
        "metadata": { "name": "c", "namespace": "default" },
        "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
    });
    let made = create(&kind("", "PersistentVolumeClaim"), claim, &objects).expect("a claim");
    assert_eq!(made["spec"]["storageClassName"], "new");
}

#[test]
fn priority_comes_from_the_class() {
    let mut objects = Objects::default();
    objects.put("namespaces", &json!({ "metadata": { "name": "default" } }));
    objects.put(
        "priorityclasses",
        &json!({ "metadata": { "name": "high" }, "value": 9, "preemptionPolicy": "Never" }),
    );
    objects.put(
        "priorityclasses",
        &json!({ "metadata": { "name": "usual" }, "value": 3, "globalDefault": true }),
    );
    let pods = kind("", "Pod");
    let with = |extra: Value| {
        let mut pod = json!({
            "metadata": { "name": "p", "namespace": "default" },
            "spec": { "containers": [{ "name": "c", "image": "a" }] },
        });
        for (name, value) in extra.as_object().cloned().unwrap_or_default() {
            pod["spec"][name] = value;
        }
        create(&pods, pod, &objects)
    };
    let high = with(json!({ "priorityClassName": "high" })).expect("a pod");
    assert_eq!(
        (&high["spec"]["priority"], &high["spec"]["preemptionPolicy"]),
        (&json!(9), &json!("Never"))
    );
    let usual = with(json!({})).expect("a pod");
    assert_eq!(
        (&usual["spec"]["priority"], &usual["spec"]["priorityClassName"]),
        (&json!(3), &json!("usual"))
    );
    let refused = with(json!({ "priorityClassName": "high", "priority": 1 })).unwrap_err();
    assert!(refused.message.contains("the integer value of priority (1) must not be provided"));
}

#[test]
fn old_ways_are_warned_about_once() {
    let (pods, sets) = (kind("", "Pod"), kind("apps", "Deployment"));
    let object = json!({
        "metadata": { "annotations": { "seccomp.security.alpha.kubernetes.io/pod": "x" } },
        "spec": {
            "nodeSelector": { "beta.kubernetes.io/os": "linux" },
            "containers": [{ "name": "c", "env": [{ "name": "A" }, { "name": "A" }],
                "resources": { "limits": { "memory": "100m" } } }],
        },
    });
    assert_eq!(
        warnings(&pods, &object, None),
        [
            "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead",
            "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the \
             \"seccompProfile\" field instead",
            "spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply",
            "spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, must be an integer",
        ]
    );
    assert!(warnings(&pods, &object, Some(&object)).is_empty());
    let set = json!({ "spec": { "template": object } });
    assert_eq!(warnings(&sets, &set, None).len(), 4);
    assert!(warnings(&sets, &set, Some(&set)).is_empty());
}

#[test]
fn a_pod_with_limits_of_its_own_asks_for_what_its_containers_do() {
    let container = |name: &str, cpu: &str| json!({ "name": name, "image": "a:1", "resources": { "requests": { "cpu": cpu } } });
    let mut side = container("side", "100m");
    side["restartPolicy"] = json!("Always");
    let mut pod = json!({
        "metadata": {},
        "spec": {
            "resources": { "limits": { "cpu": "4", "memory": "1Gi" } },
            "initContainers": [side, container("first", "250m")],
            "containers": [container("a", "1"), container("b", "500m")],
        },
    });
    let made = stored("", "Pod", pod.clone());
    assert_eq!(made["spec"]["resources"]["requests"], json!({ "cpu": "1600m", "memory": "1Gi" }));
    assert_eq!(made["status"]["qosClass"], "Burstable");
    pod["spec"]["resources"]["requests"] = json!({ "cpu": "1" });
    let kind = kind("", "Pod");
    (kind.rules.defaults)(&mut pod);
    let said = (kind.rules.validate)(&pod);
    assert_eq!(
        said.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container requests of 1600m"
        ]
    );
}
