//! How large each replica set is to be.

use std::cmp::Reverse;

use serde_json::Value;

use super::{DESIRED, MOST, Set, fences};
use crate::{controllers::workload::replicas_of, read::text};

/// The replica sets of a deployment with their sizes, oldest first.
pub(in crate::controllers) struct Sizes {
    pub(super) all: Vec<Size>,
    /// The one of the deployment's template.
    newest: Option<usize>,
}

/// A replica set, how large it is and how large it is to be.
#[derive(Clone, Debug)]
pub(super) struct Size {
    pub(super) name: String,
    pub(super) before: i64,
    pub(super) after: i64,
    available: i64,
    /// Whether it is only about to be made, with the size that it needs.
    pub(super) is_new_born: bool,
    pub(super) desired: Option<String>,
    pub(super) most: Option<String>,
}

// === impl Sizes ===

impl Sizes {
    pub(super) fn new(sets: &[Set], newest: Option<usize>) -> Self {
        let size = |set: &Set| Size {
            name: set.name().to_owned(),
            before: set.replicas,
            after: set.replicas,
            available: set.available(),
            is_new_born: text(&set.value, "/metadata/uid").is_empty(),
            desired: set.annotation(DESIRED).map(str::to_owned),
            most: set.annotation(MOST).map(str::to_owned),
        };
        Self { all: sets.iter().map(size).collect(), newest }
    }

    fn total(&self) -> i64 {
        self.all.iter().map(|size| size.after).sum()
    }

    fn available(&self) -> i64 {
        self.all.iter().map(|size| size.available).sum()
    }

    fn newest(&mut self) -> Option<&mut Size> {
        self.newest.and_then(|at| self.all.get_mut(at))
    }

    /// All but the one of the deployment's template.
    fn old(&mut self) -> impl Iterator<Item = &mut Size> {
        let newest = self.newest;
        self.all
            .iter_mut()
            .enumerate()
            .filter(move |(at, _)| Some(*at) != newest)
            .map(|(_, size)| size)
    }
}

/// The new one grows as far as the surge allows; when it can grow no further, old ones shrink as far as availability allows.
pub(super) fn rolling(deployment: &Value, sizes: &mut Sizes) {
    let wanted = replicas_of(deployment);
    let (surge, unavailable) = fences(deployment);
    let total = sizes.total();
    let Some(newest) = sizes.newest() else { return };
    if newest.is_new_born {
        return;
    }
    let room = (wanted + surge - total).max(0);
    let grown = if newest.after > wanted { wanted } else { (newest.after + room).min(wanted) };
    if grown != newest.after {
        newest.after = grown;
        return;
    }
    let waiting = (newest.after - newest.available).max(0);
    shrink_old(sizes, wanted - unavailable, waiting);
}

fn shrink_old(sizes: &mut Sizes, least: i64, waiting: i64) {
    let mut spare = sizes.total() - least - waiting;
    if spare <= 0 {
        return;
    }
    // Pods that are not available are no loss.
    for size in sizes.old() {
        let cut = (size.after - size.available).clamp(0, spare.max(0));
        size.after -= cut;
        spare -= cut;
    }
    let mut spare = sizes.available() - least;
    for size in sizes.old() {
        let cut = size.after.clamp(0, spare.max(0));
        size.after -= cut;
        spare -= cut;
    }
}

/// Old ones go entirely, and only when their last pod is gone does the new one begin.
pub(super) fn recreating(deployment: &Value, sizes: &mut Sizes, old_pods: bool) {
    let mut shrunk = false;
    for size in sizes.old() {
        shrunk |= size.after > 0;
        size.after = 0;
    }
    if shrunk || old_pods {
        return;
    }
    if let Some(newest) = sizes.newest()
        && !newest.is_new_born
    {
        newest.after = replicas_of(deployment);
    }
}

/// The deployment has another size than before, or is paused: those that have pods grow or shrink in proportion.
pub(super) fn scaling(deployment: &Value, sizes: &mut Sizes) {
    let wanted = replicas_of(deployment);
    let (surge, _) = fences(deployment);
    let mut active: Vec<usize> =
        (0..).zip(&sizes.all).filter(|(_, size)| size.after > 0).map(|(at, _)| at).collect();
    if active.len() <= 1 {
        let last = sizes.all.len().checked_sub(1);
        let only = active.first().copied().or(sizes.newest).or(last);
        if let Some(size) = only.and_then(|at| sizes.all.get_mut(at)) {
            size.after = wanted;
        }
        return;
    }
    let saturated = sizes.newest().is_some_and(|newest| {
        newest.after == wanted
            && newest.available == wanted
            && newest.desired.as_deref() == Some(&*wanted.to_string())
    });
    if saturated {
        sizes.old().for_each(|size| size.after = 0);
        return;
    }
    if text(deployment, "/spec/strategy/type") != "RollingUpdate" {
        return;
    }
    let allowed = if wanted > 0 { wanted + surge } else { 0 };
    let missing = allowed - sizes.total();
    // The largest first; among equals new ones grow and old ones shrink first.
    let size_of = |at: &usize| sizes.all.get(*at).map_or(0, |size| size.after);
    if missing > 0 {
        active.sort_by_key(|at| (Reverse(size_of(at)), Reverse(*at)));
    } else {
        active.sort_by_key(|at| (Reverse(size_of(at)), *at));
    }
    let mut added = 0;
    for at in &active {
        let Some(size) = sizes.all.get_mut(*at) else { continue };
        let part = proportion(size, wanted, allowed, missing, added);
        size.after += part;
        added += part;
    }
    if let Some(size) = active.first().and_then(|at| sizes.all.get_mut(*at)) {
        size.after = (size.after + missing - added).max(0);
    }
}

/// How many of the missing replicas one replica set gets; a negative number if there are too many.
fn proportion(size: &Size, wanted: i64, allowed: i64, missing: i64, added: i64) -> i64 {
    if missing == 0 || missing == added {
        return 0;
    }
    let fraction = if wanted == 0 {
        -size.after
    } else {
        let before =
            size.most.as_ref().and_then(|most| most.parse::<i64>().ok()).filter(|most| *most > 0);
        let before = before.unwrap_or(allowed).max(1);
        // Rounded to the nearest.
        (2 * size.after * allowed + before).div_euclid(2 * before) - size.after
    };
    let left = missing - added;
    if missing > 0 { fraction.min(left) } else { fraction.max(left) }
}
