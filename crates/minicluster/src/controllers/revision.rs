//! Names for versions of templates: hashes, and the `ControllerRevision` objects of stateful and daemon sets.

use std::{cmp::Reverse, sync::Arc};

use serde_json::{Value, json};

use super::{
    View,
    action::{Action, Part},
    index::Ref,
    workload::controller_reference,
};
use crate::{
    Object,
    object::Key,
    read::{number, text},
    store::Resource,
};

/// What hashes are written with: no vowels, so that no words come out.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// How many old revisions are kept if nobody says.
const HISTORY: i64 = 10;

/// The revisions of a workload's template.
pub(super) struct Revisions {
    /// The name of the one that its template is.
    pub(super) update: String,
    /// How many templates there have been.
    pub(super) number: i64,
    /// All that there are, oldest first: name and content.
    pub(super) all: Vec<(String, Value)>,
    /// What makes them so.
    pub(super) actions: Vec<Action>,
}

// === impl Revisions ===

impl Revisions {
    /// The template of a revision.
    pub(super) fn template(&self, name: &str) -> Option<&Value> {
        let (_, data) = self.all.iter().find(|(other, _)| other == name)?;
        data.pointer("/spec/template")
    }
}

/// A hash of a value as text. `salt` tells apart values whose hashes are the same.
pub(super) fn hash(value: &Value, salt: i64) -> String {
    let mut hash: u32 = 0x811c_9dc5;
    let salt = if salt == 0 { String::new() } else { salt.to_string() };
    for byte in value.to_string().bytes().chain(salt.bytes()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    let digits = hash.to_string();
    let letters =
        digits.bytes().filter_map(|byte| ALPHABET.get(usize::from(byte) % ALPHABET.len()));
    letters.map(|letter| char::from(*letter)).collect()
}

/// Finds or makes the revision of a workload's template, and forgets old ones that no pod is of.
pub(super) fn settle(view: &View<'_>, owner: &Value, live: &[&str]) -> Revisions {
    let resource = Resource::new("apps", "controllerrevisions");
    let uid = text(owner, "/metadata/uid");
    let mut known: Vec<(Arc<Object>, Value)> = view
        .index
        .dependents(uid)
        .filter(|target| target.resource == resource)
        .filter_map(|target| view.get(&resource, &target.key))
        .map(|seen| (seen.object, seen.value))
        .collect();
    known.sort_by_key(|(object, value)| (number(value, "/revision"), object.key.name.clone()));
    plan(owner, &known, live)
}

/// The same, of the revisions that there are.
fn plan(owner: &Value, known: &[(Arc<Object>, Value)], live: &[&str]) -> Revisions {
    let resource = Resource::new("apps", "controllerrevisions");
    let namespace: Arc<str> = Arc::from(text(owner, "/metadata/namespace"));
    let name_of = |object: &Object| object.key.name.to_string();
    let mut template = owner.pointer("/spec/template").cloned().unwrap_or_default();
    if let Value::Object(members) = &mut template {
        members.insert("$patch".to_owned(), json!("replace"));
    }
    let data = json!({ "spec": { "template": template } });
    let newest = known.last().map_or(0, |(_, value)| number(value, "/revision"));
    let mut actions = Vec::new();
    let mut all: Vec<(String, Value)> =
        known.iter().map(|(object, value)| (name_of(object), value["data"].clone())).collect();
    let same = known.iter().rev().find(|(_, value)| value["data"] == data);
    let update = if let Some((object, value)) = same {
        if number(value, "/revision") < newest {
            // Back to an old template: it is the newest now.
            let target = Ref { resource: resource.clone(), key: object.key.clone() };
            let patch = json!({ "revision": newest + 1 });
            actions.push(Action::Change { target, part: Part::Object, patch, note: None });
        }
        name_of(object)
    } else {
        let hash = hash(&data, number(owner, "/status/collisionCount"));
        let name = format!("{}-{hash}", text(owner, "/metadata/name"));
        let mut labels = template.pointer("/metadata/labels").cloned().unwrap_or_else(|| json!({}));
        labels["controller.kubernetes.io/hash"] = json!(hash);
        let object = json!({
            "metadata": {
                "name": name,
                "labels": labels,
                "ownerReferences": [controller_reference(owner)],
            },
            "data": data,
            "revision": newest + 1,
        });
        actions.push(Action::Create {
            resource: resource.clone(),
            namespace: Arc::clone(&namespace),
            object,
            note: None,
        });
        all.push((name.clone(), data));
        name
    };
    let limit = owner.pointer("/spec/revisionHistoryLimit").and_then(Value::as_i64);
    let limit = usize::try_from(limit.unwrap_or(HISTORY)).unwrap_or_default();
    let current = text(owner, "/status/currentRevision");
    let mut spare: Vec<&(Arc<Object>, Value)> = known
        .iter()
        .filter(|(object, _)| {
            let name = &*object.key.name;
            name != update && name != current && !live.contains(&name)
        })
        .collect();
    spare.sort_by_key(|(_, value)| Reverse(number(value, "/revision")));
    for (object, _) in spare.into_iter().skip(limit) {
        let key = Key { namespace: Arc::clone(&namespace), name: object.key.name.clone() };
        actions.push(Action::delete(Ref { resource: resource.clone(), key }, &object.uid));
    }
    let is_newest = known.last().is_some_and(|(object, _)| *object.key.name == *update);
    let number = if is_newest { newest } else { newest + 1 };
    Revisions { update, number, all, actions }
}

/// The label of pods that says which revision they are of.
pub(super) const REVISION_LABEL: &str = "controller-revision-hash";
