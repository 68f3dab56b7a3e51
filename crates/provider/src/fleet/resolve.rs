//! What a group is called now that was stored under an earlier configuration.
//!
//! With one provider a group is called `group`, with several `provider/group`. Whoever adds or removes a provider thereby renames
//! groups, and what was stored before, such as an open order, still means the same machines.

use plimsoll_model::Symbol;

use super::{Fleet, GroupName, Member};

/// What a stored name may mean: a member, and a name of its own.
type Meaning<'f> = (&'f Member, Symbol);

// === impl Fleet ===

impl Fleet {
    /// The provider that a group belongs to by its name, and what the group is called there; `None` when no provider is configured
    /// that could have it. Whether that provider has it is told by [`Fleet::lists_group`].
    pub fn name_of(&self, group: Symbol) -> Option<GroupName> {
        let (member, inner) = self.member_of(group).ok()?;
        Some(GroupName { provider: member.name().into(), group: inner.as_str().into() })
    }

    /// What a group is called by everybody but its provider; `None` when no provider of that name is configured.
    pub fn outer(&self, name: &GroupName) -> Option<Symbol> {
        let member = self.members.iter().find(|member| member.name() == &*name.provider)?;
        Some(member.names.outer(Symbol::new(&name.group)))
    }

    /// Whether the group is in the last complete inventory of its provider; `None` while that provider has never been read. A group that
    /// is not listed says nothing of its machines: it was taken out of the configuration, and they may run on.
    pub fn lists_group(&self, group: Symbol) -> Option<bool> {
        match self.member_of(group) {
            Ok((member, inner)) => member.lists(inner),
            // No provider is configured that could list it.
            Err(_) => Some(false),
        }
    }

    /// What a group is called now that was stored as `stored`, with the provider's name in front or without; `provider` is its
    /// provider's name, where that was stored beside it.
    ///
    /// `None` when it cannot be decided, or not yet: its provider is not configured any more, several providers have such a group, or
    /// one that could have it has never been read.
    pub fn resolve(&self, stored: &str, provider: Option<&str>) -> Option<Symbol> {
        let meant: Vec<&Member> = match provider {
            Some(name) => self.members.iter().filter(|member| member.name() == name).collect(),
            None => self.members.iter().filter(|member| member.inside(stored).is_some()).collect(),
        };
        match meant.as_slice() {
            [] if provider.is_some() => None,
            [] => self.resolve_plain(stored),
            [member] => member.resolve(stored).map(|inner| member.names.outer(inner)),
            _ => None,
        }
    }

    /// A name that says nothing of its provider: the only one that lists such a group, once all have been read.
    fn resolve_plain(&self, stored: &str) -> Option<Symbol> {
        let inner = Symbol::new(stored);
        let mut listing: Vec<Meaning<'_>> = Vec::new();
        for member in &self.members {
            if member.lists(inner)? {
                listing.push((member, inner));
            }
        }
        match listing.as_slice() {
            [(member, inner)] => Some(member.names.outer(*inner)),
            _ => None,
        }
    }
}

// === impl Member ===

impl Member {
    fn name(&self) -> &str {
        self.keeper.provider().name()
    }

    /// Whether the last complete inventory has this group; `None` before the first.
    fn lists(&self, inner: Symbol) -> Option<bool> {
        let kept = self.keeper.latest();
        kept.inventory.map(|inventory| inventory.group(inner).is_some())
    }

    /// What stands after this member's name in front of a stored name.
    fn inside(&self, stored: &str) -> Option<Symbol> {
        stored.strip_prefix(self.name())?.strip_prefix('/').map(Symbol::new)
    }

    /// The member's own name of a group of its own, stored with the member's name in front or without.
    fn resolve(&self, stored: &str) -> Option<Symbol> {
        let whole = Symbol::new(stored);
        let Some(inside) = self.inside(stored) else { return Some(whole) };
        // A group may itself be called like a group of this provider.
        match (self.lists(inside), self.lists(whole)) {
            (Some(true), Some(true)) => None,
            (Some(false), Some(true)) => Some(whole),
            (Some(_), Some(false)) => Some(inside),
            (None, _) | (_, None) => (self.names.inner(whole) == Some(inside)).then_some(inside),
        }
    }
}
