//! First fit: the first node, in the order they were added, that takes a pod.
//!
//! Placing pods only ever makes nodes worse for a shape, except in few ways that are counted as *loosenings* (a pod or node
//! leaves, the emptiest domain of a spread rises, a domain gets the first pod that another wants to be near). So a shape
//! remembers up to where all nodes refused it, and goes on from there until something loosens.
//!
//! Spread over zones loosens all the time, with every round of the zones. A shape with such a constraint therefore keeps one
//! place a domain: which domains are open is a question of a few counts, and within a domain the place holds on.

use plimsoll_model::{Symbol, label};

use crate::{
    Snapshot,
    capacity::BLOCK,
    ids::{CounterId, KeyId, NodeId, ShapeId},
    shapes::ShapeEntry,
};

/// How far searches for a shape have come.
#[derive(Debug, Default)]
pub(crate) struct Cursors {
    /// The loosenings at that time; the places are worthless when there have been more.
    stamp: u64,
    /// By domain of the coarse key, or one for all nodes: how many nodes have refused.
    refused: Vec<u32>,
}

impl Snapshot {
    /// The first node in order that takes a pod of this shape.
    pub fn first_fit(&mut self, shape: ShapeId) -> Option<NodeId> {
        let entry = self.shapes.entry(shape);
        let coarse = self.coarse_key(entry);
        let stamp = self.stamp(shape, entry, coarse);
        let mut cursors = std::mem::take(&mut self.shapes.entry_mut(shape).cursors);
        if cursors.stamp != stamp {
            cursors.stamp = stamp;
            cursors.refused.clear();
        }
        let found = match coarse {
            Some(key) => self.first_in_domains(shape, key, &mut cursors.refused),
            None => self.first_of_all(shape, &mut cursors.refused),
        };
        self.shapes.entry_mut(shape).cursors = cursors;
        found
    }

    /// The key of the first spread constraint that is not by host.
    fn coarse_key(&self, entry: &ShapeEntry) -> Option<KeyId> {
        let hostname = Symbol::new(label::HOSTNAME);
        let mut keys = entry.spread.iter().map(|check| check.key);
        keys.find(|key| self.topology.label(*key) != hostname)
    }

    /// All loosenings that concern a shape. Each count only grows, so equal sums mean that nothing happened.
    fn stamp(&self, shape: ShapeId, entry: &ShapeEntry, coarse: Option<KeyId>) -> u64 {
        let tally = |id: CounterId| &self.counters[id.index()].tally;
        let spread = entry.spread.iter().filter(|check| Some(check.key) != coarse);
        let rises: u64 = spread.filter_map(|check| check.counter).map(|id| tally(id).rises()).sum();
        let firsts: u64 = entry.affinity.needs.iter().map(|id| tally(*id).firsts()).sum();
        let has_volumes = !self.shapes.shape(shape).volumes.is_empty();
        let volumes = if has_volumes { self.volumes_placed } else { 0 };
        // One more, so that a stamp is never that of a fresh cursor.
        self.loosened + rises + firsts + volumes + 1
    }

    fn first_of_all(&mut self, shape: ShapeId, refused: &mut Vec<u32>) -> Option<NodeId> {
        refused.resize(1, 0);
        let mut row = refused[0] as usize;
        let start = row;
        while row < self.rows.len() {
            let block = row / BLOCK;
            let entry = self.shapes.entry(shape);
            if self.capacity.block_may_take(block, &entry.asks) {
                let end = self.rows.len().min((block + 1) * BLOCK);
                let found = (row..end).find(|row| self.fits_entry(entry, shape, NodeId::new(*row)));
                if let Some(found) = found {
                    refused[0] = NodeId::new(found).index().try_into().unwrap_or(u32::MAX);
                    return Some(NodeId::new(found));
                }
                // Only a block looked through from its start is known to be worth a closer look.
                if row > start || row.is_multiple_of(BLOCK) {
                    self.capacity.tighten(block);
                }
            }
            row = (block + 1) * BLOCK;
        }
        refused[0] = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        None
    }

    fn first_in_domains(
        &self,
        shape: ShapeId,
        key: KeyId,
        refused: &mut Vec<u32>,
    ) -> Option<NodeId> {
        let entry = self.shapes.entry(shape);
        let domains = self.topology.members(key);
        refused.resize(domains.len(), 0);
        let mut best: Option<NodeId> = None;
        for ((domain, nodes), refused) in (0..).zip(domains).zip(refused) {
            let mut here = entry.spread.iter().filter(|check| check.key == key);
            if !here.all(|check| self.skew_allows(check, domain)) {
                continue;
            }
            while let Some(node) = nodes.get(*refused as usize) {
                if best.is_some_and(|best| best < *node) {
                    break;
                }
                if self.fits_entry(entry, shape, *node) {
                    best = Some(*node);
                    break;
                }
                *refused += 1;
            }
        }
        best
    }
}
