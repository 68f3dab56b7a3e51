//! What the server has: the documents that clients read first.
//!
//! Two ways to say the same: one document per group and version, or all of them in one (aggregated, version 2). All are pure
//! functions of the kinds that are served now.

mod aggregated;
mod plain;

use std::{
    cmp::Reverse,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

pub use aggregated::aggregated;
pub use plain::{api_versions, group, group_list, resource_list};

use crate::kind::{Kind, Subresource};

/// What can be done with objects of kinds that somebody defined; the real server lists it in another order than for its own.
const CUSTOM_VERBS: [&str; 8] =
    ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const READ_AND_WRITE: &[&str] = &["get", "patch", "update"];

/// Which half of the API a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// `/api`: the group without a name.
    Core,
    /// `/apis`: all others.
    Groups,
}

/// How a subresource presents itself.
struct Presented {
    name: &'static str,
    /// Group and version, where they are not those of the resource.
    elsewhere: Option<(&'static str, &'static str)>,
    /// The kind, where it is not that of the resource.
    kind: Option<&'static str>,
    verbs: &'static [&'static str],
}

/// A short text that changes when the document does, for `ETag` and for the hashes in `/openapi/v3`.
pub fn fingerprint(document: &[u8]) -> String {
    let mut first = DefaultHasher::new();
    document.hash(&mut first);
    let mut second = DefaultHasher::new();
    (document, "again").hash(&mut second);
    format!("{:016X}{:016X}", first.finish(), second.finish())
}

/// What can be done with the objects of a kind.
fn verbs(kind: &Kind) -> Vec<&'static str> {
    if kind.custom.is_some() {
        return CUSTOM_VERBS.to_vec();
    }
    if kind.kind.ends_with("Review") { vec!["create"] } else { kind.verbs().to_vec() }
}

/// The subresources of a kind, by name.
fn subresources(kind: &Kind) -> Vec<Presented> {
    let mut all: Vec<Presented> =
        kind.subresources.iter().map(|subresource| present(*subresource)).collect();
    all.sort_by_key(|presented| presented.name);
    all
}

fn present(subresource: Subresource) -> Presented {
    let plain = |name, verbs| Presented { name, elsewhere: None, kind: None, verbs };
    match subresource {
        Subresource::Status => plain("status", READ_AND_WRITE),
        Subresource::Scale => Presented {
            elsewhere: Some(("autoscaling", "v1")),
            kind: Some("Scale"),
            ..plain("scale", READ_AND_WRITE)
        },
        Subresource::Binding => {
            Presented { kind: Some("Binding"), ..plain("binding", &["create"]) }
        }
        Subresource::Eviction => Presented {
            elsewhere: Some(("policy", "v1")),
            kind: Some("Eviction"),
            ..plain("eviction", &["create"])
        },
        Subresource::Finalize => plain("finalize", &["update"]),
        Subresource::Stub(name) => match name {
            "log" => plain(name, &["get"]),
            "exec" => Presented { kind: Some("PodExecOptions"), ..plain(name, &["create", "get"]) },
            "attach" => {
                Presented { kind: Some("PodAttachOptions"), ..plain(name, &["create", "get"]) }
            }
            "portforward" => {
                Presented { kind: Some("PodPortForwardOptions"), ..plain(name, &["create", "get"]) }
            }
            "token" => Presented {
                elsewhere: Some(("authentication.k8s.io", "v1")),
                kind: Some("TokenRequest"),
                ..plain(name, &["create"])
            },
            _ => plain(name, READ_AND_WRITE),
        },
    }
}

/// The groups of some kinds with their versions, best version first, in the order in which the kinds are given.
fn groups(kinds: &[Arc<Kind>], root: Root) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.group.is_empty() == (root == Root::Core)) {
        match groups.iter_mut().find(|(name, _)| **name == *kind.group) {
            Some((_, versions)) if versions.contains(&&*kind.version) => {}
            Some((_, versions)) => versions.push(&kind.version),
            None => groups.push((&kind.group, vec![&kind.version])),
        }
    }
    for (_, versions) in &mut groups {
        versions.sort_by_key(|version| Reverse(precedence(version)));
    }
    groups
}

/// How good a version is: released before beta before alpha, higher numbers before lower, and names of another form last.
pub(crate) fn precedence(version: &str) -> (u8, u64, u64, Reverse<String>) {
    let unordered = || (0, 0, 0, Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else { return unordered() };
    let split = |word: &str| rest.split_once(word).map(|(major, minor)| (major, Some(minor)));
    let (stability, (major, minor)) = if let Some(parts) = split("alpha") {
        (1, parts)
    } else if let Some(parts) = split("beta") {
        (2, parts)
    } else {
        (3, (rest, None))
    };
    let minor = minor.map_or(Ok(0), str::parse);
    match (major.parse(), minor) {
        (Ok(major), Ok(minor)) => (stability, major, minor, Reverse(String::new())),
        _ => unordered(),
    }
}

/// The kinds of one group and version, by name.
fn of_version<'k>(kinds: &'k [Arc<Kind>], group: &str, version: &str) -> Vec<&'k Arc<Kind>> {
    let mut found: Vec<&Arc<Kind>> =
        kinds.iter().filter(|kind| *kind.group == *group && *kind.version == *version).collect();
    found.sort_by(|a, b| a.plural.cmp(&b.plural));
    found
}

#[cfg(test)]
mod tests;
