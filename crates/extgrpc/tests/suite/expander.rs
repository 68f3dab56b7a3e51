//! The external expander, and what is left of the options when it does not do its work.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use plimsoll_extgrpc::{
    ExpanderOption, GrpcExpander,
    proto::{
        core,
        expander::{
            BestOptionsRequest, BestOptionsResponse, Option as Choice,
            expander_server::{Expander, ExpanderServer},
        },
    },
};
use plimsoll_manifest::scenario;
use plimsoll_model::{Labels, Node, Pod};
use plimsoll_net::{
    Clock, Shutdown, listen,
    pki::{Authority, Identity},
    tls::{Clients, ServerTls},
};
use prost::Message as _;
use tokio::net::TcpListener;
use tonic::{Request, Response, Status, service::Routes};

use crate::fixture::{lock, template};

/// Answers what it was told, and keeps the question.
#[derive(Clone, Debug)]
struct Told {
    answer: Result<Vec<&'static str>, Status>,
    stuck: bool,
    /// Each choice comes back with so many bytes.
    echo: usize,
    asked: Arc<Mutex<Option<BestOptionsRequest>>>,
}

#[tonic::async_trait]
impl Expander for Told {
    async fn best_options(
        &self,
        request: Request<BestOptionsRequest>,
    ) -> Result<Response<BestOptionsResponse>, Status> {
        *lock(&self.asked) = Some(request.into_inner());
        if self.stuck {
            std::future::pending::<()>().await;
        }
        let choice = |id: &&str| Choice {
            node_group_id: (*id).to_owned(),
            pod_bytes: vec![vec![0; self.echo]],
            ..Choice::default()
        };
        let options = self.answer.clone()?.iter().map(choice).collect();
        Ok(Response::new(BestOptionsResponse { options }))
    }
}

async fn start(told: Told, tls: Option<ServerTls>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let routes = Routes::new(ExpanderServer::new(told)).prepare();
    tokio::spawn(async move {
        let never = Shutdown::new();
        listen::serve(listener, tls, routes, &never, Duration::ZERO).await;
    });
    address
}

fn told(answer: Result<Vec<&'static str>, Status>) -> Told {
    Told { answer, stuck: false, echo: 0, asked: Arc::default() }
}

/// A pod with all that a scheduler looks at.
fn pod() -> Pod {
    let world = scenario::read(
        "
now: '2026-01-01T12:00:00Z'
objects:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-1
    namespace: shop
    labels: {app: web}
    ownerReferences:
    - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u-1, controller: true}
  spec:
    priority: 7
    schedulerName: theirs
    nodeSelector: {disk: ssd}
    tolerations:
    - {key: dedicated, operator: Equal, value: web, effect: NoSchedule}
    - {operator: Exists}
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions:
            - {key: zone, operator: In, values: [a, b]}
            - {key: cores, operator: Gt, values: ['4']}
            matchFields:
            - {key: metadata.name, operator: NotIn, values: [bad]}
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - {labelSelector: {matchLabels: {app: web}}, topologyKey: kubernetes.io/hostname}
    containers:
    - {name: main, image: i, resources: {requests: {cpu: 250m, memory: 1Gi}}}
",
    );
    world.unwrap().pods.remove(0)
}

/// A template that says where its nodes are, and what they are.
fn placed() -> Node {
    let labels = [
        ("node.kubernetes.io/instance-type", "m5.large"),
        ("topology.kubernetes.io/region", "r1"),
        ("topology.kubernetes.io/zone", "r1-a"),
    ];
    let labels = Labels::from_pairs(labels.map(|(key, value)| (key.into(), value)));
    Node { labels, ..template() }
}

fn options() -> Vec<ExpanderOption> {
    let pod = pod();
    ["a", "b", "c"]
        .map(|group| ExpanderOption {
            group: group.into(),
            nodes: 2,
            about: format!("two of {group}"),
            pods: vec![pod.clone()],
            template: (group != "c").then(|| Arc::new(placed())),
        })
        .into()
}

#[tokio::test]
async fn the_best_remain_in_the_order_of_the_expander() {
    let table = [
        (vec!["c", "a"], Some(vec![2, 0])),
        (vec!["b", "b", "nobody"], Some(vec![1])),
        // Nothing that can be used is no choice at all.
        (vec!["nobody"], None),
        // Nothing at all is the wish for no scale-up.
        (vec![], Some(vec![])),
    ];
    for (answer, expected) in table {
        let address = start(told(Ok(answer.clone())), None).await;
        let expander = GrpcExpander::new(&address, None).unwrap();
        assert_eq!(expander.best_options(&options()).await, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn without_an_answer_all_options_remain() {
    let address = start(told(Err(Status::internal("no"))), None).await;
    let expander = GrpcExpander::new(&address, None).unwrap();
    assert_eq!(expander.best_options(&options()).await, None);

    let stuck = Told { stuck: true, ..told(Ok(vec!["a"])) };
    let address = start(stuck, None).await;
    let expander = GrpcExpander::new(&address, None).unwrap();
    let expander = expander.with_timeout(Duration::from_millis(50));
    assert_eq!(expander.best_options(&options()).await, None);

    let nobody = GrpcExpander::new("127.0.0.1:1", None).unwrap();
    assert_eq!(nobody.best_options(&options()).await, None);
}

#[tokio::test]
async fn the_question_is_there_for_old_and_new_expanders() {
    let told = told(Ok(vec!["a"]));
    let asked = told.asked.clone();
    let address = start(told, None).await;
    GrpcExpander::new(&address, None).unwrap().best_options(&options()).await;
    let asked = lock(&asked).take().unwrap();
    let option = &asked.options[1];
    assert_eq!(
        (option.node_group_id.as_str(), option.node_count, option.debug.as_str()),
        ("b", 2, "two of b")
    );
    assert_eq!(core::Pod::decode(&*option.pod_bytes[0]).unwrap(), option.pod[0]);
    let pod = &option.pod[0];
    let metadata = pod.metadata.as_ref().unwrap();
    assert_eq!((metadata.namespace.as_str(), metadata.name.as_str()), ("shop", "web-1"));
    let requests = &pod.spec.as_ref().unwrap().containers[0].resources.as_ref().unwrap().requests;
    assert_eq!(
        (requests["cpu"].string.as_str(), requests["memory"].string.as_str()),
        ("250m", "1Gi")
    );
    let (metadata, spec) = (metadata.clone(), pod.spec.as_ref().unwrap());
    let owner = &metadata.owner_references[0];
    assert_eq!(
        (owner.api_version.as_str(), owner.kind.as_str(), owner.name.as_str(), owner.uid.as_str()),
        ("apps/v1", "ReplicaSet", "web", "u-1")
    );
    assert!(owner.controller);
    assert_eq!((spec.priority, spec.scheduler_name.as_str()), (7, "theirs"));
    assert_eq!(spec.node_selector["disk"], "ssd");
    let mut tolerations: Vec<_> = spec
        .tolerations
        .iter()
        .map(|one| [&*one.key, &*one.operator, &*one.value, &*one.effect])
        .collect();
    tolerations.sort_unstable();
    assert_eq!(tolerations, [["", "Exists", "", ""], ["dedicated", "Equal", "web", "NoSchedule"]]);
    let affinity = spec.affinity.as_ref().unwrap();
    let nodes = affinity.node_affinity.as_ref().unwrap();
    let nodes = nodes.required_during_scheduling_ignored_during_execution.as_ref().unwrap();
    let term = &nodes.node_selector_terms[0];
    let said = |list: &[core::NodeSelectorRequirement]| {
        let said = list.iter().map(|one| format!("{} {} {:?}", one.key, one.operator, one.values));
        said.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(said(&term.match_expressions), r#"cores Gt ["4"], zone In ["a", "b"]"#);
    assert_eq!(said(&term.match_fields), r#"metadata.name NotIn ["bad"]"#);
    assert!(affinity.pod_affinity.is_none());
    let apart = affinity.pod_anti_affinity.as_ref().unwrap();
    let apart = &apart.required_during_scheduling_ignored_during_execution[0];
    assert_eq!(apart.topology_key, "kubernetes.io/hostname");
    assert_eq!(apart.namespaces, ["shop"]);
    let selected = &apart.label_selector.as_ref().unwrap().match_expressions[0];
    assert_eq!((selected.key.as_str(), selected.values[0].as_str()), ("app", "web"));

    let labels = &asked.node_map["a"].metadata.as_ref().unwrap().labels;
    assert_eq!(labels["node.kubernetes.io/instance-type"], "m5.large");
    assert_eq!(labels["topology.kubernetes.io/region"], "r1");
    assert_eq!(labels["topology.kubernetes.io/zone"], "r1-a");
    let nodes: Vec<_> = asked.node_map.keys().map(String::as_str).collect();
    assert_eq!(nodes, ["a", "b"]);
    assert_eq!(core::Node::decode(&*asked.node_bytes_map["a"]).unwrap(), asked.node_map["a"]);
}

#[tokio::test]
async fn an_answer_may_be_as_large_as_the_question() {
    let echo = Told { echo: 40 << 20, ..told(Ok(vec!["a", "c"])) };
    let address = start(echo, None).await;
    let expander = GrpcExpander::new(&address, None).unwrap();
    let expander = expander.with_timeout(Duration::from_mins(1));
    assert_eq!(expander.best_options(&options()).await, Some(vec![0, 2]));
}

#[tokio::test]
async fn a_name_may_be_written_as_go_writes_it() {
    let address = start(told(Ok(vec!["b"])), None).await;
    let expander = GrpcExpander::new(&format!("dns:///{address}"), None).unwrap();
    assert_eq!(expander.best_options(&options()).await, Some(vec![1]));
}

/// A certificate that its owner signed and that is marked as an authority's, as `openssl req -x509` makes them.
fn self_signed(name: &str) -> Identity {
    let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    Identity { certificate, key: key.serialize_pem().into() }
}

#[tokio::test]
async fn an_expander_may_have_the_trusted_certificate_itself() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let asked = |identity: Identity, trusted: String| {
        let path = file.path().to_owned();
        async move {
            let tls = ServerTls::from_pem(&identity, Clients::Anonymous).unwrap();
            let address = start(told(Ok(vec!["b"])), Some(tls)).await;
            std::fs::write(&path, trusted).unwrap();
            GrpcExpander::new(&address, Some(&path)).unwrap().best_options(&options()).await
        }
    };
    let own = self_signed("127.0.0.1");
    let trusted = own.certificate.clone();
    assert_eq!(asked(own, trusted).await, Some(vec![1]));
    // Neither another certificate of the same name, nor the trusted one at another place.
    let other = self_signed("127.0.0.1").certificate;
    assert_eq!(asked(self_signed("127.0.0.1"), other).await, None);
    let elsewhere = self_signed("expander.example");
    let trusted = elsewhere.certificate.clone();
    assert_eq!(asked(elsewhere, trusted).await, None);
    // One that is over is not taken for being the trusted one.
    let mut params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.not_before = rcgen::date_time_ymd(2001, 1, 1);
    params.not_after = rcgen::date_time_ymd(2002, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    let over = Identity { certificate: certificate.clone(), key: key.serialize_pem().into() };
    assert_eq!(asked(over, certificate).await, None);
}

#[tokio::test]
async fn an_expander_is_known_by_its_authority() {
    let authority = Authority::new("expanders", Clock::system().now()).unwrap();
    let identity = authority.server(&["127.0.0.1"]).unwrap();
    let tls = ServerTls::from_pem(&identity, Clients::Anonymous).unwrap();
    let address = start(told(Ok(vec!["b"])), Some(tls)).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), authority.certificate()).unwrap();
    let expander = GrpcExpander::new(&address, Some(file.path())).unwrap();
    assert_eq!(expander.best_options(&options()).await, Some(vec![1]));

    let other = Authority::new("others", Clock::system().now()).unwrap();
    std::fs::write(file.path(), other.certificate()).unwrap();
    let expander = GrpcExpander::new(&address, Some(file.path())).unwrap();
    assert_eq!(expander.best_options(&options()).await, None);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_at_once() {
    let problem = |url: &str, cert: Option<&str>| {
        GrpcExpander::new(url, cert.map(std::path::Path::new)).unwrap_err().to_string()
    };
    assert_eq!(
        problem("nowhere", None),
        "grpc-expander-url: \"nowhere\" is not of the form host:port, [host]:port or unix:/path"
    );
    assert!(
        problem("here:1", Some("/no/such/file"))
            .starts_with("grpc-expander-cert: cannot read /no/such/file: ")
    );
    let empty = tempfile::NamedTempFile::new().unwrap();
    let path = empty.path().to_str().unwrap();
    assert_eq!(
        problem("here:1", Some(path)),
        "grpc-expander-cert: the authority's certificate has no usable certificate: no CERTIFICATE section found"
    );
}
