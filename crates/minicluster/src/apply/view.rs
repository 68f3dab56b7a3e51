//! How server-side apply looks at values: which are one whole, which have parts with owners of their own.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value, json};

use super::fields::{key_edge, value_edge};
use crate::schema::{ListRule, Type};

/// What a value is to server-side apply.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'v> {
    /// Not there, or null: looks like whatever is beside it.
    Nothing,
    /// One whole.
    Whole,
    /// A struct or map whose members have owners.
    Members(&'v Map<String, Value>),
    /// A list whose elements have owners.
    Elements(&'v [Value]),
}

/// A member's type, and whether the struct declares it. Keys of maps are not declared: they belong to who set them.
pub(super) struct Member {
    /// The type.
    pub(super) of: Arc<Type>,
    /// Whether the type of the whole has a field of this name.
    pub(super) is_declared: bool,
}

static ANY: LazyLock<Arc<Type>> = LazyLock::new(Type::any);

/// Looks at a value of this type. Where the type says nothing, maps have members and lists are whole.
pub(super) fn view<'v>(of: &Type, value: Option<&'v Value>) -> View<'v> {
    match value {
        None | Some(Value::Null) => View::Nothing,
        Some(Value::Object(members)) if !of.is_atomic() => View::Members(members),
        Some(Value::Array(elements)) if of.list_rule() != ListRule::Atomic => {
            View::Elements(elements)
        }
        Some(_) => View::Whole,
    }
}

/// The type of a member.
pub(super) fn member(of: &Type, name: &str) -> Member {
    match of.field(name) {
        Some(member) => Member { of: member, is_declared: of.is_struct() },
        None => Member { of: Arc::clone(&ANY), is_declared: false },
    }
}

/// The type of a list's elements.
pub(super) fn item(of: &Type) -> Arc<Type> {
    of.item().unwrap_or_else(|| Arc::clone(&ANY))
}

/// What names an element of a list; an error says why it cannot be named.
pub(super) fn edge(of: &Type, element: &Value) -> Result<Box<str>, String> {
    match of.list_rule() {
        ListRule::Atomic => Err("invalid indexing of non-associative list".to_owned()),
        ListRule::Set => match element {
            Value::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Value::Array(_) => {
                Err("not supported: associative list with lists as elements".to_owned())
            }
            Value::Null => {
                Err("associative list without keys has an element that's an explicit null"
                    .to_owned())
            }
            _ => Ok(value_edge(element)),
        },
        ListRule::Map(names) => edge_by_keys(names, element),
    }
}

fn edge_by_keys(names: &[Box<str>], element: &Value) -> Result<Box<str>, String> {
    let fields = match element {
        Value::Object(fields) => fields,
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let mut keys: Vec<(&str, Cow<'_, Value>)> = names
        .iter()
        .filter_map(|name| match fields.get(name.as_ref()) {
            Some(value) => Some((name.as_ref(), Cow::Borrowed(value))),
            None => Some((name.as_ref(), Cow::Owned(default_of_key(name)?))),
        })
        .collect();
    if keys.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and \
             doesn't have default values for any key fields)",
            names.join(" ")
        ));
    }
    keys.sort_by_key(|(name, _)| *name);
    Ok(key_edge(&keys))
}

/// The elements of a list by their names. Elements that cannot be named are left out: the store has none.
pub(super) fn by_edge<'v>(of: &Type, elements: &'v [Value]) -> BTreeMap<Box<str>, Vec<&'v Value>> {
    let mut named: BTreeMap<Box<str>, Vec<&Value>> = BTreeMap::new();
    for element in elements {
        if let Ok(edge) = edge(of, element) {
            named.entry(edge).or_default().push(element);
        }
    }
    named
}

/// A key that may be left out. Of the built-in kinds, only the protocol of a port has a default.
fn default_of_key(name: &str) -> Option<Value> {
    (name == "protocol").then(|| json!("TCP"))
}

// === impl View ===

impl View<'_> {
    /// Whether there is nothing inside that could have an owner.
    pub(super) fn is_hollow(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Whole => false,
            Self::Members(members) => members.is_empty(),
            Self::Elements(elements) => elements.is_empty(),
        }
    }
}
