//! The emulated service as a testbed of the conformance suite, over real HTTP.

use std::{io, sync::Arc};

use async_trait::async_trait;
use jiff::SignedDuration;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{
    Class, Home, NodeIdentity, Provider,
    conformance::{Doing, Knob, Machine, NoSuchKnob, Role, TestGroup, Testbed},
};
use secrecy::SecretString;
use tokio::net::TcpListener;

use super::{
    Config, StackPoint, Token,
    emulator::{self, Emulator, Failure, Foreign, Offer, Reach, Trouble},
};
use crate::rest::Endpoint;

/// What the testbed offers. Machines take so long that none arrives before [`settle`](Testbed::settle) lets it.
const OFFER: &str = include_str!("testbed/offer.yaml");

/// The groups that have a role of their own; the others have names that are hard to carry.
const ROLES: [(&str, Role); 4] = [
    ("autoscaling-spc5fd2a0b1-pool-1", Role::Plain),
    ("autoscaling-spc5fd2a0b1-pool-2", Role::Second),
    ("autoscaling-spc5fd2a0b1-pool-3", Role::Empty),
    ("autoscaling-spc5fd2a0b1-pool-4", Role::Small),
];

/// A fresh service that listens on a port of this machine, for one check.
#[derive(Debug)]
pub struct StackPointTestbed {
    emulator: Emulator,
    config: Config,
    foreign: Foreign,
    shutdown: Shutdown,
}

// === impl StackPointTestbed ===

impl StackPointTestbed {
    /// A fresh service.
    pub async fn start() -> io::Result<Self> {
        let offer = Offer::read("testbed/offer.yaml", OFFER).map_err(io::Error::other)?;
        let (organization, cluster) = (offer.organization, offer.cluster);
        let token = Token::Fixed(SecretString::from(&*offer.token));
        let emulator = Emulator::new(offer, Clock::system());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let endpoint = Endpoint::parse(&url).map_err(io::Error::other)?;
        let shutdown = Shutdown::new();
        let (serving, until) = (emulator.clone(), shutdown.clone());
        tokio::spawn(async move { serving.serve(listener, &until).await });
        let mut config = Config::new(endpoint, organization, cluster, token);
        // A check changes the service behind the provider's back and looks at once.
        config.poll = SignedDuration::ZERO;
        Ok(Self { emulator, config, foreign: Foreign::default(), shutdown })
    }

    /// With machines of this kind where one is wanted that no group has.
    #[must_use]
    pub fn with_foreign(mut self, foreign: Foreign) -> Self {
        self.foreign = foreign;
        self
    }

    /// The service.
    pub const fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// How to reach it.
    pub const fn config(&self) -> &Config {
        &self.config
    }
}

impl Drop for StackPointTestbed {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

#[async_trait]
impl Testbed for StackPointTestbed {
    #[expect(clippy::expect_used, reason = "a testbed without a client is of no use to a check")]
    async fn connect(&self) -> Arc<dyn Provider> {
        let provider = StackPoint::new(None, self.config.clone(), Home::alone(Clock::system()));
        Arc::new(provider.expect("a client without certificates can be made"))
    }

    fn groups(&self) -> Vec<TestGroup> {
        let role = |id: Symbol| ROLES.iter().find(|(known, _)| *known == id.as_str());
        let groups = self.emulator.groups().into_iter();
        groups
            .map(|id| TestGroup { id, role: role(id).map_or(Role::Odd, |(_, role)| *role) })
            .collect()
    }

    async fn machines(&self) -> Vec<Machine> {
        self.emulator.machines().iter().map(machine).collect()
    }

    async fn target(&self, group: Symbol) -> u32 {
        self.emulator.target(group)
    }

    async fn turn(&self, knob: Knob) -> Result<(), NoSuchKnob> {
        let turned = turn(&self.emulator, self.foreign, &knob);
        if turned { Ok(()) } else { Err(knob.missing()) }
    }

    async fn settle(&self) {
        self.emulator.settle();
    }

    async fn deletions_begun(&self, machine: &str) -> Option<u32> {
        let machines = self.emulator.machines();
        let found = machines.iter().find(|known| known.instance_id == machine);
        found.map(|known| known.deletions)
    }

    fn node(&self, machine: &Machine) -> NodeIdentity {
        let machines = self.emulator.machines();
        let found = machines.iter().find(|known| *known.instance_id == *machine.id);
        let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        NodeIdentity {
            name: found.map(emulator::Machine::node_name).unwrap_or_default(),
            labels: [label("stackpoint.io/instance_id", &machine.id)].into(),
            ..NodeIdentity::default()
        }
    }

    fn unknown_machine(&self) -> Box<str> {
        "spc5fd2a0b1-worker-100000".into()
    }

    fn secrets(&self) -> Vec<String> {
        vec!["0123456789abcdef0123456789abcdef".to_owned()]
    }
}

fn machine(machine: &emulator::Machine) -> Machine {
    let doing = match machine.state {
        emulator::Doing::Deleting => Doing::Deleting,
        _ if machine.is_failed => Doing::Failed,
        emulator::Doing::Running => Doing::Running,
        _ => Doing::Creating,
    };
    Machine { group: machine.group, id: machine.instance_id.as_str().into(), doing }
}

/// Turns a knob, or says that there is none.
fn turn(emulator: &Emulator, foreign: Foreign, knob: &Knob) -> bool {
    match knob {
        Knob::Down => emulator.set_reach(Reach::Down),
        Knob::Up => emulator.set_reach(Reach::Up),
        Knob::Slow(latency) => emulator.set_latency(*latency),
        Knob::Fail { after, requests, class } => {
            let failure = match class {
                Class::Retry => Failure::Broken,
                Class::Auth => Failure::Refused,
                Class::Quota => Failure::Quota,
                _ => return false,
            };
            emulator.fail_requests(*after, *requests, failure);
        }
        Knob::LoseReplies(requests) => emulator.lose_replies(*requests),
        Knob::Truncate { after } => emulator.cut_list(*after),
        Knob::Stock { group, machines } => return emulator.set_stock(*group, *machines),
        Knob::Quota(machines) => emulator.set_quota_left(*machines),
        // The service never says why.
        Knob::FailMachines { group, machines, class: Class::Bug } => {
            return emulator.trouble(*group, *machines, Trouble::Fails);
        }
        Knob::Protect(id) => return emulator.keep(id),
        Knob::AddForeign => emulator.add_foreign(foreign),
        Knob::RemoveMachine(id) => return emulator.vanish(id),
        Knob::SetBounds { group, min, max } => return emulator.set_bounds(*group, *min, *max),
        Knob::ClockSkew(ahead) => emulator.set_clock_skew(*ahead),
        // There are no pages, and an order is a machine at once.
        _ => return false,
    }
    true
}
