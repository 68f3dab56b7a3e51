//! Acting as somebody else: `kubectl --as`.

use http::HeaderMap;

use crate::{Api, ApiError};

use super::{
    access::{Access, User},
    path::ResourcePath,
};

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";

/// Whom the request is to be taken from: who sent it, unless he asks to act as somebody else and may.
pub(super) fn impersonate(
    api: &Api,
    access: &Access,
    user: User,
    headers: &HeaderMap,
) -> Result<User, ApiError> {
    let texts = |name: &str| -> Vec<String> {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .map(str::to_owned)
            .collect()
    };
    let Some(name) = texts(USER).into_iter().next() else { return Ok(user) };
    let mut groups = texts(GROUP);
    let account = name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'));
    let asked = |plural: &str, namespace: Option<&str>, name: &str| ResourcePath {
        plural: plural.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: Some(name.to_owned()),
        ..ResourcePath::default()
    };
    let who = match account {
        Some((namespace, account)) => asked("serviceaccounts", Some(namespace), account),
        None => asked("users", None, &name),
    };
    access.check_resource(api, &user, "impersonate", &who)?;
    for group in &groups {
        access.check_resource(api, &user, "impersonate", &asked("groups", None, group))?;
    }
    if let Some((namespace, account)) = account.filter(|_| groups.is_empty()) {
        return Ok(User::service_account(namespace, account));
    }
    let everybody = match name.as_str() {
        "system:anonymous" => "system:unauthenticated",
        _ => "system:authenticated",
    };
    if !groups.iter().any(|group| group == everybody) {
        groups.push(everybody.to_owned());
    }
    Ok(User { name, groups })
}
