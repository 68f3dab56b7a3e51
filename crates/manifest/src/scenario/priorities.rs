//! The list of the priority expander, which the user keeps in a ConfigMap.

use std::collections::BTreeMap;

use plimsoll_model::ConfigMap;

const NAMESPACE: &str = "kube-system";
const NAME: &str = "cluster-autoscaler-priority-expander";
const KEY: &str = "priorities";

/// The list, lowest number first. One that cannot be read is none: the upstream goes on without it.
pub(super) fn find(maps: &[ConfigMap]) -> Option<Vec<(i64, Vec<String>)>> {
    let is_it = |map: &&ConfigMap| map.namespace.as_str() == NAMESPACE && &*map.name == NAME;
    let text = maps.iter().find(is_it)?.data.get(KEY)?;
    let list: BTreeMap<i64, Vec<String>> = serde_saphyr::from_str(text).ok()?;
    (!list.is_empty()).then(|| list.into_iter().collect())
}
