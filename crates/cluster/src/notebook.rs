//! Memory, kept in a ConfigMap of the autoscaler's namespace, so that a restart forgets nothing.

use std::{collections::BTreeMap, time::Duration};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{ObjectMeta, Patch, PatchParams},
};
use plimsoll_model::Memory;
use thiserror::Error;
use tokio::time::timeout;

mod page;

/// The ConfigMap.
pub const NAME: &str = "plimsoll-memory";

/// The entry that has it all.
const KEY: &str = "memory";

/// Who writes.
const MANAGER: &str = "plimsoll";

/// A write that takes longer has failed; the next one has all of it anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where memory is kept.
#[derive(Clone)]
pub struct Notebook {
    api: Api<ConfigMap>,
}

/// What was found in the notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// What was last written.
    Memory(Box<Memory>),
    /// Nothing was ever written.
    Nothing,
    /// Something that cannot be understood. Told to a person; for a decision it is as good as nothing.
    Broken(PageError),
}

/// Text that is not a memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the ConfigMap {NAME} cannot be understood and is started anew: {0}")]
pub struct PageError(String);

/// The notebook cannot be reached.
#[derive(Debug, Error)]
pub enum NotebookError {
    /// The API server refused, or could not be reached.
    #[error("cannot {what} the ConfigMap {NAME}: {cause}")]
    Refused {
        /// What was tried.
        what: &'static str,
        /// Why not.
        cause: Box<kube::Error>,
    },
    /// The API server did not answer.
    #[error("cannot write the ConfigMap {NAME}: no answer within {} s", PATIENCE.as_secs())]
    Slow,
}

// === impl Notebook ===

impl Notebook {
    /// The notebook in this namespace.
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { api: Api::namespaced(client, namespace) }
    }

    /// Reads what was last written.
    pub async fn load(&self) -> Result<Found, NotebookError> {
        let found = self.api.get_opt(NAME).await;
        let found = found
            .map_err(|cause| NotebookError::Refused { what: "read", cause: Box::new(cause) })?;
        let text = found.and_then(|found| found.data?.remove(KEY));
        Ok(match text.map(|text| read(&text)) {
            None => Found::Nothing,
            Some(Ok(memory)) => Found::Memory(Box::new(memory)),
            Some(Err(error)) => Found::Broken(error),
        })
    }

    /// Writes all of it.
    pub async fn save(&self, memory: &Memory) -> Result<(), NotebookError> {
        let page = ConfigMap {
            metadata: ObjectMeta { name: Some(NAME.to_owned()), ..ObjectMeta::default() },
            data: Some(BTreeMap::from([(KEY.to_owned(), write(memory))])),
            ..ConfigMap::default()
        };
        let parameters = PatchParams::apply(MANAGER).force();
        let patch = Patch::Apply(&page);
        let write = self.api.patch(NAME, &parameters, &patch);
        match timeout(PATIENCE, write).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(cause)) => Err(NotebookError::Refused { what: "write", cause: Box::new(cause) }),
            Err(_) => Err(NotebookError::Slow),
        }
    }
}

impl std::fmt::Debug for Notebook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notebook").finish_non_exhaustive()
    }
}

/// A memory as text.
pub fn write(memory: &Memory) -> String {
    // Maps with text for keys and plain values: there is nothing that JSON cannot say.
    serde_json::to_string(&page::Page::of(memory)).unwrap_or_default()
}

/// The memory that a text is.
pub fn read(text: &str) -> Result<Memory, PageError> {
    let page: page::Page =
        serde_json::from_str(text).map_err(|error| PageError(error.to_string()))?;
    page.memory().map_err(PageError)
}

#[cfg(test)]
mod tests;
