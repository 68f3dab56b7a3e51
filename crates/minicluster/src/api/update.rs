//! Changes: update, patch, and what controllers do.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Api, PatchRequest, Target, WriteOptions, Written,
    convert::View,
    create::{dry, keep},
    decode,
    delete::drop_object,
    metadata,
    ownership::Ownership,
    read::parse_version,
};
use crate::{
    ApiError, FieldError, Kind, Object,
    apply::{self, Conflicts},
    kind::Subresource,
    object::Key,
    patch::{self, Patch},
    rules, schema,
    store::Writer,
};

const STALE: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// A change that is ready to be checked.
struct Change<'c> {
    at: &'c Target<'c>,
    new: Value,
    /// The object before, in the form of the kind.
    old: &'c Value,
    before: &'c Arc<Object>,
    ownership: Ownership<'c>,
    options: &'c WriteOptions,
}

// === impl Api ===

impl Api {
    /// Puts what a client sent in the place of an object, or of its status.
    pub fn update(
        &self,
        kind: &Kind,
        at: &Target<'_>,
        body: Value,
        options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        let decoded = decode::body(kind, body, options)?;
        let mut new = decoded.value;
        metadata::check_name(&new, at)?;
        metadata::settle_namespace(kind, &mut new, at.namespace)?;
        kind.fill_defaults(&mut new);
        let mut writer = self.store().writer();
        let Some(before) = writer.get(&kind.storage(), &Key::new(at.namespace, at.name)) else {
            if at.subresource.is_none() && kind.rules.create_on_update {
                self.fill_in(kind, &mut new);
                metadata::set(&mut new, "resourceVersion", Value::Null);
                let owner = Ownership::of(options);
                let written = self.insert(&mut writer, kind, new, owner, options)?;
                return Ok(written.after(decoded.warnings));
            }
            return Err(ApiError::not_found(&kind.group, &kind.plural, at.name));
        };
        let uid = metadata::text(&new, "uid");
        if !uid.is_empty() && *uid != *before.uid {
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{}/{}{}{}, ResourceVersion: 0, \
                 AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                kind.plural,
                at.namespace,
                if at.namespace.is_empty() { "" } else { "/" },
                at.name,
                before.uid
            );
            return Err(ApiError::conflict(&kind.group, &kind.plural, at.name, &why));
        }
        let old = View::of(kind).value(&before);
        let ownership = Ownership::of(options);
        let change = Change { at, new, old: &old, before: &before, ownership, options };
        let written = self.replace(&mut writer, kind, change)?;
        drop(writer);
        self.after_write(kind, &written.object, options);
        Ok(written.after(decoded.warnings))
    }

    /// Changes an object as a patch says. Where the patch names no resourceVersion it is applied to the newest state.
    pub fn patch(
        &self,
        kind: &Kind,
        at: &Target<'_>,
        patch: PatchRequest,
        options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        let patch = match patch {
            PatchRequest::Patch(patch) => patch,
            PatchRequest::Apply { config, force } => {
                let conflicts = if force { Conflicts::Force } else { Conflicts::Refuse };
                return self.apply(kind, at, &config, conflicts, options);
            }
        };
        let mut writer = self.store().writer();
        let before = writer
            .get(&kind.storage(), &Key::new(at.namespace, at.name))
            .ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, at.name))?;
        let old = View::of(kind).value(&before);
        let mut new = patch::apply_patch(kind, &old, &patch)?;
        check_type(kind, &patch, &new)?;
        let warnings = decode::canonical(kind, &mut new, options)
            .map_err(|why| patch::refused(&patch, &new, &why))?;
        metadata::check_name(&new, at)?;
        metadata::settle_namespace(kind, &mut new, at.namespace)?;
        kind.fill_defaults(&mut new);
        let ownership = Ownership::of(options);
        let change = Change { at, new, old: &old, before: &before, ownership, options };
        let written = self.replace(&mut writer, kind, change)?;
        drop(writer);
        self.after_write(kind, &written.object, options);
        Ok(written.after(warnings))
    }

    /// Server-side apply: makes the object, or lays the configuration over what is there.
    fn apply(
        &self,
        kind: &Kind,
        at: &Target<'_>,
        config: &Value,
        conflicts: Conflicts,
        options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        let mut writer = self.store().writer();
        let before = writer.get(&kind.storage(), &Key::new(at.namespace, at.name));
        if before.is_none() && at.subresource.is_some() {
            return Err(ApiError::not_found(&kind.group, &kind.plural, at.name));
        }
        let old = before.as_ref().map(|before| View::of(kind).value(before));
        let by = self.field_writer(&options.field_manager, at.subresource);
        let mut new = apply::apply(kind, old.as_ref(), config, &by, conflicts)?;
        metadata::check_name(config, at)?;
        metadata::settle_namespace(kind, &mut new, at.namespace)?;
        let warnings = decode::canonical(kind, &mut new, options).map_err(ApiError::bad_request)?;
        kind.fill_defaults(&mut new);
        let ownership = Ownership::Applied;
        let written = if let (Some(before), Some(old)) = (&before, &old) {
            let change = Change { at, new, old, before, ownership, options };
            self.replace(&mut writer, kind, change)?
        } else {
            self.fill_in(kind, &mut new);
            self.insert(&mut writer, kind, new, ownership, options)?
        };
        drop(writer);
        self.after_write(kind, &written.object, options);
        Ok(written.after(warnings))
    }

    /// Reads, changes and writes an object with nobody in between, for controllers. The change goes through the same
    /// preparation and checks as an update. It must not call the API: it holds the right to write.
    pub fn modify(
        &self,
        kind: &Kind,
        at: &Target<'_>,
        change: impl FnOnce(&mut Value),
    ) -> Result<Arc<Object>, ApiError> {
        let options = WriteOptions::default();
        let mut writer = self.store().writer();
        let before = writer
            .get(&kind.storage(), &Key::new(at.namespace, at.name))
            .ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, at.name))?;
        let old = View::of(kind).value(&before);
        let mut new = old.clone();
        change(&mut new);
        decode::canonical(kind, &mut new, &options).map_err(ApiError::bad_request)?;
        kind.fill_defaults(&mut new);
        let ownership = Ownership::Untouched;
        let change = Change { at, new, old: &old, before: &before, ownership, options: &options };
        let written = self.replace(&mut writer, kind, change)?;
        drop(writer);
        self.after_write(kind, &written.object, &options);
        Ok(written.object)
    }

    /// The second half of every change: versions, preparation, checks, storage.
    fn replace(
        &self,
        writer: &mut Writer<'_>,
        kind: &Kind,
        change: Change<'_>,
    ) -> Result<Written, ApiError> {
        let Change { at, mut new, old, before, ownership, options } = change;
        check_version(kind, at, &mut new, old)?;
        prepare(kind, at, &mut new, old);
        schema::with_zero_values(&kind.schema, &mut new);
        check(kind, at, &new, old)?;
        self.settle_owners(kind, Some(old), &mut new, at.subresource, ownership);
        let warnings = rules::warnings(kind, &new, Some(old));
        let done = |object| Ok(Written { object, created: false, warnings });
        if new == *old {
            return done(View::of(kind).show(before));
        }
        if goes_now(kind, &new, old) {
            let last = Arc::new(dry(kind, &new));
            if !options.dry_run {
                drop_object(writer, kind, before);
            }
            return done(last);
        }
        done(keep(writer, kind, new, options))
    }
}

/// A patch must not turn an object into one of another kind.
fn check_type(kind: &Kind, patch: &Patch, new: &Value) -> Result<(), ApiError> {
    let is = |field: &str, wanted: &str| new.get(field).and_then(Value::as_str) == Some(wanted);
    if is("apiVersion", &kind.api_version()) && is("kind", &kind.kind) {
        return Ok(());
    }
    Err(patch::refused(patch, new, "the patch changes apiVersion or kind"))
}

/// Whoever names a version must name the newest; whoever names none may go on where the kind allows it.
fn check_version(
    kind: &Kind,
    at: &Target<'_>,
    new: &mut Value,
    old: &Value,
) -> Result<(), ApiError> {
    let said = metadata::text(new, "resourceVersion");
    let version = parse_version(said).map_err(|_| {
        ApiError::new(500, "", format!("strconv.ParseUint: parsing {said:?}: invalid syntax"))
    })?;
    if version == 0 && !kind.rules.unconditional_update {
        let path = "metadata.resourceVersion";
        let error = FieldError::invalid(path, 0, "must be specified for an update");
        return Err(ApiError::invalid(&kind.group, &kind.plural, at.name, &[error]));
    }
    if version != 0 && said != metadata::text(old, "resourceVersion") {
        return Err(ApiError::conflict(&kind.group, &kind.plural, at.name, STALE));
    }
    metadata::keep(new, old, "resourceVersion");
    Ok(())
}

/// Puts back what a change may not touch, and counts it.
fn prepare(kind: &Kind, at: &Target<'_>, new: &mut Value, old: &Value) {
    metadata::keep(new, old, "generation");
    match at.subresource {
        None => {
            rules::admit_update(kind, new, old);
            (kind.rules.prepare_update)(new, old);
        }
        Some(Subresource::Finalize) => {
            let finalizers = new.pointer("/spec/finalizers").cloned();
            let spec = finalizers.map_or_else(|| json!({}), |list| json!({"finalizers": list}));
            new.clone_from(old);
            if let Value::Object(members) = new {
                members.insert("spec".to_owned(), spec);
            }
        }
        // Whoever binds or scales has changed that and nothing else.
        Some(Subresource::Binding | Subresource::Scale) => {}
        Some(_) => (kind.rules.prepare_status)(new, old),
    }
    if metadata::text(new, "uid").is_empty() {
        metadata::keep(new, old, "uid");
    }
    metadata::keep(new, old, "creationTimestamp");
    if !metadata::text(old, "deletionTimestamp").is_empty() {
        metadata::keep(new, old, "deletionTimestamp");
    }
    if metadata::number(new, "deletionGracePeriodSeconds").is_none() {
        metadata::keep(new, old, "deletionGracePeriodSeconds");
    }
    let counts = matches!(at.subresource, None | Some(Subresource::Scale));
    if kind.rules.generation && counts && wishes(kind, new) != wishes(kind, old) {
        let generation = metadata::number(old, "generation").unwrap_or_default();
        metadata::set(new, "generation", json!(generation + 1));
    }
}

/// Everything but metadata and a status that has a path of its own.
fn wishes<'o>(kind: &Kind, object: &'o Value) -> Vec<(&'o String, &'o Value)> {
    let status = kind.has(Subresource::Status) || kind.custom.is_none();
    let apart = |name: &str| name == "metadata" || (status && name == "status");
    let members = object.as_object().into_iter().flatten();
    members.filter(|(name, _)| !apart(name)).collect()
}

fn check(kind: &Kind, at: &Target<'_>, new: &Value, old: &Value) -> Result<(), ApiError> {
    // The real server checks metadata twice, and lists what it finds twice.
    let mut errors = rules::metadata::validate_update(new, old);
    errors.extend(rules::metadata::finalizer_names(kind, new));
    errors.extend(errors.clone());
    let status = !matches!(at.subresource, None | Some(Subresource::Scale));
    // A custom resource's schema is about the status too.
    if !status || kind.custom.is_some() {
        errors.extend(kind.mistakes(new, Some(old)));
    }
    let rule = if status { kind.rules.validate_status } else { kind.rules.validate_update };
    // A binding may change what nobody else may, and was checked by whoever made it.
    if at.subresource != Some(Subresource::Binding) {
        errors.extend(rule(new, old));
    }
    if errors.is_empty() {
        return Ok(());
    }
    Err(kind.refuse(at.name, &errors))
}

/// Whether a change takes away the last thing that an object being deleted waits for.
fn goes_now(kind: &Kind, new: &Value, old: &Value) -> bool {
    if metadata::text(new, "deletionTimestamp").is_empty() || !metadata::finalizers(new).is_empty()
    {
        return false;
    }
    if kind.is_namespace() {
        let list = new.pointer("/spec/finalizers").and_then(Value::as_array);
        return list.is_none_or(Vec::is_empty);
    }
    metadata::number(old, "deletionGracePeriodSeconds").unwrap_or_default() == 0
}
