//! New nodes that are not to be used yet.

use std::collections::BTreeMap;

use jiff::SignedDuration;

/// New nodes are closed until something is there that pods cannot do without, such as the agent of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldBack {
    /// What has to be there.
    pub until: Until,
    /// How long a node may take for it. After that nothing is expected of the node any more; it stays closed.
    pub patience: SignedDuration,
}

/// What a new node has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// The node has this condition, and it is True.
    Condition(String),
    /// The node is Ready, and so is the agent of the cluster's network on it, where the cluster has one whose DaemonSet is known by its
    /// name and would run on the node.
    Network,
    /// A pod that runs on the node is Ready.
    Pod {
        /// Its namespace.
        namespace: String,
        /// Which of the pods there.
        which: Which,
    },
}

/// Which pods are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those with all of these labels.
    Labels(BTreeMap<String, String>),
    /// Those whose names begin like this.
    Prefix(String),
}
