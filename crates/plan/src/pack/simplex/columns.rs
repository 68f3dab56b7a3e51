//! The columns of a linear program, sparse.

/// Columns, their entries one after the other: looking through all of them is the commonest thing done.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub(super) costs: Vec<f64>,
    /// One over each column's length: reduced costs are compared per length, which saves pivots.
    pub(super) scales: Vec<f64>,
    /// Where each column's entries end.
    ends: Vec<usize>,
    entries: Vec<(usize, f64)>,
    pub(super) basic: Vec<bool>,
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn push(&mut self, cost: f64, entries: &[(usize, f64)]) {
        let squares: f64 = entries.iter().map(|(_, factor)| factor * factor).sum();
        self.costs.push(cost);
        self.scales.push(1.0 / (1.0 + squares).sqrt());
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len());
        self.basic.push(false);
    }

    pub(super) fn entries(&self, column: usize) -> &[(usize, f64)] {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.entries[start..self.ends[column]]
    }
}
