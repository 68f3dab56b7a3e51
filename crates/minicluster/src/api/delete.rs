//! Deletion: at once, with grace, or when everything that holds an object has let go.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{
    Api, DeleteOptions, Deleted, ListQuery, Listing, Propagation, Target, WriteOptions,
    convert::View, create::keep, metadata,
};
use crate::{ApiError, Kind, Object, custom, object::Key, store::Writer};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";
/// Without these a cluster does not work.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];
const ORPHANING: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set \
     propagationPolicy=Orphan to suppress this warning";

/// What deleting does to an object.
enum Step {
    /// It is taken out of the store as it is.
    Remove,
    /// It is marked, and stays.
    Mark(Value),
    /// It is marked, and then taken out.
    MarkAndRemove(Value),
    /// It is being deleted already, and nothing changes.
    Nothing,
}

// === impl Api ===

impl Api {
    /// Deletes an object, or starts to.
    pub fn delete(
        &self,
        kind: &Kind,
        at: &Target<'_>,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        let mut writer = self.store().writer();
        let deleted = self.delete_with(&mut writer, kind, at, options)?;
        drop(writer);
        if !options.dry_run {
            self.after_delete(kind, &deleted.object);
        }
        Ok(deleted)
    }

    /// Deletes everything that the query is about; tells what there was before.
    pub fn delete_collection(
        &self,
        kind: &Kind,
        query: &ListQuery,
        options: &DeleteOptions,
    ) -> Result<Listing, ApiError> {
        let listing = self.list(kind, query)?;
        for item in &listing.items {
            let at = Target::new(&item.key.namespace, &item.key.name);
            match self.delete(kind, &at, options) {
                // Somebody else was quicker, and that is what was wanted.
                Err(error) if error.code == 404 => {}
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(listing)
    }

    fn delete_with(
        &self,
        writer: &mut Writer<'_>,
        kind: &Kind,
        at: &Target<'_>,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        let namespace = kind.is_namespace();
        if namespace && IMMORTAL.contains(&at.name) {
            let why = "this namespace may not be deleted";
            return Err(ApiError::forbidden("", "namespaces", at.name, why));
        }
        let before = writer
            .get(&kind.storage(), &Key::new(at.namespace, at.name))
            .ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, at.name))?;
        check_preconditions(kind, &before, options)?;
        let old = View::of(kind).value(&before);
        let now = self.clock().now();
        let step = if namespace {
            delete_namespace(&old, options, now)
        } else if kind.is_definition() {
            delete_definition(&old, now)
        } else {
            plan(kind, &old, options, now)
        };
        let write = WriteOptions { dry_run: options.dry_run, ..WriteOptions::default() };
        let (object, gone) = match step {
            Step::Nothing => (View::of(kind).show(&before), false),
            Step::Mark(value) if value == old => (View::of(kind).show(&before), false),
            Step::Mark(value) => (keep(writer, kind, value, &write), false),
            Step::MarkAndRemove(value) => {
                let marked = keep(writer, kind, value, &write);
                let stored = writer.get(&kind.storage(), &before.key).filter(|_| !options.dry_run);
                (stored.map_or(marked, |stored| drop_object(writer, kind, &stored)), true)
            }
            Step::Remove if options.dry_run => (View::of(kind).show(&before), true),
            Step::Remove => (drop_object(writer, kind, &before), true),
        };
        let unsaid = options.propagation.is_none() && kind.rules.orphans;
        let warnings = if unsaid { vec![ORPHANING.to_owned()] } else { Vec::new() };
        Ok(Deleted { object, gone, warnings })
    }
}

/// Takes an object out of the store.
pub(super) fn drop_object(writer: &mut Writer<'_>, kind: &Kind, object: &Object) -> Arc<Object> {
    let gone = writer.remove(&kind.storage(), |revision, _| object.at_revision(revision));
    View::of(kind).show(&gone)
}

fn check_preconditions(
    kind: &Kind,
    object: &Object,
    options: &DeleteOptions,
) -> Result<(), ApiError> {
    let conflict = |why: String| {
        // The real server names the kind here and not the resource.
        Err(ApiError::conflict(&kind.group, &kind.kind, &object.key.name, &why))
    };
    if let Some(uid) = &options.preconditions.uid
        && **uid != *object.uid
    {
        return conflict(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been deleted and \
             then recreated",
            object.uid
        ));
    }
    if let Some(version) = &options.preconditions.resource_version
        && *version != object.revision.to_string()
    {
        return conflict(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record ({}). The object \
             might have been modified",
            object.revision
        ));
    }
    Ok(())
}

/// What deleting an object of any kind but Namespace does.
fn plan(kind: &Kind, old: &Value, options: &DeleteOptions, now: Timestamp) -> Step {
    let mut object = old.clone();
    let period = match start_grace(kind, &mut object, options, now) {
        Grace::Pending => return Step::Nothing,
        Grace::Started(period) => Some(period),
        Grace::None => None,
    };
    let finalizers = deletion_finalizers(kind, &object, options);
    let held = !finalizers.is_empty();
    metadata::set(&mut object, "finalizers", if held { json!(finalizers) } else { Value::Null });
    match period {
        Some(period) if held || period > 0 => Step::Mark(object),
        Some(_) => Step::MarkAndRemove(object),
        None if held => {
            mark(&mut object, now);
            Step::Mark(object)
        }
        None => Step::Remove,
    }
}

/// How graceful a deletion is.
enum Grace {
    /// Not at all.
    None,
    /// It has been going on, and this request changes nothing.
    Pending,
    /// It starts now, or is shortened to so many seconds; the object says so.
    Started(i64),
}

fn start_grace(kind: &Kind, object: &mut Value, options: &DeleteOptions, now: Timestamp) -> Grace {
    if !kind.rules.graceful {
        return Grace::None;
    }
    // A negative period means the shortest there is.
    let wanted = options.grace_period.map(|period| if period < 0 { 1 } else { period });
    let deletion: Option<Timestamp> = metadata::text(object, "deletionTimestamp").parse().ok();
    let Some(deletion) = deletion else {
        let period = grace_of_pod(object, wanted);
        metadata::set(object, "deletionTimestamp", json!(metadata::time(after(now, period))));
        metadata::set(object, "deletionGracePeriodSeconds", json!(period));
        raise_generation(object);
        return Grace::Started(period);
    };
    let current = metadata::number(object, "deletionGracePeriodSeconds").unwrap_or_default();
    if current == 0 {
        return Grace::None;
    }
    let Some(mut period) = wanted.filter(|period| *period < current) else { return Grace::Pending };
    let mut moved = after(deletion, period - current);
    if moved < now {
        moved = now;
        period = period.min(1);
    }
    metadata::set(object, "deletionTimestamp", json!(metadata::time(moved)));
    metadata::set(object, "deletionGracePeriodSeconds", json!(period));
    Grace::Started(period)
}

/// A pod that no kubelet looks after, or that has ended, needs no time.
fn grace_of_pod(pod: &Value, wanted: Option<i64>) -> i64 {
    let text = |pointer| pod.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if text("/spec/nodeName").is_empty() || matches!(text("/status/phase"), "Succeeded" | "Failed")
    {
        return 0;
    }
    let own = pod.pointer("/spec/terminationGracePeriodSeconds").and_then(Value::as_i64);
    let period = wanted.or(own).unwrap_or_default();
    if period < 0 { 1 } else { period }
}

/// The finalizers of an object that is being deleted: those it has, and those that hold it until its dependents are seen to.
fn deletion_finalizers(kind: &Kind, object: &Value, options: &DeleteOptions) -> Vec<String> {
    let mut finalizers = metadata::finalizers(object);
    let has = |name| finalizers.iter().any(|finalizer| finalizer == name);
    let (orphan, foreground) = match options.propagation {
        Some(policy) => (policy == Propagation::Orphan, policy == Propagation::Foreground),
        None if has(ORPHAN) => (true, false),
        None if has(FOREGROUND) => (false, true),
        None => (kind.rules.orphans, false),
    };
    finalizers.retain(|finalizer| finalizer != ORPHAN && finalizer != FOREGROUND);
    if orphan {
        finalizers.push(ORPHAN.to_owned());
    }
    if foreground {
        finalizers.push(FOREGROUND.to_owned());
    }
    finalizers
}

/// Marks an object that is held by finalizers.
fn mark(object: &mut Value, now: Timestamp) {
    let deletion: Option<Timestamp> = metadata::text(object, "deletionTimestamp").parse().ok();
    if deletion.is_none() {
        raise_generation(object);
    }
    if deletion.is_none_or(|deletion| deletion > now) {
        metadata::set(object, "deletionTimestamp", json!(metadata::time(now)));
    }
    metadata::set(object, "deletionGracePeriodSeconds", json!(0));
}

/// Namespaces have finalizers in their spec besides, and no grace period.
fn delete_namespace(namespace: &Value, options: &DeleteOptions, now: Timestamp) -> Step {
    let held = namespace.pointer("/spec/finalizers").and_then(Value::as_array);
    let held = held.is_some_and(|list| !list.is_empty());
    if !metadata::text(namespace, "deletionTimestamp").is_empty() {
        let free = !held && metadata::finalizers(namespace).is_empty();
        return if free { Step::Remove } else { Step::Nothing };
    }
    let mut marked = namespace.clone();
    let mut finalizers = metadata::finalizers(namespace);
    if options.propagation == Some(Propagation::Orphan) {
        finalizers.push(ORPHAN.to_owned());
    }
    if options.propagation == Some(Propagation::Foreground) {
        finalizers.push(FOREGROUND.to_owned());
    }
    if !held && finalizers.is_empty() {
        return Step::Remove;
    }
    if !finalizers.is_empty() {
        metadata::set(&mut marked, "finalizers", json!(finalizers));
    }
    metadata::set(&mut marked, "deletionTimestamp", json!(metadata::time(now)));
    if let Value::Object(members) = &mut marked {
        let status = members.entry("status").or_insert_with(|| json!({}));
        if let Value::Object(status) = status {
            status.insert("phase".to_owned(), json!("Terminating"));
        }
    }
    Step::Mark(marked)
}

/// Definitions wait until their objects are gone.
fn delete_definition(definition: &Value, now: Timestamp) -> Step {
    if !metadata::text(definition, "deletionTimestamp").is_empty() {
        return Step::Nothing;
    }
    let mut marked = definition.clone();
    let now = metadata::time(now);
    custom::begin_deletion(&mut marked, &now);
    metadata::set(&mut marked, "deletionTimestamp", json!(now));
    Step::Mark(marked)
}

/// For kinds that have a generation, a deletion is a change of what is wanted.
fn raise_generation(object: &mut Value) {
    if let Some(generation) = metadata::number(object, "generation").filter(|number| *number > 0) {
        metadata::set(object, "generation", json!(generation + 1));
    }
}

fn after(moment: Timestamp, seconds: i64) -> Timestamp {
    moment.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(moment)
}
