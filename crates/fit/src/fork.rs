//! Forks: try something on a snapshot, then keep it or drop it.
//!
//! While a fork is open, every change is written into a journal; dropping the fork takes the changes back, last first.
//! So a fork costs what is done in it, however large the cluster.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{
    Snapshot,
    devices::{Allotment, ClaimKey, ClaimState},
    ids::{NodeId, PodId, ShapeId},
    snapshot::Standing,
};

/// A snapshot in which something is tried. Dropping it undoes everything that was done through it.
#[derive(Debug)]
#[must_use = "dropping a fork undoes it"]
pub struct Fork<'a> {
    snapshot: &'a mut Snapshot,
    /// When the fork began; taken when it ends.
    mark: Option<Mark>,
}

/// Changes since the outermost open fork began.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    changes: Vec<Change>,
    /// Open forks; nothing is written while there is none.
    depth: usize,
}

#[derive(Debug)]
enum Change {
    Placed(PodId),
    Evicted(PodId, ShapeId, NodeId),
    Added(NodeId),
    Removed(NodeId, Standing),
    Stood(NodeId, Standing),
    Claimed(ClaimKey, ClaimState),
    Owned(PodId, Option<Arc<[Allotment]>>),
}

/// A moment to which a snapshot can be taken back. Marks are undone or kept in the reverse order in which they were made.
#[derive(Debug)]
#[must_use = "a mark has to be kept or undone"]
pub struct Mark(usize);

// === impl Mark ===

impl Snapshot {
    /// Begins to remember changes, for callers that cannot hold a [`Fork`].
    pub fn mark(&mut self) -> Mark {
        self.journal.depth += 1;
        Mark(self.journal.changes.len())
    }

    /// Takes back everything since the mark.
    #[expect(clippy::needless_pass_by_value, reason = "a mark is used once")]
    pub fn undo(&mut self, mark: Mark) {
        while self.journal.changes.len() > mark.0 {
            if let Some(change) = self.journal.changes.pop() {
                self.take_back(change);
            }
        }
        self.end();
    }

    /// Keeps everything since the mark. An earlier mark can still undo it.
    pub fn keep(&mut self, _mark: Mark) {
        self.end();
    }

    fn end(&mut self) {
        self.journal.depth -= 1;
        if self.journal.depth == 0 {
            self.journal.changes.clear();
        }
    }

    fn take_back(&mut self, change: Change) {
        match change {
            Change::Placed(pod) => self.vacate(pod),
            Change::Evicted(pod, shape, node) => self.restore(pod, shape, node),
            Change::Added(node) => self.withdraw(node),
            Change::Removed(node, standing) => self.readmit(node, standing),
            Change::Stood(node, standing) => self.set_standing(node, standing),
            Change::Claimed(key, before) => self.take_claim_back(key, before),
            Change::Owned(pod, before) => self.take_own_back(pod, before),
        }
    }
}

// === impl Fork ===

impl Snapshot {
    /// Begins a fork. Forks of forks are fine.
    pub fn fork(&mut self) -> Fork<'_> {
        let mark = Some(self.mark());
        Fork { snapshot: self, mark }
    }
}

impl Fork<'_> {
    /// Ends the fork and keeps what was done. An outer fork can still undo it.
    pub fn keep(mut self) {
        if let Some(mark) = self.mark.take() {
            self.snapshot.keep(mark);
        }
    }
}

impl Drop for Fork<'_> {
    fn drop(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.snapshot.undo(mark);
        }
    }
}

impl Deref for Fork<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.snapshot
    }
}

impl DerefMut for Fork<'_> {
    fn deref_mut(&mut self) -> &mut Snapshot {
        self.snapshot
    }
}

// === impl Journal ===

impl Journal {
    pub(crate) fn placed(&mut self, pod: PodId) {
        self.write(Change::Placed(pod));
    }

    pub(crate) fn evicted(&mut self, pod: PodId, shape: ShapeId, node: NodeId) {
        self.write(Change::Evicted(pod, shape, node));
    }

    pub(crate) fn added(&mut self, node: NodeId) {
        self.write(Change::Added(node));
    }

    pub(crate) fn removed(&mut self, node: NodeId, standing: Standing) {
        self.write(Change::Removed(node, standing));
    }

    pub(crate) fn stood(&mut self, node: NodeId, standing: Standing) {
        self.write(Change::Stood(node, standing));
    }

    pub(crate) fn claimed(&mut self, key: ClaimKey, before: ClaimState) {
        self.write(Change::Claimed(key, before));
    }

    pub(crate) fn owned(&mut self, pod: PodId, before: Option<Arc<[Allotment]>>) {
        self.write(Change::Owned(pod, before));
    }

    fn write(&mut self, change: Change) {
        if self.depth > 0 {
            self.changes.push(change);
        }
    }
}
