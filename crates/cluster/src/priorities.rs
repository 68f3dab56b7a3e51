//! The list of the priority expander, which the user keeps in a ConfigMap beside the autoscaler.

use futures::{Stream, StreamExt as _};
use kube::Client;
use plimsoll_manifest::priorities::{KEY, NAME, read};
use tracing::warn;

use crate::config_maps;

/// Numbers with patterns for the ids of groups, lowest number first.
pub type Priorities = Vec<(i64, Vec<String>)>;

/// The list, and every change of it; `None` while there is none that can be read. The stream never ends.
pub fn follow(
    client: &Client,
    namespace: &str,
) -> impl Stream<Item = Option<Priorities>> + Send + use<> {
    let texts = config_maps::follow(client, namespace, NAME, KEY);
    texts.map(|text| text.and_then(|text| list(&text)))
}

fn list(text: &str) -> Option<Priorities> {
    let list = read(text);
    if list.is_none() {
        warn!("the ConfigMap {NAME} has no list that can be read; all groups are as good");
    }
    list
}
