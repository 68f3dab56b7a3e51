//! Watches.

use std::time::Duration;

use super::*;
use crate::store::{Filter, LabelSelector};

fn from(version: u64) -> WatchQuery {
    WatchQuery { resource_version: version.to_string(), ..WatchQuery::default() }
}

#[test]
fn a_lagging_watch_is_told_that_it_is_too_late() {
    let api = api_with(Limits { events: 10, bytes: usize::MAX });
    let kind = config_maps(&api);
    let first = filled(&api, &["first"]).remove(0);
    let mut current = api.watch(&kind, &from(first.revision)).unwrap();
    let mut lagging = api.watch(&kind, &from(first.revision)).unwrap();
    for round in 0..5 {
        filled(&api, &[format!("n{round}").as_str()]);
    }
    assert_eq!(told(&mut current).len(), 5);
    for round in 0..10 {
        filled(&api, &[format!("m{round}").as_str()]);
    }
    assert_eq!(told(&mut current).len(), 10);
    assert_eq!(told(&mut lagging), ["410 Expired"]);
}

#[test]
fn history_is_bounded_by_bytes_too() {
    let api = api_with(Limits { events: usize::MAX, bytes: 20_000 });
    let kind = config_maps(&api);
    let first = filled(&api, &["big"]).remove(0);
    let at = Target::new("default", "big");
    for round in 0..10 {
        let text = round.to_string().repeat(10_000);
        api.modify(&kind, &at, |value| value["data"]["k"] = json!(text)).unwrap();
    }
    assert_eq!(told(&mut api.watch(&kind, &from(first.revision)).unwrap()), ["410 Expired"]);
    let newest = api.get(&kind, "default", "big").unwrap();
    assert_eq!(told(&mut api.watch(&kind, &from(newest.revision - 1)).unwrap()), ["~big"]);
}

#[test]
fn compaction_spares_nobody() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["a"]);
    api.compact(api.revision());
    let mut old = api.watch(&kind, &from(1)).unwrap();
    let WatchEvent::Error(error) = old.try_next().unwrap() else { panic!("no error") };
    assert_eq!(error.message, format!("too old resource version: 1 ({})", api.revision()));
    assert_eq!(told(&mut api.watch(&kind, &from(api.revision())).unwrap()), [""; 0]);
}

#[test]
fn a_watch_that_has_heard_everything_outlives_compaction() {
    let api = api();
    let (kind, namespaces) = (config_maps(&api), api.kind("", "v1", "namespaces").unwrap());
    filled(&api, &["a"]);
    let mut quiet = api.watch(&kind, &WatchQuery::default()).unwrap();
    assert_eq!(told(&mut quiet), ["+a"]);
    // Nothing happens to config maps while other things do.
    let other = json!({"metadata": {"name": "other"}});
    api.create(&namespaces, "", other, &WriteOptions::default()).unwrap();
    api.compact(api.revision());
    filled(&api, &["b"]);
    assert_eq!(told(&mut quiet), ["+b"]);
}

#[test]
fn what_is_there_comes_first_unless_somebody_says_otherwise() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["a", "b"]);
    let start = |version: &str, initial: Option<bool>, allow_bookmarks| {
        let version_match = if initial.is_some() { "NotOlderThan" } else { "" };
        let query = WatchQuery {
            resource_version: version.to_owned(),
            send_initial_events: initial,
            version_match: version_match.to_owned(),
            allow_bookmarks,
            ..WatchQuery::default()
        };
        told(&mut api.watch(&kind, &query).unwrap())
    };
    let now = api.revision().to_string();
    assert_eq!(start("", None, false), ["+a", "+b"]);
    assert_eq!(start("0", None, true), ["+a", "+b", "end"]);
    assert_eq!(start("0", Some(false), true), [""; 0]);
    assert_eq!(start("", Some(true), true), ["+a", "+b", "end"]);
    assert_eq!(start(&now, Some(true), false), ["+a", "+b"]);
    assert_eq!(start(&now, None, true), [""; 0]);
}

#[test]
fn who_leaves_the_selector_is_deleted_with_the_last_state_that_matched() {
    let api = api();
    let kind = config_maps(&api);
    let labels = LabelSelector::parse("color=red").unwrap();
    let filter = Filter { labels, ..Filter::default() };
    let mut watch = api.watch(&kind, &WatchQuery { filter, ..from(api.revision()) }).unwrap();
    filled(&api, &["a"]);
    let at = Target::new("default", "a");
    let left = api
        .modify(&kind, &at, |value| {
            value["metadata"]["labels"]["color"] = json!("blue");
            value["data"]["k"] = json!("blue");
        })
        .unwrap();
    assert!(matches!(watch.try_next(), Some(WatchEvent::Added(_))));
    let Some(WatchEvent::Deleted(last)) = watch.try_next() else { panic!("not deleted") };
    assert_eq!(last.revision, left.revision);
    assert_eq!(last.value()["data"]["k"], json!("red"));
    assert_eq!(last.value()["metadata"]["resourceVersion"], json!(left.revision.to_string()));
    api.delete(&kind, &at, &DeleteOptions::default()).unwrap();
    assert_eq!(told(&mut watch), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_come_every_minute_and_before_the_end() {
    let api = Api::new(Clock::starting_at(Timestamp::UNIX_EPOCH));
    let kind = config_maps(&api);
    let query = WatchQuery {
        allow_bookmarks: true,
        timeout: Some(Duration::from_secs(100)),
        ..from(api.revision())
    };
    let mut watch = api.watch(&kind, &query).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = watch.next().await {
        let WatchEvent::Bookmark { revision, .. } = event else { panic!("{event:?}") };
        assert_eq!(revision, api.revision());
        seen.push(api.clock().now().as_second());
        let leases = api.kind("coordination.k8s.io", "v1", "leases").unwrap();
        let body = json!({"metadata": {"generateName": "x"}});
        api.create(&leases, "default", body, &quietly()).unwrap();
    }
    assert_eq!(seen, [60, 98]);
    assert_eq!(api.clock().now().as_second(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_watch_wakes_up() {
    let api = Api::new(Clock::starting_at(Timestamp::UNIX_EPOCH));
    let kind = config_maps(&api);
    let mut watch = api.watch(&kind, &from(api.revision())).unwrap();
    let waiting = tokio::spawn(async move { watch.next().await });
    tokio::task::yield_now().await;
    filled(&api, &["a"]);
    let event = waiting.await.unwrap();
    assert!(matches!(event, Some(WatchEvent::Added(object)) if &*object.key.name == "a"));
}

#[tokio::test(start_paused = true)]
async fn a_version_that_does_not_exist_yet() {
    let api = Api::new(Clock::starting_at(Timestamp::UNIX_EPOCH));
    let kind = config_maps(&api);
    let plain = WatchQuery { timeout: Some(Duration::from_secs(3)), ..from(999_999_999) };
    assert!(api.watch(&kind, &plain).unwrap().next().await.is_none());
    let query = WatchQuery {
        send_initial_events: Some(true),
        version_match: "NotOlderThan".to_owned(),
        ..plain
    };
    let mut watch = api.watch(&kind, &query).unwrap();
    let Some(WatchEvent::Error(error)) = watch.next().await else { panic!("no error") };
    assert_eq!((error.code, error.retry_after), (504, Some(1)));
    assert!(watch.next().await.is_none());
}
