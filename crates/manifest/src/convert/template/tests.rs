use plimsoll_model::{Symbol, resource};

use crate::Reader;

fn read(objects: &[serde_json::Value]) -> crate::Objects {
    let mut reader = Reader::new("2026-01-01T00:00:00Z".parse().unwrap());
    for object in objects {
        reader.add_json(&object.to_string()).unwrap();
    }
    reader.finish().unwrap()
}

fn template(cpu: &str) -> serde_json::Value {
    serde_json::json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "priorityClassName": "gold",
            "containers": [{"name": "a", "resources": {"limits": {"cpu": cpu}}}],
        },
    })
}

fn set(kind: &str, replicas: u32, template: &serde_json::Value) -> serde_json::Value {
    let (version, count) =
        if kind == "Job" { ("batch/v1", "parallelism") } else { ("apps/v1", "replicas") };
    serde_json::json!({
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {count: replicas, "template": template},
    })
}

#[test]
fn what_is_written_down_is_read_as_the_pod_that_it_would_be() {
    let class = serde_json::json!({
        "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 7,
    });
    let object = serde_json::json!({
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "unit", "namespace": "shop", "generation": 3,
            "annotations": {"plimsoll.dev/made-from": "00ff"}},
        "template": template("2"),
    });
    let objects = read(&[object, class]);
    let read = &objects.pod_templates[0];
    assert_eq!((read.namespace.as_str(), &*read.name, read.generation), ("shop", "unit", 3));
    assert_eq!((read.made_from, read.priority), (Some(255), 7));
    assert_eq!(read.pod.namespace.as_str(), "shop");
    assert_eq!(read.pod.requests.get(Symbol::new(resource::CPU)), 2000);
}

#[test]
fn controllers_that_want_no_pods_keep_no_template_where_there_are_many() {
    let kept = |kind: &str, replicas: u32| {
        read(&[set(kind, replicas, &template("1"))]).controllers[0].template.is_some()
    };
    for kind in ["Deployment", "ReplicaSet", "StatefulSet", "Job"] {
        assert!(kept(kind, 2), "{kind}");
    }
    assert!(kept("Deployment", 0) && kept("StatefulSet", 0));
    assert!(!kept("ReplicaSet", 0) && !kept("Job", 0));
}

#[test]
fn a_template_that_makes_no_sense_leaves_its_controller_readable() {
    let object = set("ReplicaSet", 2, &template("much"));
    let objects = read(&[object]);
    assert_eq!((objects.controllers[0].replicas, &objects.controllers[0].template), (2, &None));
}

#[test]
fn texts_that_differ_are_told_apart() {
    let digest = |cpu: &str| {
        let objects = read(&[set("Deployment", 1, &template(cpu))]);
        objects.controllers[0].template.as_ref().unwrap().digest
    };
    assert_eq!(digest("1"), digest("1"));
    assert_ne!(digest("1"), digest("2"));
}
