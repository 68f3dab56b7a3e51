//! An object of every kind that is watched, with all that a later Kubernetes could have another word for, and such words.

use serde_json::{Value, json};

use crate::source::Watched;

/// What takes the place of what.
pub(super) const FUTURE: &[(Watched, &str, &str)] = &[
    (Watched::Nodes, "/spec/taints/0/effect", "NoScheduleTomorrow"),
    (Watched::Nodes, "/status/allocatable/memory", "1e30"),
    (Watched::Nodes, "/status/capacity/memory", "1e30"),
    (Watched::Nodes, "/status/capacity/cpu", "4 cores"),
    (Watched::Nodes, "/status/capacity", "large"),
    (Watched::Nodes, "/status/conditions/0/status", "Mostly"),
    (Watched::Nodes, "/status/conditions/0/lastTransitionTime", "just now"),
    (Watched::Nodes, "/status/conditions/0/type", "Readiness"),
    (Watched::Nodes, "/spec/unschedulable", "partly"),
    (Watched::Nodes, "/status/phase", "Dreaming"),
    (Watched::Pods, "/status/phase", "Dreaming"),
    (Watched::Pods, "/spec/restartPolicy", "Sometimes"),
    (Watched::Pods, "/spec/tolerations/0/operator", "Resembles"),
    (Watched::Pods, "/spec/tolerations/0/effect", "NoScheduleTomorrow"),
    (Watched::Pods, "/spec/containers/0/resources/requests/memory", "1e30"),
    (Watched::Pods, "/spec/containers/0/ports/0/protocol", "QUIC"),
    (Watched::Pods, "/spec/containers/0/ports/0/hostPort", "any"),
    (Watched::Pods, "/spec/topologySpreadConstraints/0/whenUnsatisfiable", "Complain"),
    (Watched::Pods, "/spec/topologySpreadConstraints/0/nodeTaintsPolicy", "Weigh"),
    (
        Watched::Pods,
        "/spec/topologySpreadConstraints/0/labelSelector/matchExpressions/0/operator",
        "Near",
    ),
    (
        Watched::Pods,
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/0/operator",
        "Near",
    ),
    (
        Watched::Pods,
        "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector/matchExpressions/0/operator",
        "Near",
    ),
    (Watched::Pods, "/spec/preemptionPolicy", "Politely"),
    (Watched::Pods, "/spec/os/name", "plan9"),
    (Watched::Pods, "/spec/volumes/0", "a disk"),
    (Watched::Pods, "/metadata/ownerReferences/0/kind", "Swarm"),
    (Watched::DaemonSets, "/spec/template/spec/containers/0/resources/requests/memory", "1e30"),
    (Watched::DaemonSets, "/spec/template/spec/tolerations/0/operator", "Resembles"),
    (Watched::DaemonSets, "/spec/updateStrategy/type", "Never"),
    (Watched::ReplicaSets, "/spec/replicas", "several"),
    (Watched::ReplicaSets, "/spec/selector/matchExpressions/0/operator", "Near"),
    (Watched::ReplicaSets, "/spec/template/spec/restartPolicy", "Sometimes"),
    (Watched::StatefulSets, "/spec/replicas", "several"),
    (Watched::StatefulSets, "/spec/podManagementPolicy", "Chaotic"),
    (Watched::StatefulSets, "/spec/selector/matchExpressions/0/operator", "Near"),
    (Watched::Jobs, "/spec/parallelism", "several"),
    (Watched::Jobs, "/spec/completionMode", "Someday"),
    (Watched::ReplicationControllers, "/spec/replicas", "several"),
    (Watched::Budgets, "/spec/minAvailable", "a third"),
    (Watched::Budgets, "/spec/selector/matchExpressions/0/operator", "Near"),
    (Watched::Budgets, "/spec/unhealthyPodEvictionPolicy", "AskFirst"),
    (Watched::Budgets, "/status/disruptionsAllowed", "a few"),
    (Watched::Namespaces, "/status/phase", "Dreaming"),
    (Watched::Volumes, "/spec/accessModes/0", "ReadTwice"),
    (Watched::Volumes, "/spec/capacity/storage", "1e30"),
    (Watched::Volumes, "/spec/volumeMode", "Object"),
    (Watched::Volumes, "/spec/persistentVolumeReclaimPolicy", "Donate"),
    (Watched::Volumes, "/status/phase", "Dreaming"),
    (
        Watched::Volumes,
        "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/operator",
        "Near",
    ),
    (Watched::Claims, "/spec/accessModes/0", "ReadTwice"),
    (Watched::Claims, "/spec/resources/requests/storage", "1e30"),
    (Watched::Claims, "/spec/volumeMode", "Object"),
    (Watched::Claims, "/status/phase", "Dreaming"),
    (Watched::StorageClasses, "/volumeBindingMode", "Eventually"),
    (Watched::StorageClasses, "/reclaimPolicy", "Donate"),
    (Watched::CsiNodes, "/spec/drivers/0/allocatable/count", "many"),
    (Watched::CsiNodes, "/spec/drivers", "all"),
    (Watched::CsiDrivers, "/spec/storageCapacity", "partly"),
    (Watched::StorageCapacities, "/capacity", "1e30"),
    (Watched::StorageCapacities, "/nodeTopology/matchExpressions/0/operator", "Near"),
    (Watched::VolumeAttachments, "/spec/source", "a disk"),
    (Watched::VolumeAttachments, "/status/attached", "partly"),
    (Watched::PodTemplates, "/template/spec/restartPolicy", "Sometimes"),
    (Watched::PodTemplates, "/template/spec/containers/0/resources/requests/memory", "1e30"),
    (Watched::Deployments, "/spec/replicas", "several"),
    (Watched::Deployments, "/spec/strategy/type", "Gently"),
    (Watched::ResourceQuotas, "/status/hard/cpu", "1e30"),
    (Watched::ResourceQuotas, "/spec/scopes/0", "OnSundays"),
    (Watched::CapacityBuffers, "/spec/provisioningStrategy", "buffer.x-k8s.io/lazy"),
    (Watched::CapacityBuffers, "/spec/replicas", "several"),
    (Watched::CapacityBuffers, "/spec/limits/cpu", "1e30"),
    (Watched::Requests, "/spec/provisioningClassName", "someday.autoscaling.x-k8s.io"),
    (Watched::Requests, "/spec/podSets/0/count", "several"),
    (Watched::CapacityQuotas, "/spec/limits/resources/cpu", "1e30"),
    (Watched::CapacityQuotas, "/spec/selector/matchExpressions/0/operator", "Near"),
    (Watched::CapacityQuotas, "/spec/limits", "generous"),
    (Watched::ResourceSlices, "/spec/devices/0/taints/0/effect", "NoScheduleTomorrow"),
    (Watched::ResourceSlices, "/spec/devices/0/capacity/memory/value", "1e30"),
    (
        Watched::ResourceSlices,
        "/spec/nodeSelector/nodeSelectorTerms/0/matchExpressions/0/operator",
        "Near",
    ),
    (Watched::ResourceClaims, "/spec/devices/requests/0/exactly/allocationMode", "Some"),
    (
        Watched::ResourceClaims,
        "/spec/devices/requests/0/exactly/tolerations/0/operator",
        "Resembles",
    ),
    (Watched::ResourceClaims, "/spec/devices/requests/0/exactly/count", "several"),
    (
        Watched::ResourceClaimTemplates,
        "/spec/spec/devices/requests/0/exactly/allocationMode",
        "Some",
    ),
    (
        Watched::DeviceClasses,
        "/spec/selectors/0/cel/expression",
        "device.mood == 'good' and then some",
    ),
    (Watched::DeviceClasses, "/spec/selectors/0/cel", "good"),
];

/// An object of a kind: `default/p`, or `n` of a kind without namespaces.
pub(super) fn object(watched: Watched) -> Value {
    let mut object = body(watched);
    let metadata = match watched {
        Watched::Pods => json!({
            "namespace": "default", "name": "p", "uid": "uid-p",
            "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": true }],
        }),
        Watched::Nodes
        | Watched::Namespaces
        | Watched::Volumes
        | Watched::StorageClasses
        | Watched::CsiNodes
        | Watched::CsiDrivers
        | Watched::VolumeAttachments
        | Watched::CapacityQuotas
        | Watched::ResourceSlices
        | Watched::DeviceClasses => json!({ "name": "n", "uid": "uid-n" }),
        _ => json!({ "namespace": "default", "name": "o", "uid": "uid-o" }),
    };
    object["metadata"] = metadata;
    object
}

fn body(watched: Watched) -> Value {
    let selector =
        json!({ "matchExpressions": [{ "key": "app", "operator": "In", "values": ["web"] }] });
    let nodes = json!({ "nodeSelectorTerms": [{
        "matchExpressions": [{ "key": "zone", "operator": "In", "values": ["a"] }],
    }] });
    let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": template() });
    match watched {
        Watched::Nodes => node(),
        Watched::Pods => pod(&selector, &nodes),
        Watched::DaemonSets => json!({ "spec": {
            "selector": selector, "template": template, "updateStrategy": { "type": "OnDelete" },
        } }),
        Watched::ReplicaSets => {
            json!({ "spec": { "replicas": 1, "selector": selector, "template": template } })
        }
        Watched::Deployments => json!({ "spec": {
            "replicas": 1, "selector": selector, "template": template, "strategy": { "type": "Recreate" },
        } }),
        Watched::StatefulSets => json!({ "spec": {
            "replicas": 1, "selector": selector, "template": template, "podManagementPolicy": "Parallel",
        } }),
        Watched::Jobs => json!({ "spec": {
            "parallelism": 1, "completionMode": "NonIndexed", "template": template,
        } }),
        Watched::ReplicationControllers => json!({ "spec": {
            "replicas": 1, "selector": { "app": "web" }, "template": template,
        } }),
        Watched::Budgets => json!({
            "spec": {
                "minAvailable": 1, "selector": selector, "unhealthyPodEvictionPolicy": "AlwaysAllow",
            },
            "status": { "disruptionsAllowed": 1 },
        }),
        Watched::Namespaces => json!({ "status": { "phase": "Active" } }),
        Watched::Volumes => json!({
            "spec": {
                "storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "volumeMode": "Block",
                "capacity": { "storage": "1Gi" }, "persistentVolumeReclaimPolicy": "Retain",
                "nodeAffinity": { "required": nodes },
            },
            "status": { "phase": "Available" },
        }),
        Watched::Claims => json!({
            "spec": {
                "storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "volumeMode": "Block",
                "resources": { "requests": { "storage": "1Gi" } },
            },
            "status": { "phase": "Pending" },
        }),
        Watched::StorageClasses => json!({
            "provisioner": "csi.example", "volumeBindingMode": "WaitForFirstConsumer",
            "reclaimPolicy": "Delete",
        }),
        Watched::CsiNodes => json!({ "spec": { "drivers": [
            { "name": "csi.example", "nodeID": "n", "allocatable": { "count": 8 } },
        ] } }),
        Watched::CsiDrivers => json!({ "spec": { "storageCapacity": true } }),
        Watched::StorageCapacities => json!({
            "storageClassName": "fast", "capacity": "1Gi", "nodeTopology": selector,
        }),
        Watched::VolumeAttachments => json!({
            "spec": { "nodeName": "n", "source": { "persistentVolumeName": "v" } },
            "status": { "attached": true },
        }),
        Watched::PodTemplates => json!({ "template": template }),
        Watched::ResourceQuotas => json!({
            "spec": { "scopes": ["NotTerminating"] },
            "status": { "hard": { "cpu": "4" }, "used": { "cpu": "1" } },
        }),
        Watched::CapacityBuffers => json!({ "spec": {
            "provisioningStrategy": "buffer.x-k8s.io/active-capacity",
            "podTemplateRef": { "name": "t" }, "replicas": 1, "limits": { "cpu": "4" },
        } }),
        Watched::Requests => json!({ "spec": {
            "provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
            "podSets": [{ "podTemplateRef": { "name": "t" }, "count": 1 }],
        } }),
        Watched::CapacityQuotas => json!({ "spec": {
            "selector": selector, "limits": { "resources": { "cpu": "4" } },
        } }),
        Watched::ResourceSlices => json!({ "spec": {
            "driver": "gpu.example", "pool": { "name": "p", "generation": 1, "resourceSliceCount": 1 },
            "nodeSelector": nodes,
            "devices": [{
                "name": "gpu-0", "capacity": { "memory": { "value": "1Gi" } },
                "taints": [{ "key": "k", "effect": "NoSchedule" }],
            }],
        } }),
        Watched::ResourceClaims => json!({ "spec": claim() }),
        Watched::ResourceClaimTemplates => json!({ "spec": { "spec": claim() } }),
        Watched::DeviceClasses => json!({ "spec": {
            "selectors": [{ "cel": { "expression": "device.driver == 'gpu.example'" } }],
        } }),
    }
}

fn node() -> Value {
    json!({
        "spec": {
            "providerID": "simulated://n", "unschedulable": false,
            "taints": [{ "key": "k", "effect": "NoSchedule" }],
        },
        "status": {
            "phase": "Running",
            "allocatable": { "cpu": "4", "memory": "16Gi", "pods": "110" },
            "capacity": { "cpu": "4", "memory": "16Gi", "pods": "110" },
            "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": "2027-01-15T08:00:00Z" }],
        },
    })
}

fn template() -> Value {
    json!({
        "restartPolicy": "Always",
        "tolerations": [{ "key": "k", "operator": "Exists", "effect": "NoSchedule" }],
        "containers": [{
            "name": "c", "image": "i",
            "resources": { "requests": { "memory": "1Gi" } },
            "ports": [{ "containerPort": 80, "hostPort": 80, "protocol": "TCP" }],
        }],
    })
}

fn pod(selector: &Value, nodes: &Value) -> Value {
    let mut spec = template();
    spec["nodeName"] = json!("n");
    spec["preemptionPolicy"] = json!("Never");
    spec["os"] = json!({ "name": "linux" });
    spec["volumes"] = json!([{ "name": "v", "emptyDir": {} }]);
    spec["topologySpreadConstraints"] = json!([{
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
        "nodeTaintsPolicy": "Honor", "labelSelector": selector,
    }]);
    spec["affinity"] = json!({
        "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": nodes },
        "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
            { "topologyKey": "zone", "labelSelector": selector },
        ] },
    });
    json!({ "spec": spec, "status": { "phase": "Running" } })
}

fn claim() -> Value {
    json!({ "devices": { "requests": [{ "name": "gpu", "exactly": {
        "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
        "tolerations": [{ "key": "k", "operator": "Exists", "effect": "NoSchedule" }],
    } }] } })
}
