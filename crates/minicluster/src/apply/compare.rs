//! What a write changed, as sets of fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    fields::{FieldSet, Node, field_edge},
    view::{self, View, view},
};
use crate::schema::Type;

/// The fields in which two versions of an object differ.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// Added, or with another value.
    pub(super) changed: FieldSet,
    /// Gone.
    pub(super) removed: FieldSet,
}

/// What a difference means for the field itself.
#[derive(Debug, Default)]
struct Difference {
    changed: Node,
    removed: Node,
}

/// What a field is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A field of a struct. A struct that is such a field has no owner of its own: it is there when anything in it is.
    Declared,
    /// A key of a map, or an element of a list.
    Item,
}

/// Compares two versions.
pub(super) fn compare(of: &Type, old: &Value, new: &Value) -> Comparison {
    let difference = differ(of, Place::Declared, Some(old), Some(new));
    Comparison { changed: difference.changed.below, removed: difference.removed.below }
}

/// The fields that an applied configuration names. Structs and lists belong to nobody, only what is in them.
pub(super) fn named_fields(of: &Type, value: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    match view(of, Some(value)) {
        View::Nothing | View::Whole => {}
        View::Members(members) => {
            for (name, value) in members {
                let member = view::member(of, name);
                let mut node = node_of(&member.of, value);
                let is_empty = value.as_object().is_some_and(Map::is_empty);
                node.is_member |= value.is_null() || is_empty || !member.is_declared;
                set.insert(field_edge(name), node);
            }
        }
        View::Elements(elements) => {
            let item = view::item(of);
            for (edge, same) in view::by_edge(of, elements) {
                let mut node = match same.as_slice() {
                    [one] => node_of(&item, one),
                    _ => Node::default(),
                };
                node.is_member = true;
                set.insert(edge, node);
            }
        }
    }
    set
}

fn node_of(of: &Type, value: &Value) -> Node {
    Node { is_member: matches!(view(of, Some(value)), View::Whole), below: named_fields(of, value) }
}

fn differ(of: &Type, place: Place, old: Option<&Value>, new: Option<&Value>) -> Difference {
    let mut difference = Difference::default();
    if old == new {
        return difference;
    }
    let (before, after) = (view(of, old), view(of, new));
    match (before, after) {
        _ if before.is_hollow() && after.is_hollow() => difference.mark(new),
        (View::Members(_) | View::Nothing, View::Members(_) | View::Nothing) => {
            let nothing = Map::new();
            let members = |view| match view {
                View::Members(members) => members,
                _ => &nothing,
            };
            let (before, after) = (members(before), members(after));
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let member = view::member(of, name);
                let place = if member.is_declared { Place::Declared } else { Place::Item };
                let inner = differ(&member.of, place, before.get(name), after.get(name));
                difference.add(field_edge(name), inner);
            }
            difference.removed.is_member = new.is_none();
            difference.changed.is_member =
                old.is_none() && !(place == Place::Declared && of.is_struct());
        }
        (View::Elements(_) | View::Nothing, View::Elements(_) | View::Nothing) => {
            let elements = |view| match view {
                View::Elements(elements) => elements,
                _ => &[],
            };
            differ_in_elements(of, elements(before), elements(after), &mut difference);
            difference.removed.is_member = new.is_none();
            difference.changed.is_member = old.is_none();
        }
        _ => {
            // The value has another shape now: what was inside is gone with it.
            difference.mark(new);
            difference.removed.below = old.map(|old| named_fields(of, old)).unwrap_or_default();
        }
    }
    difference
}

fn differ_in_elements(of: &Type, before: &[Value], after: &[Value], into: &mut Difference) {
    let item = view::item(of);
    let mut before = view::by_edge(of, before);
    let after = view::by_edge(of, after);
    for (edge, new) in after {
        let old = before.remove(&edge).unwrap_or_default();
        let inner = match (old.as_slice(), new.as_slice()) {
            ([], [new]) => differ(&item, Place::Item, None, Some(new)),
            ([old], [new]) => differ(&item, Place::Item, Some(old), Some(new)),
            // Elements of the same name cannot be told apart; together they are one whole.
            (old, new) if old == new => Difference::default(),
            _ => Difference { changed: Node::member(), removed: Node::default() },
        };
        into.add(edge, inner);
    }
    for (edge, old) in before {
        let inner = match old.as_slice() {
            [old] => differ(&item, Place::Item, Some(old), None),
            _ => Difference { changed: Node::default(), removed: Node::member() },
        };
        into.add(edge, inner);
    }
}

// === impl Comparison ===

impl Comparison {
    /// Whether nothing differs.
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

// === impl Difference ===

impl Difference {
    /// The field itself came, went or changed.
    fn mark(&mut self, new: Option<&Value>) {
        self.removed.is_member = new.is_none();
        self.changed.is_member = new.is_some();
    }

    fn add(&mut self, edge: Box<str>, inner: Self) {
        if !inner.removed.is_empty() {
            self.removed.below.insert(edge.clone(), inner.removed);
        }
        self.changed.below.insert(edge, inner.changed);
    }
}
