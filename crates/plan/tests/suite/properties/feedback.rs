//! Pass after pass on what the passes before have made of a world: it settles, and nothing is bought twice or given back at
//! once.

mod simulation;

use std::{collections::BTreeSet, fmt::Write as _};

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

#[test]
fn plain_worlds_settle() {
    check(80, Kinds::PLAIN, settles);
}

#[test]
fn worlds_where_pods_look_at_each_other_settle() {
    check(60, Kinds::COMPANY, settles);
}

/// Without limits: when a pass may buy only part of what it wants, the next may find that it bought the wrong part.
#[test]
fn worlds_in_trouble_settle() {
    check(60, Kinds { limits: false, ..Kinds::EVERYTHING }, settles);
}

fn settles(lines: &Lines) -> Checked {
    let mut simulation = Simulation::new(world(&lines.to_string()));
    let mut bought_for = BTreeSet::new();
    let mut story = String::new();
    for pass in 0..PASSES {
        let plan = plan(&simulation.world);
        writeln!(story, "pass {pass}\n{}", show(&plan)).unwrap();
        for purchase in &plan.purchases {
            for pod in &purchase.pods {
                prop_assert!(bought_for.insert(pod.clone()), "{pod} again\n{story}");
            }
        }
        for one in &plan.retirements {
            let fresh = simulation.bought.contains(&one.node);
            let broken = one.why == RetirementReason::Unready;
            prop_assert!(!fresh || broken, "{} was bought just now\n{story}", one.node);
        }
        let quiet =
            plan.purchases.is_empty() && plan.retirements.is_empty() && plan.repairs.is_empty();
        prop_assert!(quiet || pass + 1 < PASSES, "no end\n{story}");
        simulation.apply(&plan);
    }
    Ok(())
}
