//! The objects around pods: who makes them, who protects them, how important they are.

use std::{collections::BTreeMap, sync::Arc};

use crate::{LabelSelector, PodShape, Symbol, Template};

/// A controller whose pods are replaced when they go: ReplicaSet, StatefulSet, Job, ReplicationController.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controller {
    /// `ReplicaSet`, `Job`, …
    pub kind: Symbol,
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
    /// How many pods it wants (a Job: its parallelism).
    pub replicas: i32,
    /// How many pods it wants to have at the moment: of a Job no more than are left to be completed.
    pub expected: i32,
    /// Which pods are its own; `None` for a Job, whose selector nobody asks for.
    pub selector: Option<LabelSelector>,
    /// The pod that it would make. Not kept of ReplicaSets and Jobs that want none: of those there are many, and nobody asks.
    pub template: Option<Box<Template>>,
}

/// A DaemonSet: one pod on every node that takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSet {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
    /// The pod it would put on a node, with the tolerations that its controller adds.
    pub pod: Arc<PodShape>,
    /// The priority of its pods.
    pub priority: i32,
}

/// A PodTemplate: what pods look like that somebody will make, or wants room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTemplate {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// `metadata.generation`.
    pub generation: i64,
    /// The digest of the text from which we made it; `None` for one that is somebody else's.
    pub made_from: Option<u64>,
    /// Its pods.
    pub pod: Arc<PodShape>,
    /// The priority of its pods.
    pub priority: i32,
    /// Their `spec.priorityClassName`.
    pub priority_class: Option<Symbol>,
    /// Tells one text from another.
    pub digest: u64,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Which pods; the empty selector takes all of the namespace, `None` takes none.
    pub selector: Option<LabelSelector>,
    /// What it protects.
    pub rule: BudgetRule,
    /// `status.disruptionsAllowed`; `None` when there is no status yet.
    pub allowed: Option<i32>,
}

/// What a budget protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetRule {
    /// So many have to stay.
    MinAvailable(CountOrPercent),
    /// So many may be away; this with `Count(1)` when the budget says nothing.
    MaxUnavailable(CountOrPercent),
}

/// A number of pods, or a share of them in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountOrPercent {
    /// A number.
    Count(i32),
    /// Percent of the pods wanted, rounded up.
    Percent(i32),
}

/// A ConfigMap, as far as settings are read from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMap {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its entries.
    pub data: BTreeMap<String, String>,
}
