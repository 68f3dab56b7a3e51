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

    /// How many more of any kind would fit, when at most `wanted` may be in the bin.
    pub(super) fn more(&self, kind: usize, wanted: u32) -> u32 {
        let held = self.load.iter().find(|(known, _)| *known == kind).map_or(0, |(_, held)| *held);
        let limit = wanted.min(self.model.kinds[kind].limit);
        self.room(kind, limit.saturating_sub(held))
    }

    /// Puts some of a kind not yet in the bin into it.
    pub(super) fn take(&mut self, kind: usize, times: u32) {
        let item = &self.model.kinds[kind];
        for (left, size) in self.left.iter_mut().zip(&item.size) {
            *left -= size * i64::from(times);
        }
        for &class in &item.classes {
            self.classes[class] -= times;
        }
        if times > 0 {
            self.load.push((kind, times));
        }
    }

    /// Undoes the last [`Space::take`], which was of this.
    pub(super) fn put_back(&mut self, kind: usize, times: u32) {
        let item = &self.model.kinds[kind];
        for (left, size) in self.left.iter_mut().zip(&item.size) {
            *left += size * i64::from(times);
        }
        for &class in &item.classes {
            self.classes[class] += times;
        }
        if times > 0 {
            self.load.pop();
        }
    }

    /// What is in the bin.
    pub(super) fn load(&self) -> Load {
        let mut load = self.load.clone();
        load.sort_unstable();
        load
    }

    pub(super) fn into_load(mut self) -> Load {
        self.load.sort_unstable();
        self.load
    }
}
