//! What `deploy/` ships, as a real API server takes it.

use std::{collections::BTreeSet, time::Duration};

use plimsoll_e2e::{Api, Request};
use serde_json::Value;
use tokio::time::sleep;

/// What everybody needs.
pub(crate) const CORE: &[&str] = &[
    include_str!("../../../../deploy/crds/nodeorders.yaml"),
    include_str!("../../../../deploy/plimsoll.yaml"),
];

/// What those need who want more.
pub(crate) const OPTIONAL: &[&str] = &[
    include_str!("../../../../deploy/crds/capacitybuffers.yaml"),
    include_str!("../../../../deploy/crds/capacityquotas.yaml"),
    include_str!("../../../../deploy/crds/provisioningrequests.yaml"),
    include_str!("../../../../deploy/optional/capacity-buffers.yaml"),
    include_str!("../../../../deploy/optional/capacity-buffers-dry-run.yaml"),
    include_str!("../../../../deploy/optional/capacity-quotas.yaml"),
    include_str!("../../../../deploy/optional/debug-access.yaml"),
    include_str!("../../../../deploy/optional/provisioning-requests.yaml"),
];

/// What somebody may do, as fine as roles can say it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Right {
    /// Empty for the whole cluster.
    namespace: String,
    verb: String,
    /// `nodeorders.plimsoll.dev/status`.
    resource: String,
    /// Empty for all of them.
    name: String,
}

/// Puts everything but the program itself into a cluster, and waits until new kinds are served. The program is only checked by the
/// API server.
pub(crate) async fn install(api: &Api, files: &[&str]) {
    for object in objects(files) {
        let path = path(&object);
        match object["kind"].as_str().unwrap() {
            "Deployment" => drop(api.apply(&format!("{path}?dryRun=All"), &object).await.unwrap()),
            "CustomResourceDefinition" => define(api, &object).await,
            _ => drop(api.apply(&path, &object).await.unwrap()),
        }
    }
}

/// Puts the kinds that everybody needs into a cluster, and waits until they are served.
pub(crate) async fn define_kinds(api: &Api) {
    for object in objects(CORE) {
        if object["kind"] == "CustomResourceDefinition" {
            define(api, &object).await;
        }
    }
}

async fn define(api: &Api, object: &Value) {
    api.apply(&path(object), object).await.unwrap();
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
    for version in spec["versions"].as_array().unwrap() {
        let path = format!("/apis/{group}/{}/{plural}", text(&version["name"]));
        while api.get(&path).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The objects in files.
fn objects(files: &[&str]) -> Vec<Value> {
    let documents = files.iter().flat_map(|file| file.split("\n---\n"));
    documents.map(|document| serde_saphyr::from_str(document).unwrap()).collect()
}

/// The rights that files give: each of them one by one.
pub(crate) fn granted(files: &[&str]) -> BTreeSet<Right> {
    let mut granted = BTreeSet::new();
    for role in objects(files) {
        let namespace = match role["kind"].as_str().unwrap() {
            "ClusterRole" => "",
            "Role" => role["metadata"]["namespace"].as_str().unwrap(),
            _ => continue,
        };
        for rule in role["rules"].as_array().unwrap() {
            let names = match words(&rule["resourceNames"]) {
                names if names.is_empty() => vec![""],
                names => names,
            };
            for group in words(&rule["apiGroups"]) {
                for resource in words(&rule["resources"]) {
                    for verb in words(&rule["verbs"]) {
                        for name in &names {
                            granted.insert(Right {
                                namespace: namespace.to_owned(),
                                verb: verb.to_owned(),
                                resource: full_name(resource, group),
                                name: (*name).to_owned(),
                            });
                        }
                    }
                }
            }
        }
    }
    granted
}

// === impl Right ===

impl Right {
    /// Whether this is what it takes to make that request.
    pub(crate) fn allows(&self, request: &Request) -> bool {
        self.verb == request.verb
            && self.resource == full_name(&request.resource, &request.group)
            && (self.namespace.is_empty() || self.namespace == request.namespace)
            && (self.name.is_empty() || self.name == request.name)
    }
}

fn full_name(resource: &str, group: &str) -> String {
    let (kind, part) = resource.split_once('/').unwrap_or((resource, ""));
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if part.is_empty() { "" } else { "/" };
    format!("{kind}{dot}{group}{slash}{part}")
}

fn words(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Where an object is in the API.
fn path(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let version = text("/apiVersion");
    let root = if version.contains('/') { "apis" } else { "api" };
    let place = match text("/metadata/namespace") {
        "" => String::new(),
        namespace => format!("namespaces/{namespace}/"),
    };
    let kind = text("/kind").to_lowercase();
    let plural = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    };
    format!("/{root}/{version}/{place}{plural}/{}", text("/metadata/name"))
}
