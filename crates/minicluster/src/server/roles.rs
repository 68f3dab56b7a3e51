//! Authorisation by roles: what the bindings of a user allow.

use serde_json::{Value, json};

use crate::{Api, api::ListQuery};

use super::access::User;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Who may do everything, without a binding.
const MASTERS: &str = "system:masters";

/// The role that allows everything; every cluster has it, though it is not stored here.
const CLUSTER_ADMIN: &str = "cluster-admin";

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish<'w> {
    /// Something with a resource.
    Resource {
        /// Such as `list`.
        verb: &'w str,
        /// The API group.
        group: &'w str,
        /// Such as `pods` or `pods/eviction`.
        resource: &'w str,
        /// Where; `None` in the cluster or in all namespaces.
        namespace: Option<&'w str>,
        /// With which object; empty for none in particular.
        name: &'w str,
    },
    /// Something with a path that is no resource.
    Path {
        /// Such as `get`.
        verb: &'w str,
        /// Such as `/metrics`.
        path: &'w str,
    },
}

/// Whether the roles that are bound to `user` allow this.
pub(super) fn allow(api: &Api, user: &User, wish: Wish<'_>) -> bool {
    let namespace = match wish {
        Wish::Resource { namespace, .. } => namespace,
        Wish::Path { .. } => None,
    };
    rules(api, user, namespace).iter().any(|rule| rule_allows(rule, wish))
}

/// The rules that hold for `user` in the cluster, and in a namespace.
pub(super) fn rules(api: &Api, user: &User, namespace: Option<&str>) -> Vec<Value> {
    if user.groups.iter().any(|group| group == MASTERS) {
        return vec![everything()];
    }
    let mut rules = Vec::new();
    let places = [("clusterrolebindings", Some("")), ("rolebindings", namespace)];
    for (plural, namespace) in places {
        let Some(namespace) = namespace else { continue };
        let bindings = objects(api, plural, namespace);
        for binding in bindings.iter().filter(|binding| binds(binding, user)) {
            rules.extend(role_rules(api, binding, namespace));
        }
    }
    rules
}

/// The rule that allows everything.
pub(super) fn everything() -> Value {
    json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "nonResourceURLs": ["*"] })
}

/// What everybody who is known may do, as rules: ask about himself, and look at what there is. [`super::access::Access::allows`] knows
/// it too, without looking here.
pub(super) fn of_everybody() -> Vec<Value> {
    let ask = |group: &str, resources: &[&str]| json!({ "verbs": ["create"], "apiGroups": [group], "resources": resources });
    let look = |paths: &[&str]| json!({ "verbs": ["get"], "nonResourceURLs": paths });
    let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let discovery = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"];
    vec![
        ask("authentication.k8s.io", &["selfsubjectreviews"]),
        ask("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
        look(&[&discovery[..], &public].concat()),
        look(&public),
    ]
}

/// Whether a binding is about this user.
fn binds(binding: &Value, user: &User) -> bool {
    let subjects = binding["subjects"].as_array().into_iter().flatten();
    subjects.into_iter().any(|subject| {
        let text = |field: &str| subject[field].as_str().unwrap_or_default();
        match text("kind") {
            "User" => text("name") == user.name,
            "Group" => user.groups.iter().any(|group| group == text("name")),
            "ServiceAccount" => {
                let account = User::service_account(text("namespace"), text("name"));
                account.name == user.name
            }
            _ => false,
        }
    })
}

/// The rules of the role that a binding names.
fn role_rules(api: &Api, binding: &Value, namespace: &str) -> Vec<Value> {
    let reference = &binding["roleRef"];
    let name = reference["name"].as_str().unwrap_or_default();
    let (plural, namespace) = match reference["kind"].as_str() {
        Some("Role") => ("roles", namespace),
        _ => ("clusterroles", ""),
    };
    let found = api.kind(GROUP, "v1", plural).and_then(|kind| api.get(&kind, namespace, name).ok());
    match found.map(|role| role.value()) {
        Some(role) => role["rules"].as_array().cloned().unwrap_or_default(),
        None if plural == "clusterroles" && name == CLUSTER_ADMIN => vec![everything()],
        None => Vec::new(),
    }
}

fn rule_allows(rule: &Value, wish: Wish<'_>) -> bool {
    let has = |field: &str, wanted: &dyn Fn(&str) -> bool| {
        let values = rule[field].as_array().into_iter().flatten();
        values.filter_map(Value::as_str).any(|value| value == "*" || wanted(value))
    };
    match wish {
        Wish::Resource { verb, group, resource, name, .. } => {
            let named = rule["resourceNames"].as_array().is_none_or(Vec::is_empty)
                || has("resourceNames", &|value| value == name);
            has("verbs", &|value| value == verb)
                && has("apiGroups", &|value| value == group)
                && has("resources", &|value| value == resource || is_any_with(value, resource))
                && named
        }
        Wish::Path { verb, path } => {
            has("verbs", &|value| value == verb)
                && has("nonResourceURLs", &|value| match value.strip_suffix('*') {
                    Some(prefix) => path.starts_with(prefix),
                    None => value == path,
                })
        }
    }
}

/// Whether `value` is `*/scale` and `resource` the scale of anything.
fn is_any_with(value: &str, resource: &str) -> bool {
    match (value.strip_prefix("*/"), resource.split_once('/')) {
        (Some(any), Some((_, subresource))) => any == subresource,
        _ => false,
    }
}

fn objects(api: &Api, plural: &str, namespace: &str) -> Vec<Value> {
    let Some(kind) = api.kind(GROUP, "v1", plural) else { return Vec::new() };
    let listing = api.list(&kind, &ListQuery::in_namespace(namespace));
    listing
        .map(|listing| listing.items.iter().map(|item| item.value()).collect())
        .unwrap_or_default()
}
