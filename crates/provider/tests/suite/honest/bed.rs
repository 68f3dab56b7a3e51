//! The testbed: one infrastructure under an honest provider or a broken one.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Provider,
    conformance::{Knob, Machine, NoSuchKnob, Role, TestGroup, Testbed},
};

use super::{
    Ability, Honest,
    service::{Service, TOKEN},
};
use crate::broken::{Broken, Flaw};

/// Names that are hard to carry, and hard to tell apart.
const ODD: [&str; 14] = [
    "a",
    "A",
    "a b",
    "a-b",
    "a/b",
    "a.b",
    "..",
    "%61",
    "größe",
    "grosse",
    "é",
    "e\u{301}",
    "机器组",
    "🚢 fleet",
];

/// The infrastructure, and what is connected to it.
pub(crate) struct Bed {
    pub(crate) service: Arc<Service>,
    ability: Ability,
    flaw: Option<Flaw>,
    knobs: Knobs,
}

/// Whether the emulator lets anybody turn its knobs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knobs {
    All,
    None,
}

// === impl Bed ===

impl Bed {
    pub(crate) fn honest(ability: Ability) -> Self {
        let groups = groups().into_iter().map(|group| match group.role {
            Role::Plain => (group.id, 1, 50),
            Role::Second => (group.id, 2, 20),
            Role::Empty | Role::Odd => (group.id, 0, 8),
            Role::Small => (group.id, 1, 4),
        });
        Self { service: Arc::new(Service::new(groups)), ability, flaw: None, knobs: Knobs::All }
    }

    pub(crate) fn without_knobs() -> Self {
        Self { knobs: Knobs::None, ..Self::honest(Ability::Full) }
    }

    pub(crate) fn broken(flaw: Flaw) -> Self {
        Self { flaw: Some(flaw), ..Self::honest(flaw.ability()) }
    }
}

fn groups() -> Vec<TestGroup> {
    let plain = [
        ("plain", Role::Plain),
        ("second", Role::Second),
        ("empty", Role::Empty),
        ("small", Role::Small),
    ];
    let long = ["n".repeat(200), "n".repeat(199)];
    let odd = ODD.into_iter().chain(long.iter().map(String::as_str));
    let odd = odd.map(|name| (name, Role::Odd));
    let group = |(name, role)| TestGroup { id: Symbol::new(name), role };
    plain.into_iter().chain(odd).map(group).collect()
}

#[async_trait]
impl Testbed for Bed {
    async fn connect(&self) -> Arc<dyn Provider> {
        let honest = Honest::new(self.service.clone(), self.ability);
        match self.flaw {
            None => Arc::new(honest),
            Some(flaw) => Arc::new(Broken::new(honest, self.service.clone(), flaw)),
        }
    }

    fn groups(&self) -> Vec<TestGroup> {
        groups()
    }

    async fn machines(&self) -> Vec<Machine> {
        self.service.state().machines.values().map(|record| record.machine.clone()).collect()
    }

    async fn target(&self, group: Symbol) -> u32 {
        self.service.state().groups.get(&group).map_or(0, |group| group.target)
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        match self.knobs {
            Knobs::All => self.service.state().turn(knob),
            Knobs::None => Err(knob.missing()),
        }
    }

    async fn settle(&self) {
        self.service.state().settle();
    }

    async fn deletions_begun(&self, machine: &str) -> Option<u32> {
        let count = || self.service.state().deletions.get(machine).copied().unwrap_or_default();
        (self.knobs == Knobs::All).then(count)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned()]
    }
}
