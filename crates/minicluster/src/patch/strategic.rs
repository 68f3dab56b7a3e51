//! Strategic merge patch: a merge patch that knows which lists merge, and by which key, and takes directives.
//!
//! | directive | where | meaning |
//! |---|---|---|
//! | `$patch: replace`, `$patch: delete` | in a map | the map becomes the patch, or empty |
//! | `$patch: delete` | in a list element | the element with this key goes |
//! | `$patch: replace` | in a list element | the list becomes the rest of the patch's list |
//! | `$retainKeys: [..]` | in a map | other keys go |
//! | `$deleteFromPrimitiveList/NAME: [..]` | beside a list | these values go |
//! | `$setElementOrder/NAME: [..]` | beside a list | the order of the outcome |
//!
//! Elements keep the order of the patch, then that of the live list; new ones come as early as that allows.

mod list;

use serde_json::{Map, Value};

use super::{go, unprocessable};
use crate::{
    ApiError,
    schema::{PatchRule, Type},
};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
const ELEMENT_ORDER: &str = "$setElementOrder";

/// Why a patch cannot be applied.
#[derive(Debug)]
pub(super) enum Problem {
    /// A directive has the wrong form: 400.
    Malformed(&'static str),
    /// A list of lists: 422 without a reason.
    ListOfLists,
    /// Anything else; the real server gives these out as they are, with 500.
    Other(String),
}

/// Merges `patch` into `original`, by what the type says of lists.
pub(super) fn merge(
    of: Option<&Type>,
    original: &mut Map<String, Value>,
    mut patch: Map<String, Value>,
) -> Result<(), Problem> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                *original = patch;
            }
            Some("delete") => original.clear(),
            _ => return Err(unknown_directive(patch)),
        }
        return Ok(());
    }
    retain_keys(original, &mut patch)?;
    list::put_in_order(of, original, &mut patch)?;
    for (name, change) in patch {
        if name.starts_with(DELETE_FROM_LIST) {
            let name = listed(&name, DELETE_FROM_LIST)
                .ok_or(Problem::Malformed("invalid patch format of primitive list"))?;
            list::delete_from(original, name, &change);
        } else {
            merge_member(of, original, name, change)?;
        }
    }
    Ok(())
}

fn merge_member(
    of: Option<&Type>,
    original: &mut Map<String, Value>,
    name: String,
    change: Value,
) -> Result<(), Problem> {
    match (original.get_mut(&name), change) {
        (_, Value::Null) => {
            original.remove(&name);
        }
        (Some(Value::Object(old)), Value::Object(change)) => {
            let of = of.and_then(|of| of.field(&name));
            merge(of.as_deref(), old, change)?;
        }
        (Some(Value::Array(old)), Value::Array(change)) => {
            let of = of.and_then(|of| of.field(&name));
            let rule = of.as_deref().map_or(PatchRule::Replace, Type::patch_rule);
            let item = of.as_deref().and_then(Type::item);
            *old = list::merge(rule, item.as_deref(), std::mem::take(old), change)?;
        }
        (_, change) => match without_directives(change) {
            Some(change) => {
                original.insert(name, change);
            }
            None => {
                original.remove(&name);
            }
        },
    }
    Ok(())
}

/// `$retainKeys` names all keys that stay; whatever the patch sets must be among them.
fn retain_keys(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), Problem> {
    let malformed = || Problem::Malformed("invalid patch format of retainKeys");
    let Some(directive) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let keys = directive.as_array().ok_or_else(malformed)?;
    let stays = |name: &str| keys.iter().any(|key| key.as_str() == Some(name));
    let set = patch.iter().filter(|(name, change)| {
        !change.is_null() && !name.starts_with(DELETE_FROM_LIST) && !name.starts_with(ELEMENT_ORDER)
    });
    for (name, _) in set {
        if !stays(name) {
            return Err(malformed());
        }
    }
    original.retain(|name, _| stays(name));
    Ok(())
}

/// The list that a directive such as `$setElementOrder/containers` is about.
fn listed<'n>(name: &'n str, directive: &str) -> Option<&'n str> {
    name.strip_prefix(directive)?.strip_prefix('/')
}

/// A value for a place where nothing was: nulls say nothing there, and neither do parts with a `$patch` directive.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            let kept = kept.filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().filter_map(without_directives).collect()))
        }
        other => Some(other),
    }
}

fn unknown_directive(patch: Map<String, Value>) -> Problem {
    let patch = Value::Object(patch);
    let directive = patch.get(DIRECTIVE).unwrap_or(&Value::Null);
    Problem::Other(format!(
        "unknown patch type: {} in map: {}",
        go::Shown(directive),
        go::Shown(&patch)
    ))
}

// === impl Problem ===

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Malformed(why) => Self::bad_request(why),
            Problem::ListOfLists => unprocessable(),
            Problem::Other(why) => Self::new(500, "", why),
        }
    }
}
