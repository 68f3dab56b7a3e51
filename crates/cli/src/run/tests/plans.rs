//! For each flag that decisions depend on: a world in which it makes the difference that it is there for.
//!
//! Each world is planned twice, without and with the flag on the command line, and the plans have to differ in what is done or told.

use std::collections::BTreeSet;

use plimsoll_manifest::{
    flags::{Scope, TABLE},
    scenario,
};
use plimsoll_plan::plan;

use self::{summary::summary, worlds::PAIRS};
use super::{effects, process};

mod profiles;
mod summary;
mod worlds;

/// Ours, and what they do is tested with the planner.
const ELSEWHERE: [&str; 14] = [
    "consolidation",
    "consolidation-horizon",
    "consolidation-threshold",
    "cost-per-cpu",
    "cost-per-gib",
    "cost-per-gpu",
    "eviction-cost",
    "headroom",
    "headroom-percent",
    "max-group-share-per-pass",
    "node-fee",
    "remove-gone-nodes-after",
    "scale-up-when-unhealthy",
    "seed",
];

/// The flags whose effect is shown.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PAIRS.iter().map(|(flag, ..)| *flag).chain([profiles::FLAG])
}

#[test]
fn flags_make_the_difference_that_they_are_there_for() {
    let mut idle = Vec::new();
    for (flag, value, companions, world) in PAIRS {
        let planned = |flags: &[(&str, &str)]| {
            let words: Vec<String> =
                flags.iter().map(|(name, value)| format!("--{name}={value}")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut world = scenario::read(&world().to_string()).unwrap();
            let priorities = world.settings.scale_up.priorities.take();
            world.settings = process(&words).unwrap().settings.plan;
            world.settings.scale_up.priorities = priorities;
            for group in &mut world.groups {
                group.options = world.settings.group.clone();
            }
            summary(&plan(&world))
        };
        let without = planned(companions);
        let with = planned(&[companions, &[(*flag, *value)][..]].concat());
        if without == with {
            idle.push(format!("{flag}={value}: {without}"));
        }
    }
    assert!(idle.is_empty(), "these make no difference:\n{}", idle.join("\n"));
}

#[test]
fn every_flag_that_decisions_depend_on_has_its_world() {
    let shown: BTreeSet<&str> = names().chain(effects::names()).collect();
    let missing: Vec<&str> = TABLE
        .iter()
        .filter(|flag| flag.scope != Scope::Group)
        .map(|flag| flag.name)
        .filter(|name| !shown.contains(name) && !ELSEWHERE.contains(name))
        .collect();
    assert_eq!(missing, [""; 0]);
}
