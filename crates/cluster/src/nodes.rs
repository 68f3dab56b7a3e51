//! Node objects: taking one away whose machine is gone.

use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client,
    api::{DeleteParams, Preconditions},
};

/// Deletes the Node of this uid. One that is gone, or has been replaced by another of its name, is left as it is.
pub async fn delete(client: &Client, name: &str, uid: &str) -> Result<(), kube::Error> {
    let api: Api<Node> = Api::all(client.clone());
    let parameters = DeleteParams {
        preconditions: Some(Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
        ..DeleteParams::default()
    };
    match api.delete(name, &parameters).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => Ok(()),
        Err(error) => Err(error),
    }
}
