//! Which cluster this is.

use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client};
use serde::de::Error as _;

/// The namespace that every cluster has from its first moment to its last: it cannot be deleted, so its uid is the cluster's.
const NAMESPACE: &str = "kube-system";

/// The uid of the cluster: that of its namespace `kube-system`. No other cluster has it, and neither has one that is built anew under
/// the same name.
pub async fn uid(client: &Client) -> Result<Box<str>, kube::Error> {
    let namespace = Api::<Namespace>::all(client.clone()).get(NAMESPACE).await?;
    let uid = namespace.metadata.uid.filter(|uid| !uid.is_empty());
    uid.map(Into::into).ok_or_else(|| {
        let problem = format!("the namespace {NAMESPACE} has no uid");
        kube::Error::SerdeError(serde_json::Error::custom(problem))
    })
}
