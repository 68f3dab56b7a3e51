//! Lists, a page at a time.

use std::vec;

use kube::{
    Api,
    api::{DynamicObject, ListParams},
    core::ObjectList,
};

use super::Watched;

/// How many objects are asked for at once.
const SIZE: u32 = 500;

/// Pods that have ended need no capacity, and there may be many of them.
const LIVING: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// A page of a list: the objects that are still to be told, and what comes after them.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) objects: vec::IntoIter<DynamicObject>,
    pub(super) then: Then,
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
        api: &Api<DynamicObject>,
        watched: Watched,
        token: Option<String>,
    ) -> Result<Self, kube::Error> {
        let mut wanted = ListParams::default().limit(SIZE);
        wanted.field_selector = fields(watched).map(str::to_owned);
        wanted.continue_token = token;
        let ObjectList { metadata, items, .. } = api.list(&wanted).await?;
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let then = match (given(metadata.continue_), given(metadata.resource_version)) {
            (Some(token), _) => Then::Page(Some(token)),
            (None, Some(version)) => Then::Watch(version),
            (None, None) => return Err(kube::Error::Service("the list has no version".into())),
        };
        Ok(Self { objects: items.into_iter(), then })
    }
}

/// Which objects of a kind are of interest.
pub(super) fn fields(watched: Watched) -> Option<&'static str> {
    (watched == Watched::Pods).then_some(LIVING)
}
