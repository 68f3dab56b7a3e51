//! Intentions, written down in the cluster before they are acted on: one `NodeOrder` each.
//!
//! A process that is killed at any point finds on its return what it had set out to do. `kubectl get nodeorders` shows the same to
//! people.
//!
//! **Every write is a compare-and-swap.** A status is written only over the version that this process knows, and it carries the
//! term of the leader that wrote it. A leader takes orders over by writing its own term to them; whoever led before and does not
//! know it yet finds another term in its order, is told [`OrdersError::Superseded`], and does nothing more about it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use plimsoll_model::{Intent, OrderId};
use serde_json::{Value, json};
use thiserror::Error;

use crate::lease::{Leadership, Term};

mod definition;
mod fields;
mod order;
mod schema;
mod wire;

pub use self::order::{Found, Progress, Unreadable, Written};

/// The API group of the kind.
const GROUP: &str = "plimsoll.dev";
/// The version of the kind.
const VERSION: &str = "v1alpha1";
const KIND: &str = "NodeOrder";
const PLURAL: &str = "nodeorders";

/// Who writes.
const MANAGER: &str = "plimsoll";

/// How often a write is tried when somebody else was quicker.
const ATTEMPTS: usize = 5;

/// The orders of a cluster. Clones know the same.
#[derive(Clone)]
pub struct Orders {
    client: Client,
    api: Api<DynamicObject>,
    leadership: Leadership,
    /// The versions that this process wrote or read last.
    versions: Arc<Mutex<BTreeMap<OrderId, String>>>,
    /// Whether the last order could not be written because the API server does not know the kind.
    undefined: Arc<AtomicBool>,
}

/// Orders cannot be kept.
#[derive(Debug, Error)]
pub enum OrdersError {
    /// The API server refused, or could not be reached. Try again.
    #[error("cannot {what}: {cause}")]
    Refused {
        /// What was tried.
        what: String,
        /// Why not.
        cause: Box<kube::Error>,
    },
    /// The API server does not know the kind: its definition was deleted, and we may not or could not install it. Nothing can be
    /// written down, so nothing may be done.
    #[error("the API server does not know the kind NodeOrder; install deploy/crds/nodeorders.yaml")]
    Undefined,
    /// Somebody deleted the order. Write it again before anything is done about it.
    #[error("the order {0} was deleted")]
    Missing(OrderId),
    /// Another leader has taken the order over. Do nothing more about it.
    #[error("the order {id} was taken over by {by}")]
    Superseded {
        /// Which.
        id: OrderId,
        /// Who leads now.
        by: String,
    },
}

// === impl Orders ===

impl Orders {
    /// The orders of this cluster, written by whoever has this leadership. The kind has to be there: see [`Orders::install`].
    pub fn new(client: Client, leadership: Leadership) -> Self {
        let api = Api::all_with(client.clone(), &resource());
        Self { client, api, leadership, versions: Arc::default(), undefined: Arc::default() }
    }

    /// Makes the kind known to the API server, or brings its definition up to date. Says whether we may: whoever may not finds it
    /// installed with the rights that are shipped, and asks for nothing that would be refused.
    pub async fn install(&self) -> Result<bool, OrdersError> {
        if !self.may_install().await? {
            return Ok(false);
        }
        let definition = definition::definition();
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let parameters = PatchParams::apply(MANAGER).force();
        let name = definition.name_any();
        api.patch(&name, &parameters, &Patch::Apply(&definition))
            .await
            .map_err(|error| refused("install the kind NodeOrder", error))?;
        Ok(true)
    }

    /// Whether we have the right to, which everybody may ask.
    async fn may_install(&self) -> Result<bool, OrdersError> {
        let question = SelfSubjectAccessReview {
            spec: SelfSubjectAccessReviewSpec {
                resource_attributes: Some(ResourceAttributes {
                    group: Some("apiextensions.k8s.io".to_owned()),
                    resource: Some("customresourcedefinitions".to_owned()),
                    verb: Some("patch".to_owned()),
                    ..ResourceAttributes::default()
                }),
                ..SelfSubjectAccessReviewSpec::default()
            },
            ..SelfSubjectAccessReview::default()
        };
        let answer = Api::all(self.client.clone()).create(&PostParams::default(), &question).await;
        let answer = answer.map_err(|error| refused("ask for our rights", error))?;
        Ok(answer.status.is_some_and(|status| status.allowed))
    }

    /// All of them.
    pub async fn list(&self, now: Timestamp) -> Result<Found, OrdersError> {
        let listed = self.api.list(&ListParams::default()).await;
        let listed = listed.map_err(|error| refused("list orders", error))?;
        let mut found = Found::default();
        for object in &listed.items {
            match wire::read(object, now) {
                Ok(order) => {
                    self.know(&order.id, object);
                    found.orders.push(order);
                }
                Err(unreadable) => found.unreadable.push(unreadable),
            }
        }
        Ok(found)
    }

    /// Takes an order over from whoever led before: from here on it carries our term, and nobody else's writes to it succeed.
    pub async fn take_over(&self, id: &OrderId) -> Result<(), OrdersError> {
        let status = wire::taken_over(&self.leadership.term());
        self.swap(id, &status, Claim::Any).await
    }

    /// Writes an order down, in one request when it is new. One of that name that is there already is the same order; it is written
    /// to all the same, so that a process that lost leadership finds out that another one has taken it over.
    pub async fn write(
        &self,
        id: &OrderId,
        intent: &Intent,
        provider: Option<&str>,
        now: Timestamp,
    ) -> Result<Written, OrdersError> {
        let mut object = DynamicObject::new(id.as_str(), &resource());
        object.data = json!({ "spec": wire::spec(intent, provider) });
        let written = match self.create(id, &object).await {
            Err(OrdersError::Undefined) if self.install().await? => self.create(id, &object).await,
            outcome => outcome,
        };
        self.undefined.store(matches!(written, Err(OrdersError::Undefined)), Ordering::Release);
        let written = written?;
        if written == Written::Found {
            self.advance(id, &intent.first_phase().into(), now).await?;
        }
        Ok(written)
    }

    /// Whether the last order could not be written because the API server does not know the kind, and we may not install it.
    pub fn is_undefined(&self) -> bool {
        self.undefined.load(Ordering::Acquire)
    }

    async fn create(&self, id: &OrderId, object: &DynamicObject) -> Result<Written, OrdersError> {
        match self.api.create(&PostParams::default(), object).await {
            Ok(made) => {
                self.know(id, &made);
                Ok(Written::Created)
            }
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(Written::Found),
            // Where the kind is not defined the answer is no Status, so that its number is all there is to go by.
            Err(kube::Error::Api(status)) if status.code == 404 => Err(OrdersError::Undefined),
            Err(error) => Err(refused(&format!("write down the order {id}"), error)),
        }
    }

    /// Writes how far an order has come.
    pub async fn advance(
        &self,
        id: &OrderId,
        progress: &Progress<'_>,
        now: Timestamp,
    ) -> Result<(), OrdersError> {
        let term = self.leadership.term();
        let status = wire::status(progress, &term, now);
        self.swap(id, &status, Claim::Ours(term)).await
    }

    /// Writes a status over the version that is known, or over the one that is there if it is still ours.
    async fn swap(&self, id: &OrderId, status: &Value, claim: Claim) -> Result<(), OrdersError> {
        let what = || format!("write the status of the order {id}");
        for _ in 0..ATTEMPTS {
            let known = self.versions().get(id).cloned();
            let version = match known {
                Some(version) => version,
                None => self.read_version(id, &claim).await?,
            };
            let patch = json!({ "metadata": { "resourceVersion": version }, "status": status });
            let parameters = PatchParams::default();
            match self.api.patch_status(id.as_str(), &parameters, &Patch::Merge(&patch)).await {
                Ok(written) => {
                    self.know(id, &written);
                    return Ok(());
                }
                Err(kube::Error::Api(status)) if status.code == 404 => {
                    self.versions().remove(id);
                    return Err(OrdersError::Missing(id.clone()));
                }
                // Somebody else wrote: whoever led after us, or a person who added a label.
                Err(kube::Error::Api(status)) if status.is_conflict() => {
                    self.versions().remove(id);
                }
                Err(error) => return Err(refused(&what(), error)),
            }
        }
        let busy = std::io::Error::other("others keep writing to it");
        Err(refused(&what(), kube::Error::Service(busy.into())))
    }

    /// The version that is there, if it may be written over.
    async fn read_version(&self, id: &OrderId, claim: &Claim) -> Result<String, OrdersError> {
        let found = match self.api.get(id.as_str()).await {
            Ok(found) => found,
            // The order or its kind was deleted: either way it is written again first.
            Err(kube::Error::Api(status)) if status.code == 404 => {
                return Err(OrdersError::Missing(id.clone()));
            }
            Err(error) => return Err(refused(&format!("read the order {id}"), error)),
        };
        let other = wire::term_of(&found).filter(|term| !claim.allows(term));
        if let Some(Term { holder: by, .. }) = other {
            return Err(OrdersError::Superseded { id: id.clone(), by });
        }
        Ok(found.resource_version().unwrap_or_default())
    }

    /// Removes an intention that nobody needs to know of any more.
    pub async fn remove(&self, id: &OrderId) -> Result<(), OrdersError> {
        match self.api.delete(id.as_str(), &DeleteParams::default()).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(refused(&format!("remove the order {id}"), error)),
        }
        self.versions().remove(id);
        Ok(())
    }

    fn know(&self, id: &OrderId, object: &DynamicObject) {
        if let Some(version) = object.resource_version() {
            self.versions().insert(id.clone(), version);
        }
    }

    fn versions(&self) -> impl std::ops::DerefMut<Target = BTreeMap<OrderId, String>> + '_ {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orders").finish_non_exhaustive()
    }
}

/// Whose orders may be written over.
#[derive(Debug)]
enum Claim {
    /// Anybody's: we lead now.
    Any,
    /// Only what this term wrote.
    Ours(Term),
}

// === impl Claim ===

impl Claim {
    fn allows(&self, term: &Term) -> bool {
        match self {
            Self::Any => true,
            Self::Ours(ours) => ours == term,
        }
    }
}

fn resource() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, VERSION, KIND), PLURAL)
}

fn refused(what: &str, cause: kube::Error) -> OrdersError {
    OrdersError::Refused { what: what.to_owned(), cause: Box::new(cause) }
}
