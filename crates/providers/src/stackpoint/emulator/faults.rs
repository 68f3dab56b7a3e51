//! What goes wrong between the service and those who call it.

use std::time::Duration;

use http::{Method, StatusCode};
use jiff::SignedDuration;
use serde_json::Value;

use crate::faults::{Failing, is_next, is_one};

/// Whether the service can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// It answers.
    #[default]
    Up,
    /// Every request is dropped, and nothing takes effect.
    Down,
}

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The service is overloaded or broken: 500 and 503 in turn.
    Broken,
    /// The token is refused.
    Refused,
    /// The account may not have more.
    Quota,
}

/// What is in the answer to an order. Versions of the service differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyStyle {
    /// The new machines.
    #[default]
    NewOnly,
    /// All machines of the cluster.
    All,
}

/// Which calls the service knows. It grew over the years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// Pools, and a catalogue of machines.
    #[default]
    Latest,
    /// Pools, and no catalogue.
    WithoutCatalogue,
    /// Machines that carry the name of a group, and neither pools nor a catalogue nor the question whether one may be deleted.
    WithoutPools,
}

/// Where the service answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paths {
    /// At every path, with a slash at its end or without.
    #[default]
    Any,
    /// At paths that end with a slash; others are sent there.
    WithSlash,
    /// Elsewhere: every request is sent to another host.
    OtherHost,
}

/// A field of a reply that is another than it should be.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// What the pool or the machine is called.
    pub(super) instance_id: String,
    pub(super) field: String,
    /// `None` for a field that is left out.
    pub(super) value: Option<Value>,
}

/// What goes wrong, as it was last set.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) reach: Reach,
    /// What every request waits for before it takes effect.
    pub(super) latency: Duration,
    pub(super) failing: Option<Failing<Failure>>,
    /// So many answers to requests that change something are lost.
    pub(super) lost_replies: u32,
    /// So many lists are given out whole before one is cut.
    pub(super) cut_after: Option<u32>,
    /// What every list is instead.
    pub(super) garbled: Option<String>,
    /// How far the service's clock is ahead.
    pub(super) skew: SignedDuration,
    pub(super) style: ReplyStyle,
    pub(super) generation: Generation,
    pub(super) paths: Paths,
    pub(super) patches: Vec<Patch>,
    /// The limit of the service's own autoscaler, where it is installed.
    pub(super) max_nodes: Option<u32>,
    failed: u32,
}

// === impl Faults ===

impl Faults {
    /// How this request fails, if it is one of those that do.
    pub(super) fn check(&mut self, token: &str, method: &Method) -> Option<(StatusCode, String)> {
        // Nobody is refused for a quota who only looks.
        if self.failing?.kind() == Failure::Quota && method == Method::GET {
            return None;
        }
        let failure = Failing::next(&mut self.failing)?;
        self.failed = self.failed.wrapping_add(1);
        Some(match failure {
            Failure::Broken if self.failed.is_multiple_of(2) => {
                (StatusCode::SERVICE_UNAVAILABLE, "Service is temporarily unavailable.".to_owned())
            }
            Failure::Broken => {
                (StatusCode::INTERNAL_SERVER_ERROR, "A server error occurred.".to_owned())
            }
            // A service that repeats what it was sent is the worst case for whoever keeps secrets.
            Failure::Refused => (StatusCode::UNAUTHORIZED, format!("Invalid token {token}.")),
            Failure::Quota => {
                let words = "InstanceLimitExceeded: you have requested more instances than allowed";
                (StatusCode::BAD_REQUEST, words.to_owned())
            }
        })
    }

    /// Whether the answer to this request is lost.
    pub(super) const fn loses_reply(&mut self) -> bool {
        is_one(&mut self.lost_replies)
    }

    /// An entry of a list as it is sent.
    pub(super) fn patched(&self, mut entry: Value) -> Value {
        let own = entry.get("instance_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(fields) = entry.as_object_mut() else { return entry };
        for patch in self.patches.iter().filter(|patch| patch.instance_id == own) {
            match &patch.value {
                Some(value) => fields.insert(patch.field.clone(), value.clone()),
                None => fields.remove(&patch.field),
            };
        }
        entry
    }

    /// Whether this list is cut.
    pub(super) const fn cuts(&mut self) -> bool {
        is_next(&mut self.cut_after)
    }
}
