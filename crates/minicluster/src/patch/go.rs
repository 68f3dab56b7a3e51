//! Values as Go prints them, for messages that quote them.

use std::fmt;

use serde_json::Value;

/// A value as Go's `%v` prints it: `map[image:x name:web]`.
pub(crate) struct Shown<'v>(pub(crate) &'v Value);

/// A list as Go's `%v` prints it.
pub(crate) struct ShownList<'v>(pub(crate) &'v [Value]);

/// What a value is called in Go's JSON errors.
pub(crate) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The Go type that a value is decoded to.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::String(value) => f.write_str(value),
            Value::Array(items) => ShownList(items).fmt(f),
            Value::Object(fields) => {
                f.write_str("map[")?;
                for (index, (key, value)) in fields.iter().enumerate() {
                    let gap = if index == 0 { "" } else { " " };
                    write!(f, "{gap}{key}:{}", Shown(value))?;
                }
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for ShownList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, item) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", Shown(item))?;
        }
        f.write_str("]")
    }
}
