//! Eviction: asking for a pod to leave, in the way that disruption budgets are asked.

use k8s_openapi::{
    api::{core::v1::Pod, policy::v1},
    apimachinery::pkg::apis::meta::v1::{DeleteOptions, ObjectMeta, Preconditions},
};
use kube::{Api, Client, api::PostParams};
use serde_json::Value;

/// What became of an eviction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// The pod leaves.
    Accepted,
    /// There is no such pod any more.
    Gone,
    /// A disruption budget stands in the way at the moment.
    Blocked {
        /// Which, in the API server's words.
        why: String,
    },
    /// It did not work for another reason.
    Failed {
        /// Which.
        why: String,
    },
}

/// Evicts a pod of this uid, which has `grace` seconds to end; `None` for what the pod itself says.
pub async fn evict(
    client: &Client,
    namespace: &str,
    name: &str,
    uid: Option<&str>,
    grace: Option<u32>,
) -> Eviction {
    let api: Api<Pod> = Api::namespaced(client.clone(), namespace);
    // kube has a call for this, which writes the options under a name that the API server does not read.
    let eviction = v1::Eviction {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        delete_options: Some(DeleteOptions {
            grace_period_seconds: grace.map(i64::from),
            preconditions: uid
                .map(|uid| Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
            ..DeleteOptions::default()
        }),
    };
    let parameters = PostParams::default();
    match api.create_subresource::<_, Value>("eviction", name, &parameters, &eviction).await {
        Ok(_) => Eviction::Accepted,
        Err(kube::Error::Api(status)) => match status.code {
            404 => Eviction::Gone,
            // Another pod of that name: the one that was meant is gone.
            409 if uid.is_some() => Eviction::Gone,
            429 => Eviction::Blocked { why: status.message },
            _ => Eviction::Failed { why: status.message },
        },
        Err(error) => Eviction::Failed { why: error.to_string() },
    }
}
