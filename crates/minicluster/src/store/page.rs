//! Lists: of what is there now, or of what was there at a revision.

use std::{
    collections::BTreeMap,
    ops::Bound::{Excluded, Included, Unbounded},
    sync::Arc,
};

use super::{
    Filter, Resource, TooOld,
    state::{Shelf, State},
};
use crate::object::{Key, Object};

/// Which objects of a resource a list wants.
#[derive(Debug, Default)]
pub struct Range<'r> {
    /// Only of this namespace; all if empty.
    pub namespace: &'r str,
    /// Only those behind this one.
    pub after: Option<&'r Key>,
    /// As of this revision; now if there is none.
    pub at: Option<u64>,
    /// At most so many; all if 0.
    pub limit: usize,
    /// Only those that match.
    pub filter: Option<&'r Filter>,
    /// Only this one: spares looking at all others where a filter names it.
    pub only: Option<&'r Key>,
}

/// A list, or a page of one.
#[derive(Debug)]
pub struct Page {
    /// The objects, sorted by key.
    pub items: Vec<Arc<Object>>,
    /// The revision whose state this is.
    pub revision: u64,
    /// Whether more match behind the last one.
    pub more: bool,
    /// How many there are behind the last one, whether they match or not.
    pub remaining: usize,
}

/// The objects that changed since a revision, as they were then.
type Overlay = BTreeMap<Key, Option<Arc<Object>>>;

// === impl State ===

impl State {
    pub(super) fn list(&self, resource: &Resource, range: &Range<'_>) -> Result<Page, TooOld> {
        let revision = range.at.unwrap_or(self.revision);
        let mut page = Page { items: Vec::new(), revision, more: false, remaining: 0 };
        let Some(shelf) = self.shelf(resource) else {
            self.check_age(resource, revision)?;
            return Ok(page);
        };
        match range.at {
            Some(at) if at < self.revision => {
                self.check_age(resource, at)?;
                let overlay = overlay(shelf, at);
                fill(&mut page, range, as_of(shelf, range, &overlay));
            }
            _ => match range.only {
                Some(key) => fill(&mut page, range, shelf.objects.get(key).into_iter()),
                None => fill(&mut page, range, now(shelf, range)),
            },
        }
        Ok(page)
    }
}

/// Takes from `objects` what the range wants.
fn fill<'o>(page: &mut Page, range: &Range<'_>, objects: impl Iterator<Item = &'o Arc<Object>>) {
    for object in objects {
        let full = range.limit > 0 && page.items.len() == range.limit;
        if full {
            page.remaining += 1;
        }
        if page.more || !range.filter.is_none_or(|filter| filter.matches(object)) {
            continue;
        }
        if full {
            page.more = true;
            if range.filter.is_some() {
                // Nobody is told how many remain behind a selector.
                return;
            }
        } else {
            page.items.push(Arc::clone(object));
        }
    }
}

/// The objects in the range as they are now.
fn now<'s>(shelf: &'s Shelf, range: &Range<'_>) -> impl Iterator<Item = &'s Arc<Object>> {
    let objects = shelf.objects.range(bounds(range)).map(|(_, object)| object);
    objects.take_while(in_namespace(range))
}

/// The objects in the range as they were: those that have not changed since, and those that have from the overlay.
fn as_of<'s>(
    shelf: &'s Shelf,
    range: &Range<'_>,
    overlay: &'s Overlay,
) -> impl Iterator<Item = &'s Arc<Object>> {
    let mut unchanged = shelf
        .objects
        .range(bounds(range))
        .filter(|(key, _)| !overlay.contains_key(*key))
        .map(|(_, object)| object)
        .peekable();
    let mut changed =
        overlay.range(bounds(range)).filter_map(|(_, object)| object.as_ref()).peekable();
    let merged = std::iter::from_fn(move || match (unchanged.peek(), changed.peek()) {
        (Some(left), Some(right)) if right.key < left.key => changed.next(),
        (Some(_), _) => unchanged.next(),
        (None, _) => changed.next(),
    });
    merged.take_while(in_namespace(range))
}

/// What the objects that changed after `at` looked like at `at`.
fn overlay(shelf: &Shelf, at: u64) -> Overlay {
    let mut overlay = Overlay::new();
    for event in shelf.history.after(at) {
        overlay.entry(event.after.key.clone()).or_insert_with(|| event.before.clone());
    }
    overlay
}

fn bounds(range: &Range<'_>) -> (std::ops::Bound<Key>, std::ops::Bound<Key>) {
    let start = match range.after {
        Some(key) => Excluded(key.clone()),
        None => Included(Key::new(range.namespace, "")),
    };
    (start, Unbounded)
}

fn in_namespace<'r>(range: &Range<'r>) -> impl FnMut(&&Arc<Object>) -> bool + use<'r> {
    let namespace = range.namespace;
    move |object| namespace.is_empty() || *object.key.namespace == *namespace
}
