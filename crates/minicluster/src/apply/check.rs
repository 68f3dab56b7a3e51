//! Checks an applied configuration by the kind's types, and says what is wrong in the words of the real server.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{fields::shown, view};
use crate::{
    patch::go,
    schema::{ListRule, Shape, Type},
};

/// What is wrong with the configuration, one line each, such as `.spec.replicas: expected numeric (int or float), got string`.
pub(super) fn check(of: &Type, config: &Value) -> Vec<String> {
    let mut mistakes = Vec::new();
    check_value(of, "", config, &mut mistakes);
    mistakes
}

fn check_value(of: &Type, path: &str, value: &Value, mistakes: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    let shown = || format!("&{{{}}}", go::Shown(value));
    let expected = match (of.shape(), value) {
        (Shape::Struct(_) | Shape::Map(_), Value::Object(members)) => {
            return check_members(of, path, members, mistakes);
        }
        (Shape::List(_), Value::Array(elements)) => {
            return check_elements(of, path, elements, mistakes);
        }
        (Shape::Struct(_) | Shape::Map(_), _) => format!("expected map, got {}", shown()),
        (Shape::List(_), _) => format!("expected list, got {}", shown()),
        (Shape::Integer32 | Shape::Integer64 | Shape::Number, other) if !other.is_number() => {
            format!("expected numeric (int or float), got {}", go::type_name(other))
        }
        (Shape::String | Shape::Bytes, other) if !other.is_string() => {
            format!("expected string, got &value.valueUnstructured{{Value:{}}}", go::Shown(other))
        }
        (Shape::Boolean, other) if !other.is_boolean() => {
            format!("expected boolean, got {}", shown())
        }
        (
            Shape::Time | Shape::MicroTime | Shape::Quantity | Shape::IntOrString,
            Value::Object(_) | Value::Array(_),
        ) => format!("expected any scalar, got {}", shown()),
        _ => return,
    };
    mistakes.push(format!("{path}: {expected}"));
}

fn check_members(of: &Type, path: &str, members: &Map<String, Value>, mistakes: &mut Vec<String>) {
    for (name, value) in members {
        match of.field(name) {
            Some(member) => check_value(&member, &format!("{path}.{name}"), value, mistakes),
            None if of.is_open() => {}
            None => {
                mistakes.push(format!("{path}.{name}: field not declared in schema"));
                return;
            }
        }
    }
}

fn check_elements(of: &Type, path: &str, elements: &[Value], mistakes: &mut Vec<String>) {
    let item = view::item(of);
    let mut seen = BTreeSet::new();
    for (index, element) in elements.iter().enumerate() {
        let place = if of.list_rule() == ListRule::Atomic {
            format!("[{index}]")
        } else {
            let edge = match view::edge(of, element) {
                Ok(edge) => edge,
                Err(why) => {
                    mistakes.push(format!("{path}: element {index}: {why}"));
                    return;
                }
            };
            let place = shown(&edge);
            if !seen.insert(edge) {
                mistakes.push(format!("{path}: duplicate entries for key {place}"));
            }
            place
        };
        check_value(&item, &format!("{path}{place}"), element, mistakes);
    }
}
