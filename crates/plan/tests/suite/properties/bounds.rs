//! No plan goes beyond what the user and the providers allow.

use plimsoll_model::{InstanceState, Node, Symbol, World, resource};
use plimsoll_plan::{GroupHealth, Plan, Repair, plan};
use proptest::prelude::*;

use super::{Checked, check, cluster};
use crate::{
    fixture::{show, world},
    worlds::{Kinds, Lines},
};

#[test]
fn purchases_keep_to_every_bound() {
    check(256, Kinds::EVERYTHING, keeps_to_bounds);
}

#[test]
fn nothing_is_given_back_below_a_minimum() {
    check(256, Kinds::EVERYTHING, keeps_minimums);
}

#[test]
fn gangs_are_whole() {
    check(256, Kinds { gangs: true, limits: true, ..Kinds::PLAIN }, gangs_are_served_whole);
}

fn keeps_to_bounds(lines: &Lines) -> Checked {
    let world = world(&lines.to_string());
    let plan = plan(&world);
    let said = show(&plan);
    for purchase in &plan.purchases {
        let group = cluster::group(&world, purchase.group);
        let more = purchase.to - purchase.from;
        prop_assert!(more > 0 && purchase.to <= group.max, "{said}");
        prop_assert!(more <= world.settings.scale_up.max_nodes_per_pass, "{said}");
        prop_assert!(!purchase.pods.is_empty(), "{said}");
        prop_assert!(!group.options.atomic || purchase.to == group.max, "{said}");
        prop_assert_eq!(purchase.from, repaired_target(&world, &plan, purchase.group), "{}", said);
        let report = plan.groups.iter().find(|report| report.id == purchase.group).unwrap();
        prop_assert_eq!(&report.health, &GroupHealth::Healthy, "{}", said);
    }
    if plan.purchases.is_empty() {
        // What is there may be beyond a limit; it is only not made worse.
        return Ok(());
    }
    let mut all = cluster::before(&world, &plan);
    all.nodes.extend(cluster::bought(&world, &plan).into_iter().map(Into::into));
    let limits = &world.settings.limits;
    let sum = |name: &str| {
        let amount = |node: &Node| node.capacity.get(Symbol::new(name));
        all.nodes.iter().map(|node| amount(node)).sum::<i64>()
    };
    prop_assert!(limits.nodes == 0 || all.nodes.len() <= limits.nodes as usize, "{said}");
    prop_assert!(sum(resource::CPU) <= limits.cores.max * 1000, "{said}");
    prop_assert!(sum(resource::MEMORY) <= limits.memory_gib.max << 30, "{said}");
    Ok(())
}

/// The target of a group once the plan's repairs are made.
fn repaired_target(world: &World, plan: &Plan, id: Symbol) -> u32 {
    plan.repairs.iter().fold(cluster::group(world, id).target, |target, repair| match repair {
        Repair::DeleteInstance { group, .. } if *group == id => target - 1,
        Repair::LowerTarget { group, to, .. } | Repair::RaiseToMin { group, to, .. }
            if *group == id =>
        {
            *to
        }
        _ => target,
    })
}

fn keeps_minimums(lines: &Lines) -> Checked {
    let mut world = world(&lines.to_string());
    // Everything that could be given back has been idle for long.
    let idle = world.now - plimsoll_model::SignedDuration::from_hours(1);
    world.memory.unneeded_since = world.nodes.iter().map(|node| (node.name, idle)).collect();
    let plan = plan(&world);
    for group in &world.groups {
        let gone = plan.retirements.iter().filter(|one| one.group == group.id).count();
        let target = repaired_target(&world, &plan, group.id) as usize;
        prop_assert!(gone == 0 || target - gone >= group.min as usize, "{}", show(&plan));
        let staying = |state: InstanceState| state != InstanceState::Deleting;
        let machines = group.instances.iter().filter(|one| staying(one.state)).count();
        prop_assert!(gone <= machines);
    }
    Ok(())
}

fn gangs_are_served_whole(lines: &Lines) -> Checked {
    let world = world(&lines.to_string());
    let plan = plan(&world);
    let gang = |name: &plimsoll_model::PodName| {
        let pod = world.pods.iter().find(|pod| pod.id() == *name).unwrap();
        pod.extras.as_ref().and_then(|extras| extras.gang).is_some()
    };
    let of_gang = plan.pods.iter().filter(|pod| gang(&pod.pod));
    let served: Vec<bool> =
        of_gang.map(|pod| plan.placements.iter().any(|one| one.pod == pod.pod)).collect();
    prop_assert!(served.iter().all(|one| *one == served[0]), "{}", show(&plan));
    Ok(())
}
