//! Many kinds, few of each: the plan in outline first.
//!
//! A linear program over thousands of rows is out of reach, and pointless: items that nearly agree are as good as
//! alike. So kinds are gathered into clusters, the problem is relaxed over the clusters' mean sizes, and the
//! patterns found are made real bin by bin with actual items. What does not come out even is gathered and relaxed
//! again, until few enough kinds are left to be treated exactly.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::{
    columns::{Depth, Relaxation, relax},
    meter::Meter,
    model::{Kind, Model, Pattern},
    number::{real, whole},
    plan::{Plan, Rest},
    space::Space,
};

/// Kinds gathered into one, which stands for them by its mean size.
#[derive(Debug)]
struct Cluster {
    members: Vec<usize>,
}

/// How many clusters a model is reduced to.
const CLUSTERS: usize = 60;

/// Bins that come out worth less than this share of their price are left for a later turn.
const GOOD: f64 = 0.97;

/// Packs until at most `few` kinds are left; returns the plan so far and what one item of each kind is worth.
pub(super) fn outline(
    model: &Model,
    few: usize,
    depth: Depth,
    meter: &mut Meter,
) -> (Plan, Vec<f64>) {
    let mut plan = Plan::default();
    let mut rest = Rest::all(model);
    let mut values = vec![0.0; model.kinds.len()];
    let mut good = GOOD;
    while rest.demand.iter().filter(|&&count| count > 0).count() > few && !meter.spent() {
        let items = rest.items();
        let (part, old) = model.restrict(&rest.demand, &rest.room, rest.bins);
        let clusters = gather(&part);
        if clusters.len() > 2 * CLUSTERS {
            break;
        }
        let (coarse, scale) = means(&part, &clusters);
        let relaxation = relax(&coarse, coarse.uniform(), depth, meter);
        for (cluster, value) in clusters.iter().zip(&relaxation.values) {
            for &kind in &cluster.members {
                let known = &mut values[old[kind]];
                *known = if *known > 0.0 { *known } else { value * scale[kind] };
            }
        }
        let before = plan.bins.len();
        plan.extend(realise(&part, &clusters, &relaxation, &scale, good, meter), &old);
        if plan.bins.len() == before {
            break;
        }
        for (pattern, times) in &plan.bins[before..] {
            rest.take(pattern, *times);
        }
        if rest.items() > items / 8 * 7 {
            // Little came of it: be content with less.
            good -= 0.1;
        }
    }
    (plan, values)
}

/// Gathers kinds that may go to the same places and nearly agree in size.
fn gather(model: &Model) -> Vec<Cluster> {
    let kinds: Vec<usize> = (0..model.kinds.len()).collect();
    let place = |kind: usize| {
        let Kind { types, classes, limit, .. } = &model.kinds[kind];
        (types.clone(), classes.clone(), *limit)
    };
    let mut clusters = alike(&kinds, place);
    if clusters.len() > CLUSTERS {
        // Too many exclusion classes to tell apart; bins are checked against them when they are made real.
        clusters = alike(&kinds, |kind| model.kinds[kind].types.clone());
    }
    let dims = model.types.first().map_or(0, |ty| ty.capacity.len());
    let largest =
        |dim: usize| model.types.iter().map(|ty| ty.capacity[dim]).max().unwrap_or(0).max(1);
    let scale: Vec<f64> = (0..dims).map(|dim| 1.0 / real(largest(dim))).collect();
    let mut spreads: Vec<(f64, usize)> =
        clusters.iter().map(|cluster| cluster.spread(model, &scale)).collect();
    while clusters.len() < CLUSTERS {
        // The cluster whose members disagree most is cut in two, at the middle of the dimension they disagree in.
        let widest = (0..clusters.len())
            .max_by(|&a, &b| spreads[a].0.total_cmp(&spreads[b].0).then(b.cmp(&a)));
        let Some(widest) = widest.filter(|&at| spreads[at].0 > 0.0) else { break };
        let half = clusters[widest].split(model, spreads[widest].1);
        spreads[widest] = clusters[widest].spread(model, &scale);
        spreads.push(half.spread(model, &scale));
        clusters.push(half);
    }
    clusters
}

/// Groups kinds by a key.
fn alike<K: Ord>(kinds: &[usize], key: impl Fn(usize) -> K) -> Vec<Cluster> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for &kind in kinds {
        groups.entry(key(kind)).or_default().push(kind);
    }
    groups.into_values().map(|members| Cluster { members }).collect()
}

impl Cluster {
    /// By how much the members disagree in total, and in which dimension most.
    fn spread(&self, model: &Model, scale: &[f64]) -> (f64, usize) {
        let items: u32 = self.members.iter().map(|&kind| model.kinds[kind].count).sum();
        let spread = |dim: usize| {
            let sizes = || self.members.iter().map(|&kind| model.kinds[kind].size[dim]);
            let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
            real(most - least) * scale[dim] * f64::from(items)
        };
        let spreads = (0..scale.len()).map(|dim| (spread(dim), dim));
        spreads.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).unwrap_or((0.0, 0))
    }

    /// Keeps the smaller half by a dimension and returns the larger.
    fn split(&mut self, model: &Model, dim: usize) -> Self {
        let size = |kind: usize| model.kinds[kind].size[dim];
        let least = self.members.iter().map(|&kind| size(kind)).min().unwrap_or(0);
        let most = self.members.iter().map(|&kind| size(kind)).max().unwrap_or(0);
        let middle = least + (most - least) / 2;
        let (smaller, larger) = self.members.iter().partition(|&&kind| size(kind) <= middle);
        self.members = smaller;
        Self { members: larger }
    }
}

/// The model of the clusters' means, and for each kind how its size compares with its cluster's mean.
fn means(model: &Model, clusters: &[Cluster]) -> (Model, Vec<f64>) {
    let mut scale = vec![1.0; model.kinds.len()];
    let mut kinds = Vec::new();
    for cluster in clusters {
        let first = &model.kinds[cluster.members[0]];
        let items: i64 =
            cluster.members.iter().map(|&kind| i64::from(model.kinds[kind].count)).sum();
        let mean = |dim: usize| {
            let volume = |&kind: &usize| {
                model.kinds[kind].size[dim].saturating_mul(i64::from(model.kinds[kind].count))
            };
            let sum = cluster.members.iter().map(volume).fold(0_i64, i64::saturating_add);
            sum.saturating_add(items - 1) / items
        };
        let size: SmallVec<[i64; 6]> = (0..first.size.len()).map(mean).collect();
        for &kind in &cluster.members {
            let sizes = model.kinds[kind].size.iter().zip(&size).filter(|&(_, &mean)| mean > 0);
            let ratios = sizes.map(|(&size, &mean)| real(size) / real(mean));
            scale[kind] = ratios.fold(0.0, f64::max).clamp(0.1, 10.0);
        }
        let members = || cluster.members.iter().map(|&kind| &model.kinds[kind]);
        let same = members().all(|kind| kind.classes == first.classes);
        kinds.push(Kind {
            count: u32::try_from(items).unwrap_or(u32::MAX),
            limit: members().map(|kind| kind.limit).max().unwrap_or(u32::MAX),
            size,
            classes: if same { first.classes.clone() } else { SmallVec::new() },
            types: first.types.clone(),
        });
    }
    (Model::new(kinds, model.types.clone(), model.classes.clone(), model.room), scale)
}

/// Bins of actual items after the patterns of clusters.
fn realise(
    model: &Model,
    clusters: &[Cluster],
    relaxation: &Relaxation,
    scale: &[f64],
    good: f64,
    meter: &mut Meter,
) -> Plan {
    let mut rest = Rest::all(model);
    let mut plan = Plan::default();
    // Large items first, by value: fillers for what stays free in a bin.
    let mut value = vec![0.0; model.kinds.len()];
    for (cluster, worth) in clusters.iter().zip(&relaxation.values) {
        for &kind in &cluster.members {
            value[kind] = worth * scale[kind];
        }
    }
    let mut fillers: Vec<usize> = (0..model.kinds.len()).collect();
    fillers.sort_by(|&a, &b| value[b].total_cmp(&value[a]).then(a.cmp(&b)));
    let mut levels: Vec<&(Pattern, f64)> = relaxation.levels.iter().collect();
    levels.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let any_whole = levels.first().is_some_and(|(_, level)| *level >= 1.0);
    for (pattern, level) in levels {
        let times = if any_whole { whole(level + 1e-4) } else { 1 };
        for _ in 0..times {
            if !rest.open(pattern.ty) || meter.spent() {
                break;
            }
            let load = bin(model, clusters, pattern, &rest, &fillers, meter);
            if load.is_empty() {
                break;
            }
            let ty = model.cheapest(&load, |ty| rest.open(ty).then(|| model.prices[ty]));
            let real = Pattern { ty: ty.unwrap_or(pattern.ty), load };
            let worth: f64 =
                real.load.iter().map(|&(kind, count)| value[kind] * f64::from(count)).sum();
            if worth < good * model.prices[real.ty] && !plan.bins.is_empty() {
                break;
            }
            rest.take(&real, 1);
            plan.bins.push((real, 1));
        }
        fillers.retain(|&kind| rest.demand[kind] > 0);
    }
    plan
}

/// One bin: for each place in the pattern a member of the cluster that fits, then whatever else does.
fn bin(
    model: &Model,
    clusters: &[Cluster],
    pattern: &Pattern,
    rest: &Rest,
    fillers: &[usize],
    meter: &mut Meter,
) -> Vec<(usize, u32)> {
    let mut space = Space::new(model, pattern.ty);
    let mut taken: Vec<(usize, u32)> = Vec::new();
    let bulk = |kind: usize| model.share(kind, pattern.ty);
    for &(cluster, count) in &pattern.load {
        for place in 0..count {
            let left = |kind: usize| {
                let used =
                    taken.iter().find(|(known, _)| *known == kind).map_or(0, |(_, used)| *used);
                rest.demand[kind].min(model.kinds[kind].limit).saturating_sub(used)
            };
            let members = &clusters[cluster].members;
            meter.charge(members.len() * 4);
            let fitting = members
                .iter()
                .copied()
                .filter(|&kind| left(kind) > 0 && model.kinds[kind].types.contains(pattern.ty))
                .filter(|&kind| space.room(kind, 1) > 0);
            // Alternating between large and small keeps the mean.
            let chosen = if place % 2 == 0 {
                fitting.max_by(|&a, &b| bulk(a).total_cmp(&bulk(b)).then(b.cmp(&a)))
            } else {
                fitting.min_by(|&a, &b| bulk(a).total_cmp(&bulk(b)).then(a.cmp(&b)))
            };
            let Some(kind) = chosen else { break };
            space.take(kind, 1);
            match taken.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, used)) => *used += 1,
                None => taken.push((kind, 1)),
            }
        }
    }
    meter.charge(fillers.len());
    for &kind in fillers {
        if taken.iter().any(|(known, _)| *known == kind) {
            continue;
        }
        let room = space.room(kind, rest.demand[kind]);
        if room > 0 && model.kinds[kind].types.contains(pattern.ty) {
            space.take(kind, room);
            taken.push((kind, room));
        }
    }
    taken.sort_unstable();
    taken
}
