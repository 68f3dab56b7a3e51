//! The control plane itself: starts, lets in whom it should, and leaves nothing behind.

use std::path::Path;

use plimsoll_e2e::{Api, ControlPlane, Flavour, Program};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn a_control_plane_starts_and_says_which_it_is() {
    let plane = ControlPlane::start(Flavour::Whole).await.unwrap();
    let version = plane.api().unwrap().get("/version").await.unwrap();
    let said = ["major", "minor", "gitVersion"].map(|field| version[field].as_str().unwrap());
    let [major, minor, whole] = said;
    assert_eq!(whole, Program::CONTROL_PLANE.version().unwrap());
    assert!(whole.starts_with(&format!("v{major}.{minor}.")), "{version}");
}

#[tokio::test]
async fn roles_are_enforced() {
    let plane = ControlPlane::start(Flavour::Whole).await.unwrap();
    let kubeconfig = plane.kubeconfig_of("default", "default").await.unwrap();
    let api = Api::new(&kubeconfig).unwrap();
    let answer = api.ask(Method::GET, "/api/v1/nodes", "", &Value::Null).await.unwrap();
    assert_eq!(answer.code, 403, "{answer:?}");
}

#[tokio::test]
async fn two_run_side_by_side_and_leave_nothing_behind() {
    let (one, other) =
        tokio::join!(ControlPlane::start(Flavour::ApiOnly), ControlPlane::start(Flavour::ApiOnly));
    let (one, other) = (one.unwrap(), other.unwrap());
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}});
    one.api().unwrap().create("/api/v1/namespaces", &namespace).await.unwrap();
    let absent = other.api().unwrap();
    let answer =
        absent.ask(Method::GET, "/api/v1/namespaces/mine", "", &Value::Null).await.unwrap();
    assert_eq!(answer.code, 404);
    let directories = [&one, &other].map(|plane| plane.kubeconfig().parent().unwrap().to_owned());
    let processes: Vec<u32> = [&one, &other].iter().flat_map(|plane| plane.processes()).collect();
    assert_eq!(processes.len(), 4);
    drop((one, other));
    assert!(directories.iter().all(|directory| !directory.exists()));
    let runs = |process: &u32| Path::new(&format!("/proc/{process}")).exists();
    assert!(!processes.iter().any(runs));
}
