//! Statuses of objects that users make for the autoscaler: what became of what they ask for.

use kube::{
    Api, Client,
    api::{DynamicObject, Patch, PatchParams},
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
    let resource = object.kind.resource();
    let api: Api<DynamicObject> = if object.namespace.is_empty() {
        Api::all_with(client.clone(), &resource)
    } else {
        Api::namespaced_with(client.clone(), &object.namespace, &resource)
    };
    let patch = Patch::Merge(json!({ "status": status }));
    match api.patch_status(&object.name, &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(answer)) if answer.is_not_found() => Ok(()),
        outcome => outcome.map(drop),
    }
}

// === impl Object ===

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, slash) = (self.kind.kind(), if self.namespace.is_empty() { "" } else { "/" });
        write!(f, "{kind} {}{slash}{}", self.namespace, self.name)
    }
}
