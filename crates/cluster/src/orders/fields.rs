//! The fields of a `NodeOrder`. Its definition is made from these types; see [`super::definition`].

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use plimsoll_model::OrderPhase;
use serde::{Deserialize, Serialize, Serializer};

use super::schema::{Described, Narrow as _, Rule, described, one_of, typed};

/// How many pods an order names at most. More say nothing more, and an object has a limit of size.
pub(super) const MOST_PODS: usize = 1000;

described! {
    /// What is to be done. Never changed.
    #[derive(Debug, Serialize, Deserialize)]
    struct Spec {
        required {
            /// Increase asks a provider for more machines, Retire drains a node and deletes its machine, Delete deletes a machine
            /// that did not become a node.
            action: Action => Rule::Longest(32),
            /// The group of machines.
            group: String => Rule::Longest(512),
        }
        optional {
            /// The provider of the group.
            provider: Box<str> => Rule::Longest(253),
            /// Increase: how many machines.
            count: u32 => Rule::Least(1),
            /// Increase: how many machines the group was asked to have before.
            from: u32,
            /// Increase: the uids of pods that the machines are for.
            pods: Vec<Box<str>> => Rule::Most(MOST_PODS, 64),
            /// Retire: the node.
            node: String => Rule::Longest(253),
            /// Retire: the uid of the node. Another node of that name is not meant.
            node_uid: Box<str> => Rule::Longest(64),
            /// Retire, Delete: the machine.
            instance: Box<str> => Rule::Longest(1024),
            /// Retire: the node was cordoned before, and stays cordoned if it stays.
            was_closed: bool,
            /// Retire: cheaper nodes were ordered for its pods.
            replaced: bool,
            /// Retire: the reason in a word, as metrics have it.
            reason: String => Rule::Longest(64),
            /// Retire: pods have to be evicted from the node first.
            drains: bool,
            /// The reason in a few words.
            why: String => Rule::Longest(4096),
        }
    }
}

described! {
    /// How far it has come.
    #[derive(Debug, Serialize)]
    struct Status {
        required {}
        optional {
            /// The phase that the order has reached; without one it was written and nothing more.
            phase: Phase,
            /// When it reached the phase.
            since: Moment,
            /// What the provider said when it refused or did not answer.
            message: String,
            /// Increase: how many machines the provider made for it.
            made: u32,
            /// The leader that wrote this. An earlier leader cannot write over it.
            leader: Leader,
        }
    }
}

described! {
    /// The leader that wrote a status.
    #[derive(Debug, Serialize)]
    struct Leader {
        required {}
        optional {
            /// The holder of the Lease.
            holder: String,
            /// How often the Lease had changed hands.
            term: i32,
        }
    }
}

/// What is done with machines.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Action {
    Increase,
    Retire,
    Delete,
}

/// The phase of an order by its name.
#[derive(Debug)]
pub(super) struct Phase(pub OrderPhase);

/// A moment to the second, in RFC 3339.
#[derive(Debug, Serialize)]
pub(super) struct Moment(pub String);

// === impl Action ===

impl Described for Action {
    fn schema() -> JSONSchemaProps {
        one_of([Self::Increase, Self::Retire, Self::Delete].map(|action| match action {
            Self::Increase => "Increase",
            Self::Retire => "Retire",
            Self::Delete => "Delete",
        }))
    }
}

// === impl Phase ===

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl Described for Phase {
    fn schema() -> JSONSchemaProps {
        one_of(OrderPhase::ALL.map(OrderPhase::name))
    }
}

// === impl Moment ===

impl Described for Moment {
    fn schema() -> JSONSchemaProps {
        JSONSchemaProps { format: Some("date-time".to_owned()), ..typed("string") }
    }
}
