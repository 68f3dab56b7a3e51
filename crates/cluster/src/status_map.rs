//! The status ConfigMap: what the autoscaler says about itself, where the upstream autoscaler says it.

use std::{collections::BTreeMap, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
};
use thiserror::Error;
use tokio::time::timeout;

/// The entry that has the text.
const KEY: &str = "status";

/// Says when it was last written.
const LAST_UPDATED: &str = "cluster-autoscaler.kubernetes.io/last-updated";

/// A write that takes longer has failed; the next one has all of it anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// The status ConfigMap.
#[derive(Clone)]
pub struct StatusMap {
    api: Api<ConfigMap>,
    namespace: String,
    name: String,
}

/// The status cannot be written.
#[derive(Debug, Error)]
pub enum StatusMapError {
    /// The API server refused, or could not be reached.
    #[error("cannot {what} the ConfigMap {name}: {cause}")]
    Refused {
        /// What was tried.
        what: &'static str,
        /// Which ConfigMap.
        name: String,
        /// Why not.
        cause: Box<kube::Error>,
    },
    /// The API server did not answer.
    #[error("cannot {what} the ConfigMap {name}: no answer within {} s", PATIENCE.as_secs())]
    Slow {
        /// What was tried.
        what: &'static str,
        /// Which ConfigMap.
        name: String,
    },
}

// === impl StatusMap ===

impl StatusMap {
    /// The ConfigMap of this name.
    pub fn new(client: Client, namespace: &str, name: &str) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self { api: Api::namespaced(client, &namespace), namespace, name }
    }

    /// Its namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes a text of that moment, and answers with the object's uid. It is read and replaced, as upstream's role allows.
    pub async fn write(
        &self,
        text: String,
        moment: &str,
    ) -> Result<Option<String>, StatusMapError> {
        let write = async {
            let parameters = PostParams::default();
            let found = self.api.get_opt(&self.name).await?;
            let is_new = found.is_none();
            let mut map = found.unwrap_or_default();
            map.metadata.name = Some(self.name.clone());
            let annotations = map.metadata.annotations.get_or_insert_default();
            annotations.insert(LAST_UPDATED.to_owned(), moment.to_owned());
            map.data = Some(BTreeMap::from([(KEY.to_owned(), text)]));
            if is_new {
                self.api.create(&parameters, &map).await
            } else {
                self.api.replace(&self.name, &parameters, &map).await
            }
        };
        let written = self.wait("write", write).await?;
        Ok(written.metadata.uid)
    }

    /// Deletes it; one that is not there is as good.
    pub async fn delete(&self) -> Result<(), StatusMapError> {
        let parameters = DeleteParams::default();
        let delete = async {
            match self.api.delete(&self.name, &parameters).await {
                Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
                outcome => outcome.map(drop),
            }
        };
        self.wait("delete", delete).await
    }

    async fn wait<T>(
        &self,
        what: &'static str,
        call: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, StatusMapError> {
        let name = self.name.clone();
        match timeout(PATIENCE, call).await {
            Ok(outcome) => outcome.map_err(|cause| StatusMapError::Refused {
                what,
                name,
                cause: Box::new(cause),
            }),
            Err(_) => Err(StatusMapError::Slow { what, name }),
        }
    }
}

impl std::fmt::Debug for StatusMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatusMap").field("name", &self.name).finish_non_exhaustive()
    }
}
