//! Merges an applied configuration into the live object.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::view::{self, View, view};
use crate::schema::Type;

/// Lays `config` over `live`: members and elements that have owners of their own are merged, everything else is replaced.
pub(super) fn merge(of: &Type, live: &mut Value, config: &Value) {
    match (view(of, Some(live)), view(of, Some(config))) {
        // Saying nothing about what has parts takes nothing away.
        (View::Members(_) | View::Elements(_), View::Nothing) if !is_empty(live) => {}
        (View::Members(_), View::Members(members)) => {
            let Value::Object(live) = live else { return };
            for (name, value) in members {
                match live.get_mut(name) {
                    Some(member) => merge(&view::member(of, name).of, member, value),
                    None => {
                        live.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (View::Elements(_), View::Elements(elements)) => {
            if let Value::Array(live) = live {
                *live = merge_elements(of, live, elements);
            }
        }
        _ => live.clone_from(config),
    }
}

/// Elements of both lists that are the same keep the order of the configuration; live ones that it does not have stay where
/// they are among them, and new ones come where the configuration has them, after the live ones before that place.
fn merge_elements(of: &Type, live: &[Value], config: &[Value]) -> Vec<Value> {
    let item = view::item(of);
    let edges = |elements: &[Value]| -> Vec<Option<Box<str>>> {
        elements.iter().map(|element| view::edge(of, element).ok()).collect()
    };
    let (live_edges, config_edges) = (edges(live), edges(config));
    let in_config: BTreeMap<&str, &Value> = config_edges
        .iter()
        .zip(config)
        .filter_map(|(edge, value)| Some((edge.as_deref()?, value)))
        .collect();

    // Live elements that the configuration has too, by name; of elements with the same name none is merged.
    let mut shared: BTreeMap<&str, Option<Value>> = BTreeMap::new();
    for (edge, value) in live_edges.iter().zip(live) {
        if let Some(edge) = edge.as_deref().filter(|edge| in_config.contains_key(edge)) {
            shared
                .entry(edge)
                .and_modify(|value| *value = None)
                .or_insert_with(|| Some(value.clone()));
        }
    }
    let mut next_shared: VecDeque<&str> = config_edges
        .iter()
        .filter_map(|edge| edge.as_deref().filter(|edge| shared.contains_key(edge)))
        .collect();
    let mut take = |edge: &str| -> Option<Value> {
        let applied = *in_config.get(edge)?;
        Some(match shared.get_mut(edge).and_then(Option::take) {
            Some(mut old) => {
                merge(&item, &mut old, applied);
                old
            }
            None => applied.clone(),
        })
    };

    let mut merged = Vec::with_capacity(live.len().max(config.len()));
    let mut ahead = live_edges.iter().map(Option::as_deref).zip(live.iter().cloned()).peekable();
    for edge in config_edges.iter().filter_map(Option::as_deref) {
        // Live elements before the next shared one come first, those that the configuration has too come in its order.
        while let Some((live_edge, _)) = ahead.peek() {
            match live_edge {
                Some(here) if *here == edge => {
                    ahead.next();
                    break;
                }
                Some(here) if in_config.contains_key(here) => {
                    if next_shared.front() == Some(here) {
                        break;
                    }
                    ahead.next();
                }
                _ => merged.extend(ahead.next().map(|(_, value)| value)),
            }
        }
        if next_shared.front() == Some(&edge) {
            next_shared.pop_front();
        }
        merged.extend(take(edge));
    }
    let only_live = |edge: Option<&str>| edge.is_none_or(|edge| !in_config.contains_key(edge));
    merged.extend(ahead.filter(|(edge, _)| only_live(*edge)).map(|(_, value)| value));
    merged
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    }
}
