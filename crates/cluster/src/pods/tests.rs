use std::{collections::VecDeque, convert::Infallible, sync::Mutex};

use http::{Request, Response};
use jiff::Timestamp;
use kube::client::Body;
use plimsoll_manifest::Reader;
use serde_json::{Value, json};
use tower::service_fn;

use super::{LiveKind, LivePod, on_node};

/// A client whose API server gives these answers one after the other, and the queries that it was asked.
fn answering(answers: Vec<Value>) -> (kube::Client, std::sync::Arc<Mutex<Vec<String>>>) {
    let queries = std::sync::Arc::new(Mutex::new(Vec::new()));
    let answers = std::sync::Arc::new(Mutex::new(VecDeque::from(answers)));
    let asked = std::sync::Arc::clone(&queries);
    let service = service_fn(move |request: Request<Body>| {
        asked.lock().unwrap().push(request.uri().to_string());
        let answer = answers.lock().unwrap().pop_front().unwrap_or_default();
        async move {
            Ok::<_, Infallible>(Response::new(http_body_util::Full::new(bytes::Bytes::from(
                answer.to_string(),
            ))))
        }
    });
    (kube::Client::new(service, "default"), queries)
}

fn kind(metadata: &Value) -> LiveKind {
    LivePod::read(&json!({ "metadata": metadata })).kind
}

#[test]
fn a_pod_is_somebody_s_work_unless_it_says_otherwise() {
    let owned_by = |kind: &str, is_controller: bool| json!([{ "kind": kind, "name": "o", "uid": "u", "controller": is_controller }]);
    let cases = [
        (json!({}), LiveKind::Workload),
        (json!({ "ownerReferences": owned_by("ReplicaSet", true) }), LiveKind::Workload),
        (json!({ "ownerReferences": owned_by("DaemonSet", true) }), LiveKind::Daemon),
        (json!({ "ownerReferences": owned_by("DaemonSet", false) }), LiveKind::Workload),
        (json!({ "annotations": { super::DAEMON: "true" } }), LiveKind::Daemon),
        (json!({ "annotations": { super::DAEMON: "false" } }), LiveKind::Workload),
        (json!({ "annotations": { super::MIRROR: "" } }), LiveKind::Mirror),
        (json!({ "annotations": { super::MIRROR: "x", super::DAEMON: "true" } }), LiveKind::Mirror),
    ];
    for (mut metadata, expected) in cases {
        assert_eq!(kind(&metadata), expected, "{metadata}");
        // What is watched has to be seen in the same way.
        metadata["name"] = json!("p");
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
            "containers": [{ "name": "c" }],
        } });
        let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
        reader.add_json(&pod.to_string()).unwrap();
        let pod = &reader.finish().unwrap().pods[0];
        let watched = match (pod.is_mirror(), pod.is_daemon()) {
            (true, _) => LiveKind::Mirror,
            (false, true) => LiveKind::Daemon,
            (false, false) => LiveKind::Workload,
        };
        assert_eq!(watched, expected, "{metadata}");
    }
}

#[test]
fn whatever_form_a_pod_has_it_is_there() {
    let strange = [
        json!(null),
        json!("pod"),
        json!({ "metadata": 7 }),
        json!({ "metadata": { "name": 7, "annotations": [], "ownerReferences": "DaemonSet" } }),
        json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "resources": { "requests": { "cpu": "1e99" } } }] } }),
    ];
    for pod in strange {
        assert_eq!(LivePod::read(&pod).kind, LiveKind::Workload, "{pod}");
    }
    let ending = json!({ "metadata": { "deletionTimestamp": "in the year 40000" } });
    assert!(LivePod::read(&ending).is_ending);
}

#[tokio::test]
async fn all_pages_are_read() {
    let page = |name: &str, token: &str| {
        json!({ "kind": "PodList", "metadata": { "continue": token }, "items": [
            { "metadata": { "namespace": "default", "name": name, "uid": "1" } },
        ] })
    };
    let (client, queries) = answering(vec![page("a", "more"), page("b", "")]);
    let pods = on_node(&client, "n").await.unwrap();
    let names: Vec<&str> = pods.iter().map(|pod| &*pod.name).collect();
    assert_eq!(names, ["a", "b"]);
    let queries = queries.lock().unwrap().clone();
    let fields =
        "fieldSelector=spec.nodeName%3Dn%2Cstatus.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";
    assert!(queries.iter().all(|query| query.contains(fields)), "{queries:?}");
    assert!(queries.iter().all(|query| !query.contains("resourceVersion")), "{queries:?}");
    assert!(queries[1].contains("continue=more"), "{queries:?}");
}

#[tokio::test]
async fn what_is_no_list_of_pods_is_not_an_empty_one() {
    for answer in [
        json!({}),
        json!([]),
        json!({ "kind": "NodeList", "items": [] }),
        json!({ "kind": "PodList" }),
    ] {
        let (client, _) = answering(vec![answer.clone()]);
        assert!(on_node(&client, "n").await.is_err(), "{answer}");
    }
    let (client, _) = answering(vec![json!({ "kind": "PodList", "items": null })]);
    assert_eq!(on_node(&client, "n").await.unwrap(), []);
}
