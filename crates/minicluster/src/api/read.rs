//! Lists.

use serde_json::{Value, json};

use super::{Api, ListQuery, Listing, WatchQuery, convert::View, token::Token};
use crate::{
    ApiError, FieldError, Kind,
    object::Key,
    store::{Filter, Page, Range, TooOld},
};

const EXPIRED_TOKEN: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new \
     list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. \
     Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted \
     between the time the first chunk was returned and now may show up in the list.";

// === impl Api ===

impl Api {
    /// The objects that the query is about.
    ///
    /// A version that does not exist yet is refused at once with 504; the real server waits three seconds before it says so.
    pub fn list(&self, kind: &Kind, query: &ListQuery) -> Result<Listing, ApiError> {
        check_list(query)?;
        let version = parse_version(&query.resource_version)
            .map_err(|why| ApiError::bad_request(format!("invalid resource version: {why}")))?;
        if query.continue_token.is_empty() {
            self.check_future(version)?;
            let at = (query.version_match == "Exact").then_some(version);
            let page = self.page(kind, query, None, at);
            let page = page.map_err(|TooOld { .. }| {
                ApiError::new(
                    410,
                    "Expired",
                    "The resourceVersion for the provided list is too old.",
                )
            })?;
            return Ok(listing(query, page));
        }
        if version > 0 {
            return Err(ApiError::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        let token = Token::decode(&query.continue_token)?;
        let at = (token.revision > 0).then_some(token.revision);
        let page =
            self.page(kind, query, Some(&token.key()), at).map_err(|TooOld { .. }| {
                let mut error = ApiError::new(410, "Expired", EXPIRED_TOKEN);
                error.resume = Some(Token::behind(&token.key(), 0).encode());
                error
            })?;
        Ok(listing(query, page))
    }

    /// Refuses a `resourceVersion` of a GET that is none, or that does not exist yet.
    pub fn check_version(&self, text: &str) -> Result<(), ApiError> {
        let version = parse_version(text)
            .map_err(|why| ApiError::bad_request(format!("invalid resource version: {why}")))?;
        self.check_future(version)
    }

    pub(super) fn check_future(&self, version: u64) -> Result<(), ApiError> {
        let current = self.revision();
        if version <= current { Ok(()) } else { Err(too_large(version, current)) }
    }

    fn page(
        &self,
        kind: &Kind,
        query: &ListQuery,
        after: Option<&Key>,
        at: Option<u64>,
    ) -> Result<Page, TooOld> {
        // The real server answers version 0 from its cache, and gives all of it.
        let limit = if query.resource_version == "0" { 0 } else { query.limit };
        let filter = (!query.filter.is_empty()).then_some(&query.filter);
        let named = named_key(&query.namespace, kind, &query.filter);
        let only = named.as_ref().filter(|_| after.is_none());
        let range = Range { namespace: &query.namespace, after, at, limit, filter, only };
        let view = View::of(kind);
        let mut page = self.store().list(&kind.storage(), &range)?;
        page.items.iter_mut().for_each(|item| *item = view.show(item));
        Ok(page)
    }
}

/// The only object that a filter can let through, if it names one.
pub(super) fn named_key(namespace: &str, kind: &Kind, filter: &Filter) -> Option<Key> {
    let name = filter.fields.required_name()?;
    if !kind.is_namespaced() {
        return Some(Key::new("", name));
    }
    let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
    namespace
        .or_else(|| filter.fields.required_namespace())
        .map(|namespace| Key::new(namespace, name))
}

fn listing(query: &ListQuery, page: Page) -> Listing {
    let last = page.items.last().filter(|_| page.more);
    let continue_token = last.map(|last| Token::behind(&last.key, page.revision).encode());
    let remaining = (page.more && query.filter.is_empty()).then_some(page.remaining);
    Listing { revision: page.revision, continue_token, remaining, items: page.items }
}

/// 0 for none.
pub(super) fn parse_version(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
        )
    })
}

pub(super) fn too_large(version: u64, current: u64) -> ApiError {
    let message = format!("Timeout: Too large resource version: {version}, current: {current}");
    let mut error = ApiError::new(504, "Timeout", message);
    let cause =
        json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
    error.details = Some(json!({"causes": [cause], "retryAfterSeconds": 1}));
    error.retry_after = Some(1);
    error
}

fn check_list(query: &ListQuery) -> Result<(), ApiError> {
    let mut errors = Vec::new();
    let field = "resourceVersionMatch";
    if !query.version_match.is_empty() {
        if query.resource_version.is_empty() {
            let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            errors.push(FieldError::forbidden(field, why));
        }
        if !query.continue_token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(FieldError::forbidden(field, why));
        }
        if !matches!(&*query.version_match, "Exact" | "NotOlderThan") {
            let supported = ["Exact", "NotOlderThan", ""];
            errors.push(FieldError::not_supported(field, query.version_match.clone(), &supported));
        }
        if query.version_match == "Exact" && query.resource_version == "0" {
            let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            errors.push(FieldError::forbidden(field, why));
        }
    }
    if query.send_initial_events.is_some() {
        let why = "sendInitialEvents is forbidden for list";
        errors.push(FieldError::forbidden("sendInitialEvents", why));
    }
    refuse(&errors)
}

pub(super) fn check_watch(query: &WatchQuery) -> Result<(), ApiError> {
    let mut errors = Vec::new();
    let field = "resourceVersionMatch";
    if query.send_initial_events.is_some() {
        if query.version_match != "NotOlderThan" {
            let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            errors.push(FieldError::forbidden(field, why));
            if !query.version_match.is_empty() {
                let value = Value::from(query.version_match.clone());
                errors.push(FieldError::not_supported(field, value, &["NotOlderThan"]));
            }
        }
    } else if !query.version_match.is_empty() {
        let why =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        errors.push(FieldError::forbidden(field, why));
    }
    refuse(&errors)
}

fn refuse(errors: &[FieldError]) -> Result<(), ApiError> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", errors))
}
