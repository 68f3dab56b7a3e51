//! What admission sees of the cluster.

use serde_json::Value;

use super::{Api, ListQuery};
use crate::{object::Key, rules::Lookup, store::Resource};

// === impl Api ===

impl Lookup for Api {
    fn find(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let found = self.store().get(&Resource::new(group, plural), &Key::new(namespace, name));
        found.map(|object| object.value())
    }

    fn all(&self, group: &str, plural: &str) -> Vec<Value> {
        let kind = self.registry(|registry| registry.find_resource(group, plural).cloned());
        let listing = kind.and_then(|kind| self.list(&kind, &ListQuery::default()).ok());
        listing.into_iter().flat_map(|listing| listing.items).map(|item| item.value()).collect()
    }
}
