//! Which API server is asked, how often, and as whom.

use std::{convert::Infallible, fs, path::Path, time::Duration};

use bytes::Bytes;
use http::{Request, Response, header::USER_AGENT};
use http_body_util::Full;
use hyper::body::Incoming;
use plimsoll_cluster::connect::{connect, version};
use plimsoll_net::{Fence, Shutdown, listen, tls};
use serde_json::json;
use tokio::{net::TcpListener, time::Instant};
use tower::service_fn;

use super::{
    Effect,
    Time::{Paused, Real},
    Words, check,
};
use crate::run::tests::{process, stage::Stage};

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "kubeconfig",
        cases: [("ONE", "asks one"), ("OTHER", "asks other")],
        with: &[],
        look: |words| Box::pin(who_is_asked(words)),
        time: Real,
    },
    Effect {
        flag: "kubernetes",
        cases: [("", "asks one"), ("http://OTHER", "asks other")],
        with: &["--kubeconfig=ONE"],
        look: |words| Box::pin(who_is_asked(words)),
        time: Real,
    },
    Effect {
        flag: "user-agent",
        cases: [("cluster-autoscaler", "asks one"), ("me", "asks one as me")],
        with: &["--kubeconfig=ONE"],
        look: |words| Box::pin(who_is_asked(words)),
        time: Real,
    },
    Effect {
        flag: "kube-client-qps",
        cases: [("1", "eleven questions take 10 s"), ("5", "eleven questions take 2 s")],
        with: &["--kube-client-burst=1"],
        look: |words| Box::pin(eleven_questions(words)),
        time: Paused,
    },
    Effect {
        flag: "kube-client-burst",
        cases: [("1", "eleven questions take 10 s"), ("6", "eleven questions take 5 s")],
        with: &["--kube-client-qps=1"],
        look: |words| Box::pin(eleven_questions(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_the_connection_are_seen_from_outside() {
    check(TABLE);
}

/// Of two servers, the one that is asked.
async fn who_is_asked(words: Words) -> String {
    tls::install_default();
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (serve("one").await, serve("other").await);
    let one = kubeconfig(folder.path(), "one", &one);
    let file = kubeconfig(folder.path(), "other", &other);
    let put = |word: String| {
        let word = word.replace("kubeconfig=ONE", &format!("kubeconfig={one}"));
        let word = word.replace("kubeconfig=OTHER", &format!("kubeconfig={file}"));
        word.replace("http://OTHER", &format!("http://{other}"))
    };
    let words: Words = words.into_iter().map(put).collect();
    let given: Vec<&str> = words.iter().map(String::as_str).collect();
    let process = process(&given).unwrap();
    let client = connect(&process.connection, &Fence::open()).await.unwrap();
    format!("asks {}", version(&client).await.unwrap())
}

/// A server whose version tells who it is, and who asked unless it was somebody well known.
async fn serve(name: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let service = service_fn(move |request: Request<Incoming>| async move {
        let agent = request.headers()[USER_AGENT].to_str().unwrap().to_owned();
        let version = match agent.as_str() {
            "cluster-autoscaler" => name.to_owned(),
            agent => format!("{name} as {agent}"),
        };
        let body = json!({
            "major": "1", "minor": "36", "gitVersion": version, "gitCommit": "", "gitTreeState": "",
            "buildDate": "", "goVersion": "", "compiler": "", "platform": "",
        });
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(body.to_string())))
    });
    tokio::spawn(async move {
        listen::serve(listener, None, service, &Shutdown::new(), Duration::ZERO).await;
    });
    address
}

fn kubeconfig(folder: &Path, name: &str, address: &str) -> String {
    let file = folder.join(name);
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [{ "name": name, "context": { "cluster": name, "user": name } }],
        "clusters": [{ "name": name, "cluster": { "server": format!("http://{address}") } }],
        "users": [{ "name": name, "user": {} }],
    });
    fs::write(&file, config.to_string()).unwrap();
    file.display().to_string()
}

/// The autoscaler does not run, so nobody else asks.
async fn eleven_questions(words: Words) -> String {
    let stage = Stage::set(&words).await;
    let (client, begun) = (stage.client(), Instant::now());
    for _ in 0..11 {
        version(&client).await.unwrap();
    }
    format!("eleven questions take {} s", begun.elapsed().as_secs())
}
