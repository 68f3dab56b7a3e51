//! Where a pod is put.

use std::fmt;

use plimsoll_model::Symbol;

/// A node that a plan puts pods on: one that exists, or one that will.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A node that is in the cluster.
    Existing(Symbol),
    /// A node of a group that is ordered and not registered.
    Upcoming {
        /// The group.
        group: Symbol,
        /// Which of the upcoming nodes of the group, from 1.
        number: u32,
    },
    /// A node that the plan scales its group up by.
    New {
        /// The group.
        group: Symbol,
        /// Which of the new nodes of the group, from 1.
        number: u32,
    },
}

// === impl Place ===

impl Place {
    /// The node, if it is in the cluster.
    pub const fn existing(self) -> Option<Symbol> {
        match self {
            Self::Existing(node) => Some(node),
            Self::Upcoming { .. } | Self::New { .. } => None,
        }
    }

    /// Whether it is a node that the plan scales this group up by.
    pub fn is_new_of(self, of: Symbol) -> bool {
        matches!(self, Self::New { group, .. } if group == of)
    }
}

/// A name as `plimsoll plan` prints it: `web-1`, `web#upcoming-1`, `web#1`. A group may have any name, so it is never read back.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Existing(node) => write!(f, "{node}"),
            Self::Upcoming { group, number } => write!(f, "{group}#upcoming-{number}"),
            Self::New { group, number } => write!(f, "{group}#{number}"),
        }
    }
}
