//! What is wanted of the cluster, as objects.

use serde_json::{Value, json};

use super::play::{Kind, Workload};

/// The label by which pods belong to a service.
pub(super) const APP: &str = "app";

/// The label of machines that have a GPU.
const GPU_PRODUCT: &str = "nvidia.com/gpu.product";

/// The Deployment or the Job.
pub(super) fn object(workload: &Workload) -> Value {
    let Workload { name, kind, pods, .. } = *workload;
    match kind {
        Kind::Service | Kind::Spread => json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": name },
            "spec": {
                "replicas": pods,
                "selector": { "matchLabels": { APP: name } },
                "template": template(workload),
            },
        }),
        Kind::Job { .. } => json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": name },
            "spec": { "completions": pods, "parallelism": pods, "template": template(workload) },
        }),
    }
}

fn template(workload: &Workload) -> Value {
    let Workload { name, kind, cpu, gpus, .. } = *workload;
    let mut room = json!({ "cpu": cpu, "memory": "512Mi" });
    let mut spec = json!({});
    if gpus > 0 {
        room["nvidia.com/gpu"] = json!(gpus.to_string());
        spec["tolerations"] = json!([{ "key": "nvidia.com/gpu", "operator": "Exists" }]);
    } else {
        // Not every infrastructure has taints that would keep GPU machines for those who need them.
        let others = json!([{ "key": GPU_PRODUCT, "operator": "DoesNotExist" }]);
        let terms = json!({ "nodeSelectorTerms": [{ "matchExpressions": others }] });
        spec["affinity"] =
            json!({ "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": terms } });
    }
    let mut metadata = json!({ "labels": { APP: name } });
    match kind {
        Kind::Service => {}
        Kind::Spread => {
            spec["topologySpreadConstraints"] = json!([{
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": { "matchLabels": { APP: name } },
                // A zone that has GPU machines only is none for pods that may not go there.
                "nodeTaintsPolicy": "Honor",
            }]);
        }
        Kind::Job { runs_for } => {
            metadata["annotations"] = json!({ "plimsoll.dev/run-for": runs_for });
            spec["restartPolicy"] = json!("Never");
        }
    }
    spec["containers"] = json!([{
        "name": "main",
        "image": format!("registry.example/{name}:1"),
        "resources": { "requests": room, "limits": room },
    }]);
    json!({ "metadata": metadata, "spec": spec })
}
