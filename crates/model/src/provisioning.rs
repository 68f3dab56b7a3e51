//! Requests for room: somebody asks for places for many pods at once, and wants to be told whether they are there.
//!
//! They are the `ProvisioningRequest` objects of the upstream autoscaler, of which Kueue makes one for every job that it holds back
//! until there is room for all of it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::{Condition, Symbol};

/// A request for room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its namespace, in which its templates are too.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// What tells it from another that had its name.
    pub uid: Box<str>,
    /// `metadata.generation`, which conditions refer to.
    pub generation: i64,
    /// When it was made: older ones are served first.
    pub created: Timestamp,
    /// `spec.provisioningClassName`: how the room is to be found, and by whom.
    pub class: Box<str>,
    /// `spec.parameters`.
    pub parameters: BTreeMap<Box<str>, Box<str>>,
    /// Whom the room is for.
    pub pod_sets: Box<[PodSet]>,
    /// `status.conditions`, those of others included.
    pub conditions: Vec<Condition>,
}

/// So many pods of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodSet {
    /// The name of the template.
    pub template: Box<str>,
    /// How many pods.
    pub count: u32,
}

// === impl Request ===

impl Request {
    /// A parameter; empty where it is not given.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", |value| value)
    }
}
