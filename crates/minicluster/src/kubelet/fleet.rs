//! All machines and their pods: what happens next, and what is to be written. Pure; the driver does the writing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    net::Ipv4Addr,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{
    Behaviour, knobs,
    node::{self, Health},
    pod::{Ending, Plan, Progress, Stage},
};
use crate::{object::Key, read::text};

/// How often a node tells its state even if it has not changed.
const REPORT_EVERY: Duration = Duration::from_mins(5);
/// Machines that boot together do not all send their heartbeats at once.
const STAGGER: u32 = 97;

/// What is asked of the kubelets.
#[derive(Debug)]
pub(super) enum Command {
    /// A machine starts.
    Add(Value),
    /// A machine is taken away.
    Remove(String),
    /// A machine falls silent.
    Vanish(String),
}

/// Something to write.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    Register {
        machine: u64,
        node: Value,
    },
    /// The pods that are on a node already.
    Adopt {
        name: String,
    },
    Report {
        name: String,
        body: Value,
    },
    Lease {
        name: String,
        uid: String,
    },
    PodStatus {
        key: Key,
        body: Value,
    },
    /// The pod's last state, and then its end.
    PodEnd {
        key: Key,
        uid: String,
        last: Option<Value>,
    },
    Unregister {
        name: String,
    },
}

/// What an action is about; there is never more than one under way for the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Node(String),
    Residents(String),
    Lease(String),
    Pod(Key),
}

/// What a machine found when it registered.
#[derive(Debug)]
pub(super) struct Found {
    /// The uid of its Node.
    pub(super) uid: String,
    /// Whether the Node was there before.
    pub(super) before: bool,
}

/// All machines and their pods.
#[derive(Debug)]
pub(super) struct Fleet {
    behaviour: Behaviour,
    machines: HashMap<String, Machine>,
    pods: HashMap<Key, Tracked>,
    by_node: HashMap<String, HashSet<Key>>,
    /// Nodes of others that have pods: when such a node becomes one of ours, its pods have to be asked for.
    strangers: HashSet<String>,
    timers: BTreeMap<(Timestamp, u64), Timer>,
    actions: Vec<Action>,
    /// Pods that a list has not named yet.
    unseen: HashSet<Key>,
    machines_made: u64,
    timers_made: u64,
    addresses: u32,
}

#[derive(Debug)]
struct Machine {
    /// Tells it from an earlier one of the same name.
    id: u64,
    given: Value,
    behaviour: Behaviour,
    state: State,
    address: String,
    uid: String,
    health: Health,
    since: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Booting,
    Up,
    Silent,
}

#[derive(Debug)]
struct Tracked {
    plan: Plan,
    node: String,
    progress: Progress,
    gone_at: Option<Timestamp>,
    /// Its end has been asked for.
    ending: bool,
}

#[derive(Clone, Debug)]
enum Timer {
    Boot(u64, String),
    Lease(u64, String),
    Report(u64, String),
    Unready(u64, String),
    Silent(u64, String),
    Pod(Key),
    Again(Action),
}

// === impl Fleet ===

impl Fleet {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            machines: HashMap::new(),
            pods: HashMap::new(),
            by_node: HashMap::new(),
            strangers: HashSet::new(),
            timers: BTreeMap::new(),
            actions: Vec::new(),
            unseen: HashSet::new(),
            machines_made: 0,
            timers_made: 0,
            addresses: 0,
        }
    }

    /// What is to be written.
    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// When something happens next by itself.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.timers.first_key_value().map(|((at, _), _)| *at)
    }

    pub(super) fn command(&mut self, command: Command, now: Timestamp) {
        match command {
            Command::Add(node) => self.add(node, now),
            Command::Remove(name) => {
                if self.forget_machine(&name) {
                    self.actions.push(Action::Unregister { name });
                }
            }
            Command::Vanish(name) => self.silence(&name),
        }
    }

    /// What time has brought.
    pub(super) fn pass(&mut self, now: Timestamp) {
        while let Some(((at, _), _)) = self.timers.first_key_value()
            && *at <= now
            && let Some((_, timer)) = self.timers.pop_first()
        {
            match timer {
                Timer::Boot(id, name) => self.boot(id, &name, now),
                Timer::Lease(id, name) => self.beat(id, &name, now),
                Timer::Report(id, name) => self.report(id, &name, now),
                Timer::Unready(id, name) => {
                    if let Some(machine) = self.up(id, &name) {
                        (machine.health, machine.since) = (Health::Unready, now);
                        self.report(id, &name, now);
                    }
                }
                Timer::Silent(id, name) => {
                    if self.up(id, &name).is_some() {
                        self.silence(&name);
                    }
                }
                Timer::Pod(key) => self.step(&key, now),
                Timer::Again(action) => self.actions.push(action),
            }
        }
    }

    /// The same once more, after a while.
    pub(super) fn again(&mut self, action: Action, now: Timestamp, after: Duration) {
        self.timer(now, after, Timer::Again(action));
    }

    // --- machines ---

    fn add(&mut self, node: Value, now: Timestamp) {
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

    fn boot(&mut self, id: u64, name: &str, now: Timestamp) {
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
    pub(super) fn registered(&mut self, id: u64, name: &str, found: &Found, now: Timestamp) {
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

    fn beat(&mut self, id: u64, name: &str, now: Timestamp) {
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

    fn report(&mut self, id: u64, name: &str, now: Timestamp) {
        let Some(machine) = self.up(id, name) else { return };
        let body = node::report(machine.health, machine.since, now);
        self.actions.push(Action::Report { name: name.to_owned(), body });
        self.timer(now, REPORT_EVERY, Timer::Report(id, name.to_owned()));
    }

    fn silence(&mut self, name: &str) {
        if let Some(machine) = self.machines.get_mut(name) {
            machine.state = State::Silent;
        }
    }

    /// Somebody deleted the Node: its kubelet stops.
    pub(super) fn node_gone(&mut self, name: &str, uid: &str) {
        let machine = self.machines.get(name);
        if machine.is_some_and(|machine| machine.uid == uid) {
            self.forget_machine(name);
        }
    }

    /// Nodes that a list does not name may be gone, or may have registered after the list was made: a report will tell.
    pub(super) fn nodes_listed(&mut self, names: &BTreeSet<String>, now: Timestamp) {
        for (name, machine) in &self.machines {
            if machine.state == State::Up && !names.contains(name) {
                let body = node::report(machine.health, machine.since, now);
                self.actions.push(Action::Report { name: name.clone(), body });
            }
        }
    }

    /// The kubelet of a node stops. Answers whether there was one.
    pub(super) fn forget_machine(&mut self, name: &str) -> bool {
        for key in self.by_node.remove(name).into_iter().flatten() {
            self.pods.remove(&key);
        }
        self.machines.remove(name).is_some()
    }

    fn up(&mut self, id: u64, name: &str) -> Option<&mut Machine> {
        let machine = self.machines.get_mut(name)?;
        (machine.id == id && machine.state == State::Up).then_some(machine)
    }

    // --- pods ---

    /// A list of pods begins: those that it does not name are gone.
    pub(super) fn pods_begin(&mut self) {
        self.unseen = self.pods.keys().cloned().collect();
    }

    /// The list ends.
    pub(super) fn pods_end(&mut self) {
        for key in std::mem::take(&mut self.unseen) {
            self.forget_pod(&key);
        }
    }

    /// A pod is there, or has changed.
    pub(super) fn pod_changed(&mut self, pod: &Value, now: Timestamp) {
        let node = text(pod, "/spec/nodeName");
        let key = Key::new(text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
        self.unseen.remove(&key);
        if node.is_empty() {
            return;
        }
        if !self.machines.contains_key(node) {
            if !self.strangers.contains(node) {
                self.strangers.insert(node.to_owned());
            }
            return;
        }
        let uid = text(pod, "/metadata/uid");
        let known = self.pods.get(&key).is_some_and(|known| known.plan.uid == uid);
        if !known {
            self.forget_pod(&key);
            let tracked = Tracked {
                plan: Plan::read(pod, &self.behaviour),
                node: node.to_owned(),
                progress: Progress::read(pod, now),
                gone_at: None,
                ending: false,
            };
            self.by_node.entry(node.to_owned()).or_default().insert(key.clone());
            self.pods.insert(key.clone(), tracked);
        }
        if let Some(tracked) = self.pods.get_mut(&key) {
            let gone_at = tracked.plan.gone_at(pod);
            let news = gone_at != tracked.gone_at;
            tracked.gone_at = gone_at;
            // Somebody else may have ended it.
            if matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
                tracked.progress.stage = Stage::Ended;
            }
            if news || !known {
                self.step(&key, now);
            }
        }
    }

    pub(super) fn pod_gone(&mut self, pod: &Value) {
        let key = Key::new(text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
        let uid = text(pod, "/metadata/uid");
        if self.pods.get(&key).is_some_and(|known| known.plan.uid == uid) {
            self.forget_pod(&key);
        }
    }

    fn forget_pod(&mut self, key: &Key) {
        let Some(tracked) = self.pods.remove(key) else { return };
        if let Some(keys) = self.by_node.get_mut(&tracked.node) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_node.remove(&tracked.node);
            }
        }
    }

    /// Whatever is due for a pod.
    fn step(&mut self, key: &Key, now: Timestamp) {
        let Some(tracked) = self.pods.get_mut(key) else { return };
        let Some(machine) = self.machines.get(&tracked.node) else { return };
        if machine.state != State::Up || tracked.ending {
            return;
        }
        let host = machine.address.as_str();
        let progress = &mut tracked.progress;
        let due = if let Some(gone_at) = tracked.gone_at {
            if progress.stage == Stage::Ended || gone_at <= now {
                tracked.ending = true;
                let last = (progress.stage != Stage::Ended)
                    .then(|| tracked.plan.last_status(progress, host, now));
                let uid = tracked.plan.uid.clone();
                self.actions.push(Action::PodEnd { key: key.clone(), uid, last });
                return;
            }
            gone_at
        } else {
            let plan = &tracked.plan;
            let before = (progress.stage, progress.restarts);
            if progress.stage == Stage::Bound {
                (progress.stage, progress.since) = (Stage::Creating, now);
            }
            let mut due = None;
            if progress.stage == Stage::Creating {
                let ready = later(progress.since, plan.pull);
                if ready <= now {
                    (progress.stage, progress.since) = (Stage::Running, now);
                    self.addresses = self.addresses.wrapping_add(1);
                    progress.address = Some(pod_address(self.addresses));
                } else {
                    due = Some(ready);
                }
            }
            if let (Stage::Running, Some(run_for)) = (progress.stage, plan.run_for) {
                let end = later(progress.since, run_for);
                match plan.ending() {
                    _ if end > now => due = Some(end),
                    Ending::Over => (progress.stage, progress.since) = (Stage::Ended, now),
                    Ending::Restart => {
                        progress.restarts = progress.restarts.saturating_add(1);
                        progress.since = now;
                        // Containers that end at once are not started more often than every second.
                        due = Some(later(now, run_for.max(Duration::from_secs(1))));
                    }
                }
            }
            if (progress.stage, progress.restarts) != before {
                let body = plan.status(progress, host);
                self.actions.push(Action::PodStatus { key: key.clone(), body });
            }
            match due {
                Some(due) => due,
                None => return,
            }
        };
        let key = key.clone();
        self.timers_made += 1;
        self.timers.insert((due, self.timers_made), Timer::Pod(key));
    }

    /// Pods of a node that has just come up.
    fn wake_pods(&mut self, name: &str, now: Timestamp) {
        let keys: Vec<Key> = self.by_node.get(name).into_iter().flatten().cloned().collect();
        for key in keys {
            self.step(&key, now);
        }
    }

    fn timer(&mut self, now: Timestamp, after: Duration, timer: Timer) {
        self.timers_made += 1;
        self.timers.insert((later(now, after), self.timers_made), timer);
    }
}

// === impl Action ===

impl Action {
    pub(super) fn subject(&self) -> Subject {
        match self {
            Self::Register { node, .. } => Subject::Node(text(node, "/metadata/name").to_owned()),
            Self::Report { name, .. } | Self::Unregister { name } => Subject::Node(name.clone()),
            Self::Adopt { name } => Subject::Residents(name.clone()),
            Self::Lease { name, .. } => Subject::Lease(name.clone()),
            Self::PodStatus { key, .. } | Self::PodEnd { key, .. } => Subject::Pod(key.clone()),
        }
    }
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    moment.checked_add(by).unwrap_or(Timestamp::MAX)
}

fn pod_address(number: u32) -> Ipv4Addr {
    let [.., high, middle, low] = number.to_be_bytes();
    Ipv4Addr::new(10, 128 | high, middle, low)
}
