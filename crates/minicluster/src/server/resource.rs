//! Requests about objects: which of the few generic operations a request means.

use std::{slice, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Method};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    Api, ApiError, Kind,
    api::{Target, Written},
    kind::Subresource,
};

use super::{
    Server,
    accept::{Accepted, Offer, check_known},
    access::User,
    answer::{Answer, document, method_not_allowed, no_such_resource, page_not_found, warn},
    below,
    body::{Patching, Writing, untyped},
    list, options,
    path::ResourcePath,
    query::Query,
    shape, stub, watch,
};

/// How long a read waits for a version that does not exist yet.
const FUTURE: Duration = Duration::from_secs(3);

/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

/// A request about objects.
pub(super) struct Call<'s> {
    pub(super) server: &'s Server,
    pub(super) user: Arc<User>,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) path: ResourcePath,
    pub(super) query: Query,
    /// What it brings, or why that could not be read. Read before anything is asked for, because it is small.
    pub(super) body: Result<Bytes, ApiError>,
}

/// What a path leads to, given that its kind exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// All objects of a kind, or those in a namespace.
    Collection,
    /// One object.
    Item,
    /// What hangs below one.
    Below(Subresource),
}

// === impl Call ===

impl Call<'_> {
    /// Answers the request.
    pub(super) async fn answer(self) -> Result<Answer, ApiError> {
        let found = self.api().kind(&self.path.group, &self.path.version, &self.path.plural);
        let Some(kind) = found else {
            return below::bindings(&self).unwrap_or_else(|| self.unknown());
        };
        let place = match self.place(&kind) {
            Ok(place) => place,
            Err(Some(error)) => return Err(error),
            Err(None) => return Ok(page_not_found()),
        };
        if !allowed(&kind, place, &self.path).contains(&self.method.as_str()) {
            return Err(method_not_allowed());
        }
        if kind.custom.is_none() {
            check_known(&self.headers)?;
        }
        let custom = kind.custom.clone();
        let mut answer = self.operate(kind, place).await?;
        let deprecation = custom.as_ref().and_then(|custom| custom.deprecation.as_ref());
        warn(&mut answer, deprecation.map_or(&[], slice::from_ref));
        Ok(answer)
    }

    async fn operate(self, kind: Arc<Kind>, place: Place) -> Result<Answer, ApiError> {
        match (self.method.as_str(), place) {
            ("GET", Place::Collection) => self.collection(kind).await,
            ("GET", Place::Item) if self.path.watch => self.watch(kind),
            ("GET", Place::Item) => self.get(&kind).await,
            ("POST", Place::Collection) => self.create(&kind),
            ("PUT", Place::Item) => self.update(&kind, None),
            ("PATCH", Place::Item) => self.patch(&kind, None),
            ("DELETE", Place::Item) => self.delete(&kind),
            ("DELETE", Place::Collection) => self.delete_collection(kind),
            (_, Place::Below(Subresource::Stub(name))) => stub::answer(&self, &kind, name),
            ("GET", Place::Below(subresource)) => self.get_below(&kind, subresource),
            ("POST", Place::Below(subresource)) => self.create_below(&kind, subresource),
            ("PUT", Place::Below(subresource)) => self.update(&kind, Some(subresource)),
            ("PATCH", Place::Below(subresource)) => self.patch(&kind, Some(subresource)),
            _ => Err(method_not_allowed()),
        }
    }

    pub(super) fn api(&self) -> &Api {
        self.server.api()
    }

    pub(super) fn name(&self) -> &str {
        self.path.name.as_deref().unwrap_or_default()
    }

    /// The namespace of the object; nothing for kinds of the cluster, although a namespace's path seems to name one.
    pub(super) fn namespace(&self, kind: &Kind) -> &str {
        if kind.is_namespaced() { self.path.place() } else { "" }
    }

    /// There is no such kind. In a group of built-in kinds that is a `Status`, elsewhere a page.
    fn unknown(&self) -> Result<Answer, ApiError> {
        let built_in = self.path.group.is_empty()
            || self
                .api()
                .kinds()
                .iter()
                .any(|kind| kind.custom.is_none() && *kind.group == *self.path.group);
        if built_in { Err(no_such_resource()) } else { Ok(page_not_found()) }
    }

    /// What the path leads to; an error of none is a page that is not there.
    fn place(&self, kind: &Kind) -> Result<Place, Option<ApiError>> {
        let path = &self.path;
        let is_namespace = kind.group.is_empty() && *kind.plural == *"namespaces";
        let fits = match (kind.is_namespaced(), &path.namespace) {
            (true, None) => path.name.is_none(),
            (false, Some(_)) => is_namespace,
            _ => true,
        };
        if !fits || !path.rest.is_empty() && path.subresource.as_deref() != Some("proxy") {
            return Err(kind.custom.is_none().then(no_such_resource));
        }
        match (&path.name, &path.subresource) {
            (None, _) => Ok(Place::Collection),
            (Some(_), None) => Ok(Place::Item),
            (Some(name), Some(subresource)) => {
                let found = kind.subresources.iter().find(|known| word(**known) == subresource);
                found.copied().map(Place::Below).ok_or_else(|| {
                    Some(if kind.custom.is_some() {
                        ApiError::not_found(&kind.group, &kind.plural, name)
                    } else {
                        no_such_resource()
                    })
                })
            }
        }
    }

    async fn collection(self, kind: Arc<Kind>) -> Result<Answer, ApiError> {
        if self.path.watch || self.query.flag("watch") == Some(true) {
            return self.watch(kind);
        }
        let accepted = self.accepted(Offer::Objects)?;
        let query = options::list(&kind, &self.path, &self.query)?;
        let listing = patiently(|| self.api().list(&kind, &query)).await?;
        list::answer(kind, listing, accepted, self.now())
    }

    fn watch(self, kind: Arc<Kind>) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Stream)?;
        let query = options::watch(&kind, &self.path, &self.query)?;
        let watch = self.api().watch(&kind, &query)?;
        Ok(watch::answer(kind, watch, accepted, *self.api().clock()))
    }

    async fn get(self, kind: &Kind) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let version = self.query.text("resourceVersion").unwrap_or_default();
        let found = patiently(|| {
            self.api().check_version(version)?;
            self.api().get(kind, self.namespace(kind), self.name())
        })
        .await?;
        shape::object(200, kind, &found, accepted, self.now())
    }

    fn get_below(self, kind: &Kind, subresource: Subresource) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let target = self.target(kind, Some(subresource));
        let found = below::get(self.api(), kind, &target)?;
        shape::object(200, below::shown(kind, Some(subresource)), &found, accepted, self.now())
    }

    fn create(self, kind: &Kind) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let (value, duplicates) = self.object(kind)?;
        let options = options::write("CreateOptions", &self.headers, &self.query, duplicates)?;
        let written = self.api().create(kind, self.namespace(kind), value, &options)?;
        self.wrote(kind, &written, accepted)
    }

    fn create_below(self, kind: &Kind, subresource: Subresource) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let (value, duplicates) = self.object(kind)?;
        let options = options::write("CreateOptions", &self.headers, &self.query, duplicates)?;
        let target = self.target(kind, Some(subresource));
        let answer = below::create(self.api(), kind, &target, &value, &options)?;
        Ok(document(201, &answer, accepted.encoding))
    }

    fn update(self, kind: &Kind, below: Option<Subresource>) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let (value, duplicates) = self.object(kind)?;
        let options = options::write("UpdateOptions", &self.headers, &self.query, duplicates)?;
        let target = self.target(kind, below);
        let written = below::update(self.api(), kind, &target, value, &options)?;
        self.wrote(below::shown(kind, below), &written, accepted)
    }

    fn patch(self, kind: &Kind, below: Option<Subresource>) -> Result<Answer, ApiError> {
        let patching = Patching::of(&self.headers, kind)?;
        let accepted = self.accepted(Offer::Objects)?;
        let text = self.body.clone()?;
        let (options, force) = options::patch(patching, &self.headers, &self.query)?;
        let request = patching.read(&text, force)?;
        let target = self.target(kind, below);
        let written = below::patch(self.api(), kind, &target, request, &options)?;
        self.wrote(below::shown(kind, below), &written, accepted)
    }

    fn delete(self, kind: &Kind) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let body = self.deletion()?;
        let options = options::delete(&self.query, body.as_ref())?;
        let deleted = self.api().delete(kind, &self.target(kind, None), &options)?;
        let mut answer = if deleted.gone && !kind.rules.graceful {
            let status = json!({
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Success",
                "details": details(kind, &deleted.object.key.name, &deleted.object.uid),
            });
            document(200, &status, accepted.encoding)
        } else {
            shape::object(200, kind, &deleted.object, accepted, self.now())?
        };
        warn(&mut answer, &deleted.warnings);
        Ok(answer)
    }

    fn delete_collection(self, kind: Arc<Kind>) -> Result<Answer, ApiError> {
        let accepted = self.accepted(Offer::Objects)?;
        let query = options::list(&kind, &self.path, &self.query)?;
        let body = self.deletion()?;
        let options = options::delete(&self.query, body.as_ref())?;
        let listing = self.api().delete_collection(&kind, &query, &options)?;
        list::answer(kind, listing, accepted, self.now())
    }

    /// The body of a deletion, if it has one.
    fn deletion(&self) -> Result<Option<Value>, ApiError> {
        let text = self.body.clone()?;
        if text.is_empty() {
            return Ok(None);
        }
        let (value, _) = Writing::of(&self.headers)?.read(&text, "DeleteOptions")?;
        Ok(Some(value))
    }

    /// The object that the request brings, with what was given twice in it.
    pub(super) fn object(&self, kind: &Kind) -> Result<(Value, Vec<String>), ApiError> {
        let text = self.body.as_ref().map_err(Clone::clone)?;
        let (value, duplicates) = Writing::of(&self.headers)?.read(text, &kind.kind)?;
        if kind.custom.is_some() && value["kind"].as_str().is_none_or(str::is_empty) {
            return Err(untyped(text, &kind.kind));
        }
        Ok((value, duplicates))
    }

    fn wrote(
        &self,
        kind: &Kind,
        written: &Written,
        accepted: Accepted,
    ) -> Result<Answer, ApiError> {
        let code = if written.created { 201 } else { 200 };
        let mut answer = shape::object(code, kind, &written.object, accepted, self.now())?;
        warn(&mut answer, &written.warnings);
        Ok(answer)
    }

    fn accepted(&self, offer: Offer) -> Result<Accepted, ApiError> {
        Accepted::negotiate(&self.headers, offer)?.with(&self.query)
    }

    fn now(&self) -> Timestamp {
        self.api().clock().now()
    }

    fn target(&self, kind: &Kind, subresource: Option<Subresource>) -> Target<'_> {
        Target { namespace: self.namespace(kind), name: self.name(), subresource }
    }
}

/// Tries again for a while when the version that is asked for does not exist yet.
async fn patiently<T>(mut read: impl FnMut() -> Result<T, ApiError>) -> Result<T, ApiError> {
    let deadline = Instant::now() + FUTURE;
    loop {
        match read() {
            Err(error) if error.code == 504 && Instant::now() < deadline => sleep(LOOK).await,
            outcome => return outcome,
        }
    }
}

/// The details of a deletion that succeeded.
fn details(kind: &Kind, name: &str, uid: &str) -> Value {
    let mut details = json!({ "name": name, "kind": *kind.plural, "uid": uid });
    if !kind.group.is_empty() {
        details["group"] = json!(*kind.group);
    }
    details
}

/// The methods that a place knows.
fn allowed(kind: &Kind, place: Place, path: &ResourcePath) -> &'static [&'static str] {
    match place {
        _ if path.watch => &["GET"],
        Place::Collection if kind.is_namespaced() && path.namespace.is_none() => &["GET"],
        Place::Collection if kind.group.is_empty() && *kind.plural == *"namespaces" => {
            &["GET", "POST"]
        }
        Place::Collection => &["GET", "POST", "DELETE"],
        Place::Item => &["GET", "PUT", "PATCH", "DELETE"],
        Place::Below(Subresource::Status | Subresource::Scale) => &["GET", "PUT", "PATCH"],
        Place::Below(Subresource::Binding | Subresource::Eviction) => &["POST"],
        Place::Below(Subresource::Finalize) => &["PUT"],
        Place::Below(Subresource::Stub(name)) => stub::methods(name),
    }
}

/// The word in a path.
fn word(subresource: Subresource) -> &'static str {
    match subresource {
        Subresource::Status => "status",
        Subresource::Scale => "scale",
        Subresource::Binding => "binding",
        Subresource::Eviction => "eviction",
        Subresource::Finalize => "finalize",
        Subresource::Stub(name) => name,
    }
}
