//! Pages, and tokens that have expired.

use super::*;
use crate::store::{Filter, LabelSelector};

fn page(api: &Api, limit: usize, token: &str) -> Result<Listing, ApiError> {
    let labels = LabelSelector::parse("color=red").unwrap();
    let query = ListQuery {
        limit,
        continue_token: token.to_owned(),
        filter: Filter { labels, ..Filter::default() },
        ..ListQuery::in_namespace("default")
    };
    api.list(&config_maps(api), &query)
}

#[test]
fn a_token_shows_the_state_of_the_first_page() {
    let api = api();
    filled(&api, &["a", "b", "c", "d"]);
    let first = page(&api, 2, "").unwrap();
    assert_eq!(names(&first), ["a", "b"]);
    filled(&api, &["bb", "z"]);
    let kind = config_maps(&api);
    api.delete(&kind, &Target::new("default", "c"), &DeleteOptions::default()).unwrap();
    let second = page(&api, 10, first.continue_token.as_deref().unwrap()).unwrap();
    assert_eq!(names(&second), ["c", "d"]);
    assert_eq!((second.revision, second.continue_token), (first.revision, None));
}

#[test]
fn an_expired_token_offers_an_inconsistent_one() {
    let api = api();
    filled(&api, &["a", "b", "c"]);
    let first = page(&api, 1, "").unwrap();
    filled(&api, &["bb"]);
    api.compact(api.revision());
    let error = page(&api, 1, first.continue_token.as_deref().unwrap()).unwrap_err();
    assert_eq!((error.code, error.reason), (410, "Expired"));
    let rest = page(&api, 10, error.resume.as_deref().unwrap()).unwrap();
    assert_eq!(names(&rest), ["b", "bb", "c"]);
    let exact = ListQuery {
        resource_version: first.revision.to_string(),
        version_match: "Exact".to_owned(),
        ..ListQuery::default()
    };
    let error = api.list(&config_maps(&api), &exact).unwrap_err();
    assert_eq!(error.message, "The resourceVersion for the provided list is too old.");
}

#[test]
fn odd_queries_are_refused() {
    let api = api();
    let kind = config_maps(&api);
    let list = |version: &str, version_match: &str, token: &str| {
        let query = ListQuery {
            resource_version: version.to_owned(),
            version_match: version_match.to_owned(),
            continue_token: token.to_owned(),
            ..ListQuery::default()
        };
        api.list(&kind, &query).map(|_| ()).map_err(|error| (error.code, error.reason))
    };
    filled(&api, &["a", "b"]);
    let token = page(&api, 1, "").unwrap().continue_token.unwrap();
    assert_eq!(list("", "Exact", ""), Err((422, "Invalid")));
    assert_eq!(list("0", "Exact", ""), Err((422, "Invalid")));
    assert_eq!(list("5", "Closest", ""), Err((422, "Invalid")));
    assert_eq!(list("abc", "", ""), Err((400, "BadRequest")));
    assert_eq!(list("999999999", "", ""), Err((504, "Timeout")));
    assert_eq!(list("", "", "nonsense"), Err((400, "BadRequest")));
    assert_eq!(list("5", "", &token), Err((400, "BadRequest")));
    assert_eq!(list("0", "", &token), Ok(()));
}
