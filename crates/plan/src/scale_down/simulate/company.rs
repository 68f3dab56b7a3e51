//! Pods that have to share a host and leave theirs together.
//!
//! The scheduler takes them one by one. Once the first has a place the others can only follow it, and if there is no room for them
//! they wait for good: no new node would help. So they leave only if, wherever the first of them may go, the others find places.

use plimsoll_fit::{NodeId, Snapshot};
use plimsoll_model::{PodShape, PodTerm, World, label};

use super::Mover;

/// Companies among the movers, each of more than one.
pub(super) fn companies(world: &World, movers: &[Mover]) -> Vec<Vec<Mover>> {
    let shape = |mover: &Mover| -> &PodShape { &world.pods[mover.pod].shape };
    let mut companies = Vec::new();
    let mut left = movers.to_vec();
    while let Some(place) = left.iter().position(|mover| host_terms(shape(mover)).next().is_some())
    {
        let mut company = vec![left.remove(place)];
        let mut next = 0;
        while let Some(member) = company.get(next).copied() {
            let bound = |other: &mut Mover| {
                follows(shape(&member), shape(other)) || follows(shape(other), shape(&member))
            };
            company.extend(left.extract_if(.., bound));
            next += 1;
        }
        if company.len() > 1 {
            companies.push(company);
        }
    }
    companies
}

/// Whether some of a company may be left without a place by those that go first. All of them are off their nodes.
pub(super) fn may_part(trial: &mut Snapshot, nodes: &[NodeId], company: &[Mover]) -> bool {
    let is_first_of_its_shape =
        |place: &usize| company[..*place].iter().all(|other| other.shape != company[*place].shape);
    (0..company.len()).filter(is_first_of_its_shape).any(|first| {
        let mut others = company.to_vec();
        let first = others.remove(first);
        nodes.iter().any(|node| {
            trial.fits(first.shape, *node) && leaves_behind(trial, nodes, (first, *node), &others)
        })
    })
}

/// Whether some find no place when the first one goes to this node.
fn leaves_behind(
    trial: &mut Snapshot,
    nodes: &[NodeId],
    (first, node): (Mover, NodeId),
    others: &[Mover],
) -> bool {
    let mut trial = trial.fork();
    trial.place(first.shape, node);
    let mut rest = others.to_vec();
    loop {
        let before = rest.len();
        rest.retain(|mover| {
            // That is where they go, if they have to follow.
            let mut places = std::iter::once(&node).chain(nodes);
            let place = places.find(|place| trial.fits(mover.shape, **place));
            if let Some(place) = place {
                trial.place(mover.shape, *place);
            }
            place.is_none()
        });
        if rest.is_empty() || rest.len() == before {
            return !rest.is_empty();
        }
    }
}

/// Whether a pod has to be on the host of another.
fn follows(shape: &PodShape, other: &PodShape) -> bool {
    host_terms(shape).any(|term| {
        let scope = &term.namespaces;
        let sees = scope.named.contains(&other.namespace) || scope.selected.is_some();
        sees && term.selects(&other.labels)
    })
}

fn host_terms(shape: &PodShape) -> impl Iterator<Item = &PodTerm> {
    shape.affinity.iter().filter(|term| term.topology_key.as_str() == label::HOSTNAME)
}
