//! Takes away what a manager used to apply and applies no longer.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    compare::named_fields,
    fields::{FieldSet, Node, field_edge},
    view,
};
use crate::schema::{ListRule, Type};

/// Takes those fields off `merged` that are in `last`, the set that the manager applied before, and in nobody's set now.
/// `owned` is what all managers own together, the applying one with its new configuration included.
pub(super) fn prune(of: &Type, merged: &mut Value, last: &FieldSet, owned: &FieldSet) {
    if last.is_empty() {
        return;
    }
    let last = with_structs(of, last);
    let all = with_structs(of, &named_fields(of, merged));

    // Taking a field away takes all below with it, and that may be more than the manager owned.
    let mut without = merged.clone();
    remove(of, &mut without, &last);
    let mut goes = all.clone();
    goes.subtract(&with_structs(of, &named_fields(of, &without)));
    goes.subtract(&with_structs(of, owned));
    let mut kept = merged.clone();
    remove(of, &mut kept, &goes);

    // What nobody owns stays too, as long as the manager did not own it.
    let mut goes = all;
    goes.subtract(&with_structs(of, &named_fields(of, &kept)));
    remove(of, merged, &goes.intersection(&last));
}

/// The set with the fields of structs that lead to something in it. Structs have no owners, but they are taken away with the
/// last thing in them.
fn with_structs(of: &Type, set: &FieldSet) -> FieldSet {
    let mut all = FieldSet::default();
    for (edge, node) in set.nodes() {
        let (below, is_declared) = match edge.strip_prefix("f:") {
            Some(name) => {
                let member = view::member(of, name);
                (with_structs(&member.of, &node.below), member.is_declared)
            }
            None => (with_structs(&view::item(of), &node.below), false),
        };
        let is_member = node.is_member || (is_declared && !node.below.is_empty());
        all.insert(edge.into(), Node { is_member, below });
    }
    all
}

/// Takes the fields of a set off a value. What is left empty goes too.
fn remove(of: &Type, value: &mut Value, set: &FieldSet) {
    match value {
        Value::Object(members) if !of.is_atomic() => {
            let mut emptied = BTreeSet::new();
            for (name, value) in &mut *members {
                match set.node(&field_edge(name)) {
                    Some(node) if node.is_member => {
                        emptied.insert(name.clone());
                    }
                    Some(node) => {
                        remove(&view::member(of, name).of, value, &node.below);
                        if is_hollow(value) {
                            emptied.insert(name.clone());
                        }
                    }
                    None => {}
                }
            }
            members.retain(|name, _| !emptied.contains(name));
        }
        Value::Array(elements) if of.list_rule() != ListRule::Atomic => {
            let item = view::item(of);
            elements.retain_mut(|element| {
                let Ok(edge) = view::edge(of, element) else { return true };
                match set.node(&edge) {
                    Some(node) if node.is_member => false,
                    Some(node) => {
                        remove(&item, element, &node.below);
                        true
                    }
                    None => true,
                }
            });
        }
        Value::Object(_) | Value::Array(_) => *value = Value::Null,
        _ => {}
    }
}

fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    }
}
