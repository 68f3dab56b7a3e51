//! The table of the built-in types.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, OnceLock},
};

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Listing, Patching, Shape, Struct, Type, Unset};

/// One type a line: name, kinds, JSON.
const TYPES: &str = include_str!("../../schema/types.tsv");

/// A group, a version and a kind.
pub(crate) type KindName = (&'static str, &'static str, &'static str);

/// The lines by name, and the names by kind.
struct Table {
    lines: FxHashMap<&'static str, Line>,
    kinds: FxHashMap<KindName, &'static str>,
}

struct Line {
    kinds: &'static str,
    json: &'static str,
    /// Read when somebody first asks.
    parsed: OnceLock<Option<Arc<Type>>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::read);

/// The type with this name, such as `io.k8s.api.core.v1.Pod`.
pub fn built_in(name: &str) -> Option<Arc<Type>> {
    let line = TABLE.lines.get(name)?;
    line.parsed.get_or_init(|| line.parse(name)).clone()
}

/// The type of a built-in kind.
pub fn built_in_kind(group: &str, version: &str, kind: &str) -> Option<Arc<Type>> {
    built_in(name_of(group, version, kind)?)
}

/// The name of the type of a built-in kind.
pub(crate) fn name_of(group: &str, version: &str, kind: &str) -> Option<&'static str> {
    TABLE.kinds.get(&(group, version, kind)).copied()
}

/// The names of all types.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.lines.keys().copied()
}

/// A type as it is written in the table.
pub(crate) fn definition(name: &str) -> Option<Value> {
    serde_json::from_str(TABLE.lines.get(name)?.json).ok()
}

/// The kinds that a type is.
pub(crate) fn kinds_of(name: &str) -> Vec<KindName> {
    TABLE.lines.get(name).map(|line| line.kinds().collect()).unwrap_or_default()
}

// === impl Table ===

impl Table {
    fn read() -> Self {
        let mut table = Self { lines: FxHashMap::default(), kinds: FxHashMap::default() };
        for text in TYPES.lines() {
            let mut parts = text.splitn(3, '\t');
            let (Some(name), Some(kinds), Some(json)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let line = Line { kinds, json, parsed: OnceLock::new() };
            for kind in line.kinds() {
                table.kinds.insert(kind, name);
            }
            table.lines.insert(name, line);
        }
        table
    }
}

// === impl Line ===

impl Line {
    fn kinds(&self) -> impl Iterator<Item = KindName> + use<> {
        self.kinds.split(',').filter_map(|kind| {
            let mut parts = kind.splitn(3, '/');
            Some((parts.next()?, parts.next()?, parts.next()?))
        })
    }

    fn parse(&self, name: &str) -> Option<Arc<Type>> {
        let json: Value = serde_json::from_str(self.json).ok()?;
        let mut ty = type_from(&json);
        let short = name.rsplit('.').next().unwrap_or(name);
        ty.shape = match short {
            "Time" => Shape::Time,
            "MicroTime" => Shape::MicroTime,
            "Quantity" => Shape::Quantity,
            "IntOrString" => Shape::IntOrString,
            "CustomResourceSubresourceStatus" => {
                Shape::Struct(Struct { name: short.into(), fields: BTreeMap::new(), open: false })
            }
            "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => {
                let schema = name.replace(short, "JSONSchemaProps");
                let inner = Type::of(Shape::Named(schema.into(), OnceLock::new()));
                Shape::Either(Arc::new(inner))
            }
            _ => match ty.shape {
                Shape::Struct(of) => Shape::Struct(Struct { name: short.into(), ..of }),
                other => other,
            },
        };
        Some(Arc::new(ty))
    }
}

/// The type that a piece of the table describes.
fn type_from(json: &Value) -> Type {
    let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
    let strategy = text("x-kubernetes-patch-strategy");
    let merges = strategy.split(',').any(|word| word == "merge");
    let key = text("x-kubernetes-patch-merge-key");
    Type {
        shape: shape_from(json),
        patch: match (merges, key.is_empty()) {
            (true, false) => Patching::Key(key.into()),
            (true, true) => Patching::Set,
            (false, _) => Patching::Replace,
        },
        retains_keys: strategy.split(',').any(|word| word == "retainKeys"),
        list: listing_from(json),
        atomic: text("x-kubernetes-map-type") == "atomic",
        unset: match text("go") {
            "omit" => Unset::Omit,
            "keep" => Unset::Zero,
            "null" => Unset::Null,
            _ => Unset::Absent,
        },
        wire: wire_from(json.get("wire")),
    }
}

fn shape_from(json: &Value) -> Shape {
    if let Some(name) = json.get("$ref").and_then(Value::as_str) {
        return Shape::Named(name.into(), OnceLock::new());
    }
    let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("type"), text("format")) {
        ("string", "byte") => Shape::Bytes,
        ("string", _) => Shape::String,
        ("boolean", _) => Shape::Boolean,
        ("integer", "int32") => Shape::Integer32,
        ("integer", _) => Shape::Integer64,
        ("number", _) => Shape::Number,
        ("array", _) => Shape::List(Arc::new(json.get("items").map(type_from).unwrap_or_default())),
        ("object", _) => object_from(json),
        _ => Shape::Any,
    }
}

/// An object has fields, or values, or is free.
fn object_from(json: &Value) -> Shape {
    if let Some(values) = json.get("additionalProperties") {
        return Shape::Map(Arc::new(type_from(values)));
    }
    let Some(properties) = json.get("properties").and_then(Value::as_object) else {
        return Shape::Any;
    };
    let fields: BTreeMap<Box<str>, Arc<Type>> = properties
        .iter()
        .map(|(name, field)| (name.as_str().into(), Arc::new(type_from(field))))
        .collect();
    Shape::Struct(Struct { name: Box::default(), fields, open: false })
}

/// How a list is told to behave, in the words that the table and custom resource definitions share.
pub(crate) fn listing_from(json: &Value) -> Listing {
    match json.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => Listing::Set,
        Some("map") => {
            let keys = json.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            let keys = keys.into_iter().flatten().filter_map(Value::as_str).map(Into::into);
            Listing::Map(keys.collect())
        }
        _ => Listing::Atomic,
    }
}

/// `3`, or `"2.5"` for a field inside a message that JSON does not show.
fn wire_from(json: Option<&Value>) -> Box<[u32]> {
    match json {
        Some(Value::Number(number)) => {
            number.as_u64().and_then(|number| u32::try_from(number).ok()).into_iter().collect()
        }
        Some(Value::String(path)) => path.split('.').filter_map(|part| part.parse().ok()).collect(),
        _ => Box::default(),
    }
}
