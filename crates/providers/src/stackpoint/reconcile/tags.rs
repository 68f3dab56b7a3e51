//! What groups are called: by the service, by people, and on nodes.

use plimsoll_model::Symbol;

use super::{Books, Machine, Shelf};
use crate::stackpoint::{
    owner::{GROUP_LABEL, OLD_GROUP_LABEL},
    wire::Pool,
};

/// What group ids begin with.
const PREFIX: &str = "autoscaling-";

/// The groups that a name may mean.
#[derive(Clone, Debug)]
pub(in crate::stackpoint) struct Tag<'b, 't> {
    text: &'t str,
    groups: Vec<&'b Shelf>,
    /// It is what a pool is called that is no group.
    is_of_other: bool,
}

/// The id of the group that a pool is.
pub(super) fn group_id(pool: &Pool) -> Symbol {
    match pool.pk {
        // Groups of services without pools are called as the user says, and carry the beginning once.
        None if pool.instance_id.starts_with("autoscaling") => Symbol::new(&pool.instance_id),
        _ => Symbol::new(&format!("{PREFIX}{}", pool.instance_id)),
    }
}

/// Whether people or nodes may call a pool so.
fn is_called(pool: &Pool, text: &str) -> bool {
    let is_tag = |(key, value): &(String, String)| {
        (key == GROUP_LABEL || key == OLD_GROUP_LABEL) && value == text
    };
    pool.instance_id == text
        || text.strip_prefix(PREFIX) == Some(&*pool.instance_id)
        || pool.name == text
        || pool.labels.iter().any(is_tag)
}

// === impl Books ===

impl Books {
    /// What a name means. The id of a group means that group, whatever others are called.
    pub(in crate::stackpoint) fn tag<'b, 't>(&'b self, text: &'t str) -> Tag<'b, 't> {
        let exact: Vec<&Shelf> =
            self.groups.iter().filter(|shelf| shelf.id.as_str() == text).collect();
        let is_other = |pool: &Pool| is_called(pool, text);
        let groups = match &*exact {
            _ if text.is_empty() => Vec::new(),
            [] => self.groups.iter().filter(|shelf| is_called(&shelf.pool, text)).collect(),
            _ => exact,
        };
        let is_of_other = groups.is_empty() && self.others.iter().any(is_other);
        Tag { text, groups, is_of_other }
    }
}

// === impl Tag ===

impl<'b> Tag<'b, '_> {
    /// The only group that it may mean.
    pub(in crate::stackpoint) fn only(&self) -> Option<&'b Shelf> {
        match &*self.groups {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Whether it names the group of this machine, by what the group is called or by what the service has on record.
    pub(in crate::stackpoint) fn is_of(&self, shelf: &Shelf, machine: &Machine) -> bool {
        let is_recorded = self.groups.is_empty() && machine.group_name == self.text;
        is_recorded || self.groups.iter().any(|group| group.id == shelf.id)
    }

    /// Whether it names the group of this machine, or is a name that people gave and that says nothing of any pool.
    pub(in crate::stackpoint) fn allows(&self, shelf: &Shelf, machine: &Machine) -> bool {
        let says_nothing =
            self.groups.is_empty() && !self.is_of_other && !self.text.starts_with(PREFIX);
        says_nothing || self.is_of(shelf, machine)
    }
}
