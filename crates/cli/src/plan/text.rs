//! The plan for people: what happens, to whom, and why.

use std::{io, io::Write};

use plimsoll_model::World;
use plimsoll_plan::{
    Outcome, Plan,
    words::{self, Count},
};

use super::crowd::Stems;
use crate::printable::Lines;

pub(super) mod changes;
pub(super) mod groups;
pub(super) mod nodes;
pub(super) mod pods;

/// What the sentences are made from.
pub(super) struct Story<'p> {
    pub(super) world: &'p World,
    pub(super) plan: &'p Plan,
    pub(super) stems: Stems<'p>,
}

/// Writes the plan, a paragraph for each topic.
pub(super) fn write(
    mut out: Lines<impl Write>,
    world: &World,
    plan: &Plan,
    placements: bool,
) -> io::Result<()> {
    let story = Story { world, plan, stems: Stems::new(world) };
    let mut paragraphs = vec![
        headline(world, plan),
        changes::purchases(&story),
        changes::repairs(&story),
        changes::retirements(&story),
        pods::lines(&story),
        room(world, plan),
        nodes::lines(&story),
        groups::lines(&story),
        money(world, plan),
    ];
    if placements {
        let lines = plan.placements.iter();
        paragraphs.push(lines.map(|place| format!("{} → {}", place.pod, place.node)).collect());
    }
    let mut is_first = true;
    for paragraph in paragraphs.into_iter().filter(|lines| !lines.is_empty()) {
        if !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        for line in paragraph {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Says that there is nothing to do, and why.
fn headline(world: &World, plan: &Plan) -> Vec<String> {
    let does_something =
        !plan.purchases.is_empty() || !plan.retirements.is_empty() || !plan.repairs.is_empty();
    let mut lines = Vec::new();
    if !plan.healthy {
        lines.push("The cluster is unhealthy: too many nodes are not ready.".to_owned());
    }
    let doubt = plan.contradiction.as_ref();
    lines.extend(doubt.map(|found| format!("{}.", words::contradiction(found, world.now))));
    if does_something {
        return lines;
    }
    let stuck = plan
        .pods
        .iter()
        .filter(|pod| matches!(pod.outcome, Outcome::NoGroupFits | Outcome::AwaitsNextPass))
        .count();
    let pods = match stuck {
        0 => "every pod has a place".to_owned(),
        1 => "no group can be used for the pod that has no place".to_owned(),
        stuck => format!("no group can be used for the {stuck} pods that have no place"),
    };
    let nodes = match plan.unneeded.len() {
        0 => "no node can go".to_owned(),
        idle => format!("no node can go yet ({} idle)", Count(idle, "node")),
    };
    lines.push(format!("Nothing to do: {pods}, and {nodes}."));
    lines
}

/// What becomes of requests for room, and of buffers.
fn room(world: &World, plan: &Plan) -> Vec<String> {
    let requests = plan.requests.iter().map(|report| words::request(report, world.now));
    requests.chain(plan.buffers.iter().map(words::buffer)).collect()
}

/// Without prices there is nothing to say.
fn money(world: &World, plan: &Plan) -> Vec<String> {
    if world.groups.iter().all(|group| group.price.is_none()) {
        return Vec::new();
    }
    let (before, after) = (plan.cost.before, plan.cost.after);
    vec![if before == after {
        format!("The nodes cost {before} an hour, and that stays.")
    } else {
        format!("The nodes cost {before} an hour, and {after} after this.")
    }]
}
