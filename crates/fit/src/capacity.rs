//! What is free on each node, and an index over it.
//!
//! One row of integers a node, one column a resource that some pod asks for. Nodes are taken together in blocks; for each
//! block an upper limit of what any of its nodes has free is kept, so that a search passes over full blocks at a glance.
//! The limit is raised at once when room appears and lowered only when a search has looked through the block in vain.

use plimsoll_model::{Node, Symbol, resource};
use rustc_hash::FxHashMap;

use crate::ids::{Column, NodeId};

/// Nodes in a block.
pub(crate) const BLOCK: usize = 32;

/// An amount of one resource that a pod asks for, always above zero.
pub(crate) type Ask = (Column, i64);

/// The free-capacity table.
#[derive(Debug)]
pub(crate) struct Capacity {
    /// What each column counts.
    names: Vec<Symbol>,
    columns: FxHashMap<Symbol, Column>,
    /// Entries a row, at least the number of columns: a new resource seldom moves the rows.
    stride: usize,
    /// Row by row; negative on an overcommitted node.
    free: Vec<i64>,
    /// Upper limits, one row a block.
    limits: Vec<i64>,
}

// === impl Capacity ===

impl Capacity {
    pub(crate) fn new() -> Self {
        let mut table = Self {
            names: Vec::new(),
            columns: FxHashMap::default(),
            stride: 4,
            free: Vec::new(),
            limits: Vec::new(),
        };
        for name in [resource::PODS, resource::CPU, resource::MEMORY] {
            table.append_column(Symbol::new(name));
        }
        table
    }

    pub(crate) fn find_column(&self, name: Symbol) -> Option<Column> {
        self.columns.get(&name).copied()
    }

    /// Adds a column. No pod in the snapshot can have asked for the resource before, so all of it is free.
    pub(crate) fn add_column<'a>(
        &mut self,
        name: Symbol,
        nodes: impl Iterator<Item = &'a Node>,
    ) -> Column {
        let column = self.append_column(name);
        for (row, node) in nodes.enumerate() {
            self.free[row * self.stride + column.index()] = node.allocatable.get(name);
        }
        for block in 0..self.limits.len() / self.stride {
            self.tighten(block);
        }
        column
    }

    fn append_column(&mut self, name: Symbol) -> Column {
        if self.names.len() == self.stride {
            self.free = widened(&self.free, self.stride);
            self.limits = widened(&self.limits, self.stride);
            self.stride *= 2;
        }
        let column = Column::new(self.names.len());
        self.names.push(name);
        self.columns.insert(name, column);
        column
    }

    pub(crate) fn name(&self, column: Column) -> Symbol {
        self.names[column.index()]
    }

    /// Appends a row for a node without pods.
    pub(crate) fn push(&mut self, node: &Node) {
        let row = self.free.len() / self.stride;
        self.free.extend(self.names.iter().map(|name| node.allocatable.get(*name)));
        self.free.resize((row + 1) * self.stride, 0);
        if row.is_multiple_of(BLOCK) {
            self.limits.resize(self.limits.len() + self.stride, i64::MIN);
        }
        self.raise_limits(row);
    }

    /// Removes the last row.
    pub(crate) fn pop(&mut self) {
        self.free.truncate(self.free.len() - self.stride);
        let blocks = (self.free.len() / self.stride).div_ceil(BLOCK);
        self.limits.truncate(blocks * self.stride);
    }

    pub(crate) fn free(&self, node: NodeId, column: Column) -> i64 {
        self.free[node.index() * self.stride + column.index()]
    }

    pub(crate) fn takes(&self, node: NodeId, asks: &[Ask]) -> bool {
        let start = node.index() * self.stride;
        let row = &self.free[start..start + self.stride];
        asks.iter().all(|(column, amount)| *amount <= row[column.index()])
    }

    /// Whether some node of the block may have room; `false` is certain.
    pub(crate) fn block_may_take(&self, block: usize, asks: &[Ask]) -> bool {
        let start = block * self.stride;
        let row = &self.limits[start..start + self.stride];
        asks.iter().all(|(column, amount)| *amount <= row[column.index()])
    }

    pub(crate) fn take(&mut self, node: NodeId, asks: &[Ask]) {
        let start = node.index() * self.stride;
        for (column, amount) in asks {
            let free = &mut self.free[start + column.index()];
            *free = free.saturating_sub(*amount);
        }
    }

    pub(crate) fn give(&mut self, node: NodeId, asks: &[Ask]) {
        let start = node.index() * self.stride;
        let limits = node.index() / BLOCK * self.stride;
        for (column, amount) in asks {
            let free = &mut self.free[start + column.index()];
            *free = free.saturating_add(*amount);
            let limit = &mut self.limits[limits + column.index()];
            *limit = (*limit).max(*free);
        }
    }

    /// Sets a block's limits to what its nodes really have free.
    pub(crate) fn tighten(&mut self, block: usize) {
        let rows = self.free.len() / self.stride;
        let start = block * self.stride;
        self.limits[start..start + self.stride].fill(i64::MIN);
        for row in block * BLOCK..rows.min((block + 1) * BLOCK) {
            self.raise_limits(row);
        }
    }

    fn raise_limits(&mut self, row: usize) {
        let free = &self.free[row * self.stride..(row + 1) * self.stride];
        let start = row / BLOCK * self.stride;
        for (limit, free) in self.limits[start..start + self.stride].iter_mut().zip(free) {
            *limit = (*limit).max(*free);
        }
    }
}

/// Rows of `stride` entries copied into rows of twice as many.
fn widened(rows: &[i64], stride: usize) -> Vec<i64> {
    let mut wide = vec![0; rows.len() * 2];
    for (from, to) in rows.chunks(stride).zip(wide.chunks_mut(stride * 2)) {
        to[..stride].copy_from_slice(from);
    }
    wide
}
