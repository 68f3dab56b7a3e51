//! Whatever is sent, the server answers, and what it says is JSON is JSON.

use std::time::Duration;

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use proptest::{prelude::*, sample::select};
use serde_json::Value;
use tower::ServiceExt as _;

use plimsoll_minicluster::{
    Api,
    server::{Access, Anonymous, Server, User},
};
use plimsoll_net::Clock;

const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "FROB"];

const SEGMENTS: &[&str] = &[
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "pods",
    "nodes",
    "configmaps",
    "deployments",
    "a",
    "status",
    "scale",
    "eviction",
    "binding",
    "log",
    "exec",
    "proxy",
    "token",
    "watch",
    "events",
    "leases",
    "coordination.k8s.io",
    "openapi",
    "v3",
    "version",
    "",
    "%2F",
    "%zz",
    "%ff",
    "é",
    "customresourcedefinitions",
    "apiextensions.k8s.io",
];

const PARAMETERS: &[&str] = &[
    "watch=1",
    "watch=maybe",
    "limit=1",
    "limit=-9223372036854775808",
    "limit=x",
    "continue=AAAA",
    "continue=%00",
    "resourceVersion=0",
    "resourceVersion=18446744073709551615",
    "resourceVersion=-1",
    "resourceVersionMatch=Exact",
    "resourceVersionMatch=NotOlderThan",
    "sendInitialEvents=true",
    "allowWatchBookmarks=1",
    "timeoutSeconds=1",
    "timeoutSeconds=9223372036854775807",
    "labelSelector=a%3Db",
    "labelSelector=%28%28",
    "fieldSelector=metadata.name%3Da",
    "fieldSelector=%3D",
    "dryRun=All",
    "dryRun=x",
    "fieldManager=m",
    "fieldValidation=Strict",
    "force=true",
    "propagationPolicy=Foreground",
    "gracePeriodSeconds=-1",
    "gracePeriodSeconds=9223372036854775807",
    "includeObject=Object",
    "pretty=1",
    "%",
    "a=%zz",
    "=",
    ";",
];

const ACCEPTS: &[&str] = &[
    "application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "*/*;q=0",
    ";;,,=",
    "",
];

const CONTENT_TYPES: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
];

const BODIES: &[&str] = &[
    "",
    "{}",
    "null",
    "[]",
    "{",
    "\"\u{0}\"",
    "a: &a [*a, *a]",
    "- - - -",
    "[{\"op\":\"remove\",\"path\":\"/metadata\"}]",
    "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/data/x\"}]",
    "{\"metadata\":null}",
    "{\"metadata\":{\"name\":\"a\"}}",
    "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x/y\"],\"labels\":[]}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":\"1\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"generateName\":\"a\"},\"spec\":{\"taints\":[{}]}}",
    "{\"spec\":{\"containers\":[{\"$patch\":\"delete\",\"name\":\"x\"}],\"$setElementOrder/containers\":[1]}}",
    "{\"spec\":{\"expirationSeconds\":9223372036854775807}}",
    "{\"gracePeriodSeconds\":\"x\",\"preconditions\":3,\"dryRun\":{}}",
    "k8s\u{0}\u{1}\u{2}\u{3}",
];

/// A request, as its parts.
#[derive(Clone, Debug)]
struct Sent {
    method: &'static str,
    target: String,
    accept: &'static str,
    content_type: &'static str,
    body: String,
}

fn sent() -> impl Strategy<Value = Sent> {
    let path = prop::collection::vec(select(SEGMENTS), 0..8).prop_map(|parts| parts.join("/"));
    let known = prop_oneof![
        Just("api/v1/namespaces/default/configmaps".to_owned()),
        Just("api/v1/namespaces/default/configmaps/a".to_owned()),
        Just("api/v1/namespaces/default/pods/a/eviction".to_owned()),
        Just("api/v1/nodes".to_owned()),
        Just("api/v1/namespaces".to_owned()),
        Just("apis/apps/v1/namespaces/default/deployments/a/scale".to_owned()),
        Just("api/v1/namespaces/default/serviceaccounts/default/token".to_owned()),
    ];
    let query = prop::collection::vec(select(PARAMETERS), 0..4).prop_map(|parts| parts.join("&"));
    let body = prop_oneof![3 => select(BODIES).prop_map(str::to_owned), 1 => ".{0,40}"];
    let target =
        (prop_oneof![path, known], query).prop_map(|(path, query)| format!("/{path}?{query}"));
    (select(METHODS), target, select(ACCEPTS), select(CONTENT_TYPES), body).prop_map(
        |(method, target, accept, content_type, body)| Sent {
            method,
            target,
            accept,
            content_type,
            body,
        },
    )
}

/// Sends a request and checks the form of what comes back.
async fn check(server: &Server, sent: &Sent) {
    let request = Request::builder()
        .method(sent.method)
        .uri(&sent.target)
        .header("Accept", sent.accept)
        .header("Content-Type", sent.content_type)
        .body(Body::from(sent.body.clone()));
    // What is no request at all does not reach the server.
    let Ok(request) = request else { return };
    let response = server.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    assert!((200..600).contains(&status));
    let content_type = response.headers().get("content-type").cloned();
    let is_watch = sent.target.contains("watch");
    let mut body = response.into_body();
    let whole = tokio::time::timeout(Duration::from_secs(20), async move {
        let mut whole = Vec::new();
        while let Some(frame) = body.frame().await {
            whole.extend_from_slice(frame.unwrap().data_ref().unwrap());
        }
        whole
    });
    match whole.await {
        Ok(whole)
            if content_type.is_some_and(|content_type| content_type == "application/json") =>
        {
            for value in serde_json::Deserializer::from_slice(&whole).into_iter::<Value>() {
                value.unwrap();
            }
        }
        Ok(_) => {}
        Err(_) => assert!(is_watch, "an answer that does not end"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered(requests in prop::collection::vec(sent(), 1..12)) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let access = Access::new("unused".into(), Anonymous::Refused);
            let server = Server::new(Api::new(Clock::system()), access).trusting(User::admin());
            for sent in &requests {
                check(&server, sent).await;
            }
        });
    }
}
