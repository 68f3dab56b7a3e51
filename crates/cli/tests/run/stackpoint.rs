//! `deploy/stackpoint.yaml`, which takes the place of the manifest that came with the fork for StackPoint.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Stdio},
};

use plimsoll_minicluster::kubelet::Collection;
use serde_json::Value;

use super::stage::{Stage, plimsoll, text};

const SHIPPED: &str = include_str!("../../../../deploy/stackpoint.yaml");
const USUAL: &str = include_str!("../../../../deploy/plimsoll.yaml");
const ORDERS: &str = include_str!("../../../../deploy/crds/nodeorders.yaml");

const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
masters: 1
pace: {draft: 1s, building: 1s, provisioned: 1s, deleting: 1s}
pools:
- {name: general, size: m5.large, autoscaled: true, max: 5}
";

/// The emulated service. It ends with the test, however that ends.
struct Service {
    process: Child,
    address: String,
    /// Kept open, because the service ends when it cannot say what it has to say.
    _stdout: BufReader<ChildStdout>,
}

impl Service {
    fn start(stage: &Stage) -> Self {
        fs::write(stage.folder().join("offer.yaml"), OFFER).unwrap();
        let mut command = plimsoll(&["emulate", "stackpoint", "--listen=127.0.0.1:0"]);
        command.args(["--config=offer.yaml", "--kubeconfig=kubeconfig"]);
        command.current_dir(stage.folder()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        let address = address.to_owned();
        Self { process, address, _stdout: stdout }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn objects(file: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(file).unwrap()
}

fn of_kind<'o>(objects: &'o [Value], kind: &str) -> &'o Value {
    objects.iter().find(|object| object["kind"] == kind).unwrap()
}

/// Where an object is made; `None` for a kind that the embedded cluster does not have.
fn collection(object: &Value) -> Option<Collection> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    let (group, plural) = match object["kind"].as_str().unwrap() {
        "ServiceAccount" => ("", "serviceaccounts"),
        "Service" => ("", "services"),
        "ClusterRole" => (RBAC, "clusterroles"),
        "ClusterRoleBinding" => (RBAC, "clusterrolebindings"),
        "Role" => (RBAC, "roles"),
        "RoleBinding" => (RBAC, "rolebindings"),
        "Deployment" => ("apps", "deployments"),
        "CustomResourceDefinition" => ("apiextensions.k8s.io", "customresourcedefinitions"),
        other => {
            assert_eq!(other, "NetworkPolicy", "a kind that this test does not know");
            return None;
        }
    };
    Some(Collection { group, version: "v1", plural })
}

#[test]
fn the_rights_are_those_that_are_shipped_for_everybody_and_one_for_pools() {
    let (ours, usual) = (objects(SHIPPED), objects(USUAL));
    let rules =
        |objects: &[Value], kind: &str| of_kind(objects, kind)["rules"].as_array().unwrap().clone();
    assert_eq!(rules(&ours, "ClusterRole"), rules(&usual, "ClusterRole"));
    let mut own = rules(&ours, "Role");
    let pools = own.pop().unwrap();
    assert_eq!(own, rules(&usual, "Role"));
    assert_eq!(pools["resourceNames"], serde_json::json!(["stackpoint-node-pools"]));
    for kind in ["ClusterRoleBinding", "RoleBinding"] {
        let binding = of_kind(&ours, kind);
        assert_eq!(binding["roleRef"]["name"], "spc-autoscaler");
        assert_eq!(
            binding["subjects"][0]["name"],
            of_kind(&ours, "ServiceAccount")["metadata"]["name"]
        );
    }
    let pod = &of_kind(&ours, "Deployment")["spec"]["template"]["spec"];
    assert_eq!(pod["serviceAccountName"], "spc-autoscaler");
    assert_eq!(pod["containers"][0]["image"], concat!("plimsoll:", env!("CARGO_PKG_VERSION")));
}

/// The container's arguments and variables as they are shipped, with the values that the Secret has.
#[tokio::test]
async fn the_deployment_for_stackpoint_can_be_applied_and_its_command_line_autoscales() {
    let stage = Stage::set("groups: []");
    let shipped = objects(SHIPPED);
    for object in objects(ORDERS).into_iter().chain(shipped.clone()) {
        if let Some(collection) = collection(&object) {
            stage.create(collection, object).await;
        }
    }
    let service = Service::start(&stage);
    let container = &of_kind(&shipped, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let words: Vec<&str> =
        container["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[0], "/cluster-autoscaler");
    let mut command = plimsoll(&words);
    command.args(["--kubeconfig=kubeconfig", "--address=127.0.0.1:0", "--logging-format=json"]);
    for variable in container["env"].as_array().unwrap() {
        assert_eq!(text(variable, "/valueFrom/secretKeyRef/name"), "stackpointio");
        let value = match &*text(variable, "/valueFrom/secretKeyRef/key") {
            "api-token" => "let-me-in",
            "api-url" => &service.address,
            "organization-id" => "12",
            "cluster-id" => "345",
            other => panic!("the Secret has no key {other}"),
        };
        command.env(text(variable, "/name"), value);
    }
    let mut autoscaler = stage.start(command);
    stage.deploy("web", 3, "1500m").await;
    stage.until("the pods run", async || stage.running("web").await == 3).await;
    assert_eq!(stage.nodes().await.len(), 4, "a master and three machines");
    assert_eq!(autoscaler.terminate(), Some(0), "{}", autoscaler.log());
}
