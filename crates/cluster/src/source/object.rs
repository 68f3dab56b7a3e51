//! Objects as the API server tells them: their text, and of their metadata only what every kind needs.
//!
//! Most objects are read once more, by the wire type of their kind, straight from this text. A tree of a whole object is made only where
//! one is needed: for Nodes, of which there are few, and for what cannot be read otherwise.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, value::RawValue};

/// An object of a watch or a list.
#[derive(Clone, Debug)]
pub struct Object {
    namespace: Box<str>,
    name: Box<str>,
    uid: Box<str>,
    /// What the API server calls this state of it; empty if it says nothing.
    version: Box<str>,
    text: Box<RawValue>,
}

/// What of the metadata every kind needs.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow, default)]
    namespace: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    uid: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    resource_version: Option<Cow<'a, str>>,
}

// === impl Object ===

impl Object {
    /// The namespace; empty for kinds of the cluster.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The uid, which tells the object from another that had its name.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The version, if the API server named one.
    pub(super) fn version(&self) -> Option<&str> {
        Some(&*self.version).filter(|version| !version.is_empty())
    }

    /// The JSON text of the object. An entry of a list does not say of which kind it is.
    pub(crate) fn text(&self) -> &str {
        self.text.get()
    }

    /// The whole object as a tree.
    pub(crate) fn tree(&self) -> Value {
        // It was read as JSON before, so this does not fail.
        serde_json::from_str(self.text()).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Envelope { metadata } = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let given = |text: Option<Cow<'_, str>>| text.map(Box::from).unwrap_or_default();
        let (namespace, uid) = (given(metadata.namespace), given(metadata.uid));
        let (name, version) = (metadata.name.into(), given(metadata.resource_version));
        Ok(Self { namespace, name, uid, version, text })
    }
}
