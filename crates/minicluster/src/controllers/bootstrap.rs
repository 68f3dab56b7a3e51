//! What every cluster has from the start, beyond the namespaces and priority classes that come with the API.

use serde_json::json;

use crate::{Api, api::WriteOptions};

/// Where pods would find the API server.
const ADDRESS: &str = "10.0.0.1";

/// Makes the service `kubernetes` if it is missing.
pub(super) fn ensure(api: &Api) {
    let Some(services) = api.kind("", "v1", "services") else { return };
    let service = json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "clusterIP": ADDRESS,
            "ports": [{ "name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443 }],
        },
    });
    // It fails only if the service is there already.
    let _ = api.create(&services, "default", service, &WriteOptions::manager("kube-apiserver"));
}
