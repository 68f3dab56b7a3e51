//! Which infrastructures and groups are used, and who chooses among them.

use std::{fs, sync::Arc, time::Duration};

use plimsoll_manifest::scenario;
use plimsoll_minicluster::api::{ListQuery, WriteOptions};
use plimsoll_model::{Alternative, PodName, Question};
use plimsoll_net::{
    Clock, Shutdown, listen,
    pki::Authority,
    tls::{self, Clients, ServerTls},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::service_fn;

use super::{
    Effect,
    Time::{Paused, Real},
    Words, check,
};
use crate::run::{
    adviser::tests::{Asked, WORLD, prefer_the_last, seen},
    prepare,
    tests::{
        process,
        stage::{Stage, text},
    },
};

/// Other machines than those that are there unless somebody says.
const OTHERS: &str = "
name: simulated
groups:
- {id: others, max: 3, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

/// One machine, there in the beginning.
const ONE: &str = "
name: simulated
groups:
- {id: cheap, max: 20, initial: 1, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "cloud-provider",
        cases: [("simulated", "simulated"), ("externalgrpc", "externalgrpc")],
        with: &[],
        look: |words| Box::pin(providers(words)),
        time: Paused,
    },
    Effect {
        flag: "cloud-config",
        cases: [("", "cheap 0..20, dear 0..20"), ("OTHERS", "others 0..3")],
        with: &[],
        look: |words| Box::pin(groups_of_a_file(words)),
        time: Paused,
    },
    Effect {
        flag: "capacity-quotas-enabled",
        cases: [("false", "cheap 3, nothing is said"), ("true", "cheap 1, 1 of 1 node is used")],
        with: &[],
        look: |words| Box::pin(bought_under_a_quota(words)),
        time: Paused,
    },
    Effect {
        flag: "node-info-cache-expire-time",
        cases: [("87600h", "bought: cheap 1"), ("0s", "bought: ")],
        with: &["--scale-down-unneeded-time=3m", "--scale-down-delay-after-add=1m"],
        look: |words| Box::pin(bought_after_zero(words)),
        time: Paused,
    },
    Effect {
        flag: "nodes",
        cases: [("0:5:dear", "dear 0..5"), ("1:3:cheap", "cheap 1..3")],
        with: &[],
        look: |words| Box::pin(groups(words)),
        time: Paused,
    },
    Effect {
        flag: "node-group-auto-discovery",
        cases: [
            ("mig:namePrefix=ch,min=0,max=9", "cheap 0..9"),
            ("mig:namePrefix=de,min=1,max=2", "dear 1..2"),
        ],
        with: &[],
        look: |words| Box::pin(groups(words)),
        time: Paused,
    },
    Effect {
        flag: "grpc-expander-url",
        cases: [("SERVICE", "b"), ("127.0.0.1:1", "a, b")],
        with: &["--expander=grpc"],
        look: |words| Box::pin(choice_of_a_plain_service(words)),
        time: Real,
    },
    Effect {
        flag: "grpc-expander-cert",
        cases: [("AUTHORITY", "b"), ("", "a, b")],
        with: &["--expander=grpc", "--grpc-expander-url=SERVICE"],
        look: |words| Box::pin(choice_of_a_secret_service(words)),
        time: Real,
    },
];

#[test]
fn flags_about_groups_are_seen_from_outside() {
    check(TABLE);
}

/// What is bought for a pod that needs a label which only the last machine had, and that one is gone.
async fn bought_after_zero(words: Words) -> String {
    let mut stage = Stage::set_with(ONE, &words).await;
    stage.begin();
    stage.until("a node", |stage| !stage.names("nodes").is_empty()).await;
    let node = stage.names("nodes").remove(0);
    stage.modify("nodes", node.trim_start_matches('/'), |node| {
        node["metadata"]["labels"]["disk"] = "ssd".into();
    });
    stage.until("an empty cluster", |stage| stage.names("nodes").is_empty()).await;
    stage.pass(60).await;
    stage.deploy("web", 1, "1", |template| {
        template["spec"]["nodeSelector"] = json!({ "disk": "ssd" });
    });
    stage.pass(300).await;
    format!("bought: {}", stage.bought())
}

/// What is bought for pods that need three machines, where there may be one node.
async fn bought_under_a_quota(words: Words) -> String {
    let mut stage = Stage::set(&words).await;
    let definition = include_str!("../../../../../../deploy/crds/capacityquotas.yaml");
    let definition = serde_saphyr::from_str(definition).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    stage.pass(5).await;
    let api = stage.cluster.api();
    let kind = api.kind("autoscaling.x-k8s.io", "v1beta1", "capacityquotas").unwrap();
    let spec = json!({ "limits": { "resources": { "nodes": 1 } } });
    let quota = json!({
        "apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityQuota",
        "metadata": { "name": "one" }, "spec": spec,
    });
    api.create(&kind, "", quota, &WriteOptions::default()).unwrap();
    stage.begin();
    stage.deploy("web", 9, "1", |_| {});
    stage.pass(300).await;
    let quotas = stage.cluster.api().list(&kind, &ListQuery::default()).unwrap();
    let used = text(&quotas.items[0].value(), "/status/used/resources/nodes");
    let told = if used.is_empty() {
        "nothing is said".to_owned()
    } else {
        format!("{used} of 1 node is used")
    };
    format!("{}, {told}", stage.bought())
}

/// The providers that are looked at.
async fn providers(mut words: Words) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("peer.yaml");
    fs::write(&file, "address: 127.0.0.1:1\n").unwrap();
    if words.iter().any(|word| word.contains("externalgrpc")) {
        words.push(format!("--cloud-config={}", file.display()));
    }
    let stage = Stage::begun(&words).await;
    stage.pass(60).await;
    let metrics = stage.get("/metrics").await.1;
    let names = metrics.lines().filter_map(|line| {
        line.strip_prefix("plimsoll_provider_failing{provider=\"")?.split('"').next()
    });
    names.collect::<Vec<_>>().join(", ")
}

async fn groups_of_a_file(words: Words) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("others.yaml");
    fs::write(&file, OTHERS).unwrap();
    let named = |word: String| word.replace("OTHERS", &file.display().to_string());
    let words = words.into_iter().filter(|word| !word.ends_with('=')).map(named);
    groups(words.collect()).await
}

/// The groups that are used, and their bounds.
async fn groups(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    let status: Value = serde_json::from_str(&stage.get("/status").await.1).unwrap();
    let groups = status["groups"].as_array().unwrap().iter().map(|group| {
        let name = group["name"].as_str().unwrap();
        format!("{name} {}..{}", group["min"], group["max"])
    });
    groups.collect::<Vec<_>>().join(", ")
}

/// What a service chooses of `a` and `b` that prefers the last.
async fn choice_of_a_plain_service(words: Words) -> String {
    let service = serve(None).await;
    choice(words.into_iter().map(|word| word.replace("SERVICE", &service)).collect()).await
}

/// The same, of a service whose certificate is from an authority that nobody knows.
async fn choice_of_a_secret_service(words: Words) -> String {
    tls::install_default();
    let authority = Authority::new("somebody", Clock::system().now()).unwrap();
    let identity = authority.server(&["127.0.0.1"]).unwrap();
    let service = serve(Some(ServerTls::from_pem(&identity, Clients::Anonymous).unwrap())).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    fs::write(&file, authority.certificate()).unwrap();
    let file = file.display().to_string();
    let put = |word: String| word.replace("SERVICE", &service).replace("AUTHORITY", &file);
    choice(words.into_iter().map(put).collect()).await
}

/// Starts the service, and answers with its address.
async fn serve(tls: Option<ServerTls>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Asked::default();
    let expander = service_fn(move |request| prefer_the_last(request, Arc::clone(&asked)));
    tokio::spawn(async move {
        listen::serve(listener, tls, expander, &Shutdown::new(), Duration::ZERO).await;
    });
    address
}

async fn choice(words: Words) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("others.yaml");
    fs::write(&file, OTHERS).unwrap();
    let file = format!("--cloud-config={}", file.display());
    let given = words.iter().map(String::as_str);
    let all: Vec<&str> = ["--cloud-provider=simulated", &file].into_iter().chain(given).collect();
    let ready = prepare(&process(&all).unwrap(), Clock::system()).unwrap();
    let world = scenario::read(WORLD).unwrap();
    let pods = vec![PodName { namespace: "shop".into(), name: "web".into() }];
    let alternative =
        |group: &str| Alternative { group: group.into(), nodes: 1, pods: pods.clone() };
    let question = Question { alternatives: vec![alternative("a"), alternative("b")] };
    let chosen = ready.adviser.unwrap().advise(&question, &seen(&world)).await;
    // Without an answer both remain.
    let chosen = chosen.unwrap_or_else(|| vec!["a".into(), "b".into()]);
    chosen.iter().map(|group| group.as_str()).collect::<Vec<_>>().join(", ")
}
