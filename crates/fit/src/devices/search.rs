//! The search for devices: claim by claim, request by request, device by device, each choice taken back if what follows fails.
//!
//! The first way that is found is taken, as in the scheduler, and devices are tried in its order: pools by driver and name,
//! slices by name, devices as published. A request never tries the same devices in another order. The effort is bounded in
//! steps: a search that takes more has no answer.

use plimsoll_model::{DeviceCount, Quantity, Symbol, first_untolerated};

use super::{
    DeviceProblem, capacity,
    constraint::{For, Held},
    counters::Left,
    ledger::{Allotment, Ledger},
    looks::Looks,
    pools::{Candidate, PoolState, View},
    wanted::{Alternative, WantedClaim},
};

mod choices;
mod reach;

use self::{
    choices::{Choices, MOST_DEVICES, Offer, broken, choices_of},
    reach::allotment,
};

/// Choices that are tried before the search gives up.
const MOST_STEPS: u32 = 20_000;

/// A search on one node.
struct Search<'a> {
    ledger: &'a Ledger,
    claims: &'a [&'a WantedClaim],
    /// By claim, request and alternative: what it may choose from.
    choices: Vec<Vec<Vec<Choices<'a>>>>,
    /// By claim.
    constraints: Vec<Vec<Held<'a>>>,
    /// By pool that has counters.
    counters: Vec<(usize, Left)>,
    /// By claim: the devices chosen so far.
    chosen: Vec<Vec<Chosen<'a>>>,
    steps: u32,
}

/// A device that is chosen for now.
struct Chosen<'a> {
    candidate: &'a Candidate,
    pool: usize,
    admin: bool,
    consumed: Box<[(Symbol, Quantity)]>,
    /// Its counters were taken.
    counted: bool,
}

/// Where the search is.
#[derive(Clone, Copy)]
struct At {
    claim: usize,
    request: usize,
    /// Chosen already for this request.
    taken: usize,
    /// The first device to try.
    start: usize,
}

/// Why there is no way from here.
enum DeadEnd {
    /// Other devices may do.
    Nothing,
    /// The claim would get too many devices: other devices will not do, other alternatives may.
    TooMany,
    /// No way at all.
    Problem(DeviceProblem),
}

type Found = Result<(), DeadEnd>;

/// Devices for all claims, on a node of this name.
pub(super) fn search(
    view: &View,
    looks: &Looks,
    ledger: &Ledger,
    node: Symbol,
    claims: &[&WantedClaim],
) -> Result<Vec<Allotment>, DeviceProblem> {
    let mut choices = Vec::with_capacity(claims.len());
    for claim in claims {
        if let Some(problem) = &claim.problem {
            return Err(problem.clone());
        }
        choices.push(choices_of(view, looks, claim)?);
    }
    let counters = view.pools.iter().enumerate().filter_map(|(place, pool)| match &pool.state {
        PoolState::Usable { counters: Some(counters), .. } => Some((place, counters.left(ledger))),
        _ => None,
    });
    let mut search = Search {
        ledger,
        claims,
        choices,
        constraints: claims
            .iter()
            .map(|claim| claim.constraints.iter().map(Held::new).collect())
            .collect(),
        counters: counters.collect(),
        chosen: claims.iter().map(|_| Vec::new()).collect(),
        steps: MOST_STEPS,
    };
    match search.next_request(0, 0) {
        Ok(()) => {
            let chosen = search.chosen.into_iter();
            Ok(chosen.map(|devices| allotment(&devices, node)).collect())
        }
        Err(DeadEnd::Problem(problem)) => Err(problem),
        Err(DeadEnd::Nothing | DeadEnd::TooMany) => {
            let is_invalid = |state: &PoolState| matches!(state, PoolState::Invalid);
            Err(if view.pools.iter().any(|pool| is_invalid(&pool.state)) {
                DeviceProblem::InvalidPools
            } else {
                DeviceProblem::NotEnough
            })
        }
    }
}

// === impl Search ===

impl<'a> Search<'a> {
    /// Goes on with a request, or with the next claim.
    fn next_request(&mut self, claim: usize, request: usize) -> Found {
        if claim >= self.claims.len() {
            return Ok(());
        }
        if request >= self.claims[claim].requests.len() {
            return match self.next_request(claim + 1, 0) {
                // It is the next claim that gets too many: it may get fewer if this one chooses otherwise.
                Err(DeadEnd::TooMany) => Err(DeadEnd::Nothing),
                found => found,
            };
        }
        let mut all_too_many = true;
        for alternative in 0..self.choices[claim][request].len() {
            match self.choose(At { claim, request, taken: 0, start: 0 }, alternative) {
                Err(DeadEnd::TooMany) => {}
                Err(DeadEnd::Nothing) => all_too_many = false,
                decided => return decided,
            }
        }
        Err(if all_too_many { DeadEnd::TooMany } else { DeadEnd::Nothing })
    }

    /// Chooses one more device for a request, and everything after it.
    fn choose(&mut self, at: At, alternative: usize) -> Found {
        self.steps = self.steps.checked_sub(1).ok_or(DeadEnd::Problem(DeviceProblem::TooHard))?;
        let choices = &self.choices[at.claim][at.request][alternative];
        let (count, available, asked) = (choices.count, choices.devices.len(), choices.alternative);
        let takes_all = asked.wish.count == DeviceCount::All;
        if takes_all && available == 0 {
            return Err(DeadEnd::Nothing);
        }
        if at.taken >= count {
            return self.next_request(at.claim, at.request + 1);
        }
        if self.chosen[at.claim].len() + (count - at.taken) > MOST_DEVICES {
            return Err(DeadEnd::TooMany);
        }
        // Fewer left than needed: no choice among them will do.
        let last = (available + at.taken + 1).saturating_sub(count);
        for place in at.start..last {
            let option = self.choices[at.claim][at.request][alternative].devices[place];
            if self.take(at, asked, option)? {
                let next = At { taken: at.taken + 1, start: place + 1, ..at };
                match self.choose(next, alternative) {
                    Err(DeadEnd::Nothing) => self.give_back(at, asked),
                    Err(other) => {
                        self.give_back(at, asked);
                        return Err(other);
                    }
                    Ok(()) => return Ok(()),
                }
            }
            if takes_all {
                // It is this one or none.
                break;
            }
        }
        Err(DeadEnd::Nothing)
    }

    /// Takes a device if it is free and goes with the others.
    fn take(&mut self, at: At, asked: &'a Alternative, option: Offer<'a>) -> Result<bool, DeadEnd> {
        let Offer { candidate, pool, error } = option;
        let (device, id) = (candidate.device(), candidate.id);
        let wish = &asked.wish;
        let among = |chosen: &[Chosen<'_>]| chosen.iter().any(|one| one.candidate.id == id);
        let is_free = if wish.admin {
            device.shareable || !among(&self.chosen[at.claim])
        } else {
            device.shareable
                || !(self.ledger.is_taken(id) || self.chosen.iter().any(|chosen| among(chosen)))
        };
        if !is_free {
            return Ok(false);
        }
        if let Some(error) = error {
            let problem = broken(self.claims[at.claim], asked, error);
            return Err(DeadEnd::Problem(problem));
        }
        let Some(consumed) = capacity::consumption(&wish.capacity, &device.capacity) else {
            return Ok(false);
        };
        let in_use: Vec<&[_]> = self
            .chosen
            .iter()
            .flatten()
            .filter(|one| device.shareable && one.candidate.id == id)
            .map(|one| &*one.consumed)
            .chain([self.ledger.consumed(id)])
            .collect();
        if !capacity::suffices(&device.capacity, &in_use, &consumed) {
            return Ok(false);
        }
        if first_untolerated(&device.taints, &wish.tolerations).is_some() {
            return Ok(false);
        }
        // A device of which somebody has a share has its counters already.
        let has_counters = device.shareable
            && (self.ledger.is_shared(id) || self.chosen.iter().any(|chosen| among(chosen)));
        let counted = !device.consumes.is_empty() && !has_counters;
        if counted && !self.left(pool).is_some_and(|left| left.reserve(device)) {
            return Ok(false);
        }
        let purpose = self.purpose(at, asked);
        let held = &mut self.constraints[at.claim];
        let refusing = held
            .iter_mut()
            .position(|constraint| !constraint.add(purpose, candidate.slice.driver, device));
        if let Some(refusing) = refusing {
            held[..refusing].iter_mut().for_each(|constraint| constraint.remove(purpose));
            if counted && let Some(left) = self.left(pool) {
                left.give(device);
            }
            if wish.count == DeviceCount::All {
                let claim = self.claims[at.claim].name;
                let text = format!(
                    "claim {claim}, request {}: cannot add device {} because a claim constraint \
                     would not be satisfied",
                    purpose.alternative.unwrap_or(purpose.request),
                    device.name
                );
                return Err(DeadEnd::Problem(DeviceProblem::Wrong(text.into())));
            }
            return Ok(false);
        }
        let consumed = if device.shareable { consumed } else { Box::default() };
        let admin = wish.admin;
        self.chosen[at.claim].push(Chosen { candidate, pool, admin, consumed, counted });
        Ok(true)
    }

    /// Takes back the last choice.
    fn give_back(&mut self, at: At, asked: &Alternative) {
        let Some(last) = self.chosen[at.claim].pop() else { return };
        let purpose = self.purpose(at, asked);
        self.constraints[at.claim].iter_mut().for_each(|constraint| constraint.remove(purpose));
        if last.counted
            && let Some(left) = self.left(last.pool)
        {
            left.give(last.candidate.device());
        }
    }

    fn left(&mut self, pool: usize) -> Option<&mut Left> {
        self.counters.iter_mut().find(|(place, _)| *place == pool).map(|(_, left)| left)
    }

    fn purpose(&self, at: At, asked: &Alternative) -> For {
        For { request: self.claims[at.claim].requests[at.request].name, alternative: asked.name }
    }
}
