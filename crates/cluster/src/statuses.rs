//! Statuses of objects that users make for the autoscaler: what became of what they ask for.

use kube::{
    Api, Client,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, Preconditions},
};
use serde_json::{Value, json};

use crate::source::Watched;

/// An object of a kind that is watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// Its kind.
    pub kind: Watched,
    /// Its namespace; empty for one that belongs to the whole cluster.
    pub namespace: Box<str>,
    /// Its name.
    pub name: Box<str>,
}

/// Writes these fields of an object's status; others stay as they are. One that is gone meanwhile needs none.
pub async fn write(client: &Client, object: &Object, status: &Value) -> Result<(), kube::Error> {
    let api = object.api(client);
    let patch = Patch::Merge(json!({ "status": status }));
    match api.patch_status(&object.name, &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(answer)) if answer.is_not_found() => Ok(()),
        outcome => outcome.map(drop),
    }
}

/// Deletes an object, unless another has its name by now. One that is gone meanwhile need not be.
pub async fn delete(client: &Client, object: &Object, uid: &str) -> Result<(), kube::Error> {
    let only = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    let parameters = DeleteParams::default().preconditions(only);
    match object.api(client).delete(&object.name, &parameters).await {
        Err(kube::Error::Api(answer)) if answer.is_not_found() || answer.is_conflict() => Ok(()),
        outcome => outcome.map(drop),
    }
}

// === impl Object ===

impl Object {
    fn api(&self, client: &Client) -> Api<DynamicObject> {
        let resource = self.kind.resource();
        if self.namespace.is_empty() {
            Api::all_with(client.clone(), &resource)
        } else {
            Api::namespaced_with(client.clone(), &self.namespace, &resource)
        }
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, slash) = (self.kind.kind(), if self.namespace.is_empty() { "" } else { "/" });
        write!(f, "{kind} {}{slash}{}", self.namespace, self.name)
    }
}
