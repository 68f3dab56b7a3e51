//! What is left in one bin while it is being filled.

use smallvec::SmallVec;

use super::{
    model::{Load, Model},
    number::count,
};

/// A bin being filled.
#[derive(Clone, Debug)]
pub(super) struct Space<'m> {
    model: &'m Model,
    left: SmallVec<[i64; 6]>,
    classes: SmallVec<[u32; 4]>,
    load: Load,
}

impl<'m> Space<'m> {
    pub(super) fn new(model: &'m Model, ty: usize) -> Self {
        Self {
            model,
            left: model.types[ty].capacity.clone(),
            classes: model.classes.iter().copied().collect(),
            load: Load::new(),
        }
    }

    /// How many more of a kind not yet in the bin would fit, at most `wanted`.
    pub(super) fn room(&self, kind: usize, wanted: u32) -> u32 {
        let kind = &self.model.kinds[kind];
        // Most candidates fail on some dimension; find that out before dividing.
        if kind.size.iter().zip(&self.left).any(|(size, left)| size > left) {
            return 0;
        }
        let mut most = wanted.min(kind.limit);
        for &class in &kind.classes {
            most = most.min(self.classes[class]);
        }
        for (&size, &left) in kind.size.iter().zip(&self.left) {
            if size > 0 && size.saturating_mul(i64::from(most)) > left {
                most = count(left / size);
            }
        }
        most
    }

    pub(super) fn take(&mut self, kind: usize, times: u32) {
        let item = &self.model.kinds[kind];
        for (left, size) in self.left.iter_mut().zip(&item.size) {
            *left -= size * i64::from(times);
        }
        for &class in &item.classes {
            self.classes[class] -= times;
        }
        self.load.push((kind, times));
    }

    pub(super) fn into_load(mut self) -> Load {
        self.load.sort_unstable();
        self.load
    }
}
