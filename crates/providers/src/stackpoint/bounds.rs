//! Bounds of all groups together, brought about by bounds of each.

use super::{
    config::Bounds,
    reconcile::{Books, Shelf},
};

/// How many more machines there may be in all groups; `None` for as many as each of them may have.
pub(super) fn room(bounds: Bounds, books: &Books) -> Option<u32> {
    bounds.max.map(|max| max.saturating_sub(books.total()))
}

/// Raises the minimums of groups until they keep the common one, and never above a group's own maximum.
///
/// While there are fewer machines than the common minimum, the missing ones are asked of the groups in their order. While there are
/// more, what may go is shared among the groups that have something to give, so that all of them together never give too much, and
/// each refresh shares anew what is left.
pub(super) fn keep_minimum(bounds: Bounds, books: &mut Books) {
    // What is above a group's own maximum goes anyway.
    let total = books.groups.iter().map(Shelf::kept).fold(0, u32::saturating_add);
    let groups = &mut books.groups;
    if total <= bounds.min {
        let mut missing = bounds.min - total;
        for shelf in groups {
            let kept = shelf.kept();
            let more = missing.min(shelf.max - kept);
            missing -= more;
            shelf.raise_min(kept.saturating_add(more));
        }
        return;
    }
    let mut slack = total - bounds.min;
    let mut givers: Vec<&mut Shelf> =
        groups.iter_mut().filter(|shelf| shelf.surplus() > 0).collect();
    // Who has little to give leaves more of the slack to the others.
    givers.sort_by_key(|shelf| shelf.surplus());
    let mut left = u32::try_from(givers.len()).unwrap_or(u32::MAX);
    for shelf in givers {
        let share = slack.div_ceil(left.max(1)).min(shelf.surplus());
        (slack, left) = (slack - share, left.saturating_sub(1));
        shelf.raise_min(shelf.kept().saturating_sub(share));
    }
}

// === impl Shelf ===

impl Shelf {
    /// How many of its machines its maximum lets it keep.
    fn kept(&self) -> u32 {
        self.target().min(self.max)
    }

    /// How many of these are above its minimum.
    fn surplus(&self) -> u32 {
        self.kept().saturating_sub(self.min)
    }

    fn raise_min(&mut self, min: u32) {
        self.min = self.min.max(min.min(self.max));
    }
}

#[cfg(test)]
mod tests;
