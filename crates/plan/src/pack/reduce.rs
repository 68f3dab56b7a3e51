//! Makes a problem small before it is solved: alike items and alike bins are merged, bins that another always
//! beats are dropped, items that fit nowhere are set aside.
//!
//! Zones are the reason this pays: three zones with the same machines at the same prices are one set of types.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    Problem,
    model::{Kind, Model, Type},
};

/// The model, and what is needed to speak of the original problem again.
#[derive(Debug)]
pub(super) struct Reduced {
    pub(super) model: Model,
    /// For each kind, the items merged into it.
    pub(super) items: Vec<Vec<usize>>,
    /// For each type, the bins merged into it.
    pub(super) bins: Vec<Vec<usize>>,
}

pub(super) fn reduce(problem: &Problem) -> Reduced {
    let dims = problem.bins.iter().map(|bin| bin.capacity.len()).max().unwrap_or(0);
    let (mut kinds, mut items) = merge_items(problem, dims);
    let classes = shared_classes(problem, &mut kinds);
    let types: Vec<Type> = problem
        .bins
        .iter()
        .map(|bin| Type { cost: bin.cost, capacity: padded(&bin.capacity, dims), room: bin.max })
        .collect();

    // A first model over all types only to learn what fits where.
    let all = Model::new(kinds, types, classes, 0);
    let holders = holders(&all);
    let (types, bins) = merge_types(&all, &holders);
    let Model { mut kinds, classes, .. } = all;
    for kind in &mut kinds {
        let mut merged = FixedBitSet::with_capacity(bins.len());
        merged.extend((0..bins.len()).filter(|&ty| kind.types.contains(bins[ty][0])));
        kind.types = merged;
    }
    let keep: Vec<bool> =
        kinds.iter().enumerate().map(|(kind, _)| holds_any(&holders, kind)).collect();
    retain(&mut kinds, &keep);
    retain(&mut items, &keep);
    let room = problem.max_bins_total.unwrap_or(u32::MAX);
    Reduced { model: Model::new(kinds, types, classes, room), items, bins }
}

fn padded(values: &[i64], dims: usize) -> SmallVec<[i64; 6]> {
    (0..dims).map(|dim| values.get(dim).copied().unwrap_or(0)).collect()
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    values.retain(|_| flags.next().copied().unwrap_or(false));
}

/// Items alike in size, bins and classes become one kind. Classes are still the problem's own.
fn merge_items(problem: &Problem, dims: usize) -> (Vec<Kind>, Vec<Vec<usize>>) {
    let mut known = FxHashMap::default();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut items: Vec<Vec<usize>> = Vec::new();
    for (index, item) in problem.items.iter().enumerate().filter(|(_, item)| item.count > 0) {
        // A demand beyond the dimensions any bin has fits nowhere: no bin type is left to it.
        let beyond = item.size.iter().skip(dims).any(|&size| size > 0);
        let mut types = FixedBitSet::with_capacity(problem.bins.len());
        if !beyond {
            types.extend(item.bins.ones().filter(|&bin| bin < problem.bins.len()));
        }
        let mut classes: SmallVec<[usize; 2]> = item
            .exclusive
            .iter()
            .filter_map(|&class| usize::try_from(class).ok())
            .filter(|&class| class < problem.classes.len())
            .collect();
        classes.sort_unstable();
        classes.dedup();
        let size: SmallVec<[i64; 6]> =
            padded(&item.size, dims).into_iter().map(|size| size.max(0)).collect();
        let key = (size.clone(), types.clone(), classes.clone());
        let kind = *known.entry(key).or_insert(kinds.len());
        if kind == kinds.len() {
            kinds.push(Kind { count: 0, limit: u32::MAX, size, classes, types });
            items.push(Vec::new());
        }
        kinds[kind].count = kinds[kind].count.saturating_add(item.count);
        items[kind].push(index);
    }
    (kinds, items)
}

/// Turns classes of a single kind into that kind's limit, forgets those that can never bind, renumbers the rest.
fn shared_classes(problem: &Problem, kinds: &mut [Kind]) -> Vec<u32> {
    let mut members = vec![(0_u32, 0_u32); problem.classes.len()];
    for kind in kinds.iter() {
        for &class in &kind.classes {
            members[class].0 += 1;
            members[class].1 = members[class].1.saturating_add(kind.count);
        }
    }
    let mut number = vec![None; problem.classes.len()];
    let mut classes = Vec::new();
    for (class, &(sharers, items)) in members.iter().enumerate() {
        let per_bin = problem.classes[class].per_bin;
        if sharers > 1 && per_bin < items {
            number[class] = Some(classes.len());
            classes.push(per_bin);
        }
    }
    for kind in kinds {
        for &class in &kind.classes {
            if members[class].0 == 1 {
                kind.limit = kind.limit.min(problem.classes[class].per_bin);
            }
        }
        kind.classes = kind.classes.iter().filter_map(|&class| number[class]).collect();
    }
    classes
}

/// For each type, the kinds it can hold at least one of.
fn holders(model: &Model) -> Vec<FixedBitSet> {
    let set = |held: &Vec<(usize, u32)>| {
        let mut kinds = FixedBitSet::with_capacity(model.kinds.len());
        kinds.extend(held.iter().map(|&(kind, _)| kind));
        kinds
    };
    model.holds.iter().map(set).collect()
}

fn holds_any(holders: &[FixedBitSet], kind: usize) -> bool {
    holders.iter().any(|held| held.contains(kind))
}

/// The types worth keeping, alike ones merged, with the bins behind each.
fn merge_types(model: &Model, holders: &[FixedBitSet]) -> (Vec<Type>, Vec<Vec<usize>>) {
    // Capacity beyond everything a bin could ever hold is worth nothing and hides likeness.
    let useful = |ty: usize| -> SmallVec<[i64; 6]> {
        let bin = &model.types[ty];
        let all = |dim: usize| {
            holders[ty].ones().fold(0_i64, |sum, kind| {
                let kind = &model.kinds[kind];
                sum.saturating_add(kind.size[dim].saturating_mul(i64::from(kind.count)))
            })
        };
        bin.capacity.iter().enumerate().map(|(dim, &capacity)| capacity.min(all(dim))).collect()
    };
    let mut known = FxHashMap::default();
    let mut merged: Vec<(Type, Vec<usize>)> = Vec::new();
    for &ty in &model.by_cost {
        if holders[ty].is_clear() {
            continue;
        }
        let Type { cost, room, .. } = model.types[ty];
        let capacity = useful(ty);
        let index = *known.entry((cost, capacity.clone(), &holders[ty])).or_insert(merged.len());
        if index == merged.len() {
            merged.push((Type { cost, capacity, room: 0 }, Vec::new()));
        }
        merged[index].0.room = merged[index].0.room.saturating_add(room);
        merged[index].1.push(ty);
    }

    // Cheap types come first, so whatever beats a type stands before it.
    let items = model.items();
    let mut kept: Vec<(Type, Vec<usize>)> = Vec::new();
    for (ty, bins) in merged {
        let beaten = kept.iter().any(|(other, others)| {
            u64::from(other.room) >= items
                && other.capacity.iter().zip(&ty.capacity).all(|(more, less)| more >= less)
                && holders[bins[0]].is_subset(&holders[others[0]])
        });
        if !beaten {
            kept.push((ty, bins));
        }
    }
    kept.into_iter().unzip()
}
