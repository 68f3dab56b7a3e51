//! What a provider remembers beside the hosts' lists. After a restart it is empty, and is learned again.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use plimsoll_provider::GroupState;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;

use super::{
    attempts::Attempts,
    members::{Cluster, Kind, kind},
};
use crate::slicer::client::Machine;

/// So many orders are remembered; those that are placed again are young.
const MOST_ORDERS: usize = 4096;

/// A group and the name of a machine in it.
type Name = (Box<str>, Box<str>);

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// One who buys or deletes at a time.
    locks: BTreeMap<Box<str>, Arc<Mutex<()>>>,
    /// Groups as they were last read.
    pub(super) seen: BTreeMap<Box<str>, Seen>,
    /// Machines without tags whose nodes are in this cluster.
    adopted: BTreeMap<Name, Adoption>,
    /// Machines that could not be deleted because their host keeps them.
    kept: BTreeSet<Name>,
    /// Orders that were answered, with how many machines each was said to have; the oldest first.
    served: VecDeque<(Box<str>, u32)>,
    /// What was asked of the hosts without an answer.
    pub(super) attempts: Attempts,
    /// What is known of the past of machines.
    pasts: BTreeMap<Name, (Option<Box<str>>, Past)>,
    /// Hosts that cannot be given secrets.
    without_secrets: BTreeSet<Box<str>>,
    /// What the token was that each host was given, as a number that does not tell it.
    tokens: BTreeMap<Box<str>, u64>,
}

/// What is known of the past of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    /// It was there when the group was first looked at.
    Unknown,
    /// It appeared later, and no node has been it since.
    Watched,
    /// A node was it, and may have carried pods.
    HadNode,
}

/// Why a machine without tags is the group's.
#[derive(Debug)]
struct Adoption {
    /// When it was made: another machine may have its name later.
    created_at: Option<Box<str>>,
    /// The nodes that prove it.
    nodes: BTreeSet<Box<str>>,
}

/// A group as it was last read.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) state: GroupState,
    /// How many machines the host keeps by itself.
    pub(super) kept: u32,
    /// All machines of the host group, whosever they are.
    pub(super) machines: Vec<Machine>,
}

// === impl Memory ===

impl Memory {
    pub(super) fn lock(&mut self, group: &str) -> Arc<Mutex<()>> {
        Arc::clone(self.locks.entry(group.into()).or_default())
    }

    /// The group's machines among those of its host group.
    pub(super) fn members<'m>(
        &'m self,
        cluster: Cluster<'m>,
        group: &'m str,
        machines: &'m [Machine],
    ) -> impl Iterator<Item = &'m Machine> {
        machines.iter().filter(move |machine| self.is_member(cluster, group, machine))
    }

    pub(super) fn is_member(&self, cluster: Cluster<'_>, group: &str, machine: &Machine) -> bool {
        let name: Name = (group.into(), machine.hostname.clone());
        match self.kind(cluster, group, machine) {
            _ if self.kept.contains(&name) => false,
            Kind::Own => true,
            Kind::Untold => self.adopted.get(&name).is_some_and(|adoption| adoption.is_of(machine)),
            Kind::Namesakes | Kind::Foreign => false,
        }
    }

    pub(super) fn kind(&self, cluster: Cluster<'_>, group: &str, machine: &Machine) -> Kind {
        let kept = self.seen.get(group).map_or(0, |seen| seen.kept);
        kind(machine, cluster, group, kept)
    }

    /// This node proves that a machine without tags is in this cluster.
    pub(super) fn adopt(&mut self, group: &str, machine: &Machine, node: &str) {
        let name: Name = (group.into(), machine.hostname.clone());
        let new = || Adoption { created_at: machine.created_at.clone(), nodes: BTreeSet::new() };
        let adoption = self.adopted.entry(name).or_insert_with(new);
        if !adoption.is_of(machine) {
            *adoption = new();
        }
        adoption.nodes.insert(node.into());
    }

    /// This node does not prove, or does not prove any more, that a machine without tags is in this cluster.
    pub(super) fn withdraw(&mut self, group: &str, machine: &Machine, node: &str) {
        let name: Name = (group.into(), machine.hostname.clone());
        if let Some(adoption) = self.adopted.get_mut(&name) {
            adoption.nodes.remove(node);
            if adoption.nodes.is_empty() {
                self.adopted.remove(&name);
            }
        }
    }

    /// The host keeps this machine: it is no use to the group.
    pub(super) fn keep(&mut self, group: &str, hostname: &str) {
        self.kept.insert((group.into(), hostname.into()));
    }

    /// Takes note of machines that are new. At the first look nothing is known of the past of any.
    pub(super) fn watch(&mut self, group: &str, machines: &[Machine]) {
        let past = if self.seen.contains_key(group) { Past::Watched } else { Past::Unknown };
        for machine in machines {
            let name: Name = (group.into(), machine.hostname.clone());
            let known = self.pasts.get(&name).is_some_and(|(made, _)| *made == machine.created_at);
            if !known {
                self.pasts.insert(name, (machine.created_at.clone(), past));
            }
        }
    }

    /// A node says that it is this machine, whether that is believed or not.
    pub(super) fn saw_node(&mut self, group: &str, hostname: &str) {
        if let Some((_, past)) = self.pasts.get_mut(&(group.into(), hostname.into())) {
            *past = Past::HadNode;
        }
    }

    /// Whether a node said that it is the machine of this name.
    pub(super) fn has_node(&self, group: &str, hostname: &str) -> bool {
        let known = self.pasts.get(&(group.into(), hostname.into()));
        known.is_some_and(|(_, past)| *past == Past::HadNode)
    }

    /// Whether this very machine appeared under our eyes, and no node has been it since.
    pub(super) fn never_had_a_node(&self, group: &str, machine: &Machine) -> bool {
        let known = self.pasts.get(&(group.into(), machine.hostname.clone()));
        known.is_some_and(|(made, past)| *made == machine.created_at && *past == Past::Watched)
    }

    /// Forgets what was known of machines that are gone. Their names may be given again.
    pub(super) fn forget_others(&mut self, group: &str, machines: &[Machine]) {
        let is_here = |(of, name): &Name| {
            &**of != group || machines.iter().any(|machine| machine.hostname == *name)
        };
        self.kept.retain(is_here);
        self.pasts.retain(|name, _| is_here(name));
        self.adopted.retain(|name, adoption| {
            let of = |machine: &&Machine| machine.hostname == name.1;
            &*name.0 != group
                || machines.iter().find(of).is_some_and(|machine| adoption.is_of(machine))
        });
    }

    /// How many machines an order was said to have; `None` for one that was not answered yet.
    pub(super) fn served(&self, order: &str) -> Option<u32> {
        let found = self.served.iter().find(|(served, _)| &**served == order);
        found.map(|(_, made)| *made)
    }

    pub(super) fn serve(&mut self, order: &str, made: u32) {
        if self.served(order).is_none() {
            self.served.push_back((order.into(), made));
        }
        if self.served.len() > MOST_ORDERS {
            self.served.pop_front();
        }
    }

    /// A host cannot be given secrets. Says whether that is news.
    pub(super) fn lacks_secrets(&mut self, host: &str) -> bool {
        self.without_secrets.insert(host.into())
    }

    /// Whether a host was given this token.
    pub(super) fn has_token(&self, host: &str, token: &SecretString) -> bool {
        self.tokens.get(host) == Some(&digest(token))
    }

    pub(super) fn gave_token(&mut self, host: &str, token: &SecretString) {
        self.tokens.insert(host.into(), digest(token));
    }
}

// === impl Adoption ===

impl Adoption {
    /// Whether it is this machine that was adopted, and not an earlier one of the same name.
    fn is_of(&self, machine: &Machine) -> bool {
        self.created_at == machine.created_at
    }
}

fn digest(token: &SecretString) -> u64 {
    let mut hasher = DefaultHasher::new();
    token.expose_secret().hash(&mut hasher);
    hasher.finish()
}
