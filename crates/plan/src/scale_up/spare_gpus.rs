//! Accelerators are for those who ask for them.
//!
//! A pod without need of one may use what is left on a node that was bought for its accelerators, but no such node is bought
//! for it while another group would do, whatever the price list says.

use super::{items::Packable, market::Offer};
use crate::pack::{Packing, pack};

/// Packs again, without accelerators, what ended on accelerator nodes that nobody needs for that.
pub(crate) fn spare_gpus(packable: &Packable, offers: &[Offer], packing: Packing) -> Packing {
    let items = &packable.problem.items;
    let has_choice = |item: usize| {
        items[item]
            .bins
            .ones()
            .any(|offer| !offers[offer].gpu && packable.problem.bins[offer].max > 0)
    };
    let idle = |bin: &crate::pack::PackedBin| {
        offers[bin.bin].gpu
            && bin.contents.iter().all(|(item, _)| !packable.needs_gpu[*item] && has_choice(*item))
    };
    if !packing.bins.iter().any(idle) {
        return packing;
    }
    let mut again = packable.problem.clone();
    let mut moved = vec![0; items.len()];
    let (spared, mut bins): (Vec<_>, Vec<_>) = packing.bins.into_iter().partition(idle);
    for bin in &spared {
        for (item, count) in &bin.contents {
            moved[*item] += count * bin.times;
        }
    }
    for (item, count) in again.items.iter_mut().zip(&moved) {
        item.count = *count;
    }
    for bin in &bins {
        let left = &mut again.bins[bin.bin].max;
        *left = left.saturating_sub(bin.times);
    }
    for (bin, offer) in again.bins.iter_mut().zip(offers) {
        if offer.gpu {
            bin.max = 0;
        }
    }
    let opened: u32 = bins.iter().map(|bin| bin.times).sum();
    again.max_bins_total = again.max_bins_total.map(|most| most.saturating_sub(opened));
    let repacked = pack(&again);
    bins.extend(repacked.bins);
    bins.sort_unstable();
    let cost =
        bins.iter().map(|bin| packable.problem.bins[bin.bin].cost * u64::from(bin.times)).sum();
    let mut unplaced = packing.unplaced;
    unplaced.extend(repacked.unplaced);
    let steps = packing.steps.saturating_add(repacked.steps);
    Packing { bins, unplaced, cost, steps, ..repacked }
}
