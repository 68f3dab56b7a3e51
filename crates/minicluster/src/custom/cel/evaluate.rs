//! Expressions to values.
//!
//! Values are JSON: integers and floats are told apart as JSON numbers are. What has no JSON form (durations, times, types) is not
//! known here, and neither are the functions that deal with it.

use serde_json::{Map, Value};

use super::{
    functions,
    syntax::{Expr, Operator},
};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// In the words of the real server, such as `no such key: min`.
    Error(String),
    /// It uses something that is valid but not known here.
    Unsupported,
}

/// The names that an expression may use, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'v> {
    names: Vec<(&'v str, Value)>,
}

// === impl Failure ===

impl Failure {
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self::Error(text.into())
    }
}

// === impl Scope ===

impl<'v> Scope<'v> {
    pub(crate) fn with(mut self, name: &'v str, value: Value) -> Self {
        self.names.push((name, value));
        self
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.names.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// The value of an expression.
pub(crate) fn evaluate(expr: &Expr, scope: &Scope<'_>) -> Result<Value, Failure> {
    Ok(match expr {
        Expr::Literal(value) => value.clone(),
        Expr::Name(name) => scope.get(name).cloned().ok_or(Failure::Unsupported)?,
        Expr::Member(on, name) => member(&evaluate(on, scope)?, name)?,
        Expr::Index(on, index) => element(&evaluate(on, scope)?, &evaluate(index, scope)?)?,
        Expr::Call { on, name, arguments } => call(on.as_deref(), name, arguments, scope)?,
        Expr::Not(inner) => Value::Bool(!truth(&evaluate(inner, scope)?)?),
        Expr::Negate(inner) => match evaluate(inner, scope)? {
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(integer), _) => integer.checked_neg().ok_or_else(overflow)?.into(),
                (None, Some(float)) => (-float).into(),
                (None, None) => return Err(no_overload()),
            },
            _ => return Err(no_overload()),
        },
        Expr::Binary(operator, left, right) => binary(*operator, left, right, scope)?,
        Expr::Conditional(condition, yes, no) => {
            let branch = if truth(&evaluate(condition, scope)?)? { yes } else { no };
            evaluate(branch, scope)?
        }
        Expr::List(items) => {
            Value::Array(items.iter().map(|item| evaluate(item, scope)).collect::<Result<_, _>>()?)
        }
        Expr::Map(entries) => {
            let mut members = Map::new();
            for (key, value) in entries {
                let key = evaluate(key, scope)?;
                let key = key.as_str().map_or_else(|| key.to_string(), ToOwned::to_owned);
                members.insert(key, evaluate(value, scope)?);
            }
            Value::Object(members)
        }
    })
}

pub(crate) fn no_overload() -> Failure {
    Failure::error("no such overload")
}

fn overflow() -> Failure {
    Failure::error("integer overflow")
}

fn truth(value: &Value) -> Result<bool, Failure> {
    value.as_bool().ok_or_else(no_overload)
}

fn member(on: &Value, name: &str) -> Result<Value, Failure> {
    let name = unescaped(name);
    match on {
        Value::Object(members) => members
            .get(&name)
            .cloned()
            .ok_or_else(|| Failure::error(format!("no such key: {name}"))),
        _ => Err(no_overload()),
    }
}

/// Names that are no identifiers are written with words for what they contain.
pub(crate) fn unescaped(name: &str) -> String {
    if !name.contains("__") {
        return name.to_owned();
    }
    if let Some(keyword) = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"))
        && [
            "true",
            "false",
            "null",
            "in",
            "as",
            "break",
            "const",
            "continue",
            "else",
            "for",
            "function",
            "if",
            "import",
            "let",
            "loop",
            "package",
            "namespace",
            "return",
            "var",
            "void",
            "while",
        ]
        .contains(&keyword)
    {
        return keyword.to_owned();
    }
    name.replace("__dash__", "-")
        .replace("__dot__", ".")
        .replace("__slash__", "/")
        .replace("__underscores__", "__")
}

fn element(on: &Value, index: &Value) -> Result<Value, Failure> {
    match (on, index) {
        (Value::Array(items), Value::Number(position)) => position
            .as_u64()
            .and_then(|position| usize::try_from(position).ok())
            .and_then(|position| items.get(position))
            .cloned()
            .ok_or_else(|| Failure::error(format!("index out of bounds: {position}"))),
        (Value::Object(members), Value::String(key)) => {
            members.get(key).cloned().ok_or_else(|| Failure::error(format!("no such key: {key}")))
        }
        _ => Err(no_overload()),
    }
}

fn binary(
    operator: Operator,
    left: &Expr,
    right: &Expr,
    scope: &Scope<'_>,
) -> Result<Value, Failure> {
    // Either side may decide, whatever the other is.
    if let Operator::Or | Operator::And = operator {
        let decisive = operator == Operator::Or;
        let sides = [left, right].map(|side| evaluate(side, scope).and_then(|side| truth(&side)));
        return match sides {
            [Ok(side), _] | [_, Ok(side)] if side == decisive => Ok(Value::Bool(decisive)),
            [Err(failure), _] | [_, Err(failure)] => Err(failure),
            [Ok(_), Ok(_)] => Ok(Value::Bool(!decisive)),
        };
    }
    let (left, right) = (evaluate(left, scope)?, evaluate(right, scope)?);
    Ok(match operator {
        Operator::Equal => Value::Bool(same(&left, &right)),
        Operator::NotEqual => Value::Bool(!same(&left, &right)),
        Operator::Less => Value::Bool(order(&left, &right)?.is_lt()),
        Operator::LessOrEqual => Value::Bool(order(&left, &right)?.is_le()),
        Operator::Greater => Value::Bool(order(&left, &right)?.is_gt()),
        Operator::GreaterOrEqual => Value::Bool(order(&left, &right)?.is_ge()),
        Operator::In => Value::Bool(match (&right, &left) {
            (Value::Array(items), _) => items.iter().any(|item| same(item, &left)),
            (Value::Object(members), Value::String(key)) => members.contains_key(key),
            _ => return Err(no_overload()),
        }),
        _ => arithmetic(operator, left, right)?,
    })
}

/// Equality: numbers by what they are worth.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left == right,
            _ => left
                .as_f64()
                .zip(right.as_f64())
                .is_some_and(|(left, right)| left.total_cmp(&right).is_eq()),
        },
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

pub(crate) fn order(left: &Value, right: &Value) -> Result<std::cmp::Ordering, Failure> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Ok(left.cmp(&right)),
            _ => left
                .as_f64()
                .zip(right.as_f64())
                .map(|(left, right)| left.total_cmp(&right))
                .ok_or_else(no_overload),
        },
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        _ => Err(no_overload()),
    }
}

fn arithmetic(operator: Operator, left: Value, right: Value) -> Result<Value, Failure> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => integers(operator, left, right).map(Value::from),
            (None, None) => {
                let (left, right) = left.as_f64().zip(right.as_f64()).ok_or_else(no_overload)?;
                Ok(Value::from(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                    _ => return Err(no_overload()),
                }))
            }
            _ => Err(no_overload()),
        },
        (Value::String(left), Value::String(right)) if operator == Operator::Add => {
            Ok(Value::String(left + &right))
        }
        (Value::Array(mut left), Value::Array(right)) if operator == Operator::Add => {
            left.extend(right);
            Ok(Value::Array(left))
        }
        _ => Err(no_overload()),
    }
}

fn integers(operator: Operator, left: i64, right: i64) -> Result<i64, Failure> {
    let result = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide if right == 0 => return Err(Failure::error("division by zero")),
        Operator::Divide => left.checked_div(right),
        Operator::Remainder if right == 0 => return Err(Failure::error("modulus by zero")),
        Operator::Remainder => left.checked_rem(right),
        _ => return Err(no_overload()),
    };
    result.ok_or_else(overflow)
}

fn call(
    on: Option<&Expr>,
    name: &str,
    arguments: &[Expr],
    scope: &Scope<'_>,
) -> Result<Value, Failure> {
    match (on, name, arguments) {
        (None, "has", [Expr::Member(object, field)]) => {
            let object = evaluate(object, scope)?;
            Ok(Value::Bool(object.get(unescaped(field)).is_some()))
        }
        (
            Some(range),
            "all" | "exists" | "exists_one" | "filter" | "map",
            [Expr::Name(item), body @ ..],
        ) => comprehension(name, &evaluate(range, scope)?, item, body, scope),
        _ => {
            let on = on.map(|on| evaluate(on, scope)).transpose()?;
            let arguments: Vec<Value> = arguments
                .iter()
                .map(|argument| evaluate(argument, scope))
                .collect::<Result<_, _>>()?;
            functions::call(on, name, &arguments)
        }
    }
}

/// The macros that go through a list, or through the keys of a map.
fn comprehension(
    name: &str,
    range: &Value,
    item: &str,
    body: &[Expr],
    scope: &Scope<'_>,
) -> Result<Value, Failure> {
    let items: Vec<Value> = match range {
        Value::Array(items) => items.clone(),
        Value::Object(members) => members.keys().map(|key| Value::String(key.clone())).collect(),
        _ => return Err(no_overload()),
    };
    let (test, made) = match (name, body) {
        ("map", [made]) => (None, Some(made)),
        ("map", [test, made]) => (Some(test), Some(made)),
        ("map", _) | (_, [_, ..]) if body.len() != 1 => return Err(Failure::Unsupported),
        (_, [test]) => (Some(test), None),
        _ => return Err(Failure::Unsupported),
    };
    let mut kept = Vec::new();
    let mut failed = None;
    for value in items {
        let inner = scope.clone().with(item, value.clone());
        let passes = match test.map(|test| evaluate(test, &inner).and_then(|found| truth(&found))) {
            None => true,
            Some(Ok(passes)) => passes,
            Some(Err(failure)) => {
                failed.get_or_insert(failure);
                continue;
            }
        };
        match name {
            "all" if !passes => return Ok(Value::Bool(false)),
            "exists" if passes => return Ok(Value::Bool(true)),
            _ if passes => kept.push(match made {
                Some(made) => evaluate(made, &inner)?,
                None => value,
            }),
            _ => {}
        }
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    Ok(match name {
        "all" => Value::Bool(true),
        "exists" => Value::Bool(false),
        "exists_one" => Value::Bool(kept.len() == 1),
        _ => Value::Array(kept),
    })
}
