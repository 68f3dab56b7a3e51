//! The cluster as a plain list, changed in step with a snapshot.

use std::sync::Arc;

use plimsoll_fit::{NodeId, PodId, ShapeId, Snapshot};
use plimsoll_model::Symbol;
use proptest::prop_assert_eq;

use super::Checked;
use crate::{
    generate::{Scenario, Step, namespaces},
    reference::{Cluster, rejecting_plugins},
};

/// The cluster as a list, with the snapshot's handles for what is in it.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    pub(crate) cluster: Cluster,
    /// The handles of `cluster.nodes`.
    pub(crate) nodes: Vec<NodeId>,
    /// The handles of `cluster.pods`.
    pub(crate) pods: Vec<PodId>,
    /// Nodes that take no more pods.
    pub(crate) closed: Vec<Symbol>,
    /// Shapes that pods have had or that were asked about, each once.
    pub(crate) used: Vec<usize>,
    /// What happened, for people.
    pub(crate) history: Vec<String>,
}

// === impl Mirror ===

impl Mirror {
    /// Nothing is there yet.
    pub(super) fn new(scenario: &Scenario) -> Self {
        let (namespaces, storage) = (namespaces(), scenario.storage.clone());
        Self {
            cluster: Cluster { namespaces, storage, ..Cluster::default() },
            nodes: Vec::new(),
            pods: Vec::new(),
            closed: Vec::new(),
            used: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The handle of a shape, which is made known to the snapshot if it is not.
    pub(crate) fn shape(
        &mut self,
        scenario: &Scenario,
        snapshot: &mut Snapshot,
        shape: usize,
    ) -> ShapeId {
        if !self.used.contains(&shape) {
            self.used.push(shape);
            self.history.push(format!("meet p{shape}"));
        }
        snapshot.shape(&scenario.shapes[shape])
    }

    /// The handle of a node.
    pub(crate) fn handle(&self, name: Symbol) -> Option<NodeId> {
        let place = self.cluster.nodes.iter().position(|node| node.name == name);
        place.map(|place| self.nodes[place])
    }

    /// The first node that takes a pod of the shape, by the reference.
    fn first_fit(&self, scenario: &Scenario, shape: usize) -> Option<NodeId> {
        let place = self.cluster.nodes.iter().position(|node| {
            !self.closed.contains(&node.name)
                && rejecting_plugins(&self.cluster, &scenario.shapes[shape], node).is_empty()
        });
        place.map(|place| self.nodes[place])
    }

    /// Undoes everything, except that shapes stay known and the history goes on.
    pub(super) fn go_back_to(&mut self, before: Self) {
        let used = std::mem::take(&mut self.used);
        let history = std::mem::take(&mut self.history);
        *self = Self { used, history, ..before };
    }

    /// A step that changes nodes or pods, on both sides. Without anything to change it does nothing.
    pub(super) fn change(
        &mut self,
        scenario: &Scenario,
        snapshot: &mut Snapshot,
        step: Step,
    ) -> Checked {
        match step {
            Step::Add { template, copies } => {
                for _ in 0..copies {
                    self.add(scenario, snapshot, template % scenario.templates.len());
                }
            }
            Step::Remove(node) if !self.nodes.is_empty() => {
                self.remove(snapshot, node % self.nodes.len());
            }
            Step::Turn(node) if !self.nodes.is_empty() => {
                self.turn(snapshot, node % self.nodes.len());
            }
            Step::Place { shape, node } if !self.nodes.is_empty() => {
                let shape = shape % scenario.shapes.len();
                self.place(scenario, snapshot, shape, node % self.nodes.len());
            }
            Step::Fit { shape, times } => {
                for _ in 0..times {
                    self.fit(scenario, snapshot, shape % scenario.shapes.len())?;
                }
            }
            Step::Evict(pod) if !self.pods.is_empty() => {
                let pod = pod % self.pods.len();
                let (_, node) = self.cluster.pods.swap_remove(pod);
                self.history.push(format!("evict a pod from {node}"));
                snapshot.evict(self.pods.swap_remove(pod));
            }
            _ => {}
        }
        Ok(())
    }

    /// The node gets the first name that is free, perhaps that of a node which is gone.
    fn add(&mut self, scenario: &Scenario, snapshot: &mut Snapshot, template: usize) {
        let names = (0..=self.nodes.len()).map(|number| Symbol::new(&format!("n{number}")));
        let mut free = names.filter(|name| self.cluster.node(*name).is_none());
        if let Some(name) = free.next() {
            let node = scenario.templates[template].named(name);
            self.history.push(format!("add {name} as t{template}"));
            self.cluster.nodes.push(node.clone());
            self.nodes.push(snapshot.add_node(node));
        }
    }

    fn remove(&mut self, snapshot: &mut Snapshot, place: usize) {
        let name = self.cluster.nodes.remove(place).name;
        self.history.push(format!("remove {name}"));
        self.closed.retain(|closed| *closed != name);
        for pod in (0..self.pods.len()).rev() {
            if self.cluster.pods[pod].1 == name {
                self.cluster.pods.remove(pod);
                self.pods.remove(pod);
            }
        }
        snapshot.remove_node(self.nodes.remove(place));
    }

    fn turn(&mut self, snapshot: &mut Snapshot, place: usize) {
        let (name, id) = (self.cluster.nodes[place].name, self.nodes[place]);
        if let Some(closed) = self.closed.iter().position(|closed| *closed == name) {
            self.history.push(format!("open {name}"));
            self.closed.remove(closed);
            snapshot.open_node(id);
        } else {
            self.history.push(format!("close {name}"));
            self.closed.push(name);
            snapshot.close_node(id);
        }
    }

    fn fit(&mut self, scenario: &Scenario, snapshot: &mut Snapshot, shape: usize) -> Checked {
        let id = self.shape(scenario, snapshot, shape);
        let found = snapshot.first_fit(id);
        prop_assert_eq!(found, self.first_fit(scenario, shape), "{:#?}", self.history);
        if let Some(node) = self.nodes.iter().position(|node| Some(*node) == found) {
            self.place(scenario, snapshot, shape, node);
        }
        Ok(())
    }

    fn place(&mut self, scenario: &Scenario, snapshot: &mut Snapshot, shape: usize, node: usize) {
        let id = self.shape(scenario, snapshot, shape);
        let name = self.cluster.nodes[node].name;
        self.history.push(format!("place p{shape} on {name}"));
        self.cluster.pods.push((Arc::clone(&scenario.shapes[shape]), name));
        self.pods.push(snapshot.place(id, self.nodes[node]));
    }
}
