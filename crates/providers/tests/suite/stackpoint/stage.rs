//! A service without a socket, in time that tests can bend, and a provider over it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Group, Symbol};
use plimsoll_net::Clock;
use plimsoll_provider::{Error, Home, Order, OrderId, Provider as _};
use plimsoll_providers::{
    rest::{Endpoint, Local, Rest},
    stackpoint::{
        Config, StackPoint, Token,
        emulator::{Emulator, Offer},
    },
};
use secrecy::SecretString;

const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
pools:
- {name: general, size: m5.large, autoscaled: true, min: 1, max: 10, initial: 3}
- {name: other, size: m5.xlarge, autoscaled: true, max: 10}
";

/// A service and a provider over it. Lists are read at every refresh, unless the configuration is changed.
pub(crate) struct Stage {
    pub(crate) emulator: Emulator,
    pub(crate) clock: Clock,
    pub(crate) config: Config,
    pub(crate) provider: StackPoint,
}

pub(crate) fn group() -> Symbol {
    Symbol::new("autoscaling-spc5fd2a0b1-pool-1")
}

pub(crate) fn other() -> Symbol {
    Symbol::new("autoscaling-spc5fd2a0b1-pool-2")
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        Self::offering(OFFER, change)
    }

    pub(crate) fn offering(offer: &str, change: impl FnOnce(&mut Config)) -> Self {
        let clock = Clock::starting_at("2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap());
        let emulator = Emulator::new(Offer::read("offer.yaml", offer).unwrap(), clock);
        let endpoint = Endpoint::parse("http://emulator").unwrap();
        let token = Token::Fixed(SecretString::from("let-me-in"));
        let mut config = Config::new(endpoint, 12, 345, token);
        (config.hold_back, config.poll) = (None, SignedDuration::ZERO);
        change(&mut config);
        let provider = connect(&emulator, &config, Home::alone(clock));
        Self { emulator, clock, config, provider }
    }

    /// Another provider over the same service, as after a restart.
    pub(crate) fn restart(&mut self) {
        self.provider = connect(&self.emulator, &self.config, Home::alone(self.clock));
    }

    pub(crate) async fn group(&self) -> Group {
        self.group_of(group()).await
    }

    pub(crate) async fn group_of(&self, group: Symbol) -> Group {
        let inventory = self.provider.refresh().await.unwrap();
        inventory.group(group).unwrap().group.clone()
    }

    pub(crate) async fn order(&self, group: Symbol, count: u32) -> Result<u32, Error> {
        let id = OrderId::new("order-1").unwrap();
        let from = self.emulator.target(group);
        self.provider.increase(&Order { id, group, count, from }).await
    }
}

pub(crate) fn connect(emulator: &Emulator, config: &Config, home: Home) -> StackPoint {
    let exchange = Arc::new(Local::new(emulator.router()));
    let rest = Rest::new(exchange, config.endpoint.clone(), "test");
    StackPoint::over(None, config.clone(), rest, home)
}
