//! The router, asked as a client would.

use axum::body::Body;
use http_body_util::BodyExt as _;
use jiff::SignedDuration;
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
        };
        Self { desk, standing }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let request = http::Request::get(path).body(Body::empty()).unwrap();
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
    let request = http::Request::post("/status").body(Body::empty()).unwrap();
    let response = router(visit.desk.clone()).oneshot(request).await.unwrap();
    assert_eq!(response.status().as_u16(), 405);
}
