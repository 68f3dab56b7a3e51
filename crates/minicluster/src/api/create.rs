//! Creation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Api, WriteOptions, Written, convert, decode, metadata, ownership::Ownership};
use crate::{
    ApiError, Kind, Object,
    object::Key,
    rules, schema,
    store::{Interner, Writer},
};

/// How often a generated name that is taken is generated again.
const ATTEMPTS: usize = 8;

// === impl Api ===

impl Api {
    /// Makes an object of what a client sent.
    pub fn create(
        &self,
        kind: &Kind,
        namespace: &str,
        body: Value,
        options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        let decoded = decode::body(kind, body, options)?;
        let mut value = decoded.value;
        metadata::settle_namespace(kind, &mut value, namespace)?;
        kind.fill_defaults(&mut value);
        let generated = metadata::text(&value, "name").is_empty();
        let mut attempts = if generated { ATTEMPTS } else { 1 };
        loop {
            attempts -= 1;
            let last = attempts == 0;
            let mut candidate = if last { std::mem::take(&mut value) } else { value.clone() };
            self.fill_in(kind, &mut candidate);
            let mut writer = self.store().writer();
            match self.insert(&mut writer, kind, candidate, Ownership::of(options), options) {
                Err(error) if error.reason == "AlreadyExists" && attempts > 0 => {}
                Err(error) => return Err(error),
                Ok(written) => {
                    drop(writer);
                    self.after_write(kind, &written.object, options);
                    return Ok(written.after(decoded.warnings));
                }
            }
        }
    }

    /// What the server says of a new object: uid, time, a name if it is to make one.
    pub(super) fn fill_in(&self, kind: &Kind, value: &mut Value) {
        metadata::generate_name(value);
        let fields = [
            ("uid", json!(uuid::Uuid::new_v4().to_string())),
            ("creationTimestamp", json!(metadata::time(self.clock().now()))),
            ("deletionTimestamp", Value::Null),
            ("deletionGracePeriodSeconds", Value::Null),
            ("selfLink", Value::Null),
            ("generation", if kind.rules.generation { json!(1) } else { Value::Null }),
        ];
        for (field, said) in fields {
            metadata::set(value, field, said);
        }
    }

    /// The second half of a creation: admission, checks, storage.
    pub(super) fn insert(
        &self,
        writer: &mut Writer<'_>,
        kind: &Kind,
        mut value: Value,
        ownership: Ownership<'_>,
        options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        self.check_served(kind)?;
        rules::admit_create(kind, &mut value, self)?;
        (kind.rules.prepare_create)(&mut value);
        schema::with_zero_values(&kind.schema, &mut value);
        let mut errors = rules::metadata::validate(kind, &value);
        errors.extend(kind.mistakes(&value, None));
        let name = metadata::text(&value, "name");
        if !errors.is_empty() {
            return Err(kind.refuse(name, &errors));
        }
        if !matches!(metadata::text(&value, "resourceVersion"), "" | "0") {
            let why = "resourceVersion should not be set on objects to be created";
            return Err(ApiError::new(500, "", why));
        }
        let key = Key::new(metadata::text(&value, "namespace"), name);
        if writer.get(&kind.storage(), &key).is_some() {
            return Err(ApiError::already_exists(&kind.group, &kind.plural, name));
        }
        self.settle_owners(kind, None, &mut value, None, ownership);
        let warnings = rules::warnings(kind, &value, None);
        Ok(Written { object: keep(writer, kind, value, options), created: true, warnings })
    }
}

/// Stores an object, unless it is only to be tried.
pub(super) fn keep(
    writer: &mut Writer<'_>,
    kind: &Kind,
    mut value: Value,
    options: &WriteOptions,
) -> Arc<Object> {
    let view = convert::View::of(kind);
    view.store(&mut value);
    let stored = if options.dry_run {
        Arc::new(dry(kind, &value))
    } else {
        writer.put(&kind.storage(), |revision, interner| {
            convert::object(kind, value, revision, interner)
        })
    };
    view.show(&stored)
}

/// What a dry run shows: an object without a new revision.
pub(super) fn dry(kind: &Kind, value: &Value) -> Object {
    let json = crate::object::encode(value);
    convert::kept(kind, value, json, &mut Interner::default())
}
