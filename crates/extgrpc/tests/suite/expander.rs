//! The external expander, and what is left of the options when it does not do its work.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use plimsoll_extgrpc::{
    ExpanderOption, ExpanderPod, GrpcExpander,
    proto::{
        core,
        expander::{
            BestOptionsRequest, BestOptionsResponse, Option as Choice,
            expander_server::{Expander, ExpanderServer},
        },
    },
};
use plimsoll_model::{Labels, Resources};
use plimsoll_net::{
    Clock, Shutdown, listen,
    pki::Authority,
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
        let choice = |id: &&str| Choice { node_group_id: (*id).to_owned(), ..Choice::default() };
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
    Told { answer, stuck: false, asked: Arc::default() }
}

fn options() -> Vec<ExpanderOption> {
    let pod = ExpanderPod {
        namespace: "shop".into(),
        name: "web-1".into(),
        labels: Labels::from_pairs([("app".into(), "web")]),
        requests: Resources::from_amounts([("cpu".into(), 250), ("memory".into(), 1 << 30)]),
    };
    ["a", "b", "c"]
        .map(|group| ExpanderOption {
            group: group.into(),
            nodes: 2,
            about: format!("two of {group}"),
            pods: vec![pod.clone()],
            template: (group != "c").then(|| Arc::new(template())),
        })
        .into()
}

#[tokio::test]
async fn the_best_remain_in_the_order_of_the_expander() {
    let table = [
        (vec!["c", "a"], vec![2, 0]),
        (vec!["b", "b", "nobody"], vec![1]),
        // Nothing that can be used is no choice at all.
        (vec!["nobody"], vec![0, 1, 2]),
        (vec![], vec![0, 1, 2]),
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
    assert_eq!(expander.best_options(&options()).await, [0, 1, 2]);

    let stuck = Told { stuck: true, ..told(Ok(vec!["a"])) };
    let address = start(stuck, None).await;
    let expander = GrpcExpander::new(&address, None).unwrap();
    let expander = expander.with_timeout(Duration::from_millis(50));
    assert_eq!(expander.best_options(&options()).await, [0, 1, 2]);

    let nobody = GrpcExpander::new("127.0.0.1:1", None).unwrap();
    assert_eq!(nobody.best_options(&options()).await, [0, 1, 2]);
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
    let nodes: Vec<_> = asked.node_map.keys().map(String::as_str).collect();
    assert_eq!(nodes, ["a", "b"]);
    assert_eq!(core::Node::decode(&*asked.node_bytes_map["a"]).unwrap(), asked.node_map["a"]);
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
    assert_eq!(expander.best_options(&options()).await, [1]);

    let other = Authority::new("others", Clock::system().now()).unwrap();
    std::fs::write(file.path(), other.certificate()).unwrap();
    let expander = GrpcExpander::new(&address, Some(file.path())).unwrap();
    assert_eq!(expander.best_options(&options()).await, [0, 1, 2]);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_at_once() {
    let problem = |url: &str, cert: Option<&str>| {
        GrpcExpander::new(url, cert.map(std::path::Path::new)).unwrap_err().to_string()
    };
    assert_eq!(
        problem("nowhere", None),
        "grpc-expander-url: \"nowhere\" is not of the form host:port or [host]:port"
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
