//! The API of this crate, for kubelets in the same process.

use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt as _, stream::BoxStream};
use serde_json::Value;

use super::cluster::{At, Cluster, ClusterError, Collection, Event, Listing, Part};
use crate::{
    Api, ApiError, Kind,
    api::{
        DeleteOptions, ListQuery, Patch, PatchRequest, Preconditions, Target, WatchEvent,
        WatchQuery, WriteOptions,
    },
    read::text,
    store::{FieldSelector, Filter},
};

/// An API in this process.
#[derive(Clone, Debug)]
pub struct Local {
    api: Api,
    options: WriteOptions,
}

// === impl Local ===

impl Local {
    /// Kubelets of this API.
    pub fn new(api: Api) -> Self {
        Self { api, options: WriteOptions::manager("kubelet") }
    }

    fn kind(&self, of: Collection) -> Result<Arc<Kind>, ClusterError> {
        let kind = self.api.kind(of.group, of.version, of.plural);
        kind.ok_or_else(|| ClusterError { code: 404, message: format!("no {}", of.plural) })
    }
}

#[async_trait]
impl Cluster for Local {
    async fn list(&self, of: Collection, fields: &str) -> Result<Listing, ClusterError> {
        let kind = self.kind(of)?;
        let query = ListQuery::default().fields(FieldSelector::parse(&kind, fields)?);
        let listing = self.api.list(&kind, &query)?;
        let items = listing.items.into_iter().map(|object| object.value());
        Ok(Listing { items: Box::new(items), version: listing.revision.to_string() })
    }

    async fn watch(
        &self,
        of: Collection,
        fields: &str,
        version: &str,
    ) -> Result<BoxStream<'static, Result<Event, ClusterError>>, ClusterError> {
        let kind = self.kind(of)?;
        let filter = Filter { fields: FieldSelector::parse(&kind, fields)?, ..Filter::default() };
        let query =
            WatchQuery { filter, resource_version: version.to_owned(), ..WatchQuery::default() };
        let events = self.api.watch(&kind, &query)?.into_stream();
        let told = events.filter_map(|event| async move {
            match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                    Some(Ok(Event::Put(object.value())))
                }
                WatchEvent::Deleted(object) => Some(Ok(Event::Gone(object.value()))),
                WatchEvent::Bookmark { .. } => None,
                WatchEvent::Error(error) => Some(Err(error.into())),
            }
        });
        Ok(told.boxed())
    }

    async fn create(
        &self,
        of: Collection,
        namespace: &str,
        body: Value,
    ) -> Result<Value, ClusterError> {
        let kind = self.kind(of)?;
        Ok(self.api.create(&kind, namespace, body, &self.options)?.object.value())
    }

    async fn patch(&self, of: Collection, at: At<'_>, body: Value) -> Result<Value, ClusterError> {
        let kind = self.kind(of)?;
        let target = match at.part {
            Part::Whole => Target::new(at.namespace, at.name),
            Part::Status => Target::status(at.namespace, at.name),
        };
        let patch = PatchRequest::Patch(Patch::Strategic(body));
        Ok(self.api.patch(&kind, &target, patch, &self.options)?.object.value())
    }

    async fn delete(&self, of: Collection, at: At<'_>, options: Value) -> Result<(), ClusterError> {
        let kind = self.kind(of)?;
        let uid = text(&options, "/preconditions/uid");
        let uid = (!uid.is_empty()).then(|| uid.to_owned());
        let options = DeleteOptions {
            grace_period: options.get("gracePeriodSeconds").and_then(Value::as_i64),
            preconditions: Preconditions { uid, ..Preconditions::default() },
            ..DeleteOptions::default()
        };
        self.api.delete(&kind, &Target::new(at.namespace, at.name), &options)?;
        Ok(())
    }
}

impl From<ApiError> for ClusterError {
    fn from(error: ApiError) -> Self {
        Self { code: error.code, message: error.message }
    }
}
