//! Pass after pass on what the passes before have made of a world: it settles, and nothing is bought twice or given back at
//! once.

mod simulation;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use plimsoll_model::{Consolidation, Money, Symbol, World};
use plimsoll_plan::{RetirementReason, plan};
use proptest::prelude::*;

use self::simulation::Simulation;
use super::{Checked, check};
use crate::{
    fixture::{show, world},
    worlds::{Kinds, Lines},
};

/// Passes, five minutes apart, so all within an hour.
const PASSES: usize = 12;

/// Passes for consolidation, which waits for calm before every look.
const LONG: usize = 60;

#[test]
fn plain_worlds_settle() {
    check(80, Kinds::PLAIN, settles);
}

#[test]
fn worlds_where_pods_look_at_each_other_settle() {
    check(60, Kinds::COMPANY, settles);
}

#[test]
fn worlds_of_all_kinds_settle() {
    check(60, Kinds::EVERYTHING, settles);
}

#[test]
fn consolidation_by_money_settles_and_never_costs_more() {
    check(80, Kinds::PLAIN, |lines| consolidates(&lines.to_string()));
    check(40, Kinds::COMPANY, |lines| consolidates(&lines.to_string()));
}

/// All at once they would do with fewer nodes; but they leave one after the other, and one of them has to stay.
#[test]
fn nodes_are_not_replaced_by_their_like_for_ever() {
    consolidates(
        "
        daemon agent 100m 100Mi
        group old 0..0 2cpu 4Gi $0.10
        group small 0..3 4cpu 16Gi $0.10 zone=b label=disk=ssd
        group large 0..3 16cpu 64Gi $0.10 zone=a
        node n0 of old
        node n1 of old
        node n2 of large
        pods pair*2 500m near=zone owner=rs on=n0
        pods web*3 3cpu
        pods port*2 7cpu port=80
        pods other*1 3cpu port=80 owner=rs
        ",
    )
    .unwrap();
    consolidates(
        "
        group old 0..0 2cpu 4Gi $0.10
        group small 0..2 8cpu 16Gi $0.10 zone=b slots=5
        group large 0..2 16cpu 64Gi $0.20 zone=a
        node n0 of old
        pods a*2 1Gi owner=rs on=n0
        pods apart*2 apart=zone:apart owner=rs on=n0
        pods high*2 prio=5 owner=rs on=n0
        pods web*5 1500m 3Gi owner=rs
        pods wide*3 3cpu owner=rs
        ",
    )
    .unwrap();
}

/// Consolidates until there is nothing left to do. Whoever had a place has one in the end, and the cluster costs no more than
/// it did before.
fn consolidates(fixture: &str) -> Checked {
    let mut before = world(fixture);
    before.settings.scale_down.consolidation = Consolidation::Cost;
    before.settings.scale_down.parallelism = 100;
    before.settings.scale_down.drain_parallelism = 100;
    let mut simulation = Simulation::new(before);
    simulation.apply(&plan(&simulation.world));
    let waits = |world: &World| world.pods.iter().filter(|pod| pod.node.is_none()).count();
    let (cost, waiting) = (cost(&simulation.world), waits(&simulation.world));
    let mut story = String::new();
    let mut quiet = 0;
    for pass in 0..LONG {
        let plan = plan(&simulation.world);
        writeln!(story, "pass {pass}\n{}", show(&plan)).unwrap();
        let still =
            plan.purchases.is_empty() && plan.retirements.is_empty() && plan.repairs.is_empty();
        quiet = if still { quiet + 1 } else { 0 };
        simulation.apply(&plan);
    }
    prop_assert!(quiet > 3, "no end\n{story}");
    prop_assert!(waits(&simulation.world) <= waiting, "somebody lost a place\n{story}");
    // Pods that could not be served at first may be bought for later.
    let dearer = self::cost(&simulation.world) > cost + 1e-6;
    prop_assert!(!dearer || waiting > 0, "dearer than {cost}\n{story}");
    Ok(())
}

/// What the providers charge an hour.
fn cost(world: &World) -> f64 {
    let prices = world.groups.iter().filter_map(|group| Some(group.price?.times(group.target)));
    prices.map(Money::units).sum()
}

/// Carries out plan after plan, until there is nothing left to do.
///
/// Nothing is bought twice for a pod. Nothing that was bought is given back, unless something has happened since: what a limit
/// or a failure has kept from being bought at once may come later and make it superfluous.
fn settles(lines: &Lines) -> Checked {
    let mut simulation = Simulation::new(world(&lines.to_string()));
    let mut bought_for = BTreeSet::new();
    let mut bought_at: BTreeMap<Symbol, usize> = BTreeMap::new();
    let mut last_change = 0;
    let mut story = String::new();
    for pass in 0..PASSES {
        let plan = plan(&simulation.world);
        writeln!(story, "pass {pass}\n{}", show(&plan)).unwrap();
        for pod in plan.purchases.iter().flat_map(|purchase| &purchase.pods) {
            prop_assert!(bought_for.insert(pod.clone()), "{pod} again\n{story}");
        }
        for one in &plan.retirements {
            let just_bought = bought_at.get(&one.node) == Some(&last_change);
            let broken = one.why == RetirementReason::Unready;
            prop_assert!(broken || !just_bought, "{} was just bought\n{story}", one.node);
        }
        let quiet =
            plan.purchases.is_empty() && plan.retirements.is_empty() && plan.repairs.is_empty();
        prop_assert!(quiet || pass + 1 < PASSES, "no end\n{story}");
        if !quiet {
            last_change = pass;
        }
        bought_at.extend(simulation.apply(&plan).into_iter().map(|node| (node, pass)));
    }
    Ok(())
}
