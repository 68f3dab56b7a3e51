//! Machines without a node: which of them are still to be waited for.
//!
//! A machine that was made for an order of ours and never became a node has carried no pod: it owes a node since it was made.
//! Every other one may have had a node, and pods that still run. Its clock starts when the loss is first seen, after nodes and
//! machines have been looked at together in this process, however old the machine is.

use std::sync::Arc;

use plimsoll_model::{
    Instance, InstanceError, Memory, Origin, SignedDuration, Timestamp, Unregistered, World,
    kinship::{CLOCK_SKEW, is_same_machine},
};

use super::{
    is_over,
    membership::{Membership, Unjoined},
    orders,
};

/// A machine that is not older than this when it is first seen was made under our eyes.
const YOUNG: SignedDuration = SignedDuration::from_mins(2);

/// A kubelet that is restarted registers again within this time.
const RESTART: SignedDuration = SignedDuration::from_secs(10);

/// A machine that is not being deleted and has no node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stray<'w> {
    pub instance: &'w Instance,
    /// When a pass first saw it without a node.
    pub seen: Timestamp,
    /// What is known of its past.
    pub origin: Origin,
    /// Since when it has owed us a node.
    pub since: Timestamp,
    pub fate: Fate<'w>,
}

/// What becomes of a machine without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate<'w> {
    /// The provider says that it will not come up.
    Failed(&'w InstanceError),
    /// It has had its time.
    Overdue,
    /// It lost its node and has time left to register again. Nothing counts on it meanwhile: pods get another node, and the group
    /// is brought back to its minimum.
    Astray,
    /// It may still become a node.
    Waiting,
}

/// The machines of a group at these places of its list of instances.
///
/// A failed machine counts as such only without a node: one that has become a node may carry pods, and leaves by a drain.
pub(super) fn strays<'w>(world: &'w World, group: usize, places: &[Unjoined]) -> Vec<Stray<'w>> {
    let time = world.groups[group].options.provision_time;
    let stray = |Unjoined { place, is_doubtful }: &Unjoined| {
        let instance = &world.groups[group].instances[*place];
        let Unregistered { since: seen, origin, .. } = first_sight(world, group, instance);
        let since = owed_since(world, group, instance, seen, origin);
        let fate = match &instance.error {
            _ if *is_doubtful => Fate::Waiting,
            Some(error) => Fate::Failed(error),
            None if is_over(world.now, since, time) => Fate::Overdue,
            None if origin == Origin::Lost && world.now.duration_since(seen) >= RESTART => {
                Fate::Astray
            }
            None => Fate::Waiting,
        };
        Stray { instance, seen, origin, since, fate }
    };
    places.iter().map(stray).collect()
}

/// Counts on machines that lost their nodes after all: an API server that lost most Nodes is no reason to order them all again.
pub(super) fn expect_back(strays: &mut [Stray<'_>]) {
    for stray in strays.iter_mut().filter(|stray| stray.fate == Fate::Astray) {
        stray.fate = Fate::Waiting;
    }
}

/// When the machine was first seen without a node, and what was known of it then.
fn first_sight(world: &World, group: usize, instance: &Instance) -> Unregistered {
    let key = (world.groups[group].id, instance.id.clone());
    let known = world.memory.unregistered.get(&key);
    let known = known.filter(|known| is_same_machine(known.created, instance.created)).copied();
    known.unwrap_or_else(|| Unregistered {
        since: world.now,
        created: instance.created,
        origin: origin(world, group, instance),
    })
}

/// What is known of a machine that is seen without a node for the first time.
///
/// One of an order of ours is told by its age. Where the provider does not tell, or could not be read for a while, it is enough
/// that the machine was not there when the group was first looked at. Whatever is not certain is [`Origin::Found`].
fn origin(world: &World, group: usize, instance: &Instance) -> Origin {
    let id = world.groups[group].id;
    let registered = world.memory.registered.get(&(id, instance.id.clone()));
    if registered.is_some_and(|made| is_same_machine(*made, instance.created)) {
        return Origin::Lost;
    }
    let made = |order: Timestamp| {
        instance.created.is_none_or(|created| order.duration_since(created) <= CLOCK_SKEW)
    };
    let is_ordered = orders::of_group(world, id).any(|order| made(order.at));
    let is_young =
        instance.created.is_some_and(|created| world.now.duration_since(created) <= YOUNG);
    let has_appeared = instance.node.is_none() && world.memory.watched_since.contains_key(&id);
    if is_ordered && (is_young || has_appeared) { Origin::Ordered } else { Origin::Found }
}

/// Since when a machine has owed us a node.
///
/// One that names a node which is not there has had it, and lost it later than it was made.
fn owed_since(
    world: &World,
    group: usize,
    instance: &Instance,
    seen: Timestamp,
    origin: Origin,
) -> Timestamp {
    let no_earlier = instance.created.map_or(seen, |created| seen.max(created));
    match origin {
        Origin::Ordered => {
            let unnamed = instance.created.filter(|_| instance.node.is_none());
            unnamed.filter(|created| seen.duration_since(*created) <= YOUNG).unwrap_or(no_earlier)
        }
        Origin::Lost | Origin::Found => {
            let watched = world.memory.watched_since.get(&world.groups[group].id);
            no_earlier.max(watched.copied().unwrap_or(world.now))
        }
    }
}

// === impl Stray ===

impl Stray<'_> {
    /// When it came into being, as far as anybody knows.
    pub(super) fn appeared(&self) -> Timestamp {
        self.instance.created.unwrap_or(self.seen)
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self.fate, Fate::Failed(_))
    }

    /// Whether it may have had a node, whose pods may still run.
    pub(super) fn may_carry_pods(&self) -> bool {
        self.origin != Origin::Ordered
    }
}

/// Keeps when the machines of a group were first seen. Those that became nodes or went away are forgotten.
pub(super) fn remember(world: &World, group: usize, strays: &[Stray<'_>], memory: &mut Memory) {
    let id = world.groups[group].id;
    let entries = strays.iter().map(|stray| {
        let Stray { instance, seen, origin, .. } = stray;
        let entry = Unregistered { since: *seen, created: instance.created, origin: *origin };
        ((id, instance.id.clone()), entry)
    });
    memory.unregistered.extend(entries);
}

/// Keeps which groups have been looked at, and which machines have nodes.
pub(super) fn remember_registered(world: &World, membership: &Membership, memory: &mut Memory) {
    let mut registered = plimsoll_model::Registered::default();
    memory.watched_since.clear();
    for (group, strays) in world.groups.iter().zip(&membership.strays) {
        let watched = world.memory.watched_since.get(&group.id).copied();
        let watched = watched.or_else(|| group.frozen.is_none().then_some(world.now));
        memory.watched_since.extend(watched.map(|since| (group.id, since)));
        let mut strays = strays.iter().map(|stray| stray.place).peekable();
        for (place, instance) in group.instances.iter().enumerate() {
            if strays.next_if_eq(&place).is_none() {
                registered.insert((group.id, instance.id.clone()), instance.created);
            }
        }
    }
    memory.registered = Arc::new(registered);
}
