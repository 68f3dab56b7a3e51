//! Nodes, and what they have to offer.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{
    column::{
        AGE,
        Cell::{Made, Text, TextOr},
        Column, NAME, text,
    },
    read::{self, NONE},
    words,
};

/// What is shown where a node has not said.
const UNKNOWN: &str = "<unknown>";

pub(super) const NODE: &[Column] = &[
    NAME,
    text("Status", "The status of the node", Made(status)),
    text("Roles", "The roles of the node", Made(roles)),
    AGE,
    text(
        "Version",
        "Kubelet Version reported by the node.",
        Text("/status/nodeInfo/kubeletVersion"),
    ),
    text("Internal-IP", words::NODE_STATUS_ADDRESSES, Made(|node, _| address(node, "InternalIP")))
        .wide(),
    text("External-IP", words::NODE_STATUS_ADDRESSES, Made(|node, _| address(node, "ExternalIP")))
        .wide(),
    text("OS-Image", words::NODE_SYSTEM_INFO_OS_IMAGE, TextOr("/status/nodeInfo/osImage", UNKNOWN))
        .wide(),
    text("Kernel-Version", words::NODE_SYSTEM_INFO_KERNEL_VERSION, Made(kernel)).wide(),
    text(
        "Container-Runtime",
        words::NODE_SYSTEM_INFO_CONTAINER_RUNTIME_VERSION,
        TextOr("/status/nodeInfo/containerRuntimeVersion", UNKNOWN),
    )
    .wide(),
];

pub(super) const RESOURCE_SLICE: &[Column] = &[
    NAME,
    text("Node", words::RESOURCE_SLICE_SPEC_NODE_NAME, Text("/spec/nodeName")),
    text("Driver", words::RESOURCE_SLICE_SPEC_DRIVER, Text("/spec/driver")),
    text("Pool", words::RESOURCE_POOL_NAME, Text("/spec/pool/name")),
    AGE,
];

fn status(node: &Value, _now: Timestamp) -> Value {
    let ready = match read::list(node, "/status/conditions")
        .iter()
        .rfind(|condition| condition["type"] == "Ready")
    {
        Some(condition) if condition["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    if read::flag(node, "/spec/unschedulable") {
        format!("{ready},SchedulingDisabled").into()
    } else {
        ready.into()
    }
}

fn roles(node: &Value, _now: Timestamp) -> Value {
    let labels = node["metadata"]["labels"].as_object();
    let roles: BTreeSet<&str> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            None if key == "kubernetes.io/role" => value.as_str(),
            role => role,
        })
        .filter(|role| !role.is_empty())
        .collect();
    let roles = roles.into_iter().collect::<Vec<_>>().join(",");
    read::or(&roles, NONE).into()
}

fn address(node: &Value, kind: &str) -> Value {
    let addresses = read::list(node, "/status/addresses");
    let found = addresses.iter().find(|address| address["type"] == kind);
    found.map_or(NONE, |address| read::text(address, "/address")).into()
}

fn kernel(node: &Value, _now: Timestamp) -> Value {
    let version = read::text_or(node, "/status/nodeInfo/kernelVersion", UNKNOWN);
    match read::text(node, "/status/nodeInfo/architecture") {
        "" => version.into(),
        architecture => format!("{version} ({architecture})").into(),
    }
}
