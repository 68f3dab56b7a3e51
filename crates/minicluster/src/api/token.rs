//! Continue tokens: where a list goes on, and as of which revision.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::{ApiError, object::Key};

/// What is in a token. Opaque to clients.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Token {
    /// The revision of the first page; 0 for a token that goes on with whatever is there now.
    pub(super) revision: u64,
    namespace: String,
    name: String,
}

// === impl Token ===

impl Token {
    /// Goes on behind `key`.
    pub(super) fn behind(key: &Key, revision: u64) -> Self {
        Self { revision, namespace: key.namespace.to_string(), name: key.name.to_string() }
    }

    pub(super) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }

    pub(super) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(super) fn decode(text: &str) -> Result<Self, ApiError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).ok_or_else(|| {
            ApiError::bad_request("continue key is not valid: invalid continue token")
        })
    }
}
