//! Lists, a page at a time.

use std::vec;

use kube::{Client, api::ListParams, core::Request};
use serde::Deserialize;

use super::{Object, Watched};

/// How many objects are asked for at once.
const SIZE: u32 = 500;

/// Pods that have ended need no capacity, and there may be many of them.
const LIVING: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// A page of a list: the objects that are still to be told, and what comes after them.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) objects: vec::IntoIter<Object>,
    pub(super) then: Then,
}

/// A list as it is told.
#[derive(Deserialize)]
struct Told {
    #[serde(default)]
    metadata: Mark,
    items: Option<Vec<Object>>,
}

/// How far a list goes.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    #[serde(rename = "continue")]
    token: Option<String>,
    resource_version: Option<String>,
}

/// What comes after a page.
#[derive(Debug)]
pub(super) enum Then {
    /// Another page, the first one if there is no token.
    Page(Option<String>),
    /// Nothing: the list is complete, as of this version.
    Watch(String),
}

// === impl Page ===

impl Page {
    /// Before the first page.
    pub(super) fn before_first() -> Self {
        Self { objects: Vec::new().into_iter(), then: Then::Page(None) }
    }

    /// Asks for a page.
    pub(super) async fn ask(
        client: &Client,
        requests: &Request,
        watched: Watched,
        token: Option<String>,
    ) -> Result<Self, kube::Error> {
        let mut wanted = ListParams::default().limit(SIZE);
        wanted.field_selector = fields(watched).map(str::to_owned);
        wanted.continue_token = token;
        let request = requests.list(&wanted).map_err(kube::Error::BuildRequest)?;
        let Told { metadata, items } = client.request(request).await?;
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let then = match (given(metadata.token), given(metadata.resource_version)) {
            (Some(token), _) => Then::Page(Some(token)),
            (None, Some(version)) => Then::Watch(version),
            (None, None) => return Err(kube::Error::Service("the list has no version".into())),
        };
        Ok(Self { objects: items.unwrap_or_default().into_iter(), then })
    }
}

/// Which objects of a kind are of interest.
pub(super) fn fields(watched: Watched) -> Option<&'static str> {
    (watched == Watched::Pods).then_some(LIVING)
}
