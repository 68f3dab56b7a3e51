//! Bindings of roles.

use serde_json::Value;

use super::{
    column::{AGE, Cell::Made, Column, NAME, text},
    read, words,
};

pub(super) const ROLE_BINDING: &[Column] = &[
    NAME,
    text("Role", words::ROLE_BINDING_ROLE_REF, Made(|binding, _| role(binding))),
    AGE,
    text("Users", "Users in the roleBinding", Made(|binding, _| subjects(binding, "User"))).wide(),
    text("Groups", "Groups in the roleBinding", Made(|binding, _| subjects(binding, "Group")))
        .wide(),
    text(
        "ServiceAccounts",
        "ServiceAccounts in the roleBinding",
        Made(|binding, _| subjects(binding, "ServiceAccount")),
    )
    .wide(),
];

pub(super) const CLUSTER_ROLE_BINDING: &[Column] = &[
    NAME,
    text("Role", words::CLUSTER_ROLE_BINDING_ROLE_REF, Made(|binding, _| role(binding))),
    AGE,
    text("Users", "Users in the clusterRoleBinding", Made(|binding, _| subjects(binding, "User")))
        .wide(),
    text(
        "Groups",
        "Groups in the clusterRoleBinding",
        Made(|binding, _| subjects(binding, "Group")),
    )
    .wide(),
    text(
        "ServiceAccounts",
        "ServiceAccounts in the clusterRoleBinding",
        Made(|binding, _| subjects(binding, "ServiceAccount")),
    )
    .wide(),
];

fn role(binding: &Value) -> Value {
    format!("{}/{}", read::text(binding, "/roleRef/kind"), read::text(binding, "/roleRef/name"))
        .into()
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let names: Vec<String> = read::list(binding, "/subjects")
        .iter()
        .filter(|subject| subject["kind"] == kind)
        .map(|subject| match (kind, read::text(subject, "/name")) {
            ("ServiceAccount", name) => format!("{}/{name}", read::text(subject, "/namespace")),
            (_, name) => name.to_owned(),
        })
        .collect();
    names.join(", ").into()
}
