//! Lists whose entries are found by name, so that one can be replaced in place.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::source::Object;

/// Namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub namespace: Box<str>,
    pub name: Box<str>,
}

/// Where in a list the entry of a name stands. The list itself is elsewhere: it is part of the World.
#[derive(Debug)]
pub(super) struct Named<K> {
    places: FxHashMap<K, usize>,
    /// The names by place.
    names: Vec<K>,
}

// === impl Name ===

impl Name {
    pub(super) fn of(object: &Object) -> Self {
        Self { namespace: object.namespace().into(), name: object.name().into() }
    }

    pub(super) fn cluster(name: &str) -> Self {
        Self { namespace: "".into(), name: name.into() }
    }
}

// === impl Named ===

impl<K> Default for Named<K> {
    fn default() -> Self {
        Self { places: FxHashMap::default(), names: Vec::new() }
    }
}

impl<K: Clone + Eq + Hash> Named<K> {
    /// Replaces the entry of that name or adds it; answers with the one before.
    pub(super) fn put<T>(&mut self, list: &mut Vec<T>, name: K, value: T) -> Option<T> {
        if let Some(entry) = self.places.get(&name).and_then(|place| list.get_mut(*place)) {
            return Some(std::mem::replace(entry, value));
        }
        self.places.insert(name.clone(), list.len());
        self.names.push(name);
        list.push(value);
        None
    }

    /// The entry of that name.
    pub(super) fn get<'l, T>(&self, list: &'l [T], name: &K) -> Option<&'l T> {
        list.get(*self.places.get(name)?)
    }

    /// Takes the entry of that name out. The last one takes its place.
    pub(super) fn remove<T>(&mut self, list: &mut Vec<T>, name: &K) -> Option<T> {
        let place = self.places.remove(name).filter(|place| *place < list.len())?;
        self.names.swap_remove(place);
        if let Some(moved) = self.names.get(place) {
            self.places.insert(moved.clone(), place);
        }
        Some(list.swap_remove(place))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.names.iter()
    }
}
