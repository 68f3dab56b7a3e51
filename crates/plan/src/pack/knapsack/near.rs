//! Loads near a known one.
//!
//! Patterns in use are worth exactly their price. So when the search from scratch runs out of steps, small changes
//! to them are the likeliest to be worth a little more: take some of one kind out, fill up with the best there is.

use super::Search;
use crate::pack::{meter::Meter, model::Load};

impl Search<'_> {
    /// The best load worth more than `floor` that differs from a known one in what replaces one of its kinds.
    pub(in crate::pack) fn near(
        &mut self,
        load: &[(usize, u32)],
        floor: f64,
        limit: usize,
        meter: &mut Meter,
    ) -> Option<(Load, f64)> {
        self.guided = false;
        let place = |kind: usize| self.entries.iter().position(|entry| entry.kind == kind);
        let places: Vec<(usize, u32)> =
            load.iter().filter_map(|&(kind, times)| Some((place(kind)?, times))).collect();
        if places.iter().any(|&(at, times)| times > self.entries[at].most) {
            return None;
        }
        let mut best: Option<(Load, f64)> = None;
        for (out, &(_, all)) in places.iter().enumerate() {
            // One of the kind, or all of them.
            for fewer in if all > 1 { vec![1, all] } else { vec![1] } {
                let mut kept = places.clone();
                kept[out].1 -= fewer;
                kept.retain(|&(_, times)| times > 0);
                let floor = best.as_ref().map_or(floor, |(_, value)| *value);
                best = self.refill(&kept, floor, limit, meter).or(best);
            }
        }
        best
    }

    /// The best load worth more than `floor` that contains the entries `kept`.
    fn refill(
        &mut self,
        kept: &[(usize, u32)],
        floor: f64,
        limit: usize,
        meter: &mut Meter,
    ) -> Option<(Load, f64)> {
        let (mut value, mut room) = (0.0, self.room);
        for &(at, times) in kept {
            self.put(at, i64::from(times));
            self.entries[at].most -= times;
            self.chosen.push((at, times));
            value += self.entries[at].value * f64::from(times);
            room -= self.entries[at].weight * f64::from(times);
        }
        let (mut found, _) = self.run(value, room, floor, limit, meter);
        self.chosen.clear();
        for &(at, times) in kept {
            self.put(at, -i64::from(times));
            self.entries[at].most += times;
        }
        found.pop()
    }
}
