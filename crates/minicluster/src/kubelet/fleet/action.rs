//! What is asked of the kubelets, and what they have to write.

use serde_json::Value;

use crate::{object::Key, read::text};

/// What is asked of the kubelets.
#[derive(Debug)]
pub(in crate::kubelet) enum Command {
    /// A machine starts.
    Add(Value),
    /// A machine is taken away.
    Remove(String),
    /// A machine falls silent.
    Vanish(String),
}

/// Something to write.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::kubelet) enum Action {
    Register {
        machine: u64,
        node: Value,
    },
    /// The pods that are on a node already.
    Adopt {
        name: String,
    },
    Report {
        name: String,
        body: Value,
    },
    Lease {
        name: String,
        uid: String,
    },
    PodStatus {
        key: Key,
        body: Value,
    },
    /// The pod's last state, and then its end.
    PodEnd {
        key: Key,
        uid: String,
        last: Option<Value>,
    },
    Unregister {
        name: String,
    },
}

/// What an action is about; there is never more than one under way for the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::kubelet) enum Subject {
    Node(String),
    Residents(String),
    Lease(String),
    Pod(Key),
}

/// What a machine found when it registered.
#[derive(Debug)]
pub(in crate::kubelet) struct Found {
    /// The uid of its Node.
    pub(in crate::kubelet) uid: String,
    /// Whether the Node was there before.
    pub(in crate::kubelet) before: bool,
}

// === impl Action ===

impl Action {
    pub(in crate::kubelet) fn subject(&self) -> Subject {
        match self {
            Self::Register { node, .. } => Subject::Node(text(node, "/metadata/name").to_owned()),
            Self::Report { name, .. } | Self::Unregister { name } => Subject::Node(name.clone()),
            Self::Adopt { name } => Subject::Residents(name.clone()),
            Self::Lease { name, .. } => Subject::Lease(name.clone()),
            Self::PodStatus { key, .. } | Self::PodEnd { key, .. } => Subject::Pod(key.clone()),
        }
    }
}
