//! What the groups of a member are called outside.

use plimsoll_model::Symbol;

/// A group by its provider and by what that provider calls it. Both stay the same whatever other providers are configured beside it,
/// so what is stored is stored under this name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupName {
    /// The name of the provider.
    pub provider: Box<str>,
    /// What the provider calls the group.
    pub group: Box<str>,
}

/// How a member's groups are named.
#[derive(Debug)]
pub(super) enum Names {
    /// As the provider names them: it is the only one.
    Plain,
    /// `member/group`.
    Under(Box<str>),
}

// === impl Names ===

impl Names {
    /// What everybody else calls this group.
    pub(super) fn outer(&self, inner: Symbol) -> Symbol {
        match self {
            Self::Plain => inner,
            Self::Under(member) => Symbol::new(&format!("{member}/{inner}")),
        }
    }

    /// What the provider calls this group; `None` if it is another's.
    pub(super) fn inner(&self, outer: Symbol) -> Option<Symbol> {
        match self {
            Self::Plain => Some(outer),
            Self::Under(member) => {
                let rest = outer.as_str().strip_prefix(&**member)?.strip_prefix('/')?;
                Some(Symbol::new(rest))
            }
        }
    }
}
