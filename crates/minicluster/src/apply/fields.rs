//! Sets of fields, as `fieldsV1` writes them.
//!
//! A set is a tree whose edges are the texts of the written form: `f:name` for a field or key, `k:{"name":"web"}` for the
//! element of a list with these keys, `v:"x"` for a value of a set. A node belongs to the set or only leads to some that do.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use serde_json::{Map, Value};

/// A set of fields of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet(BTreeMap<Box<str>, Node>);

/// A field, and the fields below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Whether the field itself is in the set.
    pub(super) is_member: bool,
    /// What is in the set below it.
    pub(super) below: FieldSet,
}

/// The text of a field's edge.
pub(super) fn field_edge(name: &str) -> Box<str> {
    let mut edge = String::with_capacity(name.len() + 2);
    edge.push_str("f:");
    edge.push_str(name);
    edge.into_boxed_str()
}

/// The text of the edge to a value of a set.
pub(super) fn value_edge(value: &Value) -> Box<str> {
    format!("v:{value}").into_boxed_str()
}

/// The text of the edge to a list element; `keys` are sorted by name.
pub(super) fn key_edge(keys: &[(&str, Cow<'_, Value>)]) -> Box<str> {
    let mut edge = String::from("k:{");
    for (index, (name, value)) in keys.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Names of fields need no escapes; writing to a string cannot fail.
        let _ = write!(edge, "{comma}\"{name}\":{value}");
    }
    edge.push('}');
    edge.into_boxed_str()
}

// === impl FieldSet ===

impl FieldSet {
    /// Whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The nodes, with their edges.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(edge, node)| (edge.as_ref(), node))
    }

    /// The node at the end of an edge.
    pub(super) fn node(&self, edge: &str) -> Option<&Node> {
        self.0.get(edge)
    }

    /// Adds a node, unless nothing is in it.
    pub(super) fn insert(&mut self, edge: Box<str>, node: Node) {
        if !node.is_empty() {
            self.0.insert(edge, node);
        }
    }

    /// Leaves only the nodes that are wanted.
    pub(super) fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.0.retain(|edge, _| wanted(edge));
    }

    /// Of what is below one field leaves only what is wanted; the field itself goes.
    pub(super) fn retain_below(&mut self, edge: &str, wanted: impl Fn(&str) -> bool) {
        if let Some(mut node) = self.0.remove(edge) {
            node.below.retain(wanted);
            node.is_member = false;
            self.insert(edge.into(), node);
        }
    }

    /// Adds what is in `other`.
    pub(super) fn unite(&mut self, other: Self) {
        for (edge, node) in other.0 {
            let here = self.0.entry(edge).or_default();
            here.is_member |= node.is_member;
            here.below.unite(node.below);
        }
    }

    /// Takes away what is in `other`. Only fields that `other` names go, not those below them.
    pub(super) fn subtract(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.0.retain(|edge, node| {
            if let Some(gone) = other.0.get(edge) {
                node.is_member &= !gone.is_member;
                node.below.subtract(&gone.below);
            }
            !node.is_empty()
        });
    }

    /// What is in both.
    pub(super) fn intersection(&self, other: &Self) -> Self {
        let mut both = Self::default();
        for (edge, node) in &self.0 {
            if let Some(there) = other.0.get(edge) {
                let node = Node {
                    is_member: node.is_member && there.is_member,
                    below: node.below.intersection(&there.below),
                };
                both.insert(edge.clone(), node);
            }
        }
        both
    }

    /// The fields in it as messages show them, such as `.spec.containers[name="web"].image`.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect_paths("", &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &str, paths: &mut Vec<String>) {
        for (edge, _) in self.nodes().filter(|(_, node)| node.is_member) {
            paths.push(format!("{prefix}{}", shown(edge)));
        }
        for (edge, node) in self.nodes().filter(|(_, node)| !node.below.is_empty()) {
            node.below.collect_paths(&format!("{prefix}{}", shown(edge)), paths);
        }
    }

    /// The written form.
    pub(super) fn encode(self) -> Value {
        let nodes = self.0.into_iter().map(|(edge, node)| {
            let is_member = node.is_member && !node.below.is_empty();
            let mut below = node.below.encode();
            if let (true, Value::Object(below)) = (is_member, &mut below) {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            (edge.into_string(), below)
        });
        Value::Object(nodes.collect())
    }

    /// Reads the written form; nothing when it has another form.
    pub(super) fn decode(value: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (edge, below) in value.as_object()?.iter().filter(|(edge, _)| *edge != ".") {
            let node = Node {
                is_member: below.as_object()?.is_empty() || below.get(".").is_some(),
                below: Self::decode(below)?,
            };
            set.insert(normal(edge)?, node);
        }
        Some(set)
    }
}

// === impl Node ===

impl Node {
    /// A field with nothing below.
    pub(super) fn member() -> Self {
        Self { is_member: true, below: FieldSet::default() }
    }

    /// Whether neither the field nor anything below is in the set.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }
}

/// The edge as this module writes it; nothing when it is none.
fn normal(edge: &str) -> Option<Box<str>> {
    let (tag, text) = edge.split_at_checked(2)?;
    match tag {
        "f:" => Some(edge.into()),
        "i:" => text.parse::<usize>().ok().map(|_| edge.into()),
        "v:" => serde_json::from_str(text).ok().map(|value: Value| value_edge(&value)),
        "k:" => {
            let keys: BTreeMap<String, Value> = serde_json::from_str(text).ok()?;
            let keys: Vec<_> =
                keys.iter().map(|(name, value)| (name.as_str(), Cow::Borrowed(value))).collect();
            Some(key_edge(&keys))
        }
        _ => None,
    }
}

/// An edge as messages show it.
pub(super) fn shown(edge: &str) -> String {
    let (tag, text) = edge.split_at_checked(2).unwrap_or_default();
    match tag {
        "f:" => format!(".{text}"),
        "v:" => format!("[={text}]"),
        "k:" => {
            let keys: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let keys: Vec<String> =
                keys.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("[{}]", keys.join(","))
        }
        _ => format!("[{text}]"),
    }
}
