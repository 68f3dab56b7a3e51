//! Values that a user or another program keeps in a ConfigMap beside the autoscaler.

use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event, watcher},
    },
};
use plimsoll_net::{Clock, Outage, outage::Extent};
use tracing::{info, warn};

/// The value of a key of a ConfigMap, and every change of it; `None` while there is none. The stream never ends.
pub fn follow(
    client: &Client,
    namespace: &str,
    name: &'static str,
    key: &'static str,
) -> impl Stream<Item = Option<String>> + Send + use<> {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let value = move |map: ConfigMap| map.data?.remove(key);
    // What is not told between the beginning and the end of a list is not there any more.
    let mut listed = None;
    // Only for how often an outage is told, so it need not be the loop's own clock.
    let (mut outage, clock) = (Outage::default(), Clock::system());
    watcher(api, config).default_backoff().filter_map(move |event| {
        if event.is_ok()
            && let Some(Extent { lasted, failures }) = outage.ended(clock.now())
        {
            let lasted = format_args!("{lasted:#}");
            info!(name, lasted, failures, "ConfigMap can be watched again");
        }
        let news = match event {
            Ok(Event::Init) => {
                listed = None;
                None
            }
            Ok(Event::InitApply(map)) => {
                listed = value(map);
                None
            }
            Ok(Event::InitDone) => Some(listed.take()),
            Ok(Event::Apply(map)) => Some(value(map)),
            Ok(Event::Delete(_)) => Some(None),
            Err(error) => {
                if let Some(Extent { lasted, failures }) = outage.failed(clock.now()) {
                    let lasted = format_args!("{lasted:#}");
                    warn!(%error, name, lasted, failures, "cannot watch the ConfigMap; trying again");
                }
                None
            }
        };
        std::future::ready(news)
    })
}
