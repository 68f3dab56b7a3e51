//! What a request may ask for, and what comes back.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    Object,
    kind::Subresource,
    patch::Patch,
    store::{FieldSelector, Filter, LabelSelector},
};

/// Which object, and what of it.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    /// The namespace; empty for kinds of the cluster.
    pub namespace: &'t str,
    /// The name.
    pub name: &'t str,
    /// What of it is meant; the object itself if there is none.
    pub subresource: Option<Subresource>,
}

/// What a list is about. `Default` is everything, as it is now.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Only of this namespace; all if empty.
    pub namespace: String,
    /// Only what both selectors select.
    pub filter: Filter,
    /// At most so many; all if 0.
    pub limit: usize,
    /// The token of the page before.
    pub continue_token: String,
    /// `resourceVersion` as the client wrote it.
    pub resource_version: String,
    /// `resourceVersionMatch` as the client wrote it.
    pub version_match: String,
    /// `sendInitialEvents`, which a list must not have.
    pub send_initial_events: Option<bool>,
}

/// What a watch is about. `Default` is everything, with what is there now first.
#[derive(Clone, Debug, Default)]
pub struct WatchQuery {
    /// Only of this namespace; all if empty.
    pub namespace: String,
    /// Only what both selectors select.
    pub filter: Filter,
    /// `resourceVersion` as the client wrote it.
    pub resource_version: String,
    /// `resourceVersionMatch` as the client wrote it.
    pub version_match: String,
    /// Whether bookmarks are welcome.
    pub allow_bookmarks: bool,
    /// Whether what is there comes first; if not said, a watch from no version or from 0 starts with it.
    pub send_initial_events: Option<bool>,
    /// When the stream ends by itself.
    pub timeout: Option<Duration>,
}

/// A list, or a page of one.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The objects, sorted by namespace and name.
    pub items: Vec<Arc<Object>>,
    /// The revision whose state this is.
    pub revision: u64,
    /// The token for the next page.
    pub continue_token: Option<String>,
    /// How many come after this page, where the server tells.
    pub remaining: Option<usize>,
}

/// How a write is to be done.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Do everything but store.
    pub dry_run: bool,
    /// Who writes, for `managedFields`.
    pub field_manager: String,
    /// What happens to fields that the kind does not have.
    pub field_validation: FieldValidation,
    /// Fields that were given twice in the body, with their paths: a tree does not show them, whoever read the text does.
    pub duplicates: Vec<String>,
}

/// What happens to fields that the kind does not have, and to those that were given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped without a word.
    Ignore,
    /// They are dropped with a warning: what the server does when nobody says.
    #[default]
    Warn,
    /// They are refused.
    Strict,
}

/// A patch of any type.
#[derive(Clone, Debug)]
pub enum PatchRequest {
    /// JSON patch, merge patch or strategic merge patch.
    Patch(Patch),
    /// Server-side apply.
    Apply {
        /// The fields that the manager wants.
        config: Value,
        /// Whether it takes over fields of others.
        force: bool,
    },
}

/// What a write did.
#[derive(Clone, Debug)]
pub struct Written {
    /// The object as it is now; in a dry run, as it would be.
    pub object: Arc<Object>,
    /// Whether the write made it.
    pub created: bool,
    /// For the `Warning` header.
    pub warnings: Vec<String>,
}

/// How a deletion is to be done.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// Do everything but delete.
    pub dry_run: bool,
    /// How long a pod may take to end.
    pub grace_period: Option<i64>,
    /// What happens to dependents.
    pub propagation: Option<Propagation>,
    /// What must hold for the deletion to happen.
    pub preconditions: Preconditions,
}

/// What must hold of an object.
#[derive(Clone, Debug, Default)]
pub struct Preconditions {
    /// It is this very object, not one that took its name later.
    pub uid: Option<String>,
    /// It is in this state.
    pub resource_version: Option<String>,
}

/// What happens to the dependents of an object that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They go first.
    Foreground,
    /// They go afterwards.
    Background,
    /// They stay.
    Orphan,
}

/// What a deletion did.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The last state of the object, or the state in which it stays for now.
    pub object: Arc<Object>,
    /// Whether it is gone.
    pub gone: bool,
    /// For the `Warning` header.
    pub warnings: Vec<String>,
}

// === impl Target ===

impl<'t> Target<'t> {
    /// The object itself.
    pub fn new(namespace: &'t str, name: &'t str) -> Self {
        Self { namespace, name, subresource: None }
    }

    /// Its status.
    pub fn status(namespace: &'t str, name: &'t str) -> Self {
        Self { namespace, name, subresource: Some(Subresource::Status) }
    }
}

// === impl ListQuery ===

impl ListQuery {
    /// Everything in a namespace.
    pub fn in_namespace(namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), ..Self::default() }
    }

    /// Only what these labels select.
    #[must_use]
    pub fn labels(mut self, labels: LabelSelector) -> Self {
        self.filter.labels = labels;
        self
    }

    /// Only what these fields select.
    #[must_use]
    pub fn fields(mut self, fields: FieldSelector) -> Self {
        self.filter.fields = fields;
        self
    }
}

// === impl WatchQuery ===

impl WatchQuery {
    /// Everything that happens after a list.
    pub fn after(listing: &Listing) -> Self {
        Self { resource_version: listing.revision.to_string(), ..Self::default() }
    }
}

// === impl WriteOptions ===

impl WriteOptions {
    /// As a controller of this name writes.
    pub fn manager(name: &str) -> Self {
        Self { field_manager: name.to_owned(), ..Self::default() }
    }
}

// === impl Written ===

impl Written {
    /// With warnings that were found earlier.
    pub(super) fn after(mut self, mut warnings: Vec<String>) -> Self {
        warnings.append(&mut self.warnings);
        self.warnings = warnings;
        self
    }
}

// === impl Propagation ===

impl Propagation {
    /// As requests spell it.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "Foreground" => Some(Self::Foreground),
            "Background" => Some(Self::Background),
            "Orphan" => Some(Self::Orphan),
            _ => None,
        }
    }
}
