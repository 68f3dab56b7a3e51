//! What a check needs to know of an infrastructure, beside its provider.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use plimsoll_model::{InstanceState, Symbol};

use super::{Knob, NoSuchKnob};
use crate::{GroupSpec, NodeIdentity, Provider};

/// An emulated infrastructure, fresh for every check, and a factory of providers that use it.
///
/// The emulator is the truth that a provider is measured by: [`machines`](Self::machines) and [`target`](Self::target) tell what
/// there really is, whatever the knobs do to the provider's requests.
#[async_trait]
pub trait Testbed: Send + Sync {
    /// A new provider over this same infrastructure. Every call is a restart that has lost all memory: nothing may be shared between
    /// two of these but the infrastructure.
    async fn connect(&self) -> Arc<dyn Provider>;

    /// The groups that checks may use. How many machines each has in the beginning is free, but for [`Role::Empty`].
    fn groups(&self) -> Vec<TestGroup>;

    /// Every machine that the infrastructure has, those included that are being made or deleted, or that belong to no group.
    async fn machines(&self) -> Vec<Machine>;

    /// The target of a group as [`plimsoll_model::Group::target`] has it: machines that were asked for, those being deleted left
    /// out. With a service that has no targets that is the number of machines that are not being deleted. Zero for a group that is
    /// not there.
    async fn target(&self, group: Symbol) -> u32;

    /// Turns a knob, or answers [`Knob::missing`]. It is better to lack a knob than to have one that does nothing: what a check
    /// cannot try is then reported as not applicable.
    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob>;

    /// Lets what is under way arrive: machines that are being made run (or have failed), those being deleted are gone.
    async fn settle(&self);

    /// How often the infrastructure has begun to delete this machine; `None` where the emulator does not count that.
    async fn deletions_begun(&self, _machine: &str) -> Option<u32> {
        None
    }

    /// How long a check may take, of tokio's time, before it counts as hanging. Longer where machines take their time to settle.
    fn patience(&self) -> Duration {
        Duration::from_mins(2)
    }

    /// How the node introduces itself that this machine became. In most infrastructures by its provider id.
    fn node(&self, machine: &Machine) -> NodeIdentity {
        NodeIdentity {
            name: machine.id.to_string(),
            provider_id: machine.id.to_string(),
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            addresses: Vec::new(),
        }
    }

    /// The id of a machine that never was, in the form that the service's ids have.
    fn unknown_machine(&self) -> Box<str> {
        "no-such-machine".into()
    }

    /// What a group can be made from, where the provider can make groups.
    fn group_spec(&self) -> GroupSpec {
        GroupSpec {
            name: "made-by-conformance".into(),
            min: 0,
            max: 5,
            machine: "small".into(),
            template: None,
        }
    }

    /// Texts that nobody may read in an error or in what `Debug` prints: tokens, keys, passwords.
    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A group that checks may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestGroup {
    /// Its id, as the provider has it.
    pub id: Symbol,
    /// What it is good for.
    pub role: Role,
}

/// What a group is good for. Every group has room for three more machines, and may shrink to nothing, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An ordinary group with room for at least sixteen more machines. Every testbed has one.
    Plain,
    /// Another ordinary group.
    Second,
    /// A group that has no machines and a target of zero.
    Empty,
    /// A group with room for at most five more machines.
    Small,
    /// A group with a name that is hard to carry: other scripts, spaces, slashes, dots, emoji, great length, or nearly the name of
    /// another. There may be many of them.
    Odd,
}

/// A machine as the infrastructure has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    /// The group that it belongs to; `None` for one that belongs to none.
    pub group: Option<Symbol>,
    /// Its id, as the provider has it.
    pub id: Box<str>,
    /// What it is doing.
    pub doing: Doing,
}

/// What a machine is doing, or will never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doing {
    /// It is being made.
    Creating,
    /// It will not come up.
    Failed,
    /// It runs.
    Running,
    /// It is being deleted.
    Deleting,
}

// === impl Machine ===

impl Machine {
    /// Whether it is there to stay.
    pub fn stays(&self) -> bool {
        self.doing != Doing::Deleting
    }
}

// === impl Doing ===

impl From<InstanceState> for Doing {
    fn from(state: InstanceState) -> Self {
        match state {
            InstanceState::Running => Self::Running,
            InstanceState::Creating => Self::Creating,
            InstanceState::Deleting => Self::Deleting,
        }
    }
}
