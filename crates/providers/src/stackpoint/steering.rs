//! Whole groups that pods are to keep away from, by the taint that the original's proposal has for it:
//! `stackpoint.io/node_group=GROUP:PreferNoSchedule`.

use plimsoll_model::Symbol;
use plimsoll_provider::Steer;

use super::{owner::GROUP_LABEL, reconcile::Shelf};

/// When a group's nodes are tainted. Without either, nobody's taints are touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steering {
    /// What a group that has become too large is to do.
    pub too_large: TooLarge,
    /// Groups that the user wants pods to keep away from, by their id or by the name of their pool.
    pub avoid: Vec<Box<str>>,
}

/// What becomes of a group that has more machines than it may have, since somebody lowered its maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TooLarge {
    /// Its pods come and go as anywhere.
    #[default]
    Ignored,
    /// Pods keep away from it, so that its nodes become empty and can be given back.
    Avoided,
}

// === impl Steering ===

impl Steering {
    /// What the nodes of a group are to carry; `None` when nothing is to be done about any.
    pub(super) fn of(&self, shelf: &Shelf) -> Option<Steer> {
        if *self == Self::default() {
            return None;
        }
        let (target, max) = (shelf.target(), shelf.max);
        let why = if self.avoid.iter().any(|name| is_called(shelf, name)) {
            Some("avoid-groups names it".to_owned())
        } else if self.too_large == TooLarge::Avoided && target > max {
            Some(format!("it has {target} machines and may have {max}"))
        } else {
            None
        };
        let (key, value) = (Symbol::new(GROUP_LABEL), shelf.id);
        Some(Steer { key, value, why: why.map(Into::into) })
    }

    /// Names of groups to avoid that no group has.
    pub(super) fn unknown(&self, shelves: &[Shelf]) -> Vec<&str> {
        let is_known = |name: &str| shelves.iter().any(|shelf| is_called(shelf, name));
        self.avoid.iter().map(|name| &**name).filter(|name| !is_known(name)).collect()
    }
}

fn is_called(shelf: &Shelf, name: &str) -> bool {
    shelf.id.as_str() == name || *shelf.pool.name == *name
}
