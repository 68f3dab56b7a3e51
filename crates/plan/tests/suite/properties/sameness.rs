//! What must not make a difference, and what must not make things dearer.

use plimsoll_model::{Money, World};
use plimsoll_plan::{Outcome, Plan, plan};
use proptest::{prelude::*, sample::Index};

use super::{Checked, check, check_all, cluster};
use crate::{
    fixture::{show, world},
    worlds::{Kinds, Lines, worlds},
};

/// Packing is hard, so plans are not always the cheapest: by so much they may differ from each other.
const TOLERANCE: f64 = 1.12;

#[test]
fn the_same_world_gives_the_same_bytes() {
    check(128, Kinds::EVERYTHING, |lines| {
        let fixture = lines.to_string();
        let (one, other) = (world(&fixture), world(&fixture));
        prop_assert_eq!(format!("{:?}", plan(&one)), format!("{:?}", plan(&other)));
        prop_assert_eq!(format!("{:?}", plan(&one)), format!("{:?}", plan(&one)));
        Ok(())
    });
}

#[test]
fn the_order_of_the_input_hardly_matters() {
    let strategy = (worlds(priced(Kinds::PLAIN)), any::<[Index; 3]>());
    check_all(256, strategy, |(lines, turns)| order_hardly_matters(&lines, turns));
}

#[test]
fn fewer_pods_hardly_cost_more() {
    let strategy = (worlds(priced(Kinds::PLAIN)), any::<Index>());
    check_all(256, strategy, |(lines, one)| fewer_cost_no_more(&lines, one));
}

#[test]
fn fewer_pods_that_look_at_each_other_hardly_cost_more() {
    let strategy = (worlds(priced(Kinds::COMPANY)), any::<Index>());
    check_all(256, strategy, |(lines, one)| fewer_cost_no_more(&lines, one));
}

/// Worlds in which only what is bought makes a difference: who gets the room that is here is for the scheduler to say, and
/// accelerators are spared whatever that costs.
fn priced(kinds: Kinds) -> Kinds {
    Kinds { nodes: false, gpus: false, ..kinds }
}

fn order_hardly_matters(lines: &Lines, turns: [Index; 3]) -> Checked {
    let world = world(&lines.to_string());
    let mut turned = world.clone();
    turn(&mut turned.pods, turns[0]);
    turn(&mut turned.nodes, turns[1]);
    turn(&mut turned.groups, turns[2]);
    let (one, other) = (plan(&world), plan(&turned));
    let difference = served(&one).abs_diff(served(&other));
    prop_assert!(difference <= 1, "{}\n{}", show(&one), show(&other));
    if served(&one) < world.pods.len() || difference > 0 {
        // Others are served, at other prices.
        return Ok(());
    }
    let (cost, turned_cost) = (spent(&world, &one), spent(&world, &other));
    let close = turned_cost <= cost * TOLERANCE && cost <= turned_cost * TOLERANCE;
    prop_assert!(close, "{}\n{}", show(&one), show(&other));
    Ok(())
}

/// Compared only where all are served, before and after: who is served when not all can be is another matter.
fn fewer_cost_no_more(lines: &Lines, one: Index) -> Checked {
    let world = world(&lines.to_string());
    let all = plan(&world);
    let waiting: Vec<usize> =
        (0..world.pods.len()).filter(|place| world.pods[*place].node.is_none()).collect();
    if served(&all) < waiting.len() || waiting.is_empty() {
        return Ok(());
    }
    let mut fewer = world.clone();
    let gone = fewer.pods.remove(*one.get(&waiting));
    let rest = plan(&fewer);
    let said = || format!("{}\nwithout {}:\n{}", show(&all), gone.name, show(&rest));
    prop_assert!(spent(&world, &rest) <= spent(&world, &all) * TOLERANCE, "{}", said());
    Ok(())
}

/// Turns a list and lets it begin elsewhere.
fn turn<T>(list: &mut [T], start: Index) {
    list.reverse();
    if !list.is_empty() {
        list.rotate_left(start.index(list.len()));
    }
}

fn served(plan: &Plan) -> usize {
    let served = [Outcome::TriggeredScaleUp, Outcome::FitsExisting];
    plan.pods.iter().filter(|pod| served.contains(&pod.outcome)).count()
}

/// What the purchases cost, the fee for each node included.
fn spent(world: &World, plan: &Plan) -> f64 {
    let cost = |group| {
        let price = cluster::group(world, group).price.unwrap_or(Money::ZERO);
        price + world.settings.scale_up.node_fee
    };
    let each = plan.purchases.iter().map(|one| cost(one.group).times(one.to - one.from));
    each.map(Money::units).sum()
}
