//! The list of the priority expander: numbers with patterns for the ids of groups.

use std::collections::BTreeMap;

/// The ConfigMap in which the user keeps it, in the autoscaler's namespace.
pub const NAME: &str = "cluster-autoscaler-priority-expander";

/// The entry of the ConfigMap that has it.
pub const KEY: &str = "priorities";

/// Reads the list, lowest number first; `None` for text that is none.
pub fn read(text: &str) -> Option<Vec<(i64, Vec<String>)>> {
    let list: BTreeMap<i64, Vec<String>> = serde_saphyr::from_str(text).ok()?;
    (!list.is_empty()).then(|| list.into_iter().collect())
}
