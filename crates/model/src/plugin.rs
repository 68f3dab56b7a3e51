//! The filters of kube-scheduler's default profile, by name.

use std::fmt;

/// A filter plugin. The order is that of the default profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the scheduler's own")]
pub enum Plugin {
    NodeUnschedulable,
    NodeName,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
}

// === impl Plugin ===

impl Plugin {
    /// All of them, in order.
    pub const ALL: [Self; 13] = [
        Self::NodeUnschedulable,
        Self::NodeName,
        Self::TaintToleration,
        Self::NodeAffinity,
        Self::NodePorts,
        Self::NodeResourcesFit,
        Self::VolumeRestrictions,
        Self::NodeVolumeLimits,
        Self::VolumeBinding,
        Self::VolumeZone,
        Self::PodTopologySpread,
        Self::InterPodAffinity,
        Self::DynamicResources,
    ];

    /// The plugin that the scheduler calls so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plugin| plugin.as_str() == name)
    }

    /// As the scheduler spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::NodeName => "NodeName",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::NodeResourcesFit => "NodeResourcesFit",
            Self::VolumeRestrictions => "VolumeRestrictions",
            Self::NodeVolumeLimits => "NodeVolumeLimits",
            Self::VolumeBinding => "VolumeBinding",
            Self::VolumeZone => "VolumeZone",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
            Self::DynamicResources => "DynamicResources",
        }
    }
}

impl fmt::Display for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
