//! How many disruptions a budget allows: by its status, else as the disruption controller would compute it.

use std::collections::BTreeMap;

use plimsoll_model::{Budget, BudgetRule, CountOrPercent, Owner, Phase, Symbol, World};
use rustc_hash::FxHashMap;

use super::Budgets;

/// The pods of one budget.
#[derive(Debug, Default)]
struct Flock<'w> {
    pods: i64,
    /// Running and not on their way out.
    healthy: i64,
    /// By controller: how many of its pods are here. Pods without one stand under `None`.
    owners: BTreeMap<Option<(Symbol, &'w Owner)>, i64>,
}

/// By budget: how many disruptions it allows.
pub(super) fn allowed(world: &World, budgets: &Budgets<'_>) -> Vec<i64> {
    let mut flocks: FxHashMap<usize, Flock<'_>> = FxHashMap::default();
    if world.budgets.iter().any(|budget| budget.allowed.is_none()) {
        for pod in world.pods.iter().filter(|pod| !pod.has_ended()) {
            for place in budgets.of(&pod.shape) {
                if world.budgets[place].allowed.is_some() {
                    continue;
                }
                let flock = flocks.entry(place).or_default();
                let owner = pod.owner.as_deref().map(|owner| (pod.shape.namespace, owner));
                let runs = pod.phase == Phase::Running && pod.deletion.is_none();
                flock.pods += 1;
                flock.healthy += i64::from(runs);
                *flock.owners.entry(owner).or_default() += 1;
            }
        }
    }
    let replicas: FxHashMap<(Symbol, Symbol, &str), i32> = world
        .controllers
        .iter()
        .map(|one| ((one.kind, one.namespace, &*one.name), one.replicas))
        .collect();
    (world.budgets.iter().enumerate())
        .map(|(place, budget)| match (budget.allowed, flocks.get(&place)) {
            (Some(allowed), _) => i64::from(allowed).max(0),
            (None, Some(flock)) => computed(budget, flock, &replicas),
            (None, None) => 0,
        })
        .collect()
}

/// What the disruption controller would write into the status.
fn computed(
    budget: &Budget,
    flock: &Flock<'_>,
    replicas: &FxHashMap<(Symbol, Symbol, &str), i32>,
) -> i64 {
    let wanted = |owner: &Option<(Symbol, &Owner)>, here: i64| {
        let found = owner.and_then(|(namespace, owner)| {
            replicas.get(&(owner.kind, namespace, &*owner.name)).copied()
        });
        found.map_or(here, i64::from)
    };
    let expected: i64 = flock.owners.iter().map(|(owner, here)| wanted(owner, *here)).sum();
    let (expected, needed) = match budget.rule {
        // A plain number says by itself how many have to stay, whatever the controllers want.
        BudgetRule::MinAvailable(CountOrPercent::Count(count)) => (flock.pods, i64::from(count)),
        BudgetRule::MinAvailable(CountOrPercent::Percent(percent)) => {
            (expected, share(expected, percent))
        }
        BudgetRule::MaxUnavailable(CountOrPercent::Count(count)) => {
            (expected, (expected - i64::from(count)).max(0))
        }
        BudgetRule::MaxUnavailable(CountOrPercent::Percent(percent)) => {
            (expected, (expected - share(expected, percent)).max(0))
        }
    };
    if expected <= 0 { 0 } else { (flock.healthy - needed).max(0) }
}

/// A share in percent, rounded up: also of what may be away, so that a small share of few is not nothing.
fn share(of: i64, percent: i32) -> i64 {
    let hundredths = of.saturating_mul(i64::from(percent));
    hundredths.div_euclid(100) + i64::from(hundredths.rem_euclid(100) > 0)
}
