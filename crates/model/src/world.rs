//! The World: everything a decision needs, as one value.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;

use crate::{
    Advice, Budget, Buffer, Condition, Controller, DaemonSet, Devices, Group, NamespaceQuota,
    Namespaces, Node, Order, Pod, PodName, PodTemplate, Quota, Remembered, Request, ScaleUp,
    Settings, Storage, Symbol,
};

/// What a pass sees. Nothing in it changes while a decision is made.
#[derive(Clone, Debug)]
pub struct World {
    /// The moment for which the decision is made.
    pub now: Timestamp,
    /// What the user wants.
    pub settings: Settings,
    /// The cluster that the nodes are of: the uid of its namespace `kube-system`, when it is known.
    pub cluster_uid: Option<Box<str>>,
    /// Namespaces with their labels.
    pub namespaces: Namespaces,
    /// Storage objects.
    pub storage: Storage,
    /// Devices and claims for them.
    pub devices: Devices,
    /// Nodes, whether of a group or not; no name stands twice.
    pub nodes: Vec<Arc<Node>>,
    /// Pods, those without a node included.
    pub pods: Vec<Pod>,
    /// Controllers that would replace pods, and Deployments where they are looked at.
    pub controllers: Vec<Controller>,
    /// DaemonSets, whose pods every new node has to carry.
    pub daemon_sets: Vec<DaemonSet>,
    /// Disruption budgets.
    pub budgets: Vec<Budget>,
    /// Templates of pods, for those who refer to them.
    pub pod_templates: Vec<PodTemplate>,
    /// CapacityBuffers.
    pub buffers: Vec<Buffer>,
    /// ResourceQuotas.
    pub namespace_quotas: Vec<NamespaceQuota>,
    /// Requests for room.
    pub requests: Vec<Request>,
    /// CapacityQuotas.
    pub quotas: Vec<Quota>,
    /// Groups with their machines; no id stands twice.
    pub groups: Vec<Group>,
    /// Nodes whose machines are gone, by the word of their providers.
    pub departed: Vec<Departed>,
    /// Machines that more than one node claims.
    pub contested: Vec<Contested>,
    /// Scale-ups that were ordered. The NodeOrders of the cluster are the record of them, and memory keeps nothing of them.
    pub orders: Vec<Order<ScaleUp>>,
    /// What earlier passes left to be remembered.
    pub memory: Memory,
    /// Answers to what an earlier attempt at this decision asked.
    pub advice: Vec<Advice>,
}

/// A node whose machine is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departed {
    /// The node.
    pub node: Symbol,
    /// The group that its machine was of.
    pub group: Symbol,
    /// The machine.
    pub instance: Box<str>,
}

/// A machine that several nodes claim to be, when nothing tells which of them is right. None of them may be touched, nor the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contested {
    /// The group of the machine.
    pub group: Symbol,
    /// The machine.
    pub instance: Box<str>,
    /// The nodes, sorted.
    pub nodes: Box<[Symbol]>,
}

/// What has to survive from pass to pass, and over a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Nodes that nobody needs, with the moment that began.
    pub unneeded_since: BTreeMap<Symbol, Timestamp>,
    /// Nodes that are unready, with the moment that began.
    pub unready_since: BTreeMap<Symbol, Timestamp>,
    /// Nodes whose machines are gone, with the moment that was first seen.
    pub departed_since: BTreeMap<Symbol, Timestamp>,
    /// Machines without a node, by group and instance.
    pub unregistered: BTreeMap<(Symbol, Box<str>), Unregistered>,
    /// That most machines have no node, for as long as it is so.
    pub contradiction: Option<Contradicted>,
    /// Machines that were to be deleted for having no node although they may have had one, and when; by group and instance.
    /// Those of the last hour.
    pub lost_deletions: BTreeMap<(Symbol, Box<str>), Timestamp>,
    /// When nodes were last bought.
    pub last_scale_up: Option<Timestamp>,
    /// When a node was last given back.
    pub last_scale_down: Option<Timestamp>,
    /// When giving a node back last failed.
    pub last_scale_down_failure: Option<Timestamp>,
    /// The same moments by group.
    pub group_activity: BTreeMap<Symbol, Activity>,
    /// Groups that rest after a failure.
    pub backoff: BTreeMap<Symbol, Backoff>,
    /// Groups whose target is not what is there, with the moment that began.
    pub size_mismatch_since: BTreeMap<Symbol, Timestamp>,
    /// Nodes that are being replaced by cheaper ones.
    pub replacement: Option<Replacement>,
    /// When nodes to replace were last looked for.
    pub consolidated: Option<Timestamp>,
    /// Nodes that had to stay when they were to be replaced, and when that was found.
    pub stayed: BTreeMap<Symbol, Timestamp>,
    /// Pods evicted lately that may not have found a new place yet.
    pub recent_evictions: BTreeMap<PodName, Timestamp>,
    /// What was decided about requests for room and is not seen on them yet, by their uids.
    pub requests: BTreeMap<Box<str>, Vec<Condition>>,
    /// What nodes of a group looked like. Not over a restart.
    pub exemplars: BTreeMap<Symbol, Remembered>,
    /// When each group was first looked at together with the nodes. Not over a restart.
    pub watched_since: BTreeMap<Symbol, Timestamp>,
    /// Machines that had a node when they were last looked at. Not over a restart: of a machine that is first seen without a node
    /// long after it was made, it is not believed that it never had one.
    pub registered: Arc<Registered>,
    /// Nodes for whose pods no other place was found, with the moment until which none is looked for. Not over a restart.
    pub unremovable_until: BTreeMap<Symbol, Timestamp>,
}

/// Machines by group and id, with the moment they were made: an id may come again.
pub type Registered = FxHashMap<(Symbol, Box<str>), Option<Timestamp>>;

/// A machine without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unregistered {
    /// When it was first seen without one.
    pub since: Timestamp,
    /// When the machine was made. Another one of the same id is another machine.
    pub created: Option<Timestamp>,
    /// What is known of its past.
    pub origin: Origin,
}

/// What is known of the past of a machine without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was made for an order of ours, and no node of it was ever seen: it has never carried a pod.
    Ordered,
    /// It had a node that is gone. Its pods may still run.
    Lost,
    /// It was there before anybody looked. It may have had a node, and its pods may still run.
    Found,
}

/// Most machines have no node, though they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradicted {
    /// Since when, without interruption as far as anybody looked.
    pub since: Timestamp,
    /// About when that was last seen, so that a time in which nobody looked proves nothing.
    pub seen: Timestamp,
}

/// Nodes that leave once the cheaper ones bought for their pods are ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The nodes that leave.
    pub nodes: BTreeSet<Symbol>,
    /// The groups that were grown for it.
    pub groups: BTreeMap<Symbol, u32>,
    /// When.
    pub at: Timestamp,
}

/// When a group last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// When it last grew.
    pub scale_up: Option<Timestamp>,
    /// When it last shrank.
    pub scale_down: Option<Timestamp>,
    /// When shrinking it last failed.
    pub failure: Option<Timestamp>,
}

/// A group's rest after a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Until when it rests.
    pub until: Timestamp,
    /// How long this rest is; the next is twice as long.
    pub step: SignedDuration,
    /// When the last failure was: the backoff is forgotten some time after it.
    pub failed: Timestamp,
    /// The provider's code, or ours.
    pub code: Box<str>,
}

// === impl World ===

impl World {
    /// Nothing is there and nothing is remembered.
    pub fn empty(now: Timestamp, settings: Settings) -> Self {
        Self {
            now,
            settings,
            cluster_uid: None,
            namespaces: Namespaces::default(),
            storage: Storage::default(),
            devices: Devices::default(),
            nodes: Vec::new(),
            pods: Vec::new(),
            controllers: Vec::new(),
            daemon_sets: Vec::new(),
            budgets: Vec::new(),
            pod_templates: Vec::new(),
            buffers: Vec::new(),
            namespace_quotas: Vec::new(),
            requests: Vec::new(),
            quotas: Vec::new(),
            groups: Vec::new(),
            departed: Vec::new(),
            contested: Vec::new(),
            orders: Vec::new(),
            memory: Memory::default(),
            advice: Vec::new(),
        }
    }
}
