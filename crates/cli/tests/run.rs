//! `plimsoll run`, `explain` and `status`, run as a user runs them, against `plimsoll minicluster` in a process of its own.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod run {
    mod paused;
    pub(crate) mod refused;
    pub(crate) mod stackpoint;
    pub(crate) mod stage;
}

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use run::stage::{Stage, text};

const CATALOGUE: &str = "
groups:
- {id: small, max: 5, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 1s, deletion: 1s}
- {id: large, max: 5, price: 0.50, template: {cpu: 16, memory: 64Gi}, boot: 1s, deletion: 1s}
";

#[tokio::test]
async fn pods_get_nodes_and_everything_is_explained() {
    let stage = Stage::set(CATALOGUE);
    let mut autoscaler = stage.run(&[]);
    stage.deploy("web", 3, "1500m").await;
    stage.until("the pods run", async || stage.running("web").await == 3).await;
    let nodes = stage.nodes().await;
    assert_eq!(nodes.len(), 2, "{nodes:?}");
    assert!(nodes.iter().all(|node| node.starts_with("small-")), "{nodes:?}");

    // A pod that nobody can take names every group and its reason.
    stage.deploy("huge", 1, "40").await;
    let huge = stage.pod_of("huge").await;
    let explained = stage.until_told(&autoscaler, &["explain", "pod", &huge], "no group").await;
    for group in ["small", "large"] {
        assert!(explained.contains(group), "{explained}");
    }
    let in_namespace = autoscaler.told(&["explain", "pod", &huge, "-n", "default"]);
    assert_eq!(in_namespace, explained);
    let node = autoscaler.told(&["explain", "node", &nodes[0]]);
    assert!(node.contains(&nodes[0]), "{node}");
    let group = autoscaler.told(&["explain", "group", "small", "--output=json"]);
    let group: serde_json::Value = serde_json::from_str(&group).unwrap();
    assert_eq!((text(&group, "/kind"), text(&group, "/name")), ("group".into(), "small".into()));
    let status = autoscaler.told(&["status"]);
    for line in ["leads, pass ", "groups\n  large", "nodes\n  small  small-", "default/huge-"] {
        assert!(status.contains(line), "{line:?} is not in\n{status}");
    }
    let unknown = autoscaler.ask(&["explain", "group", "smal"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let problem = String::from_utf8(unknown.stderr).unwrap();
    assert!(problem.starts_with("error: there is no group smal"), "{problem}");
    assert_eq!(problem.lines().count(), 1);

    assert_ne!(stage.lease_holder().await, "");
    assert_eq!(autoscaler.terminate(), Some(0), "{}", autoscaler.log());
    assert_eq!(stage.lease_holder().await, "", "the lease is given back");
}

#[tokio::test]
async fn a_dry_run_tells_and_touches_nothing() {
    let stage = Stage::set(CATALOGUE);
    let mut autoscaler = stage.run(&["--dry-run"]);
    stage.deploy("web", 1, "1").await;
    let status = stage.until_told(&autoscaler, &["status"], "default/web-").await;
    assert!(status.contains("nothing is done: "), "{status}");
    assert_eq!(stage.nodes().await, [""; 0]);
    assert_eq!(stage.lease_holder().await, "", "a dry run stands for no lease");
    assert_eq!(autoscaler.terminate(), Some(0), "{}", autoscaler.log());
}

#[tokio::test]
async fn only_groups_that_are_named_are_used() {
    let stage = Stage::set(CATALOGUE);
    let autoscaler = stage.run(&["--nodes=0:1:large", "--leader-elect=false"]);
    stage.deploy("web", 3, "1500m").await;
    stage.until("the pods run", async || stage.running("web").await == 3).await;
    let nodes = stage.nodes().await;
    assert!(nodes.len() == 1 && nodes[0].starts_with("large-"), "{nodes:?} {}", autoscaler.log());
}

#[test]
fn nobody_there_to_ask_is_said_in_a_line() {
    let output = run::stage::plimsoll(&["status", "--server=http://127.0.0.1:1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("error: no autoscaler answers at http://127.0.0.1:1: "), "{line}");
    assert_eq!(line.lines().count(), 1);
}

/// A server that answers one request with this text. Returns its URL, and the request that it received.
fn answering(code: &str, body: &str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("--server=http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {code}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut asked, mut part) = (Vec::new(), [0; 1024]);
        while !asked.ends_with(b"\r\n\r\n") {
            let length = stream.read(&mut part).unwrap();
            asked.extend_from_slice(&part[..length]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(asked).unwrap()
    });
    (url, server)
}

#[test]
fn an_answer_cannot_command_the_terminal() {
    let body =
        r#"{"sentences": ["pod web\u001b[2J stays", "  slicer  \u009b31m\u202eno\nreason"]}"#;
    let (server, _) = answering("200 OK", body);
    let output = run::stage::plimsoll(&["explain", "pod", "web", &server]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told, "pod web\\u{1b}[2J stays\n  slicer  \\u{9b}31m\\u{202e}no\\nreason\n");

    let (server, _) =
        answering("503 No", r#"{"error": "provider a: \u001b[2J", "help": "\u0007"}"#);
    let output = run::stage::plimsoll(&["status", &server]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "error: provider a: \\u{1b}[2J\n  help: \\u{7}\n");
}

#[test]
fn a_token_is_sent_to_who_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "secret-token\n").unwrap();
    let file = format!("--token-file={}", file.display());
    let (server, asked) = answering("200 OK", r#"{"sentences": []}"#);
    let words = ["explain", "pod", "web", &server, &file];
    assert!(run::stage::plimsoll(&words).output().unwrap().status.success());
    let asked = asked.join().unwrap().to_lowercase();
    assert!(asked.contains("authorization: bearer secret-token\r\n"), "{asked}");
}

#[test]
fn a_token_is_not_sent_in_plaintext_to_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "secret-token\n").unwrap();
    let file = format!("--token-file={}", file.display());
    // An address that is reserved for documentation: no machine has it.
    let words = ["status", "--server=http://192.0.2.1:8085", &file];
    let output = run::stage::plimsoll(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told,
        "error: --token-file: the token would be sent to 192.0.2.1 over plaintext HTTP\n  help: use https://, or kubectl port-forward; or say --insecure\n"
    );
    fs::write(folder.path().join("token"), "\n").unwrap();
    let output = run::stage::plimsoll(&["status", &file]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: the token file ") && told.ends_with(" is empty\n"), "{told}");
}
