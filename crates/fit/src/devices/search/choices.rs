//! What there is to choose from: the devices that the selectors of a request take.

use plimsoll_model::{DeviceCount, Symbol};

use crate::devices::{
    DeviceProblem, capacity,
    looks::Looks,
    pools::{Candidate, PoolState, View},
    selector::SelectorError,
    wanted::{Alternative, WantedClaim},
};

/// No claim gets more devices than this.
pub(super) const MOST_DEVICES: usize = 32;

/// What an alternative may choose from.
pub(super) struct Choices<'a> {
    pub alternative: &'a Alternative,
    /// How many are needed.
    pub count: usize,
    /// Devices that the selectors take, or cannot judge: that is an error once such a device is tried.
    pub devices: Vec<Offer<'a>>,
}

/// A device that may be chosen.
#[derive(Clone, Copy)]
pub(super) struct Offer<'a> {
    pub candidate: &'a Candidate,
    /// Its pool's place in the view.
    pub pool: usize,
    pub error: Option<&'a SelectorError>,
}

/// By request and alternative: what a claim may choose from.
pub(super) fn choices_of<'a>(
    view: &'a View,
    looks: &'a Looks,
    claim: &'a WantedClaim,
) -> Result<Vec<Vec<Choices<'a>>>, DeviceProblem> {
    let mut least = 0;
    let mut requests = Vec::with_capacity(claim.requests.len());
    for request in &claim.requests {
        let alternatives = request.alternatives.iter();
        let alternatives: Vec<_> = alternatives
            .map(|alternative| Choices::new(view, looks, claim, request.name, alternative))
            .collect::<Result<_, _>>()?;
        least += alternatives.iter().map(|one| one.count).min().unwrap_or(0);
        requests.push(alternatives);
    }
    if least > MOST_DEVICES {
        return Err(DeviceProblem::Wrong(
            format!(
                "claim {}: number of requested devices {least} exceeds the claim limit of \
                 {MOST_DEVICES}",
                claim.name
            )
            .into(),
        ));
    }
    Ok(requests)
}

// === impl Choices ===

impl<'a> Choices<'a> {
    fn new(
        view: &'a View,
        looks: &'a Looks,
        claim: &WantedClaim,
        request: Symbol,
        alternative: &'a Alternative,
    ) -> Result<Self, DeviceProblem> {
        let wants_all = alternative.wish.count == DeviceCount::All;
        let mut devices = Vec::new();
        for (pool, seen) in view.pools.iter().enumerate() {
            let usable = match &seen.state {
                PoolState::Usable { devices, .. } => devices,
                PoolState::Incomplete | PoolState::Invalid if wants_all => {
                    let (driver, name) = seen.key;
                    let is = if matches!(seen.state, PoolState::Invalid) {
                        "invalid"
                    } else {
                        "being updated"
                    };
                    return Err(DeviceProblem::Wrong(
                        format!(
                            "claim {}, request {request}: asks for all devices, but resource pool \
                             {driver}/{name} is currently {is}",
                            claim.name
                        )
                        .into(),
                    ));
                }
                PoolState::Incomplete | PoolState::Invalid => continue,
            };
            for candidate in usable {
                let error = match selected(looks, alternative, candidate) {
                    Ok(false) => continue,
                    Ok(true) => None,
                    Err(error) if wants_all => return Err(broken(claim, alternative, error)),
                    Err(error) => Some(error),
                };
                devices.push(Offer { candidate, pool, error });
            }
        }
        if wants_all {
            let wish = &alternative.wish;
            devices.retain(|one| {
                capacity::consumption(&wish.capacity, &one.candidate.device().capacity).is_some()
            });
        }
        let count = match alternative.wish.count {
            DeviceCount::Exactly(count) => usize::try_from(count).unwrap_or(usize::MAX),
            DeviceCount::All => devices.len(),
        };
        Ok(Self { alternative, count, devices })
    }
}

/// Whether the selectors of the class and then those of the request take the device.
fn selected<'a>(
    looks: &'a Looks,
    alternative: &Alternative,
    device: &Candidate,
) -> Result<bool, &'a SelectorError> {
    for selector in alternative.class.iter().chain(&alternative.own) {
        match looks.verdict(*selector, device.look) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// What a selector that cannot be evaluated means to a claim.
pub(super) fn broken(
    claim: &WantedClaim,
    alternative: &Alternative,
    error: &SelectorError,
) -> DeviceProblem {
    let (kind, error) = match error {
        SelectorError::Compile(error) => ("compile", error),
        SelectorError::Runtime(error) => ("runtime", error),
    };
    let class = alternative.wish.class;
    let text = format!("claim {}, class {class}: CEL {kind} error: {error}", claim.name);
    DeviceProblem::Wrong(text.into())
}
