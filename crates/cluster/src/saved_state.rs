//! The planner's memory as it is saved: one ConfigMap of the autoscaler's namespace, so that a restart forgets no timer.
//!
//! Orders are not in it; they are objects of their own. What is saved is timers and backoff, and losing it makes the autoscaler
//! late, never wrong. A version reads what older and newer ones of the same number saved: fields that it does not know are left
//! out.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    time::Duration,
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
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

/// The entry that has the text.
const KEY: &str = "memory";

/// The entry that has the text compressed, for clusters of thousands of nodes.
const COMPRESSED_KEY: &str = "memory.gz";

/// The longest text that is saved as it is, so that people can read it. An object may have 1 MiB in all, and 15,000 timers are more
/// than that as text.
const LONGEST_PLAIN: usize = 256 * 1024;

/// The longest text that is unpacked: no cluster has as many nodes.
const LONGEST_UNPACKED: u64 = 256 * 1024 * 1024;

/// The field manager of our writes.
const MANAGER: &str = "plimsoll";

/// A write that takes longer has failed; the next one has all of it anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the memory is saved.
#[derive(Clone)]
pub struct SavedState {
    api: Api<ConfigMap>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// What was last saved.
    Memory(Box<Memory>),
    /// Nothing was ever saved.
    Nothing,
    /// Something that cannot be read. It is reported; a decision is made as if nothing had been saved.
    Broken(PageError),
}

/// Text that is not a memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the ConfigMap {NAME} cannot be read and is started anew: {0}")]
pub struct PageError(String);

/// State cannot be saved or loaded.
#[derive(Debug, Error)]
pub enum SavedStateError {
    /// The API server refused, or could not be reached. Try again.
    #[error("cannot {what} the ConfigMap {NAME}: {cause}")]
    Refused {
        /// What was tried.
        what: &'static str,
        /// The API server's answer.
        cause: Box<kube::Error>,
    },
    /// The API server did not answer. Try again.
    #[error("cannot write the ConfigMap {NAME}: no answer within {} s", PATIENCE.as_secs())]
    Slow,
}

// === impl SavedState ===

impl SavedState {
    /// The saved state in this namespace.
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { api: Api::namespaced(client, namespace) }
    }

    /// Reads what was last saved.
    pub async fn load(&self) -> Result<Found, SavedStateError> {
        let found = self.api.get_opt(NAME).await;
        let found = found
            .map_err(|cause| SavedStateError::Refused { what: "read", cause: Box::new(cause) })?;
        let text = found.and_then(|mut found| unpack(&mut found));
        Ok(match text.map(|text| text.and_then(|text| read(&text))) {
            None => Found::Nothing,
            Some(Ok(memory)) => Found::Memory(Box::new(memory)),
            Some(Err(error)) => Found::Broken(error),
        })
    }

    /// Saves all of it in one write.
    pub async fn save(&self, memory: &Memory) -> Result<(), SavedStateError> {
        let page = pack(write(memory));
        let parameters = PatchParams::apply(MANAGER).force();
        let patch = Patch::Apply(&page);
        let write = self.api.patch(NAME, &parameters, &patch);
        match timeout(PATIENCE, write).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(cause)) => {
                Err(SavedStateError::Refused { what: "write", cause: Box::new(cause) })
            }
            Err(_) => Err(SavedStateError::Slow),
        }
    }
}

impl std::fmt::Debug for SavedState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedState").finish_non_exhaustive()
    }
}

/// The ConfigMap of a text: as it is, or compressed when it would near the limit of an object.
fn pack(text: String) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(NAME.to_owned()), ..ObjectMeta::default() };
    let plain = |text| Some(BTreeMap::from([(KEY.to_owned(), text)]));
    if text.len() <= LONGEST_PLAIN {
        return ConfigMap { metadata, data: plain(text), ..ConfigMap::default() };
    }
    match compress(&text) {
        Ok(bytes) => {
            let entry = (COMPRESSED_KEY.to_owned(), ByteString(bytes));
            let binary_data = Some(BTreeMap::from([entry]));
            ConfigMap { metadata, binary_data, ..ConfigMap::default() }
        }
        // Writing to memory does not fail.
        Err(_) => ConfigMap { metadata, data: plain(text), ..ConfigMap::default() },
    }
}

fn compress(text: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The text of a ConfigMap; `None` when it has none.
fn unpack(page: &mut ConfigMap) -> Option<Result<String, PageError>> {
    if let Some(ByteString(bytes)) =
        page.binary_data.as_mut().and_then(|data| data.remove(COMPRESSED_KEY))
    {
        let mut text = String::new();
        let unpacked = GzDecoder::new(&*bytes).take(LONGEST_UNPACKED).read_to_string(&mut text);
        return Some(unpacked.map(|_| text).map_err(|error| PageError(error.to_string())));
    }
    page.data.as_mut()?.remove(KEY).map(Ok)
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
