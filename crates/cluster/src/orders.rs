//! Intentions, written down in the cluster before they are acted on: one `NodeOrder` each.
//!
//! A process that is killed at any point finds on its return what it had set out to do. `kubectl get nodeorders` shows the same to
//! people.

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
use plimsoll_model::Symbol;
use plimsoll_provider::OrderId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use thiserror::Error;

/// The definition, as it is shipped for those who install it by hand.
const DEFINITION: &str = include_str!("../../../deploy/crds/nodeorders.yaml");

/// Who writes.
const MANAGER: &str = "plimsoll";

/// The orders of a cluster.
#[derive(Clone)]
pub struct Orders {
    client: Client,
    api: Api<DynamicObject>,
}

/// An intention and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOrder {
    /// Its name; for an increase also the name under which the provider knows it.
    pub id: OrderId,
    /// What is to be done.
    pub intent: Intent,
    /// How far it has come.
    pub phase: Phase,
    /// Since when.
    pub since: Option<Timestamp>,
    /// When it was written down.
    pub created: Option<Timestamp>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// More machines.
    Increase {
        /// Of which group.
        group: Symbol,
        /// How many.
        count: u32,
        /// How many the group was asked to have before.
        from: u32,
        /// For what, in a few words.
        why: String,
    },
    /// A node out of service and its machine back.
    Retire {
        /// Of which group.
        group: Symbol,
        /// Which node.
        node: Symbol,
        /// Its machine.
        instance: Box<str>,
        /// Whether somebody had closed the node before: it stays closed if it stays.
        was_closed: bool,
        /// Whether cheaper nodes were bought for its pods.
        replaced: bool,
        /// Why, in a few words.
        why: String,
        /// Why, in a word for programs.
        reason: Option<String>,
        /// Whether pods have to leave it first.
        drains: bool,
    },
}

/// How far an intention has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Increase: the provider has not answered yet, or nobody knows whether it has.
    Wanted,
    /// Increase: the provider has taken it.
    Placed,
    /// Retire: the node is to be marked, or is.
    Marked,
    /// Retire: its pods are asked to leave.
    Draining,
    /// Retire: the provider is asked to delete the machine.
    Deleting,
    /// It is done.
    Done,
    /// Increase: the provider refused it.
    Failed,
    /// Retire: the node stays.
    Released,
}

/// Orders cannot be kept.
#[derive(Debug, Error)]
pub enum OrdersError {
    /// The API server refused, or could not be reached.
    #[error("cannot {what}: {cause}")]
    Refused {
        /// What was tried.
        what: String,
        /// Why not.
        cause: Box<kube::Error>,
    },
    /// The shipped definition makes no sense.
    #[error("the definition of NodeOrder cannot be read: {0}")]
    Definition(String),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    action: Action,
    group: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instance: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    was_closed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drains: Option<bool>,
    #[serde(default)]
    why: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Action {
    Increase,
    Retire,
}

// === impl Orders ===

impl Orders {
    /// The orders of this cluster. The kind has to be there: see [`Orders::install`].
    pub fn new(client: Client) -> Self {
        let api = Api::all_with(client.clone(), &resource());
        Self { client, api }
    }

    /// Makes the kind known to the API server, or brings its definition up to date. Whoever may not do so finds it installed with
    /// the rights that are shipped, and asks for nothing that would be refused.
    pub async fn install(&self) -> Result<(), OrdersError> {
        if !self.may_install().await? {
            return Ok(());
        }
        let definition: CustomResourceDefinition = serde_saphyr::from_str(DEFINITION)
            .map_err(|error| OrdersError::Definition(error.to_string()))?;
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let parameters = PatchParams::apply(MANAGER).force();
        let name = definition.name_any();
        api.patch(&name, &parameters, &Patch::Apply(&definition))
            .await
            .map_err(|error| refused("install the kind NodeOrder", error))?;
        Ok(())
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
    pub async fn list(&self) -> Result<Vec<StoredOrder>, OrdersError> {
        let found = self.api.list(&ListParams::default()).await;
        let found = found.map_err(|error| refused("list orders", error))?;
        Ok(found.items.iter().filter_map(StoredOrder::read).collect())
    }

    /// Writes an intention down. One of that name that is there already is the same intention.
    pub async fn write(
        &self,
        id: &OrderId,
        intent: &Intent,
        now: Timestamp,
    ) -> Result<(), OrdersError> {
        let mut object = DynamicObject::new(id.as_str(), &resource());
        object.data = json!({ "spec": intent.spec() });
        match self.api.create(&PostParams::default(), &object).await {
            Ok(_) => self.advance(id, intent.beginning(), "", now).await,
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            Err(error) => Err(refused(&format!("write down the order {id}"), error)),
        }
    }

    /// Notes how far an intention has come. One that somebody removed is forgotten.
    pub async fn advance(
        &self,
        id: &OrderId,
        phase: Phase,
        message: &str,
        now: Timestamp,
    ) -> Result<(), OrdersError> {
        let since = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let status = json!({"status": {"phase": phase, "since": since, "message": message}});
        let parameters = PatchParams::default();
        match self.api.patch_status(id.as_str(), &parameters, &Patch::Merge(&status)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            Err(error) => Err(refused(&format!("note {phase:?} for the order {id}"), error)),
        }
    }

    /// Removes an intention that nobody needs to know of any more.
    pub async fn remove(&self, id: &OrderId) -> Result<(), OrdersError> {
        match self.api.delete(id.as_str(), &DeleteParams::default()).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            Err(error) => Err(refused(&format!("remove the order {id}"), error)),
        }
    }
}

impl std::fmt::Debug for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orders").finish_non_exhaustive()
    }
}

// === impl StoredOrder ===

impl StoredOrder {
    /// `None` for one that somebody wrote by hand and that makes no sense.
    fn read(object: &DynamicObject) -> Option<Self> {
        let spec: Spec = serde_json::from_value(object.data.get("spec")?.clone()).ok()?;
        let group = Symbol::new(&spec.group);
        let why = spec.why;
        let intent = match spec.action {
            Action::Increase => {
                Intent::Increase { group, count: spec.count?, from: spec.from?, why }
            }
            Action::Retire => {
                let node = Symbol::new(&spec.node?);
                let was_closed = spec.was_closed.unwrap_or_default();
                let replaced = spec.replaced.unwrap_or_default();
                Intent::Retire {
                    group,
                    node,
                    instance: spec.instance?,
                    was_closed,
                    replaced,
                    why,
                    reason: spec.reason,
                    // An order that does not say so is of a version that did not write it down.
                    drains: spec.drains.unwrap_or(true),
                }
            }
        };
        let status = object.data.get("status");
        let phase = status.and_then(|status| status.get("phase").cloned());
        let since = status.and_then(|status| status.get("since")?.as_str()?.parse().ok());
        Some(Self {
            id: OrderId::new(&object.name_any())?,
            // Written down and nothing more.
            phase: phase
                .and_then(|phase| serde_json::from_value(phase).ok())
                .unwrap_or_else(|| intent.beginning()),
            intent,
            since,
            created: object.creation_timestamp().map(|time| time.0),
        })
    }
}

// === impl Intent ===

impl Intent {
    /// The group it is about.
    pub const fn group(&self) -> Symbol {
        match self {
            Self::Increase { group, .. } | Self::Retire { group, .. } => *group,
        }
    }

    const fn beginning(&self) -> Phase {
        match self {
            Self::Increase { .. } => Phase::Wanted,
            Self::Retire { .. } => Phase::Marked,
        }
    }

    fn spec(&self) -> Spec {
        match self {
            Self::Increase { group, count, from, why } => Spec {
                action: Action::Increase,
                group: group.to_string(),
                count: Some(*count),
                from: Some(*from),
                node: None,
                instance: None,
                was_closed: None,
                replaced: None,
                reason: None,
                drains: None,
                why: why.clone(),
            },
            Self::Retire { group, node, instance, was_closed, replaced, why, reason, drains } => {
                Spec {
                    action: Action::Retire,
                    group: group.to_string(),
                    count: None,
                    from: None,
                    node: Some(node.to_string()),
                    instance: Some(instance.clone()),
                    was_closed: was_closed.then_some(true),
                    replaced: replaced.then_some(true),
                    reason: reason.clone(),
                    drains: Some(*drains),
                    why: why.clone(),
                }
            }
        }
    }
}

// === impl Phase ===

impl Phase {
    /// Whether there is nothing left to do.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Released)
    }
}

fn resource() -> ApiResource {
    ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk("plimsoll.dev", "v1alpha1", "NodeOrder"),
        "nodeorders",
    )
}

fn refused(what: &str, cause: kube::Error) -> OrdersError {
    OrdersError::Refused { what: what.to_owned(), cause: Box::new(cause) }
}
