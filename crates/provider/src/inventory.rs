//! What a provider has, as one value.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use plimsoll_model::{Group, GroupOptions, Instance, Symbol};

use crate::{HoldBack, Steer};

/// Everything a provider has, as of one refresh.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Its groups; no id stands twice.
    pub groups: Vec<GroupState>,
    /// The node label that says which GPU a node has; empty when there is none.
    pub gpu_label: Box<str>,
    /// The values that this label may have.
    pub gpu_types: Vec<Box<str>>,
}

/// A group and what else its provider knows about it.
#[derive(Clone, Debug)]
pub struct GroupState {
    /// The group with its machines. Its options are the defaults with [`GroupState::overrides`] over them as soon as somebody who
    /// knows the defaults applied them.
    pub group: Group,
    /// Settings of its own.
    pub overrides: Overrides,
    /// How long a machine usually takes from order to Ready node.
    pub boot_time: Option<SignedDuration>,
    /// What a person would like to know about it, in one line.
    pub about: Box<str>,
}

/// Settings that a group has of its own; the others are those of the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `scale-down-unneeded-time`.
    pub unneeded_time: Option<SignedDuration>,
    /// `scale-down-unready-time`.
    pub unready_time: Option<SignedDuration>,
    /// `scale-down-utilization-threshold`.
    pub utilization_threshold: Option<f64>,
    /// `scale-down-gpu-utilization-threshold`.
    pub gpu_utilization_threshold: Option<f64>,
    /// `ignore-daemonsets-utilization`.
    pub ignore_daemon_sets: Option<bool>,
    /// `max-node-provision-time`.
    pub provision_time: Option<SignedDuration>,
    /// `max-node-startup-time`.
    pub startup_time: Option<SignedDuration>,
    /// `zero-or-max-node-scaling`.
    pub atomic: Option<bool>,
    /// Its new nodes are closed until something is there. What the user says about the group goes before it.
    pub hold_back: Option<HoldBack>,
    /// Pods keep away from it, or need not any more; `None` where its nodes' taints are nobody's business.
    pub steer: Option<Steer>,
}

/// What a provider may need to know a node by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeIdentity {
    /// The Node's name.
    pub name: String,
    /// `spec.providerID`; empty when the node does not say.
    pub provider_id: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// Its addresses, whatever their type.
    pub addresses: Vec<String>,
}

/// Whose node it is, as a provider tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// It is one of a group's machines.
    Machine(Owner),
    /// It says of itself that it is one of a group's machines, and that machine is gone.
    Gone(Owner),
    /// None of the groups', as far as the provider can tell.
    Nobodys,
}

/// A group and one of its machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The group.
    pub group: Symbol,
    /// The machine, when it is known.
    pub instance: Option<Box<str>>,
}

// === impl Inventory ===

impl Inventory {
    /// The group of this id.
    pub fn group(&self, id: Symbol) -> Option<&GroupState> {
        self.groups.iter().find(|state| state.group.id == id)
    }

    /// The group and machine of this machine id.
    pub fn instance(&self, id: &str) -> Option<(&GroupState, &Instance)> {
        self.groups.iter().find_map(|state| Some((state, state.instance(id)?)))
    }

    /// The owner of a node whose provider id is the id of a machine, as it is with most infrastructures.
    pub fn owner_by_provider_id(&self, node: &NodeIdentity) -> Option<Owner> {
        if node.provider_id.is_empty() {
            return None;
        }
        let (state, instance) = self.instance(&node.provider_id)?;
        Some(Owner { group: state.group.id, instance: Some(instance.id.clone()) })
    }
}

// === impl NodeIdentity ===

impl NodeIdentity {
    /// The annotation of a node that stands for a machine without one, as the upstream autoscaler writes it. Its value says why.
    pub const MADE_UP: &str = "k8s.io/cluster-autoscaler/fake-node-reason";

    /// What stands for a machine that no node says to be, as the upstream autoscaler names it.
    pub fn unregistered(instance: &str) -> Self {
        Self {
            name: instance.to_owned(),
            provider_id: instance.to_owned(),
            annotations: [(Self::MADE_UP.to_owned(), "unregistered".to_owned())].into(),
            ..Self::default()
        }
    }
}

// === impl Whose ===

impl Whose {
    /// The owner of a node whose machine is there.
    pub fn machine(self) -> Option<Owner> {
        match self {
            Self::Machine(owner) => Some(owner),
            Self::Gone(_) | Self::Nobodys => None,
        }
    }

    /// The same with another name of the group, or nobody's where there is none.
    #[must_use]
    pub fn renamed(self, rename: impl FnOnce(Symbol) -> Option<Symbol>) -> Self {
        let renamed = |owner: Owner| rename(owner.group).map(|group| Owner { group, ..owner });
        match self {
            Self::Machine(owner) => renamed(owner).map_or(Self::Nobodys, Self::Machine),
            Self::Gone(owner) => renamed(owner).map_or(Self::Nobodys, Self::Gone),
            Self::Nobodys => Self::Nobodys,
        }
    }
}

impl From<Option<Owner>> for Whose {
    /// For a provider that cannot tell a machine that is gone from one that never was.
    fn from(owner: Option<Owner>) -> Self {
        owner.map_or(Self::Nobodys, Self::Machine)
    }
}

// === impl GroupState ===

impl GroupState {
    /// The machine of this id.
    pub fn instance(&self, id: &str) -> Option<&Instance> {
        self.group.instances.iter().find(|instance| &*instance.id == id)
    }
}

// === impl Overrides ===

impl Overrides {
    /// These settings where the group has its own, `common` where it has not.
    pub fn over(&self, common: &GroupOptions) -> GroupOptions {
        GroupOptions {
            unneeded_time: self.unneeded_time.unwrap_or(common.unneeded_time),
            unready_time: self.unready_time.unwrap_or(common.unready_time),
            utilization_threshold: self
                .utilization_threshold
                .unwrap_or(common.utilization_threshold),
            gpu_utilization_threshold: self
                .gpu_utilization_threshold
                .unwrap_or(common.gpu_utilization_threshold),
            ignore_daemon_sets: self.ignore_daemon_sets.unwrap_or(common.ignore_daemon_sets),
            provision_time: self.provision_time.unwrap_or(common.provision_time),
            startup_time: self.startup_time.unwrap_or(common.startup_time),
            atomic: self.atomic.unwrap_or(common.atomic),
        }
    }
}
