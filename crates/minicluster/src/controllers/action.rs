//! What controllers decide, and doing it.
//!
//! A controller's decision is a list of actions. They are done in order; the first one that finds that the world has moved on
//! ends the list, because the change that moved it brings the object back into the queue.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{
    index::Ref,
    recorder::{Note, Recorder},
};
use crate::{
    Api, ApiError, Kind,
    api::{DeleteOptions, Preconditions, Propagation, Target, WriteOptions},
    kind::Subresource,
    object::Key,
    read::{make, text},
    store::Resource,
};

/// How long a controller waits before it tries again what was refused.
const RETRY: SignedDuration = SignedDuration::from_secs(5);

/// The kinds that are served, by where their objects are kept.
pub(crate) type Kinds = FxHashMap<Resource, Arc<Kind>>;

/// One step of a controller's decision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Makes an object. `{name}` in the note stands for its name.
    Create {
        /// What it is.
        resource: Resource,
        /// Where; empty for kinds of the cluster.
        namespace: Arc<str>,
        /// The object.
        object: Value,
        /// What to say when it is there.
        note: Option<Note>,
    },
    /// Lays a merge patch over an object or a part of it.
    Change {
        /// Which.
        target: Ref,
        /// What of it.
        part: Part,
        /// The patch.
        patch: Value,
        /// What to say when it is done.
        note: Option<Note>,
    },
    /// Puts a new status in the place of the old one, if nobody has touched the object since.
    Status {
        /// Which.
        target: Ref,
        /// The revision that the decision was made on.
        seen: u64,
        /// The status.
        status: Value,
        /// Annotations that belong to it.
        annotations: Vec<(&'static str, String)>,
    },
    /// Puts other content in the place of an object's, if nobody has touched the object since.
    Replace {
        /// Which.
        target: Ref,
        /// The revision that the decision was made on.
        seen: u64,
        /// What of it.
        part: Part,
        /// The object.
        object: Value,
    },
    /// Deletes an object, if it is still the same one.
    Delete {
        /// Which.
        target: Ref,
        /// Its uid.
        uid: Box<str>,
        /// How long a pod gets; what it wants itself if not said.
        grace: Option<i64>,
        /// What happens to its dependents.
        propagation: Option<Propagation>,
        /// What to say when it is done.
        note: Option<Note>,
    },
    /// Says something.
    Say(Note),
    /// Looks again at this moment.
    Again(Timestamp),
}

/// What of an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object.
    Object,
    /// Its status.
    Status,
    /// The finalizers of a namespace.
    Finalizers,
}

/// Does what controllers decide.
#[derive(Debug)]
pub(crate) struct Executor {
    api: Api,
    recorder: Recorder,
}

/// What came of an action.
enum Outcome {
    Done,
    /// The world has moved on.
    Stale,
    /// Look again then.
    Again(Timestamp),
}

// === impl Action ===

impl Action {
    /// Deletes as it is deleted when nobody says more.
    pub(crate) fn delete(target: Ref, uid: &str) -> Self {
        Self::Delete { target, uid: uid.into(), grace: None, propagation: None, note: None }
    }
}

// === impl Part ===

impl Part {
    fn subresource(self) -> Option<Subresource> {
        match self {
            Self::Object => None,
            Self::Status => Some(Subresource::Status),
            Self::Finalizers => Some(Subresource::Finalize),
        }
    }
}

// === impl Executor ===

impl Executor {
    pub(crate) fn new(api: Api) -> Self {
        Self { recorder: Recorder::new(api.clone()), api }
    }

    /// Does what a controller has decided, and tells when it wants to look again.
    pub(crate) fn execute(&mut self, kinds: &Kinds, actions: Vec<Action>) -> Option<Timestamp> {
        let mut again: Option<Timestamp> = None;
        for action in actions {
            match self.step(kinds, action) {
                Ok(Outcome::Done) => {}
                Ok(Outcome::Stale) => break,
                Ok(Outcome::Again(moment)) => {
                    again = Some(again.map_or(moment, |other| other.min(moment)));
                }
                // Somebody else was quicker, or the namespace is going.
                Err(error) if matches!(error.code, 404 | 409) => break,
                Err(error) if is_terminating(&error) => break,
                Err(error) => {
                    tracing::debug!(%error, "a controller could not do what it wanted and tries again");
                    let retry =
                        self.api.clock().now().saturating_add(RETRY).unwrap_or(Timestamp::MAX);
                    return Some(again.map_or(retry, |other| other.min(retry)));
                }
            }
        }
        again
    }

    fn step(&mut self, kinds: &Kinds, action: Action) -> Result<Outcome, ApiError> {
        match action {
            Action::Create { resource, namespace, object, note } => {
                let Some(kind) = kinds.get(&resource) else { return Ok(Outcome::Stale) };
                let made = self.api.create(kind, &namespace, object, &WriteOptions::default());
                match (made, note) {
                    (Ok(made), Some(note)) => {
                        self.recorder.say(&note.naming(&made.object.key.name));
                    }
                    (Ok(_), None) => {}
                    (Err(error), Some(note)) if !is_terminating(&error) && error.code != 409 => {
                        self.recorder
                            .say(&note.failing("FailedCreate", format!("Error creating: {error}")));
                        return Err(error);
                    }
                    (Err(error), _) => return Err(error),
                }
                Ok(Outcome::Done)
            }
            Action::Change { target, part, patch, note } => {
                let Some(kind) = kinds.get(&target.resource) else { return Ok(Outcome::Stale) };
                let place = place(&target.key, part);
                self.api.modify(kind, &place, |object| json_patch::merge(object, &patch))?;
                if let Some(note) = note {
                    self.recorder.say(&note);
                }
                Ok(Outcome::Done)
            }
            Action::Status { target, seen, status, annotations } => {
                let change = |object: &mut Value| {
                    for (name, text) in annotations {
                        make(object, &["metadata", "annotations"])
                            .insert(name.to_owned(), json!(text));
                    }
                    object["status"] = status;
                };
                self.write_unchanged(kinds, &target, seen, Part::Status, change)
            }
            Action::Replace { target, seen, part, object } => {
                let change = |old: &mut Value| *old = object;
                self.write_unchanged(kinds, &target, seen, part, change)
            }
            Action::Delete { target, uid, grace, propagation, note } => {
                let Some(kind) = kinds.get(&target.resource) else { return Ok(Outcome::Stale) };
                let options = DeleteOptions {
                    grace_period: grace,
                    propagation,
                    preconditions: Preconditions { uid: Some(uid.into()), resource_version: None },
                    ..DeleteOptions::default()
                };
                match self.api.delete(kind, &place(&target.key, Part::Object), &options) {
                    // Gone is what was wanted, and another one of that name is no business of ours.
                    Err(error) if matches!(error.code, 404 | 409) => {}
                    Err(error) => return Err(error),
                    Ok(_) => {
                        if let Some(note) = note {
                            self.recorder.say(&note);
                        }
                    }
                }
                Ok(Outcome::Done)
            }
            Action::Say(note) => {
                self.recorder.say(&note);
                Ok(Outcome::Done)
            }
            Action::Again(moment) => Ok(Outcome::Again(moment)),
        }
    }

    fn write_unchanged(
        &self,
        kinds: &Kinds,
        target: &Ref,
        seen: u64,
        part: Part,
        change: impl FnOnce(&mut Value),
    ) -> Result<Outcome, ApiError> {
        let Some(kind) = kinds.get(&target.resource) else { return Ok(Outcome::Stale) };
        let seen = seen.to_string();
        let mut fresh = false;
        self.api.modify(kind, &place(&target.key, part), |object| {
            fresh = text(object, "/metadata/resourceVersion") == seen;
            if fresh {
                change(object);
            }
        })?;
        Ok(if fresh { Outcome::Done } else { Outcome::Stale })
    }
}

fn place(key: &Key, part: Part) -> Target<'_> {
    Target { namespace: &key.namespace, name: &key.name, subresource: part.subresource() }
}

/// Whether nothing can be made any more because the namespace goes away.
fn is_terminating(error: &ApiError) -> bool {
    let causes = error.details.as_ref().and_then(|details| details.get("causes"));
    let causes = causes.and_then(Value::as_array).into_iter().flatten();
    causes.into_iter().any(|cause| text(cause, "/reason") == "NamespaceTerminating")
}
