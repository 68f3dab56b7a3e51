//! The router, asked as a client would.

use axum::body::Body;
use http_body_util::BodyExt as _;
use jiff::SignedDuration;
use plimsoll_cluster::{access::Access, connect};
use plimsoll_net::listen::Peer;
use tower::ServiceExt as _;

use super::*;
use crate::{
    record::RecordSettings,
    sketch::{CLUSTER, pass},
};

struct Visit {
    desk: Desk,
    standing: watch::Sender<Standing>,
}

impl Visit {
    fn new() -> Self {
        let standing = watch::Sender::new(Standing::Leading);
        let nobody = Router::new().map_request(|request: http::Request<_>| request.map(Body::new));
        let clock = Clock::starting_at("2026-01-01T12:00:00Z".parse().unwrap());
        let desk = Desk {
            handle: Handle::default(),
            standing: standing.subscribe(),
            clock,
            health: Health::new(&RecordSettings::default(), clock.now()),
            metrics: Metrics::new(prometheus_client::registry::Registry::default()),
            chronicle: Chronicle::default(),
            snapshot: true,
            profiling: true,
            callers: Callers::Authorised(Access::new(connect::over(nobody))),
            queue: Queue::default(),
        };
        Self { desk, standing }
    }

    /// Asks from the machine itself.
    async fn get(&self, path: &str) -> (u16, String) {
        let request = http::Request::get(path).extension(local()).body(Body::empty()).unwrap();
        self.send(request).await
    }

    async fn send(&self, request: http::Request<Body>) -> (u16, String) {
        let response = router(self.desk.clone()).oneshot(request).await.unwrap();
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (code, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn json(&self, path: &str) -> (u16, Value) {
        let (code, body) = self.get(path).await;
        (code, serde_json::from_str(&body).unwrap())
    }
}

/// A caller on the machine itself.
fn local() -> Peer {
    Peer { address: "127.0.0.1:40000".parse().unwrap(), certificate: None }
}

#[tokio::test(start_paused = true)]
async fn ready_and_alive() {
    let visit = Visit::new();
    assert_eq!(visit.get("/ready").await.0, 503, "nothing has been seen yet");
    let until = visit.desk.clock.now() + SignedDuration::from_secs(30);
    visit.desk.handle.set_warm(Some(until));
    assert_eq!(visit.get("/ready").await.0, 503, "no pass has been made yet");
    visit.standing.send_replace(Standing::Standby { leader: None });
    assert_eq!(visit.get("/ready").await, (200, "OK".to_owned()), "stands by and has seen all");
    visit.standing.send_replace(Standing::Leading);
    visit.desk.handle.publish(pass(CLUSTER));
    assert_eq!(visit.get("/ready").await, (200, "OK".to_owned()));
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(visit.get("/ready").await.0, 503, "the cluster has not been heard of for too long");

    assert_eq!(visit.get("/health-check").await, (200, "OK".to_owned()));
    visit.desk.health.lead(visit.desk.clock.now());
    tokio::time::sleep(Duration::from_mins(21)).await;
    let (code, body) = visit.json("/health-check").await;
    assert_eq!(code, 500);
    assert_eq!(body["error"], "last activity 1260 s ago, last success 1260 s ago");
}

#[tokio::test(start_paused = true)]
async fn explanations() {
    let visit = Visit::new();
    let (code, body) = visit.json("/explain?pod=default/huge").await;
    assert_eq!(code, 503, "{body}");
    visit.desk.handle.publish(pass(CLUSTER));
    let (code, body) = visit.json("/explain?pod=default%2Fhuge").await;
    assert_eq!(code, 200);
    assert_eq!(body["outcome"], "AwaitsNextPass");
    assert_eq!(body["rejections"].as_array().unwrap().len(), 3);
    assert_eq!(visit.json("/explain?node=small-0").await.0, 200);
    assert_eq!(visit.json("/explain?group=small").await.0, 200);
    let (code, body) = visit.json("/explain?group=smal").await;
    assert_eq!((code, &body["nearest"]), (404, &json!(["small"])));
    for wrong in ["/explain", "/explain?pod=a&node=b"] {
        let (code, body) = visit.json(wrong).await;
        assert_eq!(code, 400, "{wrong}");
        assert!(body["error"].is_string());
    }
    visit.standing.send_replace(Standing::Standby { leader: Some("other".to_owned()) });
    let (code, body) = visit.json("/explain?group=small").await;
    assert_eq!(
        (code, &body["error"]),
        (503, &json!("this replica stands by; other leads: ask there"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_name_that_nothing_can_have_is_refused_before_anything_is_looked_up() {
    let visit = Visit::new();
    for (kind, length, longest) in
        [("pod", 60_000, 253), ("node", 60_000, 253), ("pod", 264, 253), ("group", 2000, 1024)]
    {
        // No pass has been made, and that is not what the answer is about.
        let (code, body) = visit.json(&format!("/explain?{kind}={}", "a".repeat(length))).await;
        assert_eq!(code, 400, "{kind} {length}");
        let error = format!(
            "the name of the {kind} is {length} bytes long; no {kind} has more than {longest}"
        );
        assert_eq!(body["error"], error);
    }
    let (code, body) = visit.json(&format!("/explain?pod={}/web", "a".repeat(100))).await;
    assert_eq!(code, 400);
    assert!(body["error"].as_str().unwrap().starts_with("the name of the namespace is 100 "));
    let (code, _) = visit.json(&format!("/explain?pod={}", "a".repeat(253))).await;
    assert_eq!(code, 503, "a pod may have this name");
}

#[tokio::test(start_paused = true)]
async fn health_and_metrics_are_answered_while_explanations_are_not() {
    let visit = Visit::new();
    visit.desk.handle.set_warm(Some(jiff::Timestamp::MAX));
    visit.desk.handle.publish(pass(CLUSTER));
    // No further pass is made, so everybody who asks for a pod that is not pending waits.
    let explanations = (0..8).map(|_| {
        let router = router(visit.desk.clone());
        let request = http::Request::get("/explain?pod=web").extension(local());
        let request = request.body(Body::empty()).unwrap();
        tokio::spawn(async move { router.oneshot(request).await.unwrap().status().as_u16() })
    });
    let explanations: Vec<_> = explanations.collect();
    tokio::time::sleep(Duration::from_millis(10)).await;
    for path in ["/explain?group=small", "/status", "/snapshotz"] {
        let request = http::Request::get(path).extension(local()).body(Body::empty()).unwrap();
        let response = router(visit.desk.clone()).oneshot(request).await.unwrap();
        assert_eq!(response.status().as_u16(), 429, "{path}");
        assert_eq!(response.headers()["retry-after"], "1");
    }
    for path in ["/health-check", "/metrics", "/ready"] {
        assert_eq!(visit.get(path).await.0, 200, "{path}");
    }
    let world = plimsoll_manifest::scenario::read(CLUSTER).unwrap();
    visit.desk.handle.publish(Pass { world: Some(Arc::new(world)), ..pass(CLUSTER) });
    for explanation in explanations {
        assert_eq!(explanation.await.unwrap(), 200);
    }
    assert_eq!(visit.get("/status").await.0, 200, "there are places again");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_runs_is_looked_up_in_the_next_pass() {
    let visit = Visit::new();
    visit.desk.handle.publish(pass(CLUSTER));
    let handle = visit.desk.handle.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        handle.publish(pass(CLUSTER));
        let world = plimsoll_manifest::scenario::read(CLUSTER).unwrap();
        handle.publish(Pass { world: Some(Arc::new(world)), ..pass(CLUSTER) });
    });
    let (code, body) = visit.json("/explain?pod=web").await;
    assert_eq!((code, &body["node"]), (200, &json!("small-0")));
}

#[tokio::test(start_paused = true)]
async fn the_whole_at_a_glance() {
    let visit = Visit::new();
    let (code, body) = visit.json("/status").await;
    assert_eq!((code, &body), (200, &json!({ "standing": "Leading", "decisions": [] })));
    visit.desk.handle.publish(pass(CLUSTER));
    let (_, body) = visit.json("/status").await;
    assert_eq!(body["groups"][0]["name"], "gpu");
    assert_eq!(body["groups"][0]["health"], "Backoff");
    assert_eq!(body["nodes"][0]["name"], "small-0");
    assert_eq!(body["nodes"][0]["cpu"], 0.75);
    assert_eq!(body["nodes"][1]["state"], "Unneeded");
    assert_eq!(body["pending"][0]["name"], "default/huge");
    visit.standing.send_replace(Standing::Standby { leader: Some("other".to_owned()) });
    let (_, body) = visit.json("/status").await;
    assert_eq!(body, json!({ "standing": "Standby", "leader": "other", "decisions": [] }));
}

#[tokio::test(start_paused = true)]
async fn snapshots_are_for_who_allows_them() {
    let mut visit = Visit::new();
    let handle = visit.desk.handle.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let world = plimsoll_manifest::scenario::read(CLUSTER).unwrap();
        handle.publish(Pass { world: Some(Arc::new(world)), ..pass(CLUSTER) });
    });
    let (code, body) = visit.json("/snapshotz").await;
    assert_eq!(code, 200);
    assert_eq!(body["NodeList"][0]["Node"]["metadata"]["name"], "small-0");
    assert_eq!(body["NodeList"][0]["Pods"][0]["metadata"]["name"], "web");
    assert_eq!(
        body["TemplateNodes"]["gpu"]["Node"]["status"]["allocatable"]["nvidia.com/gpu"],
        "1"
    );
    assert_eq!(body["UnscheduledPods"][0]["metadata"]["name"], "huge");
    let (code, _) = visit.json("/snapshotz").await;
    assert_eq!(code, 503, "no pass comes any more");
    visit.desk.snapshot = false;
    assert_eq!(visit.json("/snapshotz").await.0, 404);
}

#[tokio::test]
async fn the_rest_is_refused() {
    let visit = Visit::new();
    assert_eq!(visit.get("/metrics").await, (200, "# EOF\n".to_owned()));
    let (code, body) = visit.json("/nothing").await;
    assert_eq!((code, &body["error"]), (404, &json!("there is nothing here")));
    let request = http::Request::post("/status").extension(local()).body(Body::empty()).unwrap();
    assert_eq!(visit.send(request).await.0, 405);
}

#[tokio::test]
async fn strangers_see_metrics_and_health_and_nothing_else() {
    let visit = Visit::new();
    visit.desk.handle.set_warm(Some(jiff::Timestamp::MAX));
    visit.desk.handle.publish(pass(CLUSTER));
    let strange = Peer { address: "10.0.0.7:40000".parse().unwrap(), certificate: None };
    for (path, expected) in [
        ("/metrics", 200),
        ("/health-check", 200),
        ("/ready", 200),
        ("/status", 401),
        ("/explain?group=small", 401),
        ("/snapshotz", 401),
        ("/debug/pprof/", 401),
        ("/debug/pprof/profile?seconds=1", 401),
        ("/nothing", 404),
    ] {
        let request =
            http::Request::get(path).extension(strange.clone()).body(Body::empty()).unwrap();
        let (code, body) = visit.send(request).await;
        assert_eq!(code, expected, "{path}: {body}");
    }
}
