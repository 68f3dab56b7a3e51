//! Custom kinds come and go with their definitions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Api, DeleteOptions, ListQuery, Target, WriteOptions, create::keep, delete::drop_object,
    metadata,
};
use crate::{
    ApiError, Kind, Object, custom,
    object::Key,
    rules::Lookup,
    store::{Resource, Writer},
};

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";
/// The finalizer that keeps a definition until its objects are gone.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

// === impl Api ===

impl Api {
    /// Sees to what else a write means: a definition brings its kinds.
    pub(super) fn after_write(&self, kind: &Kind, object: &Object, options: &WriteOptions) {
        if options.dry_run {
            return;
        }
        if kind.is_definition() {
            self.establish(kind, &object.key);
        } else if kind.custom.is_some() {
            self.bury(&definition_of(kind));
        }
    }

    /// Sees to what else a deletion means: a definition takes its objects with it, and goes with the last of them.
    pub(super) fn after_delete(&self, kind: &Kind, object: &Object) {
        if kind.is_definition() {
            self.clear(&object.value());
            self.bury(&object.key);
        } else if kind.custom.is_some() {
            self.bury(&definition_of(kind));
        }
    }

    /// Objects are only made of kinds that are served, and not while their definition goes.
    pub(super) fn check_served(&self, kind: &Kind) -> Result<(), ApiError> {
        if kind.custom.is_none() {
            return Ok(());
        }
        let definition = self.store().get(&Resource::new(GROUP, PLURAL), &definition_of(kind));
        let Some(definition) = definition else {
            let why = "the server could not find the requested resource";
            return Err(ApiError::new(404, "NotFound", why));
        };
        if metadata::text(&definition.value(), "deletionTimestamp").is_empty() {
            return Ok(());
        }
        let why = "create not allowed while custom resource definition is terminating";
        Err(ApiError::new(405, "MethodNotAllowed", why))
    }

    /// Serves the versions of a definition from now on.
    pub(super) fn serve(&self, definition: &Value) {
        let text =
            |pointer| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let versions = custom::served_versions(definition);
        let kinds =
            versions.iter().filter_map(|version| custom::kind_from(definition, version).ok());
        let kinds: Vec<Kind> = kinds.collect();
        self.change_registry(|registry| {
            registry.replace_custom(text("/spec/group"), text("/spec/names/plural"), kinds);
        });
    }

    /// What the real server's controllers do with a definition: its names are accepted, and its kinds are served.
    fn establish(&self, kind: &Kind, key: &Key) {
        let mut writer = self.store().writer();
        let Some(before) = writer.get(&kind.storage(), key) else { return };
        let old = before.value();
        if !metadata::text(&old, "deletionTimestamp").is_empty() {
            return;
        }
        let mut others = self.all(GROUP, PLURAL);
        others.retain(|other| other.pointer("/spec/group") == old.pointer("/spec/group"));
        let mut definition = old.clone();
        let now = metadata::time(self.clock().now());
        let established = custom::accept(&mut definition, &others, &now);
        if definition != old {
            keep(&mut writer, kind, definition.clone(), &WriteOptions::default());
        }
        if established {
            self.serve(&definition);
        }
    }

    /// Deletes all objects of a definition.
    fn clear(&self, definition: &Value) {
        let Some(kind) = self.kind_of_definition(definition) else { return };
        // Neither can fail: there is no selector, and what is gone already is what was wanted.
        let options = DeleteOptions::default();
        let items = self.list(&kind, &ListQuery::default()).map(|listing| listing.items);
        for item in items.unwrap_or_default() {
            let _ = self.delete(&kind, &Target::new(&item.key.namespace, &item.key.name), &options);
        }
    }

    /// Takes a definition away that is being deleted and has no objects left.
    fn bury(&self, key: &Key) {
        let mut writer = self.store().writer();
        let Some(kind) = self.kind(GROUP, "v1", PLURAL) else { return };
        let Some(stored) = writer.get(&kind.storage(), key) else { return };
        let definition = stored.value();
        if metadata::text(&definition, "deletionTimestamp").is_empty() {
            return;
        }
        let text =
            |pointer| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
        let resource = Resource::new(group, plural);
        if self.store().count(&resource) > 0 {
            return;
        }
        self.change_registry(|registry| registry.replace_custom(group, plural, Vec::new()));
        self.store().retire(&resource);
        remove_definition(&mut writer, &kind, &stored);
    }

    fn kind_of_definition(&self, definition: &Value) -> Option<Arc<Kind>> {
        let group = definition.pointer("/spec/group")?.as_str()?;
        let plural = definition.pointer("/spec/names/plural")?.as_str()?;
        self.registry(|registry| registry.find_resource(group, plural).cloned())
    }
}

/// The definition of a custom kind.
fn definition_of(kind: &Kind) -> Key {
    Key::new("", &format!("{}.{}", kind.plural, kind.group))
}

/// Its finalizer has done its work; another one's may not have.
fn remove_definition(writer: &mut Writer<'_>, kind: &Kind, stored: &Object) {
    let mut definition = stored.value();
    let mut finalizers = metadata::finalizers(&definition);
    finalizers.retain(|finalizer| finalizer != CLEANUP);
    if finalizers.is_empty() {
        drop_object(writer, kind, stored);
        return;
    }
    metadata::set(&mut definition, "finalizers", json!(finalizers));
    if definition != stored.value() {
        keep(writer, kind, definition, &WriteOptions::default());
    }
}
