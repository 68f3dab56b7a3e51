//! Who a request comes from, and whether it may.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use http::{HeaderMap, Method, header::AUTHORIZATION};
use jiff::Timestamp;
use plimsoll_net::listen::Peer;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use crate::{Api, ApiError};

use super::{
    path::ResourcePath,
    roles::{self, Wish},
};

/// What anybody may look at.
const PUBLIC: [&str; 4] = ["version", "healthz", "livez", "readyz"];

/// What everybody who is known may look at besides.
const DISCOVERY: [&str; 3] = ["api", "apis", "openapi"];

/// What everybody who is known may ask about himself.
const REVIEWS: [&str; 3] =
    ["selfsubjectaccessreviews", "selfsubjectreviews", "selfsubjectrulesreviews"];

/// Somebody who sends requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The name, such as `admin` or `system:serviceaccount:default:default`.
    pub name: String,
    /// The groups.
    pub groups: Vec<String>,
}

/// Whether requests without credentials are taken at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// They come from `system:anonymous`, who may see the version and the health.
    #[default]
    Allowed,
    /// They are refused with 401.
    Refused,
}

/// What those may do who are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authorization {
    /// Everything.
    #[default]
    Everything,
    /// What the roles allow that are bound to them; members of `system:masters` everything.
    Roles,
}

/// Who is let in, and what for.
pub struct Access {
    /// Whether one may come without credentials.
    pub anonymous: Anonymous,
    /// What those may do who are known.
    pub authorization: Authorization,
    /// The administrator's token.
    pub admin_token: SecretString,
    /// Tokens that were issued to service accounts.
    issued: Mutex<HashMap<String, Issued>>,
}

/// For whom a token was issued, and until when it holds.
struct Issued {
    user: User,
    expires: Timestamp,
}

// === impl User ===

impl User {
    /// Who may do everything.
    pub fn admin() -> Self {
        Self::new("admin", &["system:masters", "system:authenticated"])
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        let groups = [
            "system:serviceaccounts",
            &format!("system:serviceaccounts:{namespace}"),
            "system:authenticated",
        ];
        Self::new(&format!("system:serviceaccount:{namespace}:{name}"), &groups)
    }

    /// Who did not say.
    fn anonymous() -> Self {
        Self::new("system:anonymous", &["system:unauthenticated"])
    }

    fn new(name: &str, groups: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        }
    }

    /// Whether this is somebody who did not say.
    pub(super) fn is_anonymous(&self) -> bool {
        self.groups.iter().any(|group| group == "system:unauthenticated")
    }
}

// === impl Access ===

impl Access {
    /// Lets in who shows this token or a certificate.
    pub fn new(admin_token: SecretString, anonymous: Anonymous) -> Self {
        let authorization = Authorization::default();
        Self { anonymous, authorization, admin_token, issued: Mutex::default() }
    }

    /// A token for a service account.
    pub(super) fn issue(&self, user: User, expires: Timestamp) -> String {
        let token = format!("{}.{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let mut issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.insert(token.clone(), Issued { user, expires });
        token
    }

    /// Who sends this request: by certificate, then by token.
    pub(super) fn authenticate(
        &self,
        headers: &HeaderMap,
        peer: Option<&Peer>,
        now: Timestamp,
    ) -> Result<User, ApiError> {
        if let Some(subject) = peer.and_then(|peer| peer.certificate.as_ref()) {
            let mut groups = subject.organizations.clone();
            groups.push("system:authenticated".to_owned());
            return Ok(User { name: subject.name.clone(), groups });
        }
        let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        match header.and_then(bearer) {
            Some(token) => self.whose(token, now).ok_or_else(unauthorized),
            None if self.anonymous == Anonymous::Allowed => Ok(User::anonymous()),
            None => Err(unauthorized()),
        }
    }

    /// Whose token this is.
    pub(super) fn whose(&self, token: &str, now: Timestamp) -> Option<User> {
        if token == self.admin_token.expose_secret() {
            return Some(User::admin());
        }
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        issued.get(token).filter(|issued| now < issued.expires).map(|issued| issued.user.clone())
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("anonymous", &self.anonymous).finish_non_exhaustive()
    }
}

impl Access {
    /// Whether `user` may do this.
    pub(super) fn allows(&self, api: &Api, user: &User, wish: Wish<'_>) -> bool {
        match wish {
            Wish::Path { path, .. } if is_below(path, &PUBLIC) => true,
            _ if user.is_anonymous() => false,
            _ if self.authorization == Authorization::Everything => true,
            Wish::Path { path, .. } if is_below(path, &DISCOVERY) => true,
            Wish::Resource { verb: "create", resource, .. } if REVIEWS.contains(&resource) => true,
            wish => roles::allow(api, user, wish),
        }
    }

    /// Refuses what `user` may not do with a resource.
    pub(super) fn check_resource(
        &self,
        api: &Api,
        user: &User,
        verb: &str,
        path: &ResourcePath,
    ) -> Result<(), ApiError> {
        let resource = match &path.subresource {
            Some(subresource) => format!("{}/{subresource}", path.plural),
            None => path.plural.clone(),
        };
        let (group, namespace) = (path.group.as_str(), path.namespace.as_deref());
        let name = path.name.as_deref().unwrap_or_default();
        let wish = Wish::Resource { verb, group, resource: &resource, namespace, name };
        if self.allows(api, user, wish) {
            return Ok(());
        }
        let place = match namespace {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "at the cluster scope".to_owned(),
        };
        let what = match (group, name) {
            ("", "") => path.plural.clone(),
            ("", name) => format!("{} \"{name}\"", path.plural),
            (group, "") => format!("{}.{group}", path.plural),
            (group, name) => format!("{}.{group} \"{name}\"", path.plural),
        };
        let message = format!(
            "{what} is forbidden: User \"{}\" cannot {verb} resource \"{resource}\" in API group \"{group}\" {place}",
            user.name,
        );
        Err(ApiError::new(403, "Forbidden", message).about(group, &path.plural, name))
    }

    /// Refuses a path that is no resource to who may not see it.
    pub(super) fn check_path(
        &self,
        api: &Api,
        user: &User,
        method: &Method,
        path: &str,
    ) -> Result<(), ApiError> {
        let verb = method.as_str().to_ascii_lowercase();
        if self.allows(api, user, Wish::Path { verb: &verb, path }) {
            return Ok(());
        }
        let message = format!("forbidden: User \"{}\" cannot {verb} path \"{path}\"", user.name);
        Err(ApiError::new(403, "Forbidden", message).about("", "", ""))
    }
}

fn is_below(path: &str, roots: &[&str]) -> bool {
    let first = path.split('/').find(|part| !part.is_empty()).unwrap_or_default();
    roots.contains(&first)
}

/// The token of a `Bearer` header that has one.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn unauthorized() -> ApiError {
    ApiError::new(401, "Unauthorized", "Unauthorized")
}
