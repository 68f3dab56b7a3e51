//! `OpenAPI` documents: what kubectl's `explain`, `apply` and `diff` read to know fields and how lists are merged.
//!
//! Version 3 has one document per group and version, and an index with a hash for each; version 2 has everything in one. They say
//! as much as the table of types does, which is all but descriptions.

mod components;
mod paths;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::{discovery::fingerprint, kind::Kind};

/// The documents for the kinds that are served now, made when they are asked for.
#[derive(Debug, Default)]
pub struct OpenApi {
    current: Mutex<Option<Arc<Documents>>>,
}

/// The documents for some kinds.
#[derive(Debug)]
pub struct Documents {
    kinds: Vec<Arc<Kind>>,
    index: Document,
    /// By path below `/openapi/v3/`: the hash, and the document when it was made.
    parts: BTreeMap<String, Part>,
    v2: OnceLock<Document>,
}

/// A document and the tag that changes with it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The JSON.
    pub body: Bytes,
    /// Without quotes.
    pub tag: Arc<str>,
}

#[derive(Debug)]
struct Part {
    /// What the kinds of this part look like, which is known before the document is made.
    hash: Arc<str>,
    made: OnceLock<Document>,
}

/// Which version of the standard is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    V2,
    V3,
}

// === impl OpenApi ===

impl OpenApi {
    /// The documents for these kinds: those of the last call where the kinds are the same.
    pub fn documents(&self, kinds: Vec<Arc<Kind>>) -> Arc<Documents> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(documents) = &*current
            && documents.are_of(&kinds)
        {
            return Arc::clone(documents);
        }
        let documents = Arc::new(Documents::new(kinds));
        *current = Some(Arc::clone(&documents));
        documents
    }
}

// === impl Documents ===

impl Documents {
    /// The documents for these kinds.
    pub fn new(kinds: Vec<Arc<Kind>>) -> Self {
        let mut parts = BTreeMap::new();
        for path in ["api", "apis", "version"] {
            parts.insert(path.to_owned(), Part::new(path));
        }
        let mut described: BTreeMap<String, String> = BTreeMap::new();
        for kind in &kinds {
            let path = match &*kind.group {
                "" => format!("api/{}", kind.version),
                group => {
                    let path = format!("apis/{group}");
                    parts.insert(path.clone(), Part::new(&path));
                    format!("{path}/{}", kind.version)
                }
            };
            described.entry(path).or_default().push_str(&describe(kind));
        }
        for (path, description) in described {
            parts.insert(path, Part::new(&description));
        }
        let entries: Map<String, Value> = parts
            .iter()
            .map(|(path, part)| {
                let url = format!("/openapi/v3/{path}?hash={}", part.hash);
                (path.clone(), json!({ "serverRelativeURL": url }))
            })
            .collect();
        let index = Document::new(&json!({ "paths": entries }));
        Self { kinds, index, parts, v2: OnceLock::new() }
    }

    /// `/openapi/v3`. The real server says that it is plain text.
    pub fn index(&self) -> Document {
        self.index.clone()
    }

    /// `/openapi/v3/PATH`, where the path is `api/v1` or `apis/GROUP/VERSION` or one of the few others in the index.
    pub fn part(&self, path: &str) -> Option<Document> {
        let part = self.parts.get(path)?;
        let made = part.made.get_or_init(|| Document {
            body: encode(&self.make_part(path)),
            tag: Arc::clone(&part.hash),
        });
        Some(made.clone())
    }

    /// `/openapi/v2`.
    pub fn v2(&self) -> Document {
        let make = || {
            let kinds: Vec<&Kind> = self.kinds.iter().map(AsRef::as_ref).collect();
            Document::new(&json!({
                "swagger": "2.0",
                "info": { "title": "Kubernetes", "version": "1.36" },
                "paths": paths::of(&kinds, Form::V2),
                "definitions": components::of(&kinds, Form::V2),
            }))
        };
        self.v2.get_or_init(make).clone()
    }

    fn are_of(&self, kinds: &[Arc<Kind>]) -> bool {
        self.kinds.len() == kinds.len()
            && self.kinds.iter().zip(kinds).all(|(ours, theirs)| Arc::ptr_eq(ours, theirs))
    }

    fn make_part(&self, path: &str) -> Value {
        let (group, version) = match path.split('/').collect::<Vec<_>>().as_slice() {
            ["api", version] => ("", *version),
            ["apis", group, version] => (*group, *version),
            // What lists groups and versions has no kinds.
            _ => ("", ""),
        };
        let kinds: Vec<&Kind> = self
            .kinds
            .iter()
            .map(AsRef::as_ref)
            .filter(|kind| *kind.group == *group && *kind.version == *version)
            .collect();
        let paths = if kinds.is_empty() {
            let ok = json!({ "200": { "description": "OK" } });
            json!({ format!("/{path}/"): { "get": { "responses": ok } } })
        } else {
            paths::of(&kinds, Form::V3)
        };
        json!({
            "openapi": "3.0.0",
            "info": { "title": "Kubernetes", "version": "1.36" },
            "paths": paths,
            "components": { "schemas": components::of(&kinds, Form::V3) },
        })
    }
}

// === impl Document ===

impl Document {
    fn new(value: &Value) -> Self {
        let body = encode(value);
        let tag = fingerprint(&body).into();
        Self { body, tag }
    }
}

// === impl Part ===

impl Part {
    fn new(description: &str) -> Self {
        Self { hash: fingerprint(description.as_bytes()).into(), made: OnceLock::new() }
    }
}

/// What makes the documents of one kind differ from those of another.
fn describe(kind: &Kind) -> String {
    let document = kind.custom.as_ref().map(|custom| custom.document.to_string());
    format!("{} {} {:?} {:?}\n", kind.plural, kind.kind, kind.subresources, document)
}

fn encode(value: &Value) -> Bytes {
    serde_json::to_vec(value).unwrap_or_default().into()
}

#[cfg(test)]
mod tests;
