//! A world in a few lines: groups with bounds, members that are ready nodes, machines without a node, and a memory.
//!
//! Times are minutes from noon, which is now.

use std::{ops::RangeInclusive, sync::Arc};

use plimsoll_model::{
    Conditions, Departed, ErrorClass, Group, Instance, InstanceError, InstanceState, Labels,
    Memory, Node, Order, OrderId, Origin, Resources, Settings, SignedDuration, Symbol, Taint,
    Timestamp, Unregistered, World, label, taint::Effect,
};

use super::{GroupState, Readiness, State, observe};
use crate::plan::{GroupHealth, Repair};

mod backoff;
mod departed;
mod groups;
mod health;
mod lost;
mod marks;
mod membership;
mod minimum;
mod mismatch;
mod orders;
mod over_time;
mod readiness;
mod scenarios;
mod unregistered;

/// 2026-01-01T12:00:00Z.
const NOON: i64 = 1_767_268_800;

/// A world under construction. Methods that describe a group, a node or a machine are about the last one added.
struct Builder(World);

/// Scale-ups whose machines are still expected.
fn open_orders(state: &State<'_>) -> Vec<OrderId> {
    state.groups.iter().flat_map(|group| &group.open_orders).cloned().collect()
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(NOON + minutes * 60).unwrap()
}

/// A moment so many seconds after `at(minutes)`.
fn just_after(minutes: i64, seconds: i64) -> Timestamp {
    Timestamp::from_second(NOON + minutes * 60 + seconds).unwrap()
}

fn mins(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

fn world() -> Builder {
    Builder(World::empty(at(0), Settings::default()))
}

/// A node that registered two hours ago and is ready.
fn node(name: &str) -> Node {
    Node {
        name: Symbol::new(name),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: amounts(&[("cpu", 2000)]),
        capacity: amounts(&[("cpu", 2000)]),
        provider_id: "".into(),
        created: at(-120),
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}

fn amounts(amounts: &[(&str, i64)]) -> Resources {
    Resources::from_amounts(amounts.iter().map(|(name, amount)| (Symbol::new(name), *amount)))
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| (Symbol::new(key), Symbol::new(value))).collect()
}

fn taint(key: &str) -> Taint {
    Taint { key: Symbol::new(key), value: Symbol::new(""), effect: Effect::NoSchedule }
}

fn failure(code: &str) -> InstanceError {
    let message = "no machines left".into();
    InstanceError { class: ErrorClass::OutOfResources, code: code.into(), message }
}

// === impl Builder ===

impl Builder {
    /// Adds a group; its target grows with the machines that are added.
    fn group(mut self, id: &str, bounds: RangeInclusive<u32>) -> Self {
        let (min, max) = bounds.into_inner();
        self.0.groups.push(Group {
            id: Symbol::new(id),
            min,
            max,
            target: 0,
            price: None,
            template: None,
            instances: Vec::new(),
            options: self.0.settings.group.clone(),
            stock: None,
            frozen: None,
        });
        self
    }

    /// Sets the group's target, after its machines are added.
    fn target(self, target: u32) -> Self {
        self.change_group(|group| group.target = target)
    }

    fn change_group(mut self, change: impl FnOnce(&mut Group)) -> Self {
        change(self.0.groups.last_mut().unwrap());
        self
    }

    /// Adds a machine of the group that has become a node.
    fn member(self, name: &str) -> Self {
        let id = format!("sim://{name}");
        self.machine(&id, |instance| {
            instance.node = Some(Symbol::new(name));
            instance.state = InstanceState::Running;
            instance.created = Some(at(-121));
        })
        .node(name)
    }

    /// Adds `count` of them.
    fn members(self, prefix: &str, count: usize) -> Self {
        (0..count).fold(self, |world, number| world.member(&format!("{prefix}-{number}")))
    }

    /// Adds a machine of the group that was asked for a minute ago.
    fn machine(self, id: &str, change: impl FnOnce(&mut Instance)) -> Self {
        let mut instance = Instance {
            id: id.into(),
            node: None,
            state: InstanceState::Creating,
            created: Some(at(-1)),
            error: None,
        };
        change(&mut instance);
        self.change_group(|group| {
            group.target += u32::from(instance.state != InstanceState::Deleting);
            group.instances.push(instance);
        })
    }

    /// Adds a node that no machine stands for.
    fn node(mut self, name: &str) -> Self {
        self.0.nodes.push(Arc::new(node(name)));
        self
    }

    fn change_node(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(Arc::make_mut(self.0.nodes.last_mut().unwrap()));
        self
    }

    /// Makes the node not ready since then.
    fn unready(self, since: i64) -> Self {
        self.change_node(|node| {
            node.conditions.ready = false;
            node.conditions.ready_since = Some(at(since));
        })
    }

    fn labelled(self, group: &str) -> Self {
        self.change_node(|node| node.labels = labels(&[(label::GROUP, group)]))
    }

    /// The node's machine is gone; it was of this group.
    fn departed(mut self, group: &str) -> Self {
        let node = self.0.nodes.last().unwrap().name;
        let instance = format!("sim://{node}").into();
        self.0.departed.push(Departed { node, group: group.into(), instance });
        self
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.0.settings);
        self
    }

    fn remember(mut self, change: impl FnOnce(&mut Memory)) -> Self {
        change(&mut self.0.memory);
        self
    }

    fn order(self, group: &str, increase: u32, minutes: i64) -> Self {
        self.ordered(group, increase, at(minutes))
    }

    fn ordered(mut self, group: &str, count: u32, at: Timestamp) -> Self {
        let id = OrderId::numbered(self.0.orders.len());
        self.0.orders.push(Order::placed(id, group.into(), count, at));
        self
    }

    fn gap_since(self, group: &str, minutes: i64) -> Self {
        self.remember(|memory| {
            memory.size_mismatch_since.insert(group.into(), at(minutes));
        })
    }

    /// The machine was first seen without a node then, and this is known of it.
    fn seen(self, id: &str, minutes: i64, origin: Origin) -> Self {
        let group = self
            .0
            .groups
            .iter()
            .find(|group| group.instances.iter().any(|instance| &*instance.id == id));
        let group = group.unwrap();
        let created = group.instances.iter().find(|one| &*one.id == id).unwrap().created;
        let (key, since) = ((group.id, Box::from(id)), at(minutes));
        self.remember(|memory| {
            memory.unregistered.insert(key, Unregistered { since, created, origin });
        })
    }

    /// All groups were first looked at then.
    fn watched(mut self, minutes: i64) -> Self {
        let groups = self.0.groups.iter().map(|group| (group.id, at(minutes)));
        self.0.memory.watched_since = groups.collect();
        self
    }

    /// The world as it is seen by a process that has been there from the beginning: it has ordered all machines.
    fn build(mut self) -> World {
        for group in &self.0.groups {
            for machine in group.instances.iter().filter(|machine| machine.node.is_none()) {
                let created = machine.created;
                let (since, origin) = (created.unwrap_or(self.0.now), Origin::Ordered);
                let key = (group.id, machine.id.clone());
                let entry = Unregistered { since, created, origin };
                self.0.memory.unregistered.entry(key).or_insert(entry);
            }
        }
        self.0
    }

    /// The world as it is seen by a process that remembers no more than was said.
    fn unseen(self) -> World {
        self.0
    }

    /// Lets `look` see what is found.
    fn check<R>(self, look: impl FnOnce(&State<'_>) -> R) -> R {
        look(&observe(&self.build()))
    }

    fn repairs(self) -> Vec<String> {
        self.check(|state| state.repairs.iter().map(show).collect())
    }
}

/// A repair without its words.
fn show(repair: &Repair) -> String {
    match repair {
        Repair::DeleteInstance { group, instance, .. } => format!("delete {instance} of {group}"),
        Repair::LowerTarget { group, from, to, .. } => format!("lower {group} {from} to {to}"),
        Repair::RaiseToMin { group, from, to } => format!("raise {group} {from} to {to}"),
    }
}

fn words(repair: &Repair) -> &str {
    match repair {
        Repair::DeleteInstance { why, .. } | Repair::LowerTarget { why, .. } => why,
        Repair::RaiseToMin { .. } => "",
    }
}
