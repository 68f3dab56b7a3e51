//! Scenarios: a world in a file, for `plimsoll plan`.
//!
//! ```text
//! JSON ───────────▶ document ──▶ flags, groups, objects, memory ──▶ World
//! YAML ──▶ JSON ──▶ borrowed     each refuses by its place
//! ```
//!
//! A file may be half a gigabyte, nearly all of it objects. Of a JSON text nothing is copied before it is known what it
//! means: an object is a slice of the text until its own reader takes it.

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Group, Memory, Origin, Settings, Symbol, Unregistered, World};
use serde_json::value::RawValue;

use self::{
    document::Document,
    fields::Fields,
    scalar::{count, time},
};
use crate::{
    Reader,
    flags::{FlagError, Flags},
    problem::{At as _, Checked, Problem},
    wire::head,
};

pub use self::error::ScenarioError;

mod document;
mod error;
mod fields;
mod groups;
mod instances;
mod memory;
mod options;
mod priorities;
mod scalar;
mod yaml;

/// The age of objects that do not say when they were made.
const DEFAULT_AGE: SignedDuration = SignedDuration::from_hours(2);

/// More copies of an object than anybody wants, and fewer than would fill the memory.
const MOST_COPIES: u32 = 1_000_000;

/// Reads a scenario, JSON or YAML.
pub fn read(text: &str) -> Result<World, ScenarioError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if crate::yaml::looks_like_json(text) {
        return from_json(text);
    }
    from_json(&yaml::to_json(text)?)
}

fn from_json(text: &str) -> Result<World, ScenarioError> {
    let document = Document::read(text)?;
    let now = document.required("now").and_then(time).at("now")?;
    let too_early = |_| Problem::new("is too early").in_field("now");
    let created = now.checked_sub(DEFAULT_AGE).map_err(too_early)?;
    let mut settings = settings(document.get("flags"))?;
    let mut groups = match document.get("groups") {
        Some(groups) => groups::read(groups, &settings.group, created).at("groups")?,
        None => Vec::new(),
    };
    let (mut memory, orders) = match document.get("memory") {
        Some(memory) => memory::read(memory, settings.scale_up.backoff_initial).at("memory")?,
        None => (Memory::default(), Vec::new()),
    };

    let mut reader = Reader::new(created);
    for (index, object) in document.objects.iter().enumerate() {
        add(&mut reader, object.get()).map_err(|error| error.within_object(index))?;
    }
    drop(document);
    let objects = reader.finish().map_err(|error| ScenarioError {
        place: "objects".to_owned(),
        problem: error.to_string(),
    })?;
    settings.scale_up.priorities = priorities::find(&objects.config_maps);
    instances::complete(&mut groups, &objects.nodes)?;

    let groups: Vec<Group> = groups.into_iter().map(|draft| draft.group).collect();
    for group in &groups {
        memory.unregistered.extend(unregistered(group, now));
    }

    Ok(World {
        now,
        settings,
        cluster_uid: None,
        namespaces: objects.namespaces,
        storage: objects.storage,
        devices: objects.devices,
        nodes: objects.nodes,
        pods: objects.pods,
        controllers: objects.controllers,
        daemon_sets: objects.daemon_sets,
        budgets: objects.budgets,
        pod_templates: objects.pod_templates,
        buffers: objects.buffers,
        namespace_quotas: objects.namespace_quotas,
        requests: objects.requests,
        quotas: objects.quotas,
        groups,
        departed: Vec::new(),
        contested: Vec::new(),
        orders,
        memory,
        advice: Vec::new(),
    })
}

/// A file tells all there is to know: a machine that has no node in it never had one, and was seen from its beginning.
fn unregistered(
    group: &Group,
    now: Timestamp,
) -> impl Iterator<Item = ((Symbol, Box<str>), Unregistered)> {
    let machines = group.instances.iter().filter(|machine| machine.node.is_none());
    machines.map(move |machine| {
        let since = machine.created.unwrap_or(now);
        let origin = Origin::Ordered;
        let entry = Unregistered { since, created: machine.created, origin };
        ((group.id, machine.id.clone()), entry)
    })
}

fn settings(flags: Option<&RawValue>) -> Checked<Settings> {
    let mut settings = Flags::default();
    if let Some(flags) = flags {
        for (name, value) in options::read(flags).at("flags")? {
            settings.set(&name, &value).map_err(wrong_flag).at("flags")?;
        }
    }
    settings.finish().map_err(wrong_flag).at("flags")
}

fn wrong_flag(error: FlagError) -> Problem {
    Problem::new(error.problem).in_field(&error.name)
}

/// Takes an entry of `objects`: a manifest, or a number of copies of one.
fn add(reader: &mut Reader, entry: &str) -> Result<(), ScenarioError> {
    if !head::has_field(entry, "object") {
        return Ok(reader.add_json(entry)?);
    }
    let fields = Fields::read(entry, &["count", "object"])?;
    let copies = fields.required("count").and_then(count).and_then(at_most).at("count")?;
    let object = fields.required("object").at("object")?;
    Ok(reader.add_copies(object.get(), copies)?)
}

fn at_most(copies: u32) -> Checked<u32> {
    if copies > MOST_COPIES {
        Err(Problem::new(format!("{copies} is more than {MOST_COPIES}")))
    } else {
        Ok(copies)
    }
}

#[cfg(test)]
mod tests;
