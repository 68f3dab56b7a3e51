//! What a kind is: data that the one generic path reads.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    ApiError, FieldError,
    custom::{self, CustomKind},
    schema::Type,
    store::Resource,
};

/// What can be done with the objects of a kind, in the order of discovery.
const VERBS: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const VERBS_OF_NAMESPACES: &[&str] =
    &["create", "delete", "get", "list", "patch", "update", "watch"];

/// A kind of object that the server keeps. Built-in kinds are listed in [`crate::registry`]; others come from
/// `CustomResourceDefinition` objects and go with them.
#[derive(Debug)]
pub struct Kind {
    /// The API group; empty for the core.
    pub group: Box<str>,
    /// The version, such as `v1`.
    pub version: Box<str>,
    /// The kind, such as `Pod`.
    pub kind: Box<str>,
    /// What a list of them is called, such as `PodList`.
    pub list_kind: Box<str>,
    /// The name in paths, such as `pods`.
    pub plural: Box<str>,
    /// The singular, such as `pod`.
    pub singular: Box<str>,
    /// Abbreviations that kubectl takes, such as `po`.
    pub short_names: Vec<Box<str>>,
    /// Groups of kinds that kubectl takes, such as `all`.
    pub categories: Vec<Box<str>>,
    /// Where its objects live.
    pub scope: Scope,
    /// What hangs below an object's path.
    pub subresources: Vec<Subresource>,
    /// The fields.
    pub schema: Arc<Type>,
    /// What is done with its objects on their way in.
    pub rules: Rules,
    /// For a kind that somebody defined.
    pub custom: Option<Arc<CustomKind>>,
}

/// Where the objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// What hangs below an object's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// `/status`: writes change the status alone; writes of the object leave it alone.
    Status,
    /// `/scale`.
    Scale,
    /// `/binding`, of pods.
    Binding,
    /// `/eviction`, of pods.
    Eviction,
    /// `/finalize`, of namespaces.
    Finalize,
    /// `/ephemeralcontainers`, `/resize`, `/log`, `/exec` and others that are answered politely and do nothing.
    Stub(&'static str),
}

/// Reads a field of an object as text.
pub type ReadField = fn(&Value) -> String;

/// What is done with objects of a kind on their way into the store. Each is a plain function on JSON; metadata that all kinds
/// share is looked after by the generic path, before and after.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own, as the real server has them"
)]
pub struct Rules {
    /// Fills in what was left out, as the real server's defaulting does. Runs on every write, after decoding.
    pub defaults: fn(&mut Value),
    /// Before an object is first stored: takes off what a client may not set (the status), sets what the server sets
    /// (`status.phase` of a Pod, `spec.finalizers` of a Namespace).
    pub prepare_create: fn(&mut Value),
    /// Before a write of the object: keeps what a client may not change (the status), from `old`.
    pub prepare_update: fn(new: &mut Value, old: &Value),
    /// Before a write of the status: keeps everything else, from `old`.
    pub prepare_status: fn(new: &mut Value, old: &Value),
    /// What is wrong with a new object.
    pub validate: fn(&Value) -> Vec<FieldError>,
    /// What is wrong with a change of the object, besides what [`Rules::validate`] says of the new one.
    pub validate_update: fn(new: &Value, old: &Value) -> Vec<FieldError>,
    /// What is wrong with a change of the status.
    pub validate_status: fn(new: &Value, old: &Value) -> Vec<FieldError>,
    /// Fields that field selectors may name besides `metadata.name` and `metadata.namespace`, with how to read them.
    pub fields: &'static [(&'static str, ReadField)],
    /// Whether an update may come without a resourceVersion.
    pub unconditional_update: bool,
    /// Whether a PUT makes an object that is not there.
    pub create_on_update: bool,
    /// What changes when the spec does: `metadata.generation`, for kinds that have it. `true` means: raise it when anything but
    /// metadata and status changed.
    pub generation: bool,
    /// How deletion goes when nobody says: what to do with dependents.
    pub orphans: bool,
    /// Pods only: deletion takes its time.
    pub graceful: bool,
}

// === impl Kind ===

impl Kind {
    /// `v1`, or `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Whether its objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// What can be done with its objects, in the order of discovery.
    pub fn verbs(&self) -> &'static [&'static str] {
        if self.group.is_empty() && &*self.kind == "Namespace" {
            VERBS_OF_NAMESPACES
        } else {
            VERBS
        }
    }

    /// Where its objects are kept. All versions of a group share them, and so do both groups that have events.
    pub fn storage(&self) -> Resource {
        let group = if &*self.group == "events.k8s.io" { "" } else { &*self.group };
        Resource::new(group, &self.plural)
    }

    /// Whether it is the kind of namespaces.
    pub fn is_namespace(&self) -> bool {
        self.group.is_empty() && &*self.kind == "Namespace"
    }

    /// Whether it is the kind of definitions of other kinds.
    pub fn is_definition(&self) -> bool {
        &*self.group == "apiextensions.k8s.io" && &*self.kind == "CustomResourceDefinition"
    }

    /// Fills in what an object leaves out.
    pub fn fill_defaults(&self, object: &mut Value) {
        (self.rules.defaults)(object);
        if let Some(custom) = &self.custom {
            custom::default_custom(custom, object);
        }
    }

    /// What is wrong with an object; `old` is what it was before a change.
    pub fn mistakes(&self, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let mut mistakes = (self.rules.validate)(object);
        if let Some(custom) = &self.custom {
            mistakes.extend(custom::validate_custom(custom, object, old));
        }
        mistakes
    }

    /// What the real server says of an object with mistakes. Events of both groups are checked as those of the core.
    pub fn refuse(&self, name: &str, mistakes: &[FieldError]) -> ApiError {
        let group = if &*self.group == "events.k8s.io" { "" } else { &*self.group };
        ApiError::invalid(group, &self.kind, name, mistakes)
    }

    /// Where a field that selectors may name is among [`Kind::field_values`].
    pub fn field_position(&self, path: &str) -> Option<usize> {
        match &self.custom {
            Some(custom) => {
                let mut fields = custom.selectable.iter();
                fields.position(|field| field.strip_prefix('.') == Some(path))
            }
            None => self.rules.fields.iter().position(|(name, _)| *name == path),
        }
    }

    /// The values of the fields that selectors may name.
    pub fn field_values(&self, object: &Value) -> impl Iterator<Item = String> {
        let built_in = self.rules.fields.iter().map(|(_, read)| read(object));
        let paths = self.custom.iter().flat_map(|custom| custom.selectable.iter());
        let custom = paths.map(|path| match object.pointer(&path.replace('.', "/")) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        });
        built_in.chain(custom)
    }

    /// Whether it has this subresource.
    pub fn has(&self, subresource: Subresource) -> bool {
        self.subresources.contains(&subresource)
    }
}
