//! The simulated infrastructure as a testbed of the conformance suite, with every knob there is.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use plimsoll_provider::{
    Error, GroupSpec, Home, NodeIdentity, Provider,
    conformance::{self, Doing, Knob, NoSuchKnob, Role, TestGroup, Testbed},
};

use super::{Catalogue, Cloud, Delivery, Entry, Happening, Reach, Simulated};
use crate::ConfigError;

/// What the testbed offers. Machines take longer to come and go than a check does; [`Cloud::hurry`] passes that over.
const CATALOGUE: &str = include_str!("testbed/catalogue.yaml");

/// The groups of the catalogue that have a role of their own; the others have names that are hard to carry.
const ROLES: [(&str, Role); 4] =
    [("small", Role::Plain), ("large", Role::Second), ("gpu", Role::Empty), ("few", Role::Small)];

/// A fresh simulated infrastructure, for one check.
#[derive(Debug)]
pub struct SimulatedTestbed {
    cloud: Cloud,
}

// === impl SimulatedTestbed ===

impl SimulatedTestbed {
    /// A fresh infrastructure. Its machines come and go when a check settles, and not while it looks, whatever the runtime's time is.
    pub fn new() -> Result<Self, ConfigError> {
        let catalogue = Catalogue::read("testbed/catalogue.yaml", CATALOGUE)?;
        Ok(Self { cloud: Cloud::new(catalogue, Clock::system()) })
    }

    /// The infrastructure, for whoever puts another provider in front of it.
    pub const fn cloud(&self) -> &Cloud {
        &self.cloud
    }
}

#[async_trait]
impl Testbed for SimulatedTestbed {
    async fn connect(&self) -> Arc<dyn Provider> {
        Arc::new(Simulated::new(self.cloud.clone(), Home::alone(Clock::system())))
    }

    fn groups(&self) -> Vec<TestGroup> {
        let role = |id: &str| ROLES.iter().find(|(known, _)| *known == id).map(|(_, role)| *role);
        let catalogue = self.cloud.catalogue();
        let ids = catalogue.groups.iter().map(|offer| offer.id);
        ids.map(|id| TestGroup { id, role: role(id.as_str()).unwrap_or(Role::Odd) }).collect()
    }

    async fn machines(&self) -> Vec<conformance::Machine> {
        self.cloud.machines()
    }

    async fn target(&self, group: Symbol) -> u32 {
        self.cloud.target(group)
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        turn(&self.cloud, &knob).map_err(|_| knob.missing())
    }

    async fn settle(&self) {
        self.cloud.hurry();
    }

    async fn deletions_begun(&self, machine: &str) -> Option<u32> {
        let journal = self.cloud.journal();
        let begun =
            |entry: &&Entry| &*entry.machine.id == machine && entry.what == Happening::Deleting;
        u32::try_from(journal.iter().filter(begun).count()).ok()
    }

    fn node(&self, machine: &conformance::Machine) -> NodeIdentity {
        let (_, name) = machine.id.rsplit_once('/').unwrap_or(("", &machine.id));
        NodeIdentity {
            name: name.to_owned(),
            provider_id: machine.id.to_string(),
            ..NodeIdentity::default()
        }
    }

    fn unknown_machine(&self) -> Box<str> {
        "simulated://small/small-never".into()
    }

    fn group_spec(&self) -> GroupSpec {
        GroupSpec {
            name: "made-by-conformance".into(),
            min: 0,
            max: 5,
            machine: "small".into(),
            template: None,
        }
    }
}

/// Turns a knob; it fails for a group or a machine that does not exist.
fn turn(cloud: &Cloud, knob: &Knob) -> Result<(), Error> {
    match knob {
        Knob::Down => cloud.set_reach(Reach::Down),
        Knob::Up => cloud.set_reach(Reach::Up),
        Knob::Slow(latency) => cloud.set_latency(*latency),
        Knob::Fail { after, requests, class } => cloud.fail_requests(*after, *requests, *class),
        Knob::LoseReplies(requests) => cloud.lose_replies(*requests),
        Knob::Truncate { after } => cloud.cut_page(*after),
        Knob::PageSize(entries) => cloud.set_page_size(*entries),
        Knob::Stock { group, machines } => return cloud.set_stock(*group, Some(*machines)),
        Knob::Quota(machines) => cloud.set_quota_left(*machines),
        Knob::FailMachines { group, machines, class } => {
            return cloud.fail_machines(*group, *machines, *class);
        }
        Knob::Queue(group) => return cloud.set_delivery(*group, Delivery::Queued),
        Knob::Protect(id) => return cloud.protect(id),
        Knob::AddForeign => drop(cloud.add_foreign()),
        Knob::RemoveMachine(id) => return cloud.vanish(id),
        Knob::SetBounds { group, min, max } => return cloud.set_bounds(*group, *min, *max),
        Knob::ClockSkew(ahead) => cloud.set_clock_skew(*ahead),
        other => return Err(Error::unsupported(other.name())),
    }
    Ok(())
}

// === impl Cloud ===

impl Cloud {
    /// Every machine, in the words of the conformance suite.
    fn machines(&self) -> Vec<conformance::Machine> {
        let foreign = self.foreign().into_iter().map(|id| conformance::Machine {
            group: None,
            id,
            doing: Doing::Running,
        });
        let own = self.instances().into_iter().map(|(group, instance)| conformance::Machine {
            group: Some(group),
            doing: match Doing::from(instance.state) {
                Doing::Creating if instance.error.is_some() => Doing::Failed,
                doing => doing,
            },
            id: instance.id,
        });
        foreign.chain(own).collect()
    }
}
