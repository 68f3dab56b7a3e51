//! Named expanders: one group at a time, as the upstream chooses it.
//!
//! Each group that could help is packed by itself, the named rules choose among the results, and what is left goes another
//! round. The default, `least-cost`, does not come here: it considers all groups at once.

use plimsoll_model::{Expander, ScaleUpSettings, Symbol, resource};

use super::{items::Packable, market::Offer, patience::Patience, shop::Shop};
use crate::{
    pack::{Effort, Packing, Problem, pack},
    scene::Scene,
};

mod service;

/// What growing one group would do.
#[derive(Debug)]
pub(crate) struct Choice {
    pub offer: usize,
    pub packing: Packing,
    nodes: u64,
    pods: u64,
}

/// The best choice by the user's rules, if any group helps anybody.
pub(crate) fn choose(
    scene: &Scene<'_>,
    shop: &mut Shop,
    packable: &Packable,
    rules: &[Expander],
) -> Option<Choice> {
    let mut choices = consider_all(scene, shop, &packable.problem);
    let offers = shop.offers.as_slice();
    for rule in rules {
        if *rule == Expander::Service {
            let question = service::question(scene, offers, packable, &choices);
            match service::answer(scene, &question) {
                Some(advice) => {
                    shop.is_declined |= advice.best.as_ref().is_some_and(Vec::is_empty);
                    service::keep(scene, offers, advice, &mut choices);
                }
                None if choices.len() > 1 => shop.questions.push(question),
                None => {}
            }
        } else {
            filter(scene, offers, packable, *rule, &mut choices);
        }
    }
    // What is still equal is decided by money, then by name: the same world, the same choice.
    let groups = &scene.state.world.groups;
    choices
        .into_iter()
        .min_by_key(|choice| (choice.packing.cost, groups[offers[choice.offer].group].id))
}

/// Packs for one group after the other. Once the time for the choice is over it is made among those that help somebody so far.
fn consider_all(scene: &Scene<'_>, shop: &mut Shop, problem: &Problem) -> Vec<Choice> {
    let mut left = Patience::new(&scene.state.world.settings.scale_up).choice;
    let mut choices: Vec<Choice> = Vec::new();
    for offer in 0..shop.offers.len() {
        if left.steps == 0 && choices.iter().any(|choice| choice.nodes > 0) {
            break;
        }
        if shop.admits(scene, offer) {
            let choice = consider(offer, problem, problem.effort.min(left));
            left = left.less(choice.packing.steps);
            shop.charge(choice.packing.steps);
            choices.push(choice);
        }
    }
    choices.retain(|choice| choice.nodes > 0);
    choices
}

/// Packs everything into nodes of one offer.
fn consider(offer: usize, problem: &Problem, effort: Effort) -> Choice {
    let mut alone = Problem { effort, ..problem.clone() };
    for (place, bin) in alone.bins.iter_mut().enumerate() {
        if place != offer {
            bin.max = 0;
        }
    }
    let packing = pack(&alone);
    let nodes = packing.opened();
    let asked: u64 = problem.items.iter().map(|item| u64::from(item.count)).sum();
    let missed: u64 = packing.unplaced.iter().map(|(_, count)| u64::from(*count)).sum();
    Choice { offer, packing, nodes, pods: asked - missed }
}

fn filter(
    scene: &Scene<'_>,
    offers: &[Offer],
    packable: &Packable,
    rule: Expander,
    choices: &mut Vec<Choice>,
) {
    let settings = &scene.state.world.settings;
    match rule {
        Expander::LeastCost => {
            keep_least(choices, |choice| count(choice.packing.cost) / count(choice.pods).max(1.0));
        }
        Expander::LeastWaste => {
            keep_least(choices, |choice| waste(scene, offers, packable, choice));
        }
        Expander::MostPods => keep_least(choices, |choice| -count(choice.pods)),
        Expander::LeastNodes => keep_least(choices, |choice| count(choice.nodes)),
        Expander::Price => keep_least(choices, |choice| price(scene, offers, packable, choice)),
        Expander::Priority => by_priority(scene, offers, &settings.scale_up, choices),
        Expander::Random => {
            if !choices.is_empty() {
                let names = choices
                    .iter()
                    .map(|choice| scene.state.world.groups[offers[choice.offer].group].id);
                let chosen = lottery(settings.seed, names);
                let kept = choices.swap_remove(chosen);
                *choices = vec![kept];
            }
        }
        // Asked by whoever runs the filters: it needs to leave a question behind.
        Expander::Service => {}
    }
}

fn keep_least(choices: &mut Vec<Choice>, score: impl Fn(&Choice) -> f64) {
    let scores: Vec<f64> = choices.iter().map(score).collect();
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let mut scores = scores.into_iter();
    choices.retain(|_| scores.next().is_some_and(|score| score <= least + 1e-9));
}

/// The idle share of cpu, memory and accelerators on the new nodes. An accelerator that nobody asked for is idle too.
fn waste(scene: &Scene<'_>, offers: &[Offer], packable: &Packable, choice: &Choice) -> f64 {
    let Some(template) = &scene.templates[offers[choice.offer].group] else { return f64::INFINITY };
    let capacity = &template.unnamed().capacity;
    let used =
        |name: Symbol| -> f64 { placed(scene, packable, choice, |shape| shape.requests.get(name)) };
    let idle = |has: i64, used: f64| {
        if has > 0 { 1.0 - used / (amount(has) * count(choice.nodes)) } else { 0.0 }
    };
    let (cpu, memory) = (Symbol::new(resource::CPU), Symbol::new(resource::MEMORY));
    let gpus = placed(scene, packable, choice, |shape| crate::state::marks::gpus(&shape.requests));
    idle(capacity.get(cpu), used(cpu))
        + idle(capacity.get(memory), used(memory))
        + idle(template.gpus, gpus)
}

/// The sum of something over the pods that a choice places.
fn placed(
    scene: &Scene<'_>,
    packable: &Packable,
    choice: &Choice,
    of: impl Fn(&plimsoll_model::PodShape) -> i64,
) -> f64 {
    let pods = &scene.state.world.pods;
    let mut sum = 0.0;
    for bin in &choice.packing.bins {
        for (item, number) in &bin.contents {
            if let Some(demand) = packable.pools[*item].values().flatten().next() {
                let each = amount(of(&pods[demand.pod].shape));
                sum += each * f64::from(*number) * f64::from(bin.times);
            }
        }
    }
    sum
}

/// The upstream's formula: the price of the nodes against that of the pods, times how unfit the node's size is for a cluster
/// of this size.
fn price(scene: &Scene<'_>, offers: &[Offer], packable: &Packable, choice: &Choice) -> f64 {
    let world = scene.state.world;
    let Some(template) = &scene.templates[offers[choice.offer].group] else { return f64::INFINITY };
    let weights = &world.settings.scale_up.weights;
    let pod_price = |cpu: f64, memory: f64, gpus: f64| {
        cpu / 1000.0 * weights.cpu.units()
            + memory / f64::from(1 << 30) * weights.memory_gib.units()
            + gpus * weights.gpu.units()
    };
    let sum =
        |name: &str| placed(scene, packable, choice, |shape| shape.requests.get(Symbol::new(name)));
    let gpus = placed(scene, packable, choice, |shape| crate::state::marks::gpus(&shape.requests));
    let pods = pod_price(sum(resource::CPU), sum(resource::MEMORY), gpus);
    let nodes = offers[choice.offer].cost.units() * count(choice.nodes);
    let small = pod_price(500.0, 500.0 * 1024.0 * 1024.0, 0.0);
    let preferred = match world.nodes.len() {
        0..=2 => 1.0,
        3..=6 => 2.0,
        7..=20 => 4.0,
        21..=60 => 8.0,
        61..=200 => 16.0,
        _ => 32.0,
    };
    let cpus =
        amount(template.unnamed().capacity.get(Symbol::new(resource::CPU))).max(1.0) / 1000.0;
    let size = (cpus / preferred).max(preferred / cpus);
    let unfitness = if template.gpus > 0 {
        1000.0
    } else {
        let damping = ((count(choice.nodes) - 1.0) / 15.0).tanh();
        size * (1.0 - damping) + damping
    };
    unfitness * (nodes + small) / (pods + small)
}

/// Keeps the groups that match the highest number of the user's list; all when there is no list, or none matches.
fn by_priority(
    scene: &Scene<'_>,
    offers: &[Offer],
    settings: &ScaleUpSettings,
    choices: &mut Vec<Choice>,
) {
    let Some(priorities) = &settings.priorities else { return };
    let rank = |choice: &Choice| {
        let id = scene.state.world.groups[offers[choice.offer].group].id;
        let matching = priorities.iter().filter(|(_, patterns)| {
            patterns.iter().any(|pattern| {
                regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(id.as_str()))
            })
        });
        matching.map(|(number, _)| *number).max()
    };
    if let Some(highest) = choices.iter().filter_map(rank).max() {
        choices.retain(|choice| rank(choice) == Some(highest));
    }
}

/// A place drawn by the seed: the group whose mixed name is least.
fn lottery(seed: u64, names: impl Iterator<Item = Symbol>) -> usize {
    let mixed = names.map(|name| {
        name.as_str().bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    });
    mixed.enumerate().min_by_key(|(_, mixed)| *mixed).map_or(0, |(place, _)| place)
}

#[expect(clippy::cast_precision_loss, reason = "a score, compared only")]
fn count(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a score, compared only")]
fn amount(number: i64) -> f64 {
    number as f64
}
