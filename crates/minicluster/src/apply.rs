//! Server-side apply, and who owns which fields.
//!
//! Every object says in `metadata.managedFields` which manager set which fields. Applying a configuration ([`apply`]) lays it
//! over the live object, takes away what the manager applied before and does not any more, and refuses to change what another
//! manager owns unless it is told to take it. Every other write only passes ownership on ([`track`]).
//!
//! A write path uses them so, with objects in the form that clients see:
//! - apply: [`apply`], then decode, default, prepare and check as for an update (or a creation), then [`settle`];
//! - any other write: decode, default, prepare, then [`track`] with the outcome; `metadata.managedFields` must still be there as the
//!   client gave it (also when it is an empty list), for clients may edit or reset it;
//! - a write of the server's own that nobody wants tracked: [`carry_over`] instead. An object that is created so has no
//!   `managedFields` at all and stays untracked until somebody applies it, which saves most of a kilobyte for each pod;
//! - `/scale`: as a write of the object with the subresource `scale`.
//!
//! All versions of a kind have the same fields here, so sets are never converted.

mod check;
mod compare;
mod conflict;
mod fields;
mod last_applied;
mod managed;
mod merge;
mod prune;
mod view;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use self::{
    compare::{Comparison, compare, named_fields},
    conflict::Conflict,
    fields::FieldSet,
    managed::{Entry, Managed, Operation},
};
use crate::{ApiError, Kind, kind::Subresource};

/// Metadata that has no owner: who an object is, and what only the server sets.
const UNOWNED_METADATA: [&str; 9] = [
    "f:name",
    "f:namespace",
    "f:creationTimestamp",
    "f:selfLink",
    "f:uid",
    "f:clusterName",
    "f:generation",
    "f:managedFields",
    "f:resourceVersion",
];

/// Who writes, how and when.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'w> {
    /// The field manager, see [`manager_name`].
    pub manager: &'w str,
    /// The subresource that is written, such as `status`; empty for the object itself.
    pub subresource: &'w str,
    /// The time.
    pub now: Timestamp,
}

/// What to do about fields that others own and that a configuration changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// Refuse.
    Refuse,
    /// Take them.
    Force,
}

/// Lays a configuration over the live object, or makes an object of it. The outcome has `managedFields`, but neither defaults
/// nor checks.
pub fn apply(
    kind: &Kind,
    live: Option<&Value>,
    config: &Value,
    by: &Writer<'_>,
    conflicts: Conflicts,
) -> Result<Value, ApiError> {
    check_config(kind, config)?;
    let (base, managed) = match live {
        Some(live) => {
            let mut base = live.clone();
            let managed = match take_managed(&mut base) {
                Some(given) => Managed::decode(&given)
                    .ok_or_else(|| ApiError::new(500, "", "failed to decode managed fields"))?,
                None => Managed::default(),
            };
            let managed = if managed.0.is_empty() { unapplied(kind, &base, by) } else { managed };
            (base, managed)
        }
        None => (json!({}), Managed::default()),
    };
    let applied = match lay_over(kind, &base, managed.clone(), config, by, conflicts) {
        Err(refusals) if last_applied::allows(kind, &base, by.manager, &refusals) => {
            lay_over(kind, &base, managed, config, by, Conflicts::Force)
        }
        other => other,
    };
    let (mut object, managed) = applied.map_err(|refusals| conflict::refuse(&refusals))?;
    last_applied::update(&mut object, config, by.manager);
    if live.is_none()
        && let Some(Value::Object(metadata)) = object.get_mut("metadata")
    {
        metadata.remove("resourceVersion");
    }
    put_managed(&mut object, managed.encode());
    Ok(object)
}

/// Passes ownership on after any other write: what changed belongs to the writer now. `old` is nothing for a new object.
pub fn track(kind: &Kind, old: Option<&Value>, new: &mut Value, by: &Writer<'_>) {
    let given = take_managed(new).filter(|_| by.subresource.is_empty());
    let stored = old.and_then(managed_of);
    if old.is_some() && given.as_ref().is_some_and(is_reset) {
        return;
    }
    let edited = given
        .filter(|given| stored != Some(given))
        .and_then(|given| Managed::decode(&given))
        .filter(|edited| !edited.0.is_empty());
    if old.is_some() && edited.is_none() && stored.is_none() {
        return;
    }
    let nothing = Value::Object(Map::new());
    let changes = changes(kind, old.unwrap_or(&nothing), new, by);
    if changes.is_empty() && edited.is_none() {
        return put_managed(new, stored.cloned());
    }
    let managed = edited.or_else(|| stored.and_then(Managed::decode)).unwrap_or_default();
    let managed = pass_on(kind, managed, changes, by);
    put_managed(new, managed.encode());
}

/// Keeps the owners of the old object after a write that is not tracked.
pub fn carry_over(old: Option<&Value>, new: &mut Value) {
    put_managed(new, old.and_then(managed_of).cloned());
}

/// Undoes new times in `managedFields` when nothing else is new, so that a write that changes nothing is seen to.
pub fn settle(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (managed_of(old), managed_of(new)) else { return };
    if before == after || !is_same_but_for_times(before, after) {
        return;
    }
    let before = before.clone();
    let after = take_managed(new);
    let mut bare = old.clone();
    take_managed(&mut bare);
    let kept = if bare == *new { Some(before) } else { after };
    put_managed(new, kept);
}

/// The manager of a write: the name that was given, or the first part of the client's name.
pub fn manager_name(field_manager: Option<&str>, user_agent: &str) -> String {
    const LONGEST: usize = 128;
    if let Some(manager) = field_manager.filter(|manager| !manager.is_empty()) {
        return manager.to_owned();
    }
    let client = user_agent.split('/').next().unwrap_or_default();
    let mut name = String::new();
    for letter in client.chars().filter(|letter| !letter.is_control()) {
        if name.len() + letter.len_utf8() > LONGEST {
            break;
        }
        name.push(letter);
    }
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// What is wrong with a configuration before anybody looks at the live object.
fn check_config(kind: &Kind, config: &Value) -> Result<(), ApiError> {
    let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let given = (text("/apiVersion"), text("/kind"));
    if given != (kind.api_version().as_str(), &*kind.kind) {
        let (group, version) = given.0.rsplit_once('/').unwrap_or(("", given.0));
        return Err(ApiError::bad_request(format!(
            "invalid object type: {group}/{version}, Kind={}",
            given.1
        )));
    }
    if managed_of(config).is_some_and(|managed| !managed.is_null()) {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    let mistakes = check::check(&kind.schema, config);
    let mistakes = match mistakes.as_slice() {
        [] => return Ok(()),
        [one] => one.clone(),
        many => format!("errors:\n  {}", many.join("\n  ")),
    };
    let separator = if kind.group.is_empty() { "/" } else { "" };
    let message = format!(
        "failed to create typed patch object ({}/{}; {separator}{}, Kind={}): {mistakes}",
        text("/metadata/namespace"),
        text("/metadata/name"),
        kind.api_version(),
        kind.kind,
    );
    Err(ApiError::new(500, "", message))
}

/// Merges, prunes and passes ownership on; the object comes back without `managedFields`.
fn lay_over(
    kind: &Kind,
    base: &Value,
    mut managed: Managed,
    config: &Value,
    by: &Writer<'_>,
    conflicts: Conflicts,
) -> Result<(Value, Managed), Vec<Conflict>> {
    let of = &kind.schema;
    let mut object = base.clone();
    merge::merge(of, &mut object, config);

    let mut entry = own_entry(kind, Operation::Apply, by);
    entry.fields = named_fields(of, config);
    let last = managed.position(&entry).map(|at| managed.0.swap_remove(at));
    entry.time = None;
    if let Some(last) = last {
        let mut owned = managed.owned();
        // The name has no owner, but it keeps the metadata in place.
        owned.unite(entry.fields.clone());
        prune::prune(of, &mut object, &last.fields, &owned);
        entry.time = last.time;
    }
    leave_out(kind, &mut entry.fields, by);

    let Comparison { changed, removed } = changes(kind, base, &object, by);
    if conflicts == Conflicts::Refuse {
        let refusals = conflict::find(&managed, &changed);
        if !refusals.is_empty() {
            return Err(refusals);
        }
    }
    for other in &mut managed.0 {
        other.fields.subtract(&changed);
        other.fields.subtract(&removed);
    }
    if object != *base {
        entry.time = Some(written(by.now));
    }
    managed.0.push(entry);
    managed.drop_empty();
    Ok((object, managed))
}

/// Owners after a write that was not applied.
fn pass_on(kind: &Kind, mut managed: Managed, changes: Comparison, by: &Writer<'_>) -> Managed {
    let Comparison { changed, removed } = changes;
    for entry in &mut managed.0 {
        entry.fields.subtract(&changed);
        entry.fields.subtract(&removed);
    }
    if !changed.is_empty() {
        let entry = Entry { fields: changed, ..own_entry(kind, Operation::Update, by) };
        match managed.position(&entry).and_then(|at| managed.0.get_mut(at)) {
            Some(own) => {
                own.fields.unite(entry.fields);
                own.time = entry.time;
            }
            None => managed.0.push(entry),
        }
    }
    managed.drop_empty();
    managed.limit_updaters();
    managed
}

/// The owner of a live object's fields when nobody was tracked: conflicts name it.
fn unapplied(kind: &Kind, live: &Value, by: &Writer<'_>) -> Managed {
    let by = Writer { manager: "before-first-apply", ..*by };
    let nothing = Value::Object(Map::new());
    pass_on(kind, Managed::default(), changes(kind, &nothing, live, &by), &by)
}

/// What a write changed that can have an owner.
fn changes(kind: &Kind, old: &Value, new: &Value, by: &Writer<'_>) -> Comparison {
    let mut changes = compare(&kind.schema, old, new);
    leave_out(kind, &mut changes.changed, by);
    leave_out(kind, &mut changes.removed, by);
    changes
}

/// Takes out what has no owner, and what this way of writing cannot change.
fn leave_out(kind: &Kind, set: &mut FieldSet, by: &Writer<'_>) {
    let other_part = match by.subresource {
        "" if kind.has(Subresource::Status) => "f:status",
        "status" => "f:spec",
        _ => "",
    };
    set.retain(|edge| edge != other_part && edge != "f:apiVersion" && edge != "f:kind");
    set.retain_below("f:metadata", |edge| !UNOWNED_METADATA.contains(&edge));
}

fn own_entry(kind: &Kind, operation: Operation, by: &Writer<'_>) -> Entry {
    Entry {
        manager: if by.manager.is_empty() { "unknown" } else { by.manager }.into(),
        operation,
        api_version: kind.api_version().into(),
        time: Some(written(by.now)),
        subresource: by.subresource.into(),
        fields: FieldSet::default(),
    }
}

/// A time as metadata has it.
fn written(time: Timestamp) -> Box<str> {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into()
}

/// Whether a client asks to forget all owners: an empty list, or one with an empty entry.
fn is_reset(managed: &Value) -> bool {
    match managed.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([one]) => one.as_object().is_some_and(Map::is_empty),
        _ => false,
    }
}

fn is_same_but_for_times(before: &Value, after: &Value) -> bool {
    let (Some(before), Some(after)) = (before.as_array(), after.as_array()) else { return false };
    let is_same = |(before, after): (&Value, &Value)| {
        ["manager", "operation", "apiVersion", "subresource", "fieldsV1"]
            .iter()
            .all(|name| before.get(name) == after.get(name))
    };
    before.len() == after.len() && before.iter().zip(after).all(is_same)
}

fn managed_of(object: &Value) -> Option<&Value> {
    object.get("metadata")?.get("managedFields")
}

fn take_managed(object: &mut Value) -> Option<Value> {
    object.get_mut("metadata")?.as_object_mut()?.remove("managedFields")
}

fn put_managed(object: &mut Value, managed: Option<Value>) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    match managed {
        Some(managed) => metadata.insert("managedFields".to_owned(), managed),
        None => metadata.remove("managedFields"),
    };
}

#[cfg(test)]
mod tests;
