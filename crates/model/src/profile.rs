//! A profile of kube-scheduler: which filters are at work, and with which arguments.
//!
//! The default is kube-scheduler's own, and changes nothing. Scores are no part of it: where a pod goes is left to the scheduler.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{NodeAffinity, NodeTerm, Plugin, PodShape, SpreadConstraint, Symbol};

/// What a scheduler looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Plugins that are not wholly at work. Those that are not here are.
    pub reduced: BTreeMap<Plugin, Extent>,
    /// `addedAffinity` of NodeAffinity: terms of which one has to match, whatever a pod asks for itself.
    pub added_affinity: Option<Box<[NodeTerm]>>,
    /// `ignoredResources` of NodeResourcesFit.
    pub ignored_resources: Box<[Symbol]>,
    /// `ignoredResourceGroups` of NodeResourcesFit: what stands before the slash.
    pub ignored_groups: Box<[Box<str>]>,
    /// `defaultConstraints` of PodTopologySpread that filter, for pods without any of their own. Their selector is the pod's
    /// controller's, so they have none here.
    pub default_spread: Box<[SpreadConstraint]>,
}

/// How much of a plugin is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Nothing.
    Off,
    /// What it says of a pod before it looks at any node: its `PreFilter` without its `Filter`.
    Early,
    /// All of it.
    Full,
}

// === impl Profile ===

impl Profile {
    /// How much of a plugin is at work.
    pub fn extent(&self, plugin: Plugin) -> Extent {
        self.reduced.get(&plugin).copied().unwrap_or(Extent::Full)
    }

    /// Whether a plugin looks at nodes.
    pub fn filters(&self, plugin: Plugin) -> bool {
        self.extent(plugin) == Extent::Full
    }

    /// Whether a node has to have enough of a resource.
    pub fn counts(&self, resource: Symbol) -> bool {
        self.filters(Plugin::NodeResourcesFit) && !self.is_ignored(resource.as_str())
    }

    /// What a pod's node affinity comes to.
    pub fn node_affinity<'a>(&self, own: &'a NodeAffinity) -> Cow<'a, NodeAffinity> {
        match (self.extent(Plugin::NodeAffinity), &self.added_affinity) {
            (Extent::Full, None) => Cow::Borrowed(own),
            (Extent::Full, Some(added)) => Cow::Owned(own.with_terms(added)),
            (Extent::Early, _) => Cow::Owned(own.names_only()),
            (Extent::Off, _) => Cow::Owned(NodeAffinity::default()),
        }
    }

    /// The shape without what no plugin looks at; `None` when that is the shape itself.
    ///
    /// What a pod asks for, tolerates and demands of labels stays: other plugins look at it as well.
    pub fn trimmed(&self, shape: &PodShape) -> Option<PodShape> {
        if self.reduced.is_empty() {
            return None;
        }
        let mut trimmed = shape.clone();
        if !self.filters(Plugin::NodeName) {
            trimmed.pinned_to = None;
        }
        if !self.filters(Plugin::NodePorts) {
            trimmed.ports = Box::default();
        }
        if !self.filters(Plugin::PodTopologySpread) {
            trimmed.spread = Box::default();
        }
        if !self.filters(Plugin::InterPodAffinity) {
            (trimmed.affinity, trimmed.anti_affinity) = (Box::default(), Box::default());
        }
        let of_volumes = [
            Plugin::VolumeRestrictions,
            Plugin::NodeVolumeLimits,
            Plugin::VolumeBinding,
            Plugin::VolumeZone,
        ];
        if of_volumes.into_iter().all(|plugin| self.extent(plugin) == Extent::Off) {
            trimmed.volumes = Box::default();
        }
        (trimmed != *shape).then_some(trimmed)
    }

    /// Only extended resources can be ignored.
    fn is_ignored(&self, resource: &str) -> bool {
        let Some((group, _)) = resource.split_once('/') else {
            return false;
        };
        let is_native = resource.contains("kubernetes.io/") || resource.starts_with("requests.");
        !is_native
            && (self.ignored_resources.iter().any(|ignored| ignored.as_str() == resource)
                || self.ignored_groups.iter().any(|ignored| **ignored == *group))
    }
}
