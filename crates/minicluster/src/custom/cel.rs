//! `x-kubernetes-validations`: rules in the Common Expression Language.
//!
//! The commonly used part of the language is evaluated. A rule that uses anything else (times, durations, quantities, optional
//! values, …) is not enforced, and there is no budget.

mod evaluate;
mod functions;
mod syntax;

use evaluate::{Failure, Scope, evaluate};
use serde_json::Value;
pub(crate) use syntax::{Expr, parse};

use super::structural::{Additional, Schema};
use crate::{
    error::{FieldError, FieldErrorKind},
    schema::Listing,
};

/// A rule, read once per definition.
#[derive(Debug)]
pub(crate) struct Rule {
    /// As written.
    text: Box<str>,
    /// What the rule must come to; none where it could not be read.
    expr: Option<Expr>,
    message: Box<str>,
    message_expr: Option<Expr>,
    /// Which field is to blame, such as `.max`; empty for the value itself.
    field: Box<str>,
    reason: FieldErrorKind,
    /// Whether it compares with what was there before.
    is_transition: bool,
}

// === impl Rule ===

impl Rule {
    /// Reads a rule as it stands in a schema.
    pub(crate) fn read(json: &Value) -> Self {
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let expr = parse(text("rule")).ok();
        Self {
            text: text("rule").into(),
            is_transition: expr.as_ref().is_some_and(|expr| uses(expr, "oldSelf")),
            expr,
            message: text("message").into(),
            message_expr: parse(text("messageExpression")).ok(),
            field: text("fieldPath").into(),
            reason: match text("reason") {
                "FieldValueForbidden" => FieldErrorKind::Forbidden,
                "FieldValueRequired" => FieldErrorKind::Required,
                "FieldValueDuplicate" => FieldErrorKind::Duplicate,
                _ => FieldErrorKind::Invalid,
            },
        }
    }

    fn check(
        &self,
        schema: &Schema,
        path: &str,
        value: &Value,
        old: Option<&Value>,
    ) -> Option<FieldError> {
        let expr = self.expr.as_ref()?;
        if self.is_transition && old.is_none() {
            return None;
        }
        let mut scope = Scope::default().with("self", value.clone());
        if let Some(old) = old {
            scope = scope.with("oldSelf", old.clone());
        }
        match evaluate(expr, &scope) {
            Ok(Value::Bool(true)) | Err(Failure::Unsupported) => None,
            Ok(_) => Some(self.violation(schema, path, value, &scope)),
            Err(Failure::Error(why)) => {
                let rule = if self.message.is_empty() { &self.text } else { &self.message };
                let why = if why.starts_with("no such overload") {
                    format!(
                        "'{why}': call arguments did not match a supported operator, function or macro signature for rule: {rule}"
                    )
                } else {
                    format!("{why} evaluating rule: {rule}")
                };
                Some(FieldError::invalid(place(path), schema.types.join(","), why))
            }
        }
    }

    fn violation(
        &self,
        schema: &Schema,
        path: &str,
        value: &Value,
        scope: &Scope<'_>,
    ) -> FieldError {
        let message = self.message_expr.as_ref().and_then(|expr| evaluate(expr, scope).ok());
        let message = match message {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            _ if self.message.is_empty() => format!("failed rule: {}", self.text),
            _ => self.message.to_string(),
        };
        let path = place(&format!("{path}{}", self.field));
        let compound = schema.types.iter().any(|ty| **ty == *"object" || **ty == *"array");
        match self.reason {
            FieldErrorKind::Duplicate => FieldError::duplicate(path, value.clone()),
            // Of what may be large only the message is shown.
            FieldErrorKind::Invalid if compound => {
                FieldError::invalid(path, Value::Null, "").showing(message)
            }
            reason => FieldError::new(reason, path, value.clone(), message),
        }
    }
}

/// What the rules of a schema, and of everything below it, say of a value.
pub(crate) fn check(
    schema: &Schema,
    path: &str,
    value: &Value,
    old: Option<&Value>,
) -> Vec<FieldError> {
    if value.is_null() {
        return Vec::new();
    }
    let old = old.filter(|old| !old.is_null());
    let mut found: Vec<FieldError> =
        schema.rules.iter().filter_map(|rule| rule.check(schema, path, value, old)).collect();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let (below, path) = match (schema.properties.get(name.as_str()), &schema.additional)
                {
                    (Some(below), _) => (below, format!("{path}.{name}")),
                    (None, Additional::Of(below)) => (&**below, format!("{path}[{name}]")),
                    _ => continue,
                };
                found.extend(check(below, &path, member, old.and_then(|old| old.get(name))));
            }
        }
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    found.extend(check(below, &path, item, counterpart(schema, item, old)));
                }
            }
        }
        _ => {}
    }
    found
}

/// Whether there is any rule in a schema.
pub(crate) fn has_rules(schema: &Schema) -> bool {
    !schema.rules.is_empty()
        || schema.properties.values().any(has_rules)
        || schema.items.as_deref().is_some_and(has_rules)
        || matches!(&schema.additional, Additional::Of(below) if has_rules(below))
}

/// The old element that an element of a list of the map kind was before.
fn counterpart<'v>(schema: &Schema, item: &Value, old: Option<&'v Value>) -> Option<&'v Value> {
    let Listing::Map(keys) = &schema.list else { return None };
    let same = |other: &&Value| keys.iter().all(|key| other.get(&**key) == item.get(&**key));
    old?.as_array()?.iter().find(same)
}

/// A field that an expression asks of `self` (or of `oldSelf`) although the schema does not have it.
pub(crate) fn undefined_field(expr: &Expr, schema: &Schema) -> Option<String> {
    let mut missing = None;
    visit(expr, &mut |expr| {
        if let Expr::Member(on, name) = expr
            && let Some(on) = schema_of(on, schema)
        {
            let name = evaluate::unescaped(name);
            let closed = !on.open
                && !on.embedded
                && on.types.iter().any(|ty| **ty == *"object")
                && matches!(on.additional, Additional::Unsaid | Additional::Forbidden);
            let root = std::ptr::eq(on, schema)
                && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
            if closed && !root && !on.properties.contains_key(name.as_str()) {
                missing.get_or_insert(name);
            }
        }
    });
    missing
}

/// The schema of what a chain of members of `self` leads to, as far as it is known.
fn schema_of<'s>(expr: &Expr, schema: &'s Schema) -> Option<&'s Schema> {
    match expr {
        Expr::Name(name) if **name == *"self" || **name == *"oldSelf" => Some(schema),
        Expr::Member(on, name) => {
            let on = schema_of(on, schema)?;
            match (on.properties.get(&*evaluate::unescaped(name)), &on.additional) {
                (Some(below), _) => Some(below),
                (None, Additional::Of(below)) => Some(below),
                _ => None,
            }
        }
        Expr::Index(on, _) => {
            let on = schema_of(on, schema)?;
            match &on.additional {
                Additional::Of(below) => Some(below),
                _ => on.items.as_deref(),
            }
        }
        _ => None,
    }
}

fn uses(expr: &Expr, wanted: &str) -> bool {
    let mut found = false;
    visit(expr, &mut |expr| found |= matches!(expr, Expr::Name(name) if **name == *wanted));
    found
}

/// Calls `seen` for an expression and everything in it.
fn visit(expr: &Expr, seen: &mut dyn FnMut(&Expr)) {
    seen(expr);
    match expr {
        Expr::Literal(_) | Expr::Name(_) => {}
        Expr::Member(inner, _) | Expr::Not(inner) | Expr::Negate(inner) => visit(inner, seen),
        Expr::Index(left, right) | Expr::Binary(_, left, right) => {
            visit(left, seen);
            visit(right, seen);
        }
        Expr::Conditional(condition, yes, no) => {
            for part in [condition, yes, no] {
                visit(part, seen);
            }
        }
        Expr::Call { on, arguments, .. } => {
            for part in on.iter().map(AsRef::as_ref).chain(arguments) {
                visit(part, seen);
            }
        }
        Expr::List(items) => items.iter().for_each(|item| visit(item, seen)),
        Expr::Map(entries) => {
            for (key, value) in entries {
                visit(key, seen);
                visit(value, seen);
            }
        }
    }
}

/// The path as errors show it.
fn place(path: &str) -> String {
    path.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
