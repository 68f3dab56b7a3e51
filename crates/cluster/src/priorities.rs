//! The list of the priority expander, which the user keeps in a ConfigMap beside the autoscaler.

use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event, watcher},
    },
};
use plimsoll_manifest::priorities::{KEY, NAME, read};
use tracing::warn;

/// Numbers with patterns for the ids of groups, lowest number first.
pub type Priorities = Vec<(i64, Vec<String>)>;

/// The list, and every change of it; `None` while there is none that can be read. The stream never ends.
pub fn follow(
    client: &Client,
    namespace: &str,
) -> impl Stream<Item = Option<Priorities>> + Send + use<> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let config = watcher::Config::default().fields(&format!("metadata.name={NAME}"));
    // What is not told between the beginning and the end of a list is not there any more.
    let mut listed = None;
    watcher(api, config).default_backoff().filter_map(move |event| {
        let news = match event {
            Ok(Event::Init) => {
                listed = None;
                None
            }
            Ok(Event::InitApply(map)) => {
                listed = list(map);
                None
            }
            Ok(Event::InitDone) => Some(listed.take()),
            Ok(Event::Apply(map)) => Some(list(map)),
            Ok(Event::Delete(_)) => Some(None),
            Err(error) => {
                warn!(%error, "cannot watch the list of the priority expander");
                None
            }
        };
        std::future::ready(news)
    })
}

fn list(map: ConfigMap) -> Option<Priorities> {
    let list = read(&map.data?.remove(KEY)?);
    if list.is_none() {
        warn!("the ConfigMap {NAME} has no list that can be read; all groups are as good");
    }
    list
}
