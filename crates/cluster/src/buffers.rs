//! The PodTemplate of a CapacityBuffer: the pod that its user wrote down, as the API server would take it.

use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, PostParams},
    core::Status,
};
use plimsoll_manifest::MADE_FROM;
use plimsoll_model::{BufferSource, Units};
use serde_json::{Value, json};
use thiserror::Error;

use crate::source::Watched;

/// Volumes that the API server adds under a name that is another every time.
const ACCESS_VOLUME: &str = "kube-api-access-";

/// What to write.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The namespace of the buffer, of its source, and of what is written.
    pub namespace: String,
    /// The buffer.
    pub buffer: String,
    /// Its uid.
    pub uid: String,
    /// The PodTemplate to write.
    pub name: String,
    /// What it is made from.
    pub source: BufferSource,
    /// The digest of the text that it is made from.
    pub digest: u64,
    /// Whether the API server is asked what it would make of the pod.
    pub units: Units,
}

/// A PodTemplate could not be written.
#[derive(Debug, Error)]
pub enum MakeError {
    /// The API server takes no such pod, or no such template: it has to be told to the user, and tried again some time.
    #[error("{0}")]
    Refused(String),
    /// Something else went wrong. It is tried again.
    #[error("{0}")]
    Failed(String),
}

/// Writes the PodTemplate of a buffer, or writes it anew.
pub async fn make(client: &Client, recipe: &Recipe) -> Result<(), MakeError> {
    let written = read(client, recipe).await?;
    let template = match recipe.units {
        Units::AsWritten => written,
        Units::AsAdmitted => admitted(client, recipe, &written).await?,
    };
    write(client, recipe, &template).await
}

/// The template of the source.
async fn read(client: &Client, recipe: &Recipe) -> Result<Value, MakeError> {
    let (kind, name, pointer) = match &recipe.source {
        BufferSource::Template(name) => (Some(Watched::PodTemplates), name, "/template"),
        BufferSource::Scalable { kind, name, .. } => {
            let kind = Watched::all().find(|watched| watched.kind() == kind.as_str());
            (kind, name, "/spec/template")
        }
    };
    let kind = kind.ok_or_else(|| MakeError::Failed("nobody knows its kind".to_owned()))?;
    let source = api(client, recipe, &kind.resource()).get(name).await.map_err(sort)?;
    let template = source.data.pointer(pointer).cloned();
    template.ok_or_else(|| MakeError::Failed(format!("{} {name} has no template", kind.kind())))
}

/// What the API server would make of a pod with this template: its own defaults, those of the namespace, and what webhooks add.
async fn admitted(client: &Client, recipe: &Recipe, template: &Value) -> Result<Value, MakeError> {
    let resource = Watched::Pods.resource();
    let mut pod = DynamicObject::new("", &resource);
    pod.metadata.name = None;
    pod.metadata.generate_name = Some(format!("capacity-buffer-{}-", recipe.buffer));
    pod.metadata.labels = strings(template, "/metadata/labels");
    pod.metadata.annotations = strings(template, "/metadata/annotations");
    let mut spec = template.get("spec").cloned().unwrap_or_default();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("nodeName");
    }
    pod.data = json!({ "spec": spec });
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    let pod = api(client, recipe, &resource).create(&dry_run, &pod).await.map_err(sort)?;
    let mut spec = pod.data.get("spec").cloned().unwrap_or_default();
    without_access(&mut spec);
    Ok(json!({
        "metadata": { "labels": pod.metadata.labels, "annotations": pod.metadata.annotations },
        "spec": spec,
    }))
}

async fn write(client: &Client, recipe: &Recipe, template: &Value) -> Result<(), MakeError> {
    let resource = Watched::PodTemplates.resource();
    let api = api(client, recipe, &resource);
    let buffer = Watched::CapacityBuffers.resource();
    let owner = json!([{
        "apiVersion": buffer.api_version,
        "kind": buffer.kind,
        "name": recipe.buffer,
        "uid": recipe.uid,
        "controller": true,
    }]);
    let mut object = DynamicObject::new(&recipe.name, &resource);
    object.metadata.annotations =
        Some([(MADE_FROM.to_owned(), format!("{:x}", recipe.digest))].into());
    object.metadata.owner_references = serde_json::from_value(owner).ok();
    object.data = json!({ "template": template });
    let parameters = PostParams::default();
    match api.create(&parameters, &object).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => {}
        outcome => return outcome.map(drop).map_err(sort),
    }
    let known = api.get(&recipe.name).await.map_err(sort)?;
    if !known.annotations().contains_key(MADE_FROM) {
        let name = &recipe.name;
        return Err(MakeError::Refused(format!(
            "PodTemplate {name} is somebody else's; its name is needed for what is made for this buffer"
        )));
    }
    object.metadata.resource_version = known.metadata.resource_version;
    api.replace(&recipe.name, &parameters, &object).await.map(drop).map_err(sort)
}

fn api(client: &Client, recipe: &Recipe, resource: &ApiResource) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), &recipe.namespace, resource)
}

fn strings(value: &Value, pointer: &str) -> Option<std::collections::BTreeMap<String, String>> {
    serde_json::from_value(value.pointer(pointer)?.clone()).ok()
}

/// Whether the user has to change something.
fn sort(error: kube::Error) -> MakeError {
    match error {
        kube::Error::Api(status) if is_refusal(&status) => MakeError::Refused(status.message),
        error => MakeError::Failed(error.to_string()),
    }
}

fn is_refusal(status: &Status) -> bool {
    matches!(status.code, 400 | 403 | 422)
}

/// Takes out what has another name in every answer: otherwise the same pod would never look the same twice.
fn without_access(spec: &mut Value) {
    let is_access =
        |entry: &Value| entry["name"].as_str().is_some_and(|name| name.starts_with(ACCESS_VOLUME));
    let clean = |list: Option<&mut Value>| {
        if let Some(list) = list.and_then(Value::as_array_mut) {
            list.retain(|entry| !is_access(entry));
        }
    };
    clean(spec.get_mut("volumes"));
    for containers in ["containers", "initContainers"] {
        let containers = spec.get_mut(containers).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            clean(container.get_mut("volumeMounts"));
        }
    }
}
