//! Defaults of custom resources.

use serde_json::Value;

use super::structural::{Additional, Schema};

/// Takes out nulls that neither the schema allows nor a default replaces, then fills in defaults, from the outside in: a default
/// may bring objects that have defaults of their own.
pub(crate) fn fill(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, member| {
                let below = below(schema, name);
                !member.is_null()
                    || below.is_none_or(|below| below.nullable || below.default.is_some())
            });
            for (name, below) in &schema.properties {
                let Some(default) = &below.default else { continue };
                match members.get_mut(&**name) {
                    Some(member) if member.is_null() && !below.nullable => {
                        *member = default.clone();
                    }
                    Some(_) => {}
                    None => {
                        members.insert(name.to_string(), default.clone());
                    }
                }
            }
            for (name, member) in members {
                let Some(below) = below(schema, name) else { continue };
                if let (true, false, Some(default)) =
                    (member.is_null(), below.nullable, &below.default)
                {
                    *member = default.clone();
                }
                fill(below, member);
            }
        }
        Value::Array(items) => {
            if let Some(below) = &schema.items {
                for item in items {
                    if let (true, false, Some(default)) =
                        (item.is_null(), below.nullable, &below.default)
                    {
                        *item = default.clone();
                    }
                    fill(below, item);
                }
            }
        }
        _ => {}
    }
}

/// The schema of a member.
fn below<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    match (schema.properties.get(name), &schema.additional) {
        (Some(below), _) => Some(below),
        (None, Additional::Of(below)) => Some(below),
        _ => None,
    }
}
