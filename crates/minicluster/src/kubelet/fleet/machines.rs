//! Machines: they boot, register their Nodes, send their heartbeats, and fall silent.

use std::{collections::BTreeSet, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Action, Fleet, Found, Machine, State, Timer};
use crate::{
    kubelet::{
        Behaviour, knobs,
        node::{self, Health},
    },
    read::text,
};

/// How often a node tells its state even if it has not changed.
const REPORT_EVERY: Duration = Duration::from_mins(5);
/// Machines that boot together do not all send their heartbeats at once.
const STAGGER: u32 = 97;

// === impl Fleet ===

impl Fleet {
    pub(super) fn add(&mut self, node: Value, now: Timestamp) {
        let name = text(&node, "/metadata/name").to_owned();
        self.forget_machine(&name);
        self.machines_made += 1;
        let id = self.machines_made;
        let behaviour = knobs::of_node(&node, &self.behaviour);
        self.timer(now, behaviour.boot, Timer::Boot(id, name.clone()));
        let machine = Machine {
            id,
            given: node,
            behaviour,
            state: State::Booting,
            address: String::new(),
            uid: String::new(),
            health: Health::Ready,
            since: now,
        };
        self.machines.insert(name, machine);
        self.pass(now);
    }

    pub(super) fn boot(&mut self, id: u64, name: &str, now: Timestamp) {
        let Some(machine) = self.machines.get_mut(name).filter(|machine| machine.id == id) else {
            return;
        };
        let number = u32::try_from(id % u64::from(u32::MAX)).unwrap_or_default();
        let node = node::register(&machine.given, number, now);
        machine.address = node::address(&node);
        machine.since = now;
        self.actions.push(Action::Register { machine: id, node });
    }

    /// The node is there now.
    pub(in crate::kubelet) fn registered(
        &mut self,
        id: u64,
        name: &str,
        found: &Found,
        now: Timestamp,
    ) {
        let Some(machine) = self.machines.get_mut(name).filter(|machine| machine.id == id) else {
            return;
        };
        machine.state = State::Up;
        found.uid.clone_into(&mut machine.uid);
        let Behaviour { unready_after, vanish_after, .. } = machine.behaviour;
        let of = |make: fn(u64, String) -> Timer| make(id, name.to_owned());
        self.timer(now, Duration::ZERO, of(Timer::Lease));
        self.timer(now, REPORT_EVERY, of(Timer::Report));
        if let Some(after) = unready_after {
            self.timer(now, after, of(Timer::Unready));
        }
        if let Some(after) = vanish_after {
            self.timer(now, after, of(Timer::Silent));
        }
        // Pods that were bound to the node before it was ours have not been looked at.
        if found.before || self.strangers.remove(name) {
            self.actions.push(Action::Adopt { name: name.to_owned() });
        }
        self.pass(now);
        self.wake_pods(name, now);
    }

    pub(super) fn beat(&mut self, id: u64, name: &str, now: Timestamp) {
        let Some(machine) = self.up(id, name) else { return };
        let uid = machine.uid.clone();
        let every = machine.behaviour.heartbeat;
        // The first beat is at once; the next are spread over the interval.
        let number = u32::try_from(id % u64::from(STAGGER)).unwrap_or_default();
        let first = machine.since == now
            || now.duration_since(machine.since) < SignedDuration::from_secs(1);
        let next = if first { every / 2 + every * number / (2 * STAGGER) } else { every };
        self.actions.push(Action::Lease { name: name.to_owned(), uid });
        self.timer(now, next, Timer::Lease(id, name.to_owned()));
    }

    pub(super) fn report(&mut self, id: u64, name: &str, now: Timestamp) {
        let Some(machine) = self.up(id, name) else { return };
        let body = node::report(machine.health, machine.since, now);
        self.actions.push(Action::Report { name: name.to_owned(), body });
        self.timer(now, REPORT_EVERY, Timer::Report(id, name.to_owned()));
    }

    pub(super) fn silence(&mut self, name: &str) {
        if let Some(machine) = self.machines.get_mut(name) {
            machine.state = State::Silent;
        }
    }

    /// Somebody deleted the Node: its kubelet stops.
    pub(in crate::kubelet) fn node_gone(&mut self, name: &str, uid: &str) {
        let machine = self.machines.get(name);
        if machine.is_some_and(|machine| machine.uid == uid) {
            self.forget_machine(name);
        }
    }

    /// Nodes that a list does not name may be gone, or may have registered after the list was made: a report will tell.
    pub(in crate::kubelet) fn nodes_listed(&mut self, names: &BTreeSet<String>, now: Timestamp) {
        for (name, machine) in &self.machines {
            if machine.state == State::Up && !names.contains(name) {
                let body = node::report(machine.health, machine.since, now);
                self.actions.push(Action::Report { name: name.clone(), body });
            }
        }
    }

    /// The kubelet of a node stops. Answers whether there was one.
    pub(in crate::kubelet) fn forget_machine(&mut self, name: &str) -> bool {
        for key in self.by_node.remove(name).into_iter().flatten() {
            self.pods.remove(&key);
        }
        self.machines.remove(name).is_some()
    }

    pub(super) fn up(&mut self, id: u64, name: &str) -> Option<&mut Machine> {
        let machine = self.machines.get_mut(name)?;
        (machine.id == id && machine.state == State::Up).then_some(machine)
    }
}
