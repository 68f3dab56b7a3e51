//! What a path names.

use http::Method;

use super::query::{Query, decoded};

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Something that is not below an API version: `/version`, `/api`, `/apis/apps`. The segments, without empty ones.
    Other(Vec<String>),
    /// `/api/v1` or `/apis/apps/v1`.
    Version {
        /// Empty for the core.
        group: String,
        /// Such as `v1`.
        version: String,
    },
    /// A collection, an object or what hangs below one.
    Resource(ResourcePath),
}

/// The path of a collection, an object or a subresource. Whether there is such a thing is another question.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ResourcePath {
    /// Empty for the core.
    pub(super) group: String,
    /// Such as `v1`.
    pub(super) version: String,
    /// The old form of a watch: `/api/v1/watch/pods`.
    pub(super) watch: bool,
    /// The namespace, if the path names one.
    pub(super) namespace: Option<String>,
    /// Such as `pods`.
    pub(super) plural: String,
    /// The object's name.
    pub(super) name: Option<String>,
    /// Such as `status`.
    pub(super) subresource: Option<String>,
    /// What follows the subresource.
    pub(super) rest: Vec<String>,
}

// === impl Route ===

impl Route {
    /// Reads a path. Segments that are not proper percent encoding name nothing.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let segments: Vec<String> =
            path.split('/').filter(|part| !part.is_empty()).map(decoded).collect::<Option<_>>()?;
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (group, version, parts) = match parts.as_slice() {
            ["api", version, parts @ ..] => ("", *version, parts),
            ["apis", group, version, parts @ ..] => (*group, *version, parts),
            _ => return Some(Self::Other(segments)),
        };
        let (group, version) = (group.to_owned(), version.to_owned());
        if parts.is_empty() {
            return Some(Self::Version { group, version });
        }
        Some(Self::Resource(ResourcePath::parse(group, version, parts)))
    }
}

// === impl ResourcePath ===

impl ResourcePath {
    fn parse(group: String, version: String, parts: &[&str]) -> Self {
        let mut path = Self { group, version, ..Self::default() };
        let parts = match parts {
            ["watch", rest @ ..] if !rest.is_empty() => {
                path.watch = true;
                rest
            }
            parts => parts,
        };
        // A namespace is both an object and a place; what follows its name is a collection in it, but for two subresources.
        let parts = match parts {
            ["namespaces", namespace, rest @ ..] => {
                path.namespace = Some((*namespace).to_owned());
                match rest {
                    [] | ["status" | "finalize", ..] => parts,
                    rest => rest,
                }
            }
            parts => parts,
        };
        let mut parts = parts.iter().map(|part| (*part).to_owned());
        path.plural = parts.next().unwrap_or_default();
        path.name = parts.next();
        path.subresource = parts.next();
        path.rest = parts.collect();
        path
    }

    /// The namespace that an object of a namespaced kind is in.
    pub(super) fn place(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    /// What the request wants to do, in the words of authorisation.
    pub(super) fn verb(&self, method: &Method, query: &Query) -> &'static str {
        match (method.as_str(), &self.name) {
            ("GET" | "HEAD", _) if self.watch => "watch",
            ("GET" | "HEAD", Some(_)) => "get",
            ("GET" | "HEAD", None) if query.flag("watch") == Some(true) => "watch",
            ("GET" | "HEAD", None) => "list",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            ("PATCH", _) => "patch",
            ("DELETE", Some(_)) => "delete",
            ("DELETE", None) => "deletecollection",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ResourcePath, Route};

    fn resource(path: &str) -> ResourcePath {
        match Route::parse(path) {
            Some(Route::Resource(path)) => path,
            other => panic!("{path} is {other:?}"),
        }
    }

    #[test]
    fn a_namespace_is_an_object_and_a_place() {
        let namespace = resource("/api/v1/namespaces/a");
        assert_eq!(
            (namespace.plural.as_str(), namespace.name.as_deref()),
            ("namespaces", Some("a"))
        );
        let status = resource("/api/v1/namespaces/a/status");
        assert_eq!(
            (status.plural.as_str(), status.subresource.as_deref()),
            ("namespaces", Some("status"))
        );
        let pods = resource("/api/v1/namespaces/a/pods/");
        assert_eq!((pods.plural.as_str(), pods.place(), &pods.name), ("pods", "a", &None));
        let scale = resource("/apis/apps/v1/namespaces/a/deployments/d/scale");
        assert_eq!((scale.group.as_str(), scale.subresource.as_deref()), ("apps", Some("scale")));
        let watch = resource("/api/v1/watch/namespaces/a/pods");
        assert!(watch.watch && watch.plural == "pods");
    }

    #[test]
    fn paths_above_a_version_name_no_resource() {
        assert_eq!(
            Route::parse("/apis/apps/"),
            Some(Route::Other(vec!["apis".into(), "apps".into()]))
        );
        assert!(matches!(Route::parse("/api/v1"), Some(Route::Version { .. })));
        assert_eq!(Route::parse("/api/v1/pods/%zz"), None);
    }
}
