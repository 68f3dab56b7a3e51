//! What the server makes of a body: the round trip through its types.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{
    Shape, Struct, Type, Unset,
    text::{self, Precision},
};

/// The server reports no more unknown fields than this.
const MOST_UNKNOWN: usize = 100;

/// What decoding a request body found. Paths as in Kubernetes' messages: `spec.containers[0].image`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Fields that the type does not have. They are gone from the value.
    pub unknown: Vec<String>,
    /// Keys that were given twice, see [`super::parse`]. Decoding never finds any: a tree has none.
    pub duplicates: Vec<String>,
    /// The first value of the wrong type, worded as the real server does after `cannot be handled as a Pod: `.
    pub type_error: Option<String>,
}

/// Checks types, takes out fields that the type does not have, and brings values to the form the real server answers with:
/// times in UTC, quantities in their canonical form, no nulls and no zero values where Go leaves them out.
///
/// Types of custom resources are only pruned here: what is wrong with their values is for [`crate::custom`] to say.
/// After a type error the value is not to be used.
pub fn decode(ty: &Type, value: &mut Value) -> Findings {
    let mut decoder = Decoder::default();
    if !value.is_null() {
        decoder.value(ty, value);
    }
    decoder.findings
}

/// Puts in the zero values that the server writes for fields that are not set: `resources: {}` of a container, the empty strings
/// of a node's `nodeInfo`, `conditions: null`. For a whole object, before it is stored: defaults may look for what is absent.
pub fn with_zero_values(ty: &Type, value: &mut Value) {
    match (ty.shape(), value) {
        (Shape::Struct(of), Value::Object(members)) => {
            for (name, field) in &of.fields {
                match members.get_mut(&**name) {
                    Some(member) if !member.is_null() => with_zero_values(field, member),
                    _ => match field.unset {
                        Unset::Zero => {
                            members.insert(name.to_string(), zero(field));
                        }
                        Unset::Null => {
                            members.insert(name.to_string(), Value::Null);
                        }
                        Unset::Absent | Unset::Omit => {}
                    },
                }
            }
        }
        (Shape::List(of), Value::Array(items)) => {
            for item in items {
                with_zero_values(of, item);
            }
        }
        (Shape::Map(of), Value::Object(members)) => {
            for member in members.values_mut() {
                with_zero_values(of, member);
            }
        }
        (Shape::Either(of), value) => match value {
            Value::Object(_) => with_zero_values(of, value),
            Value::Array(items) => items.iter_mut().for_each(|item| with_zero_values(of, item)),
            _ => {}
        },
        _ => {}
    }
}

/// What Go has where nothing was set.
fn zero(ty: &Type) -> Value {
    match ty.shape() {
        Shape::String | Shape::Bytes => Value::from(""),
        Shape::Boolean => Value::from(false),
        Shape::Integer32 | Shape::Integer64 | Shape::Number | Shape::IntOrString => Value::from(0),
        Shape::Quantity => Value::from("0"),
        Shape::Struct(_) | Shape::Map(_) => {
            let mut empty = Value::Object(Map::new());
            with_zero_values(ty, &mut empty);
            empty
        }
        Shape::List(_) => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// One walk through a value.
#[derive(Default)]
struct Decoder<'t> {
    findings: Findings,
    /// Where we are, for unknown fields.
    path: Vec<Step<'t>>,
    /// The innermost struct, for type errors.
    inside: &'t str,
    /// Inside a custom resource, where types are not checked.
    custom: bool,
}

/// One step of a path.
enum Step<'t> {
    Field(&'t str),
    Key(String),
    Index(usize),
}

// === impl Decoder ===

impl<'t> Decoder<'t> {
    fn value(&mut self, ty: &'t Type, value: &mut Value) {
        if value.is_null() {
            return;
        }
        let custom = self.custom;
        match ty.shape() {
            Shape::Struct(of) => self.structure(of, value),
            Shape::List(of) => self.list(ty, of, value),
            Shape::Map(of) => self.map(ty, of, value),
            Shape::Either(of) => match value {
                Value::Object(_) => self.value(of, value),
                Value::Array(items) if items.iter().all(Value::is_object) => self.items(of, items),
                _ => {}
            },
            Shape::Any => {}
            _ if custom => {
                // A float that is whole is written as an integer.
                if let Some(integer) = value.as_f64().and_then(text::whole) {
                    *value = Value::from(integer);
                }
            }
            scalar => self.scalar(ty, scalar, value),
        }
        self.custom = custom;
    }

    fn structure(&mut self, of: &'t Struct, value: &mut Value) {
        // Types of the table have names; metadata inside a custom resource is one of them, and checked like any.
        self.custom = of.name.is_empty();
        let Value::Object(members) = value else {
            self.mismatch(value, &format!("v1.{}", of.name));
            return;
        };
        let outer = std::mem::replace(&mut self.inside, &of.name);
        let given = std::mem::take(members);
        for (name, mut member) in given {
            let Some((known, field)) = of.fields.get_key_value(name.as_str()) else {
                if of.open {
                    members.insert(name, member);
                } else {
                    self.path.push(Step::Key(name));
                    self.unknown();
                    self.path.pop();
                }
                continue;
            };
            if member.is_null() && !self.custom {
                continue;
            }
            self.path.push(Step::Field(known));
            let custom = self.custom;
            self.value(field, &mut member);
            self.custom = custom;
            self.path.pop();
            if !(matches!(field.unset, Unset::Omit | Unset::Null) && is_zero(field, &member)) {
                members.insert(name, member);
            }
        }
        self.inside = outer;
    }

    fn list(&mut self, ty: &Type, of: &'t Type, value: &mut Value) {
        match value {
            Value::Array(items) => self.items(of, items),
            _ => self.mismatch(value, &go_name(ty)),
        }
    }

    fn items(&mut self, of: &'t Type, items: &mut [Value]) {
        for (index, item) in items.iter_mut().enumerate() {
            if item.is_null() && !self.custom {
                *item = zero(of);
            }
            self.path.push(Step::Index(index));
            self.value(of, item);
            self.path.pop();
        }
    }

    fn map(&mut self, ty: &Type, of: &'t Type, value: &mut Value) {
        let Value::Object(members) = value else {
            self.mismatch(value, &go_name(ty));
            return;
        };
        for (key, member) in members {
            if member.is_null() && !self.custom {
                *member = zero(of);
            }
            self.path.push(Step::Key(key.clone()));
            self.value(of, member);
            self.path.pop();
        }
    }

    fn scalar(&mut self, ty: &Type, shape: &Shape, value: &mut Value) {
        let rewritten = match (shape, &*value) {
            (Shape::Time, Value::String(given)) => text::time(given, Precision::Seconds),
            (Shape::MicroTime, Value::String(given)) => text::time(given, Precision::Microseconds),
            (Shape::Quantity, Value::String(given)) => text::quantity(given),
            (Shape::Quantity, Value::Number(given)) => text::quantity(&given.to_string()),
            (Shape::Bytes, Value::String(given)) => text::bytes(given),
            (Shape::String | Shape::IntOrString, Value::String(_))
            | (Shape::Boolean, Value::Bool(_))
            | (Shape::Number, Value::Number(_)) => return,
            (Shape::Integer64, Value::Number(given)) if given.is_i64() => return,
            (Shape::Integer32 | Shape::IntOrString, Value::Number(given))
                if given.as_i64().is_some_and(|number| i32::try_from(number).is_ok()) =>
            {
                return;
            }
            _ => {
                self.mismatch(value, &go_name(ty));
                return;
            }
        };
        match rewritten {
            Ok(text) => *value = Value::String(text),
            Err(why) => self.refuse(why),
        }
    }

    fn mismatch(&mut self, value: &Value, wanted: &str) {
        if self.custom || self.findings.type_error.is_some() {
            return;
        }
        let given = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Number(number) if wanted.starts_with("int") => format!("number {number}"),
            Value::Number(_) => "number".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
        };
        let fields: Vec<&str> = self
            .path
            .iter()
            .filter_map(|step| match step {
                Step::Field(name) => Some(*name),
                Step::Key(_) | Step::Index(_) => None,
            })
            .collect();
        let place = if fields.is_empty() {
            format!("Go value of type {wanted}")
        } else {
            format!("Go struct field {}.{} of type {wanted}", self.inside, fields.join("."))
        };
        self.refuse(format!("json: cannot unmarshal {given} into {place}"));
    }

    fn refuse(&mut self, why: String) {
        self.findings.type_error.get_or_insert(why);
    }

    /// The last step of the path is no field.
    fn unknown(&mut self) {
        if self.findings.unknown.len() >= MOST_UNKNOWN {
            return;
        }
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
                Step::Field(name) => push_name(&mut path, name),
                Step::Key(name) => push_name(&mut path, name),
            }
        }
        self.findings.unknown.push(path);
    }
}

fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Whether Go would take a value for one that was never set.
fn is_zero(ty: &Type, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty() && !matches!(ty.shape(), Shape::IntOrString),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// What Go calls a type, for messages.
fn go_name(ty: &Type) -> String {
    match ty.shape() {
        Shape::String => "string".to_owned(),
        Shape::Bytes => "[]uint8".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer32 => "int32".to_owned(),
        Shape::Integer64 => "int64".to_owned(),
        Shape::Number => "float64".to_owned(),
        Shape::Time => "v1.Time".to_owned(),
        Shape::MicroTime => "v1.MicroTime".to_owned(),
        Shape::Quantity => "resource.Quantity".to_owned(),
        Shape::IntOrString => "intstr.IntOrString".to_owned(),
        Shape::List(of) => format!("[]{}", go_name(of)),
        Shape::Map(of) => format!("map[string]{}", go_name(of)),
        Shape::Struct(of) => format!("v1.{}", of.name),
        _ => "interface {}".to_owned(),
    }
}
