//! How nodes come to a snapshot and leave it.

use std::sync::Arc;

use plimsoll_model::Node;

use crate::{
    Snapshot,
    devices::Equipment,
    ids::NodeId,
    snapshot::{Row, Standing},
    volumes::VolumeLimits,
};

/// What a node has that others than its kubelet say. By default it is what is published for its name.
#[derive(Clone, Debug, Default)]
pub struct Outfit {
    /// Its devices.
    pub devices: Equipment,
    /// How many volumes it takes.
    pub volume_limits: VolumeLimits,
}

// === impl Snapshot ===

impl Snapshot {
    /// Adds a node without pods, after all others. It has what is published for its name.
    pub fn add_node(&mut self, node: Arc<Node>) -> NodeId {
        self.add_equipped(node, &Outfit::default())
    }

    /// Adds a node without pods, after all others, for which something else may hold than what is published for its name.
    pub fn add_equipped(&mut self, node: Arc<Node>, outfit: &Outfit) -> NodeId {
        let id = NodeId::new(self.rows.len());
        self.capacity.push(&node);
        self.gates.push(&node);
        self.topology.push(&node);
        self.devices.push(&node, &outfit.devices);
        for census in &mut self.censuses {
            census.push(id, &node, &self.topology, &self.gates);
        }
        self.rows.push(Row {
            node,
            standing: Standing::Absent,
            pods: Vec::new(),
            ports: Vec::new(),
            volume_limits: outfit.volume_limits.clone(),
        });
        self.attach(id);
        self.journal.added(id);
        id
    }

    /// Removes a node and the pods on it.
    pub fn remove_node(&mut self, id: NodeId) {
        while let Some(pod) = self.rows[id.index()].pods.last() {
            self.evict(*pod);
        }
        self.journal.removed(id, self.rows[id.index()].standing);
        self.detach(id);
    }

    /// Lets a node take no more pods. It still counts for spread and affinity, as a node does that is being drained.
    pub fn close_node(&mut self, id: NodeId) {
        self.journal.stood(id, self.rows[id.index()].standing);
        self.rows[id.index()].standing = Standing::Closed;
    }

    /// Lets a closed node take pods again.
    pub fn open_node(&mut self, id: NodeId) {
        self.journal.stood(id, self.rows[id.index()].standing);
        self.set_standing(id, Standing::Open);
    }

    /// Undoes `add_node`. The node is the last one.
    pub(crate) fn withdraw(&mut self, id: NodeId) {
        self.detach(id);
        self.rows.pop();
        self.capacity.pop();
        self.gates.pop();
        self.topology.pop();
        self.devices.pop();
        self.censuses.iter_mut().for_each(crate::census::CensusState::pop);
    }

    /// Undoes `remove_node`.
    pub(crate) fn readmit(&mut self, id: NodeId, standing: Standing) {
        self.attach(id);
        self.set_standing(id, standing);
    }

    /// A node that takes pods again makes room before the place where searches have arrived.
    pub(crate) fn set_standing(&mut self, id: NodeId, standing: Standing) {
        self.rows[id.index()].standing = standing;
        self.loosened += 1;
    }

    fn attach(&mut self, id: NodeId) {
        self.rows[id.index()].standing = Standing::Open;
        self.topology.attach(id);
        for census in &mut self.censuses {
            if census.attach(id, &self.topology) {
                for counter in &census.counters {
                    self.counters[counter.index()].tally.add_domain();
                }
            }
        }
    }

    fn detach(&mut self, id: NodeId) {
        self.rows[id.index()].standing = Standing::Absent;
        self.loosened += 1;
        for census in &mut self.censuses {
            if census.detach(id, &self.topology) {
                for counter in &census.counters {
                    self.counters[counter.index()].tally.remove_domain();
                }
            }
        }
        self.topology.detach(id);
    }
}
