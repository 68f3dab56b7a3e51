use plimsoll_model::{Symbol, TaintSettings};

use super::{amounts, labels, node, taint};
use crate::state::marks::{
    accelerator_label, gpus, is_condition_taint, is_gpu_resource, is_passing_taint,
    is_startup_taint, is_status_taint,
};

fn settings() -> TaintSettings {
    TaintSettings {
        startup: vec!["example.com/agent".into()],
        startup_prefixes: vec!["boot.example.com/".into()],
        status: vec!["example.com/degraded".into()],
    }
}

#[test]
fn startup_taints_are_known_by_prefix_and_by_flag() {
    for key in [
        "startup-taint.cluster-autoscaler.kubernetes.io/cni",
        "ignore-taint.cluster-autoscaler.kubernetes.io/cni",
        "example.com/agent",
        "boot.example.com/anything",
    ] {
        assert!(is_startup_taint(&taint(key), &settings()), "{key}");
        assert!(!is_status_taint(&taint(key), &settings()), "{key}");
        assert!(is_passing_taint(&taint(key), &settings()), "{key}");
    }
    assert!(!is_startup_taint(&taint("example.com/agent-2"), &settings()));
}

#[test]
fn status_and_condition_taints_pass_but_do_not_hold_a_node_back() {
    for key in ["status-taint.cluster-autoscaler.kubernetes.io/x", "example.com/degraded"] {
        assert!(is_status_taint(&taint(key), &settings()), "{key}");
        assert!(is_passing_taint(&taint(key), &settings()), "{key}");
        assert!(!is_startup_taint(&taint(key), &settings()), "{key}");
    }
    for key in [
        "node.kubernetes.io/not-ready",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "ToBeDeletedByClusterAutoscaler",
        "DeletionCandidateOfClusterAutoscaler",
    ] {
        assert!(is_condition_taint(&taint(key)), "{key}");
        assert!(is_passing_taint(&taint(key), &settings()), "{key}");
    }
    for key in ["dedicated", "node.kubernetes.io/out-of-service"] {
        assert!(!is_passing_taint(&taint(key), &settings()), "{key}");
    }
}

#[test]
fn accelerators_and_their_slices_are_gpus() {
    for name in [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.5gb",
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "google.com/tpu",
        "aws.amazon.com/neuroncore",
        "habana.ai/gaudi",
    ] {
        assert!(is_gpu_resource(Symbol::new(name)), "{name}");
    }
    for name in ["cpu", "example.com/fpga", "gpu.intel.com/millicores", "google.com/rdma"] {
        assert!(!is_gpu_resource(Symbol::new(name)), "{name}");
    }
}

#[test]
fn devices_are_counted_once() {
    assert_eq!(gpus(&amounts(&[("cpu", 4000), ("example.com/fpga", 1)])), 0);
    assert_eq!(gpus(&amounts(&[("nvidia.com/gpu", 3), ("nvidia.com/mig-1g.5gb", 7)])), 10);
    let neuron = [("aws.amazon.com/neuron", 1), ("aws.amazon.com/neuroncore", 2)];
    assert_eq!(gpus(&amounts(&neuron)), 2);
}

#[test]
fn the_cloud_label_names_the_accelerator_first() {
    let mut node = node("n");
    assert_eq!(accelerator_label(&node), None);
    node.labels = labels(&[("nvidia.com/gpu.product", "Tesla-T4")]);
    assert_eq!(accelerator_label(&node), Some(&"Tesla-T4".into()));
    node.labels = labels(&[
        ("cloud.google.com/gke-accelerator", "nvidia-tesla-t4"),
        ("nvidia.com/gpu.product", "Tesla-T4"),
    ]);
    assert_eq!(accelerator_label(&node), Some(&"nvidia-tesla-t4".into()));
    node.labels = labels(&[("accelerator", "")]);
    assert_eq!(accelerator_label(&node), None);
}
