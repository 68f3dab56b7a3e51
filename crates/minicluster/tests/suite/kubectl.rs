//! The real kubectl against the server. Run with `cargo test -p plimsoll-minicluster -- --ignored kubectl`.

use std::{path::Path, process::Stdio, time::Duration};

use tempfile::TempDir;
use tokio::{io::AsyncWriteExt as _, net::TcpListener, process::Command};

use plimsoll_minicluster::{
    Api, controllers,
    server::{Access, Anonymous, Certificates, Server},
};
use plimsoll_net::{Clock, Shutdown, listen::serve};

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: registry.example/app:1}]}
";

const CONFIG: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"config"},"data":{"k":"v"}}"#;

const OTHER: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}"#;

const MISSPELT: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"dta":{}}"#;

const NODE: &str = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}"#;

const READY: &str = r#"{"status":{"conditions":[{"type":"Ready","status":"True"}]}}"#;

/// Runs kubectl in a directory that has its kubeconfig: what it prints, or what it complains about.
async fn kubectl(home: &Path, command: &str, input: &str) -> Result<String, String> {
    let mut child = Command::new("kubectl")
        .args(command.split(' '))
        .env("KUBECONFIG", home.join("kubeconfig"))
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[tokio::test]
#[ignore = "needs kubectl"]
async fn kubectl_gets_along_with_the_server() {
    let clock = Clock::system();
    let certificates = Certificates::new(&[], clock.now()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("kubeconfig"), certificates.kubeconfig(&url)).unwrap();
    let api = Api::new(clock);
    let shutdown = Shutdown::new();
    controllers::start(&api, &shutdown);
    let server = Server::new(api, Access::new("unused".into(), Anonymous::Refused));
    tokio::spawn(async move {
        serve(listener, Some(certificates.server()), server, &shutdown, Duration::ZERO).await;
    });

    let succeeds = [
        ("create namespace kc", "", "namespace/kc created"),
        ("create configmap lit --from-literal=a=b", "", "configmap/lit created"),
        ("apply -f -", CONFIG, "configmap/config created"),
        ("apply -f -", CONFIG, "configmap/config unchanged"),
        ("apply --server-side -f -", OTHER, "configmap/other serverside-applied"),
        ("apply -f -", WEB, "deployment.apps/web created"),
        (
            "wait --for=jsonpath={.status.replicas}=2 deploy/web --timeout=20s",
            "",
            "deployment.apps/web condition met",
        ),
        ("scale deploy web --replicas=1", "", "deployment.apps/web scaled"),
        ("rollout restart deploy/web", "", "deployment.apps/web restarted"),
        ("create -f -", NODE, "node/n1 created"),
        ("patch node n1 --subresource=status --type=merge -p ", READY, "node/n1 patched"),
        ("label node n1 pool=a", "", "node/n1 labeled"),
        ("taint node n1 k=v:NoSchedule", "", "node/n1 tainted"),
        ("cordon n1", "", "node/n1 cordoned"),
        ("get nodes -o jsonpath={.items[*].spec.taints[?(@.key=='k')].value}", "", "v"),
        ("get configmap config -o jsonpath={.data.k}", "", "v"),
        ("auth can-i create pods", "", "yes"),
        ("get --raw /readyz", "", "ok"),
        ("delete configmap lit", "", "configmap \"lit\" deleted"),
        (
            "delete deploy web --cascade=foreground --timeout=20s",
            "",
            "deployment.apps \"web\" deleted",
        ),
        ("delete ns kc --timeout=20s", "", "namespace \"kc\" deleted"),
    ];
    for (command, input, expected) in succeeds {
        // A patch is an argument, not an input.
        let (command, input) = match command.strip_suffix("-p ") {
            Some(start) => (format!("{start}-p {input}"), ""),
            None => (command.to_owned(), input),
        };
        let said = kubectl(home.path(), &command, input).await;
        // Later versions add in which namespace.
        assert!(said.as_ref().is_ok_and(|said| said.starts_with(expected)), "{command}: {said:?}");
    }
    let fails = [
        ("get pods none", "", "Error from server (NotFound): pods \"none\" not found"),
        ("create -f -", NODE, "AlreadyExists"),
        ("apply -f -", MISSPELT, "unknown field \"dta\""),
        ("get nonsense", "", "the server doesn't have a resource type \"nonsense\""),
        ("get pods -l a~b", "", "unable to parse requirement"),
    ];
    for (command, input, expected) in fails {
        let said = kubectl(home.path(), command, input).await;
        assert!(said.as_ref().is_err_and(|said| said.contains(expected)), "{command}: {said:?}");
    }
}
