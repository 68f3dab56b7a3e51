//! The embedded cluster and a real API server answer alike: the same requests are sent to both, and the answers compared.
//!
//! What differs and may differ is in `fidelity/differences.yaml`, each with its reason. A difference that is not there is a failure, and
//! so is one that is there and no longer found.

use std::{collections::BTreeMap, time::Duration};

use plimsoll_e2e::{Api, ControlPlane, Flavour};
use plimsoll_minicluster::{Minicluster, minicluster::Settings};
use plimsoll_net::Clock;
use reqwest::{
    Method,
    header::{ACCEPT, CONTENT_TYPE, WARNING},
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

mod compare;

/// Whether it matters who is said to own which field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owners {
    Matter,
    /// What defaulting and admission add is not told apart from what a client wrote, see docs/minicluster.md.
    DoNotMatter,
}

/// What is asked, in this order.
const REQUESTS: [(&str, Owners); 6] = [
    (include_str!("fidelity/discovery.yaml"), Owners::Matter),
    (include_str!("fidelity/objects.yaml"), Owners::Matter),
    (include_str!("fidelity/patches.yaml"), Owners::Matter),
    (include_str!("fidelity/pods.yaml"), Owners::DoNotMatter),
    (include_str!("fidelity/workloads.yaml"), Owners::DoNotMatter),
    (include_str!("fidelity/custom.yaml"), Owners::DoNotMatter),
];
/// What may differ.
const DIFFERENCES: &str = include_str!("fidelity/differences.yaml");

/// How often a request is sent again that has to wait for something: a busy machine may take its time.
const LOOKS: u32 = 1200;
const PAUSE: Duration = Duration::from_millis(100);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_cluster_answers_as_a_real_api_server_does() {
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let settings = Settings {
        listen: Some("127.0.0.1:0".parse().unwrap()),
        kubeconfig: Some(kubeconfig.clone()),
        parts: Vec::new(),
        ..Settings::default()
    };
    // The one that takes longer first, so that both are of one age.
    let plane = ControlPlane::start(Flavour::ApiOnly).await.unwrap();
    let embedded = Minicluster::start(Clock::system(), settings).await.unwrap();
    let (ours, real) = (Api::new(&kubeconfig).unwrap(), plane.api().unwrap());

    let mut expected: BTreeMap<(String, String), String> = BTreeMap::new();
    for entry in list(DIFFERENCES) {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        assert_ne!(text("why"), "", "{entry} has no reason");
        expected.insert((text("of"), text("at")), text("why"));
    }
    let (mut requests, mut problems) = (0, Vec::new());
    for (file, owners) in REQUESTS {
        for request in list(file) {
            let name = request["name"].as_str().unwrap().to_owned();
            let (mut ours, mut real) = tokio::join!(send(&ours, &request), send(&real, &request));
            requests += 1;
            if owners == Owners::DoNotMatter {
                compare::forget_owners(&mut ours);
                compare::forget_owners(&mut real);
            }
            for difference in compare::differences(&ours, &real) {
                let known = expected
                    .keys()
                    .find(|(of, at)| matches(of, &name) && matches(at, &difference.at));
                match known.cloned() {
                    Some(known) => drop(expected.insert(known, String::new())),
                    None => problems.push(format!("{name}: {difference}")),
                }
            }
        }
    }
    for ((of, at), why) in expected {
        if !why.is_empty() {
            problems.push(format!("{of}: {at} no longer differs; take it from the list"));
        }
    }
    println!("{requests} requests answered by both");
    assert!(problems.is_empty(), "{} differences\n{}", problems.len(), problems.join("\n"));
    embedded.stop().await.unwrap();
}

/// Sends a request, and again while it waits for something. The answer, with what is different each time taken out.
async fn send(api: &Api, request: &Value) -> Value {
    let mut answer = ask(api, request).await;
    for _ in 0..LOOKS {
        if request["until"].is_null() || request["until"] == answer["code"] {
            break;
        }
        sleep(PAUSE).await;
        answer = ask(api, request).await;
    }
    answer
}

async fn ask(api: &Api, request: &Value) -> Value {
    let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let (method, path) = methods
        .into_iter()
        .find_map(|method| {
            let path = request[method.as_str().to_lowercase()].as_str()?;
            Some((method, path.to_owned()))
        })
        .unwrap();
    let content = match request["as"].as_str().unwrap_or("json") {
        "merge" => "application/merge-patch+json",
        "strategic" => "application/strategic-merge-patch+json",
        "apply" => "application/apply-patch+yaml",
        "json" if method == Method::PATCH => "application/json-patch+json",
        "json" => "application/json",
        other => other,
    };
    let accept = match request["accept"].as_str().unwrap_or("json") {
        "json" => "application/json",
        "table" => "application/json;as=Table;v=v1;g=meta.k8s.io",
        "metadata" => "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "metadata list" => "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "discovery" => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        other => other,
    };
    let mut call = api.request(method, &path).header(ACCEPT, accept);
    call = match &request["body"] {
        Value::Null => call,
        Value::String(text) => call.header(CONTENT_TYPE, content).body(text.clone()),
        body => call.header(CONTENT_TYPE, content).body(body.to_string()),
    };
    let response = call.send().await.unwrap();
    let mut answer = Map::new();
    answer.insert("code".to_owned(), json!(response.status().as_u16()));
    let warnings = response.headers().get_all(WARNING).iter();
    let warnings: Vec<_> = warnings.map(|text| String::from_utf8_lossy(text.as_bytes())).collect();
    if !warnings.is_empty() {
        answer.insert("warnings".to_owned(), json!(warnings));
    }
    let text = response.text().await.unwrap();
    // A watch is a line an event.
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let body = match (serde_json::from_str(&text), lines) {
        (Ok(body), _) => body,
        (Err(_), Ok(events)) => Value::Array(events),
        (Err(_), Err(_)) => Value::String(text),
    };
    answer.insert("body".to_owned(), body);
    let mut answer = Value::Object(answer);
    compare::forget_what_is_new_each_time(&mut answer);
    answer
}

/// Whether a text is what a pattern says, in which one star stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((beginning, end)) => {
            text.strip_prefix(beginning).is_some_and(|rest| rest.ends_with(end))
        }
    }
}

fn list(text: &str) -> Vec<Value> {
    let list: Value = serde_saphyr::from_str(text).unwrap();
    list.as_array().cloned().unwrap_or_default()
}
