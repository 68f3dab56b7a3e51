//! Whether a scale-up that was decided earlier is still allowed.

use plimsoll_model::{Symbol, World};

use crate::{plan::GroupReason, scale_up::Allowance, scene::Scene, state};

/// Whether a scale-up that was decided earlier is allowed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is.
    Allowed,
    /// Nobody knows at the moment: no provider that can be read has the group.
    Unknown,
    /// The limits that hold now do not allow it.
    Refused(GroupReason),
}

/// Whether a group may get so many machines more, by the limits that hold now: its maximum, and those of the whole cluster.
///
/// An order that a process finds when it starts, or places again, was decided under limits that may have been others, or was
/// written by somebody who knew of none. It passes the same ones as a new one.
pub fn admits(world: &World, group: Symbol, count: u32) -> Admission {
    let Some(place) = world.groups.iter().position(|known| known.id == group) else {
        return Admission::Unknown;
    };
    let found = &world.groups[place];
    if found.frozen.is_some() {
        return Admission::Unknown;
    }
    if count == 0 {
        return Admission::Allowed;
    }
    if count > found.max.saturating_sub(found.target) {
        return Admission::Refused(GroupReason::MaxSizeReached { max: found.max });
    }
    let scene = Scene::new(state::observe(world));
    let refused = match &scene.templates[place] {
        Some(template) => Allowance::new(&scene).refuses(template, count),
        // Without knowing what its nodes look like, nobody could have decided for it either.
        None => return Admission::Refused(GroupReason::NoTemplate),
    };
    match refused {
        Some(limit) => Admission::Refused(GroupReason::QuotaExceeded { limit }),
        None => Admission::Allowed,
    }
}
