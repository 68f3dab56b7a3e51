//! Which pods are on which node.

use crate::state::State;

/// Pods by node: places in the World's list of pods, grouped by the place of their node. Pods that have ended, and pods on
/// nodes that the World does not know, are left out.
#[derive(Debug)]
pub(crate) struct Residents {
    /// Where each node's part of `pods` begins; one more entry than there are nodes.
    starts: Vec<usize>,
    pods: Vec<usize>,
}

// === impl Residents ===

impl Residents {
    pub(crate) fn new(state: &State<'_>) -> Self {
        let world = state.world;
        let place_of = |pod: &plimsoll_model::Pod| {
            let node = pod.node.filter(|_| !pod.has_ended())?;
            state.node_places.get(&node).copied()
        };
        let homes: Vec<Option<usize>> = world.pods.iter().map(place_of).collect();
        let mut starts = vec![0; world.nodes.len() + 1];
        for home in homes.iter().flatten() {
            starts[home + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut pods = vec![0; starts.last().copied().unwrap_or(0)];
        for (pod, home) in homes.iter().enumerate() {
            if let Some(home) = home {
                pods[next[*home]] = pod;
                next[*home] += 1;
            }
        }
        Self { starts, pods }
    }

    /// The pods of a node, in the World's order.
    pub(crate) fn of(&self, node: usize) -> &[usize] {
        &self.pods[self.starts[node]..self.starts[node + 1]]
    }
}
