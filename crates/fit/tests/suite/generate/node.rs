//! Random nodes.

use std::{fmt, sync::Arc};

use plimsoll_model::{
    Conditions, Effect, Labels, Node, Resources, Symbol, Taint, Timestamp, label, resource,
};
use proptest::{prelude::*, sample};

use super::{
    NODE_NAMES, Odds, flag, maybe,
    selector::{NODE_WORDS, labels},
    show, some,
};

/// What a node will look like, whatever its name.
#[derive(Clone)]
pub(crate) struct Template {
    labels: Labels,
    hostname: Hostname,
    taints: Box<[Taint]>,
    unschedulable: bool,
    allocatable: Resources,
}

/// What the hostname label says.
#[derive(Clone, Copy, Debug)]
enum Hostname {
    /// The node's name, as nearly everywhere.
    Own,
    /// There is no such label.
    Missing,
    /// The name of what may be another node.
    Fixed(Symbol),
}

/// A template.
pub(super) fn template(odds: Odds) -> BoxedStrategy<Template> {
    (location(), hostname(), some(odds.taints, 2, taint()), flag(odds.cordon), allocatable())
        .prop_map(|(labels, hostname, taints, unschedulable, allocatable)| Template {
            labels,
            hostname,
            taints,
            unschedulable,
            allocatable,
        })
        .boxed()
}

/// Labels, among them now and then those that only old nodes have.
fn location() -> impl Strategy<Value = Labels> {
    let zone = |percent, key| {
        maybe(percent, sample::select(&["a", "b", "c"]))
            .prop_map(move |zone| zone.map(|zone| (Symbol::new(key), Symbol::new(zone))))
    };
    let region = maybe(10, Just((Symbol::new(label::REGION), Symbol::new("earth"))));
    (labels(NODE_WORDS, 60), zone(60, label::ZONE), zone(5, label::BETA_ZONE), region).prop_map(
        |(labels, zone, beta_zone, region)| {
            labels.with(zone.into_iter().chain(beta_zone).chain(region))
        },
    )
}

fn hostname() -> impl Strategy<Value = Hostname> {
    prop_oneof![
        12 => Just(Hostname::Own),
        1 => Just(Hostname::Missing),
        1 => sample::select(&NODE_NAMES).prop_map(|name| Hostname::Fixed(Symbol::new(name))),
    ]
}

/// A taint; pods may tolerate it by any of its parts.
pub(super) fn taint() -> impl Strategy<Value = Taint> {
    let effect = sample::select(&[Effect::NoSchedule, Effect::NoExecute, Effect::PreferNoSchedule]);
    (sample::select(&["spot", "gpu"]), sample::select(&["", "yes"]), effect).prop_map(
        |(key, value, effect)| Taint { key: Symbol::new(key), value: Symbol::new(value), effect },
    )
}

/// Few slots and little of everything, so that nodes fill up.
fn allocatable() -> impl Strategy<Value = Resources> {
    let pods = prop_oneof![8 => 2..8_i64, 3 => Just(110), 1 => Just(0)];
    let cpu = prop_oneof![6 => (1..5_i64).prop_map(|cores| cores * 1000), 1 => Just(0)];
    let memory = prop_oneof![6 => 1..5_i64, 1 => Just(0)];
    (pods, cpu, memory, 0..5_i64, 0..3_i64, 0..3_i64).prop_map(
        |(pods, cpu, memory, disk, gpus, pages)| {
            Resources::from_amounts([
                (Symbol::new(resource::PODS), pods),
                (Symbol::new(resource::CPU), cpu),
                (Symbol::new(resource::MEMORY), memory),
                (Symbol::new(resource::EPHEMERAL_STORAGE), disk),
                (Symbol::new("example.com/gpu"), gpus),
                (Symbol::new("hugepages-2Mi"), pages),
            ])
        },
    )
}

// === impl Template ===

impl Template {
    /// The node of that name.
    pub(crate) fn named(&self, name: Symbol) -> Arc<Node> {
        let hostname = match self.hostname {
            Hostname::Own => Some(name),
            Hostname::Missing => None,
            Hostname::Fixed(other) => Some(other),
        };
        let hostname = hostname.map(|value| (Symbol::new(label::HOSTNAME), value));
        Arc::new(Node {
            name,
            labels: self.labels.with(hostname),
            taints: self.taints.clone(),
            unschedulable: self.unschedulable,
            allocatable: self.allocatable.clone(),
            capacity: self.allocatable.clone(),
            provider_id: Box::default(),
            created: Timestamp::UNIX_EPOCH,
            conditions: Conditions::default(),
            keep: false,
            deleting: false,
        })
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", show::pairs(&self.labels))?;
        match self.hostname {
            Hostname::Own => {}
            Hostname::Missing => write!(f, " without hostname")?,
            Hostname::Fixed(name) => write!(f, " hostname {name}")?,
        }
        write!(f, " has {:?}", self.allocatable)?;
        show::list(f, "taints", self.taints.iter())?;
        show::when(f, self.unschedulable, "cordoned")
    }
}
