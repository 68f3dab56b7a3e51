//! The user's own service as an expander: what it is asked, and what its answer does.

use plimsoll_model::{Advice, Alternative, PodName, Question, Symbol};

use super::Choice;
use crate::{
    scale_up::{items::Packable, market::Offer},
    scene::Scene,
};

/// What the service would be asked. The same choices in the same world are the same question.
pub(super) fn question(
    scene: &Scene<'_>,
    offers: &[Offer],
    packable: &Packable,
    choices: &[Choice],
) -> Question {
    let mut alternatives: Vec<Alternative> = choices
        .iter()
        .map(|choice| Alternative {
            group: group(scene, offers, choice),
            nodes: u32::try_from(choice.nodes).unwrap_or(u32::MAX),
            pods: pods(scene, packable, choice),
        })
        .collect();
    alternatives.sort_unstable_by_key(|alternative| alternative.group);
    Question { alternatives }
}

/// What the service answered, if it was asked this already.
pub(super) fn answer<'w>(scene: &Scene<'w>, question: &Question) -> Option<&'w Advice> {
    scene.state.world.advice.iter().find(|advice| advice.question == *question)
}

/// Keeps what the service prefers; nothing when it wants no scale-up, and everything when it could not tell or named nothing that can
/// be had.
pub(super) fn keep(
    scene: &Scene<'_>,
    offers: &[Offer],
    advice: &Advice,
    choices: &mut Vec<Choice>,
) {
    let Some(best) = &advice.best else { return };
    if best.is_empty() {
        choices.clear();
    }
    let is_best = |choice: &Choice| best.contains(&group(scene, offers, choice));
    if choices.iter().any(is_best) {
        choices.retain(is_best);
    }
}

fn group(scene: &Scene<'_>, offers: &[Offer], choice: &Choice) -> Symbol {
    scene.state.world.groups[offers[choice.offer].group].id
}

/// The pods that a choice places. Of pods that are alike, those that come first.
fn pods(scene: &Scene<'_>, packable: &Packable, choice: &Choice) -> Vec<PodName> {
    let mut counts = vec![0_usize; packable.pools.len()];
    for bin in &choice.packing.bins {
        for (item, number) in &bin.contents {
            counts[*item] += *number as usize * bin.times as usize;
        }
    }
    let placed = packable.pools.iter().zip(counts).flat_map(|(pool, count)| {
        pool.values().flatten().take(count).map(|demand| scene.state.world.pods[demand.pod].id())
    });
    let mut names: Vec<PodName> = placed.collect();
    names.sort_unstable();
    names
}
