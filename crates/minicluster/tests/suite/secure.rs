//! The server on a socket: TLS, and who is who by certificate and token.

use std::time::Duration;

use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api as Client, Config, Error,
    api::{ListParams, PostParams, WatchEvent, WatchParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use futures::StreamExt as _;
use plimsoll_minicluster::{
    Api,
    server::{Access, Anonymous, Certificates, Credentials, Server, kubeconfig},
};
use plimsoll_net::{Clock, Shutdown, listen::serve, tls};

const TOKEN: &str = "a-token-for-the-administrator";

struct Cluster {
    certificates: Certificates,
    url: String,
    shutdown: Shutdown,
    serving: JoinHandle<()>,
}

// === impl Cluster ===

impl Cluster {
    async fn start() -> Self {
        tls::install_default();
        let clock = Clock::system();
        let certificates = Certificates::new(&[], clock.now()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let server = Server::new(Api::new(clock), Access::new(TOKEN.into(), Anonymous::Allowed));
        let shutdown = Shutdown::new();
        let (tls, stop) = (certificates.server(), shutdown.clone());
        let serving = tokio::spawn(async move {
            serve(listener, Some(tls), server, &stop, Duration::from_millis(100)).await;
        });
        Self { certificates, url, shutdown, serving }
    }

    fn with(&self, credentials: Credentials<'_>) -> String {
        kubeconfig(&self.url, Some(self.certificates.authority().certificate()), credentials)
    }
}

async fn client(kubeconfig: &str) -> kube::Client {
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    kube::Client::try_from(config).unwrap()
}

/// The user that the server takes us for.
async fn who_am_i(client: kube::Client) -> Result<Value, Error> {
    let request = Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header("Content-Type", "application/json")
        .body(br#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#.to_vec())
        .unwrap();
    let answer: Value = client.request(request).await?;
    Ok(answer["status"]["userInfo"].clone())
}

#[tokio::test]
async fn certificates_and_tokens_say_who_one_is() {
    let cluster = Cluster::start().await;
    let admin = client(&cluster.certificates.kubeconfig(&cluster.url)).await;
    let groups = ["system:masters", "system:authenticated"];
    assert_eq!(who_am_i(admin).await.unwrap(), json!({ "username": "admin", "groups": groups }));
    let by_token = client(&cluster.with(Credentials::Token(TOKEN))).await;
    assert_eq!(who_am_i(by_token).await.unwrap(), json!({ "username": "admin", "groups": groups }));
    let node =
        cluster.certificates.authority().client("system:node:n1", Some("system:nodes")).unwrap();
    let node = client(&cluster.with(Credentials::Certificate(&node))).await;
    let groups = ["system:nodes", "system:authenticated"];
    assert_eq!(
        who_am_i(node).await.unwrap(),
        json!({ "username": "system:node:n1", "groups": groups })
    );
}

#[tokio::test]
async fn strangers_stay_outside() {
    let cluster = Cluster::start().await;
    let wrong = client(&cluster.with(Credentials::Token("a guess"))).await;
    let refused = Client::<Namespace>::all(wrong).list(&ListParams::default()).await;
    assert!(matches!(&refused, Err(Error::Api(status)) if status.code == 401), "{refused:?}");
    // A certificate that another authority signed does not get as far as HTTP.
    let other = Certificates::new(&[], Clock::system().now()).unwrap();
    let stranger = client(&cluster.with(Credentials::Certificate(other.admin()))).await;
    let refused = Client::<Namespace>::all(stranger).list(&ListParams::default()).await;
    assert!(matches!(&refused, Err(Error::HyperError(_) | Error::Service(_))), "{refused:?}");
    // Nor does a client that does not trust the server's authority.
    let misled =
        kubeconfig(&cluster.url, Some(other.authority().certificate()), Credentials::Token(TOKEN));
    let refused =
        Client::<Namespace>::all(client(&misled).await).list(&ListParams::default()).await;
    assert!(matches!(&refused, Err(Error::HyperError(_) | Error::Service(_))), "{refused:?}");
}

#[tokio::test]
async fn a_watch_over_the_wire_tells_events_as_they_happen() {
    let cluster = Cluster::start().await;
    let admin = client(&cluster.certificates.kubeconfig(&cluster.url)).await;
    let config_maps = Client::<ConfigMap>::default_namespaced(admin);
    let version = config_maps.list(&ListParams::default()).await.unwrap().metadata.resource_version;
    let params = WatchParams::default().timeout(30);
    let mut events = config_maps.watch(&params, &version.unwrap()).await.unwrap().boxed();
    for name in ["a", "b"] {
        let metadata = kube::core::ObjectMeta {
            name: Some(name.to_owned()),
            ..kube::core::ObjectMeta::default()
        };
        let object = ConfigMap { metadata, ..ConfigMap::default() };
        config_maps.create(&PostParams::default(), &object).await.unwrap();
        let event = events.next().await.unwrap().unwrap();
        assert!(
            matches!(&event, WatchEvent::Added(object) if object.metadata.name.as_deref() == Some(name)),
            "{event:?}"
        );
    }
    // Shutting down ends the stream although its time is not over.
    cluster.shutdown.trigger();
    cluster.serving.await.unwrap();
    assert!(!matches!(events.next().await, Some(Ok(_))));
}
