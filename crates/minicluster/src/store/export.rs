//! The store as lines of JSON, and back.

use std::{
    io::{self, BufRead, Write},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Interner, Resource, Store};
use crate::object::Object;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    revision: u64,
}

/// Every other line: one object and where it belongs.
#[derive(Serialize, Deserialize)]
struct Line<'l> {
    group: String,
    plural: String,
    #[serde(borrow)]
    object: &'l RawValue,
}

// === impl Store ===

impl Store {
    /// Writes the newest revision, then every object, one to a line. Readers and writers wait only while the list of objects
    /// is made, not while it is written.
    pub fn export(&self, out: &mut dyn Write) -> io::Result<()> {
        let (revision, objects) = {
            let state = self.read();
            let mut objects: Vec<(Resource, Arc<Object>)> = state
                .resources()
                .flat_map(|(resource, shelf)| {
                    shelf.objects.values().map(|object| (resource.clone(), Arc::clone(object)))
                })
                .collect();
            // Definitions come first: whoever reads the file must know a kind before its objects.
            let rank = |resource: &Resource| &*resource.group != "apiextensions.k8s.io";
            objects.sort_by(|a, b| (rank(&a.0), &a.0, &a.1.key).cmp(&(rank(&b.0), &b.0, &b.1.key)));
            (state.revision, objects)
        };
        serde_json::to_writer(&mut *out, &Head { revision })?;
        out.write_all(b"\n")?;
        for (resource, object) in objects {
            let object = serde_json::from_slice(&object.json)?;
            let (group, plural) = (resource.group.to_string(), resource.plural.to_string());
            serde_json::to_writer(&mut *out, &Line { group, plural, object })?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Takes in what [`Store::export`] wrote. `make` builds an object from its JSON; objects for which it gives nothing are left
    /// out. The history starts anew: watches from before get 410.
    pub fn import(
        &self,
        input: &mut dyn BufRead,
        mut make: impl FnMut(&Resource, &str, &mut Interner) -> Option<Object>,
    ) -> io::Result<()> {
        let mut writer = self.writer();
        let mut lines = input.lines();
        let head: Head = match lines.next() {
            Some(line) => serde_json::from_str(&line?)?,
            None => return Ok(()),
        };
        for line in lines {
            let line = line?;
            let Line { group, plural, object } = serde_json::from_str(&line)?;
            let resource = Resource::new(&group, &plural);
            if let Some(object) = make(&resource, object.get(), &mut writer.interner) {
                self.write_state(|state| {
                    let shelf = state.shelf_mut(&resource);
                    shelf.objects.insert(object.key.clone(), Arc::new(object));
                });
            }
        }
        self.write_state(|state| {
            state.revision = state.revision.max(head.revision);
            let revision = state.revision;
            state.compact(revision);
        });
        Ok(())
    }
}
