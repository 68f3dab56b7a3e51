//! The emulator speaks as a host does.

use http::{Method, StatusCode};
use jiff::Timestamp;
use plimsoll_net::Clock;
use plimsoll_providers::{
    rest::{Ask, Endpoint, Local, Reply, Rest},
    slicer::emulator::{Emulator, HostSettings},
};
use serde_json::{Value, json};

const HOST: &str = "{token: t, groups: [{name: api, count: 1, cpus: 2, ram: 4Gi, boot: 10s}]}";

struct Host {
    rest: Rest,
    emulator: Emulator,
}

impl Host {
    fn new() -> Self {
        let settings = HostSettings::read("host.yaml", HOST).unwrap();
        let clock = Clock::starting_at(Timestamp::from_second(1_800_000_000).unwrap());
        let emulator = Emulator::new(settings, clock);
        let exchange = std::sync::Arc::new(Local::new(emulator.router()));
        let rest = Rest::new(exchange, Endpoint::parse("http://host").unwrap(), "test");
        Self { rest: rest.with_token("t".into()), emulator }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        let ask = Ask::new(method, path.split('/'));
        let ask = match body {
            Some(body) => ask.with_body(&body),
            None => ask,
        };
        self.rest.send(ask).await.unwrap()
    }

    async fn status(&self, method: Method, path: &str, body: Option<Value>) -> u16 {
        self.ask(method, path, body).await.status().as_u16()
    }
}

#[tokio::test(start_paused = true)]
async fn every_answer_has_its_status() {
    let host = Host::new();
    let (get, post, patch, delete) = (Method::GET, Method::POST, Method::PATCH, Method::DELETE);
    let secret = json!({"name": "s", "data": "YQ=="});
    let cases = [
        (&get, "healthz", None, 200),
        (&Method::HEAD, "healthz", None, 200),
        (&get, "info", None, 200),
        (&get, "hostgroup", None, 200),
        (&get, "hostgroup/none/nodes", None, 404),
        (&post, "hostgroup/none/nodes", Some(json!({})), 404),
        (&post, "hostgroup/api/nodes", Some(json!({"cpus": 3})), 400),
        (&post, "hostgroup/api/nodes", Some(json!({"ram_bytes": 5_i64 << 30})), 400),
        (&post, "hostgroup/api/nodes", Some(json!({"secrets": ["s"]})), 400),
        (&post, "secrets", Some(json!({"name": "s", "data": "no base64"})), 400),
        (&post, "secrets", Some(secret.clone()), 201),
        (&post, "secrets", Some(secret.clone()), 409),
        (&patch, "secrets/s", Some(json!({"data": "Yg=="})), 200),
        (&patch, "secrets/none", Some(json!({"data": "Yg=="})), 404),
        (&post, "hostgroup/api/nodes", Some(json!({"secrets": ["s"], "cpus": 1})), 201),
        (&get, "vm/api-2/health", None, 500),
        (&get, "vm/none/health", None, 404),
        (&delete, "hostgroup/api/nodes/api-1", None, 403),
        (&delete, "hostgroup/api/nodes/none", None, 404),
        (&post, "vm/api-2/pause", None, 200),
        (&post, "vm/api-2/resume", None, 200),
        (&post, "vm/api-2/relaunch", None, 409),
        (&post, "vm/api-1/shutdown", None, 200),
        (&get, "vm/api-1/logs", None, 200),
        (&delete, "hostgroup/api/nodes/api-2", None, 200),
        (&delete, "hostgroup/api/nodes/api-2", None, 404),
        (&delete, "secrets/s", None, 200),
        (&delete, "secrets/s", None, 404),
    ];
    for (method, path, body, status) in cases {
        assert_eq!(host.status(method.clone(), path, body).await, status, "{method} {path}");
    }
    host.emulator.set_token(Some("other"));
    assert_eq!(host.status(Method::GET, "nodes", None).await, 401);
    assert_eq!(host.status(Method::GET, "healthz", None).await, 200);
}

#[tokio::test(start_paused = true)]
async fn addresses_numbers_and_filters() {
    let host = Host::new();
    let made =
        host.ask(Method::POST, "hostgroup/api/nodes", Some(json!({"tags": ["a=1", "b"]}))).await;
    let made: Value = made.json().unwrap();
    assert_eq!((&made["hostname"], &made["ip"]), (&json!("api-2"), &json!("192.168.137.4/24")));
    let names = async |query: &[(&'static str, &str)]| {
        let ask =
            query.iter().fold(Ask::get(["nodes"]), |ask, (key, value)| ask.with_query(key, *value));
        let list: Value = host.rest.send(ask).await.unwrap().json().unwrap();
        let names = list.as_array().unwrap().iter().map(|machine| machine["hostname"].clone());
        Value::Array(names.collect())
    };
    assert_eq!(names(&[]).await, json!(["api-1", "api-2"]));
    assert_eq!(names(&[("tag", "a=1")]).await, json!(["api-2"]));
    assert_eq!(names(&[("tag", "a")]).await, json!([]));
    assert_eq!(names(&[("tag_prefix", "a")]).await, json!(["api-2"]));
    let both = Ask::get(["nodes"]).with_query("tag", "a").with_query("tag_prefix", "a");
    assert_eq!(host.rest.send(both).await.unwrap().status(), StatusCode::BAD_REQUEST);
    let list: Value = host.ask(Method::GET, "nodes", None).await.json().unwrap();
    assert_eq!(list[1]["ip"], "192.168.137.4");
    // Numbers are not given twice.
    assert_eq!(host.status(Method::DELETE, "hostgroup/api/nodes/api-2", None).await, 200);
    let next: Value = host.ask(Method::POST, "hostgroup/api/nodes", None).await.json().unwrap();
    assert_eq!(next["hostname"], "api-3");
}

#[tokio::test(start_paused = true)]
async fn who_wants_to_wait_waits() {
    let host = Host::new();
    let waiting = |timeout: &str| {
        Ask::new(Method::POST, ["hostgroup", "api", "nodes"])
            .with_query("wait", "agent")
            .with_query("timeout", timeout)
    };
    let late = host.rest.send(waiting("2s")).await.unwrap();
    assert_eq!(late.status(), StatusCode::REQUEST_TIMEOUT);
    assert_eq!(host.emulator.machines().len(), 1, "what was not ready in time is removed");
    assert_eq!(host.rest.send(waiting("1m")).await.unwrap().status(), StatusCode::CREATED);
    assert_eq!(host.status(Method::GET, "vm/api-3/health", None).await, 200);
}
