//! What the API promises, seen from outside.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_net::Clock;
use serde_json::{Value, json};

use super::*;
use crate::store::{FieldSelector, Limits};

mod applying;
mod concurrency;
mod consistency;
mod definitions;
mod deletion;
mod events;
mod paging;
mod persistence;
mod watching;
mod writing;

/// A cluster whose clock starts at a fixed time.
fn api() -> Api {
    Api::new(Clock::starting_at(Timestamp::UNIX_EPOCH))
}

fn api_with(limits: Limits) -> Api {
    Api::with_limits(Clock::starting_at(Timestamp::UNIX_EPOCH), limits)
}

fn config_maps(api: &Api) -> Arc<Kind> {
    api.kind("", "v1", "configmaps").unwrap()
}

fn pods(api: &Api) -> Arc<Kind> {
    api.kind("", "v1", "pods").unwrap()
}

fn config_map(name: &str, value: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"color": value}}, "data": {"k": value}})
}

/// A pod, bound if a node is named.
fn pod(api: &Api, name: &str, node: &str) -> Value {
    let accounts = api.kind("", "v1", "serviceaccounts").unwrap();
    let _ = api.create(&accounts, "default", json!({"metadata": {"name": "default"}}), &quietly());
    let mut pod = json!({
        "metadata": {"name": name},
        "spec": {"automountServiceAccountToken": false, "containers": [{"name": "c", "image": "i"}]},
    });
    if !node.is_empty() {
        pod["spec"]["nodeName"] = json!(node);
    }
    pod
}

fn quietly() -> WriteOptions {
    WriteOptions::default()
}

/// Makes config maps of these names in the namespace `default`.
fn filled(api: &Api, names: &[&str]) -> Vec<Arc<Object>> {
    let kind = config_maps(api);
    let make = |name: &&str| api.create(&kind, "default", config_map(name, "red"), &quietly());
    names.iter().map(|name| make(name).unwrap().object).collect()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.items.iter().map(|item| &*item.key.name).collect()
}

/// Everything a watch has to tell now, as text.
fn told(watch: &mut Watch) -> Vec<String> {
    std::iter::from_fn(|| watch.try_next())
        .map(|event| match event {
            WatchEvent::Added(object) => format!("+{}", object.key.name),
            WatchEvent::Modified(object) => format!("~{}", object.key.name),
            WatchEvent::Deleted(object) => format!("-{}", object.key.name),
            WatchEvent::Bookmark { initial_events_end: true, .. } => "end".to_owned(),
            WatchEvent::Bookmark { .. } => "mark".to_owned(),
            WatchEvent::Error(error) => format!("{} {}", error.code, error.reason),
        })
        .collect()
}
