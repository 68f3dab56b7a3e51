//! What becomes of a world when a plan is carried out and all goes well.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Group, Instance, InstanceState, Owner, Phase, Pod, PodName, SignedDuration, Symbol, World,
};
use plimsoll_plan::{Place, Plan, Repair, Retirement};

use crate::properties::cluster;

/// The time between passes.
const STEP: SignedDuration = SignedDuration::from_mins(5);

/// A world that plans are carried out in.
#[derive(Debug)]
pub(super) struct Simulation {
    pub(super) world: World,
    /// How many nodes were ever added.
    added: usize,
}

// === impl Simulation ===

impl Simulation {
    pub(super) fn new(world: World) -> Self {
        Self { world, added: 0 }
    }

    /// Carries a plan out, to the end, and lets time pass. Returns the nodes that were bought for pods.
    pub(super) fn apply(&mut self, plan: &Plan) -> Vec<Symbol> {
        let mut bought = Vec::new();
        for repair in &plan.repairs {
            self.repair(repair);
        }
        let mut names: BTreeMap<Place, Symbol> = BTreeMap::new();
        for place in 0..self.world.groups.len() {
            let id = self.world.groups[place].id;
            for (number, node) in (1..).zip(self.arrive(place)) {
                names.insert(Place::Upcoming { group: id, number }, node);
            }
            let Some(purchase) = plan.purchases.iter().find(|one| one.group == id) else {
                continue;
            };
            self.world.groups[place].target = purchase.to;
            for (number, node) in (1..).zip(self.arrive(place)) {
                names.insert(Place::New { group: id, number }, node);
                bought.push(node);
            }
        }
        for placement in &plan.placements {
            let node = placement.node.existing().unwrap_or_else(|| names[&placement.node]);
            let pod = self.pod(&placement.pod);
            pod.node = Some(node);
            pod.phase = Phase::Running;
        }
        for one in &plan.retirements {
            self.retire(one);
        }
        self.world.orders = plan.orders_after(&self.world);
        self.world.memory = plan.memory.clone();
        self.world.now += STEP;
        bought
    }

    fn repair(&mut self, repair: &Repair) {
        match repair {
            Repair::DeleteInstance { group, instance, .. } => {
                let group = self.group(*group);
                group.instances.retain(|one| one.id != *instance);
                group.target -= 1;
            }
            Repair::LowerTarget { group, to, .. } | Repair::RaiseToMin { group, to, .. } => {
                self.group(*group).target = *to;
            }
        }
    }

    /// Brings up all machines of a group that are not nodes yet. Returns the new nodes.
    fn arrive(&mut self, place: usize) -> Vec<Symbol> {
        let group = &mut self.world.groups[place];
        while group.instances.len() < group.target as usize {
            let id = format!("sim://made-{place}-{}", group.instances.len() + self.added).into();
            let created = Some(self.world.now);
            let state = InstanceState::Creating;
            group.instances.push(Instance { id, node: None, state, created, error: None });
        }
        let mut arrived = Vec::new();
        for number in 0..self.world.groups[place].instances.len() {
            let instance = &mut self.world.groups[place].instances[number];
            if instance.node.is_some() || instance.error.is_some() {
                continue;
            }
            self.added += 1;
            let name = format!("new-{}", self.added);
            instance.node = Some(Symbol::new(&name));
            instance.state = InstanceState::Running;
            let group = self.world.groups[place].clone();
            self.register(&group, &name);
            arrived.push(Symbol::new(&name));
        }
        arrived
    }

    /// Adds a ready node with the pods of its DaemonSets.
    fn register(&mut self, group: &Group, name: &str) {
        let mut node = cluster::new_node(group, name);
        node.created = self.world.now;
        for (number, shape) in cluster::daemons(&self.world, &node).into_iter().enumerate() {
            let set = self.world.daemon_sets.iter().find(|set| set.pod == shape).unwrap();
            let kind = Symbol::new("DaemonSet");
            let owner = Owner { kind, name: set.name.clone(), uid: set.uid.clone() };
            self.world.pods.push(Pod {
                name: format!("daemon-{number}-{name}").into(),
                shape,
                node: Some(node.name),
                phase: Phase::Running,
                priority: 0,
                created: self.world.now,
                deletion: None,
                owner: Some(Arc::new(owner)),
                scheduler: Symbol::new("default-scheduler"),
                nominated: None,
                gated: false,
                extras: None,
            });
        }
        self.world.nodes.push(Arc::new(node));
    }

    /// Takes a node away. Its pods wait again, but for those of DaemonSets.
    fn retire(&mut self, one: &Retirement) {
        let world = &mut self.world;
        world.nodes.retain(|node| node.name != one.node);
        let group = world.groups.iter_mut().find(|group| group.id == one.group).unwrap();
        group.instances.retain(|instance| instance.node != Some(one.node));
        group.target -= 1;
        world.pods.retain(|pod| pod.node != Some(one.node) || !pod.is_daemon());
        for pod in world.pods.iter_mut().filter(|pod| pod.node == Some(one.node)) {
            pod.node = None;
            pod.phase = Phase::Pending;
            pod.created = world.now;
        }
    }

    fn group(&mut self, id: Symbol) -> &mut Group {
        self.world.groups.iter_mut().find(|group| group.id == id).unwrap()
    }

    fn pod(&mut self, name: &PodName) -> &mut Pod {
        self.world.pods.iter_mut().find(|pod| pod.id() == *name).unwrap()
    }
}
