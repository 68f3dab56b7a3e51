//! CapacityBuffers: how many units of which shape each of them is, and what its user is told.
//!
//! A unit is a pod that does not exist. Like headroom it is the least important of all that count: it takes what room is left after
//! everybody else, is bought for when there is none, and keeps the node it is on from being given back.
//!
//! ```text
//! podTemplateRef, scalableRef ──▶ source ──▶ PodTemplate of ours ──▶ unit ─┐
//! replicas, percentage, limits ─────────────────────────────────────────────┼─▶ count ──▶ quotas ──▶ units, conditions
//! ```
//! The PodTemplate of ours has the text as the API server would take it. It is what the status refers to, so that others who provide
//! capacity for buffers find it there.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Buffer, BufferSource, BufferStatus, Pod, PodTemplate, StandIn, Symbol, Units, World,
    buffer::ACTIVE_CAPACITY,
};

use self::{
    conditions::Conditions,
    shared::Shared,
    source::{Source, Unit},
};
use crate::{plan::Kept, stand_ins::stand_in};

mod conditions;
mod count;
mod quotas;
mod shared;
mod source;

/// What a pass says of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferReport {
    /// Its place in the World.
    pub place: usize,
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
    /// How many units room is kept for in this pass.
    pub units: u32,
    /// How many of them have a place.
    pub placed: u32,
    /// What its user is to be told.
    pub told: Told,
    /// The PodTemplate that has to be written for it.
    pub making: Option<Making>,
}

/// What the user of a buffer is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing yet.
    Nothing,
    /// All there is to a status.
    Everything(BufferStatus),
    /// Only conditions: somebody else says the rest.
    Conditions(BufferStatus),
}

/// A PodTemplate that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    /// What it is called.
    pub name: Box<str>,
    /// What it is made from.
    pub source: BufferSource,
    /// The digest of the text that it is made from.
    pub digest: u64,
}

/// The longest name that an object may have.
const LONGEST_NAME: usize = 253;

/// A buffer with what became of it.
pub(crate) struct Resolved<'w> {
    unit: Option<Unit<'w>>,
    report: BufferReport,
}

/// What each buffer comes to that is ours, in the order in which they are served.
pub(crate) fn resolve(world: &World) -> Vec<Resolved<'_>> {
    let settings = world.settings.scale_up.buffers;
    if !settings.resolve && !settings.inject {
        return Vec::new();
    }
    let mut buffers: Vec<(usize, &Buffer)> = world.buffers.iter().enumerate().collect();
    buffers.sort_by_key(|(_, buffer)| (buffer.created, buffer.namespace, &buffer.name));
    let mut shared = Shared::new(world);
    let one = |(place, buffer)| {
        if settings.resolve {
            own(world, &mut shared, place, buffer)
        } else {
            foreign(world, &mut shared, place, buffer)
        }
    };
    buffers.into_iter().filter_map(one).collect()
}

/// The pods that stand for their units.
pub(crate) fn pods<'r>(
    world: &'r World,
    resolved: &'r [Resolved<'_>],
) -> impl Iterator<Item = Pod> + 'r {
    let priority = world.settings.scale_up.expendable_cutoff;
    let units = resolved.iter().flat_map(|one| {
        let count = usize::try_from(one.report.units).unwrap_or_default();
        let unit = one.unit.iter().take(count);
        unit.flat_map(move |unit| {
            (0..count).map(move |number| (one.report.place, number, unit.pod))
        })
    });
    units.map(move |(place, number, pod)| {
        stand_in(world, StandIn::Buffer(place), number, Arc::clone(pod), priority)
    })
}

/// What users are told, with the number of units that have a place.
pub(crate) fn reports(resolved: Vec<Resolved<'_>>, kept: &[Kept]) -> Vec<BufferReport> {
    let mut placed: BTreeMap<usize, u32> = BTreeMap::new();
    for one in kept {
        if let StandIn::Buffer(place) = one.stands_for {
            *placed.entry(place).or_default() += one.pods;
        }
    }
    let mut reports: Vec<BufferReport> = resolved
        .into_iter()
        .map(|one| {
            let placed = placed.get(&one.report.place).copied().unwrap_or(0);
            BufferReport { placed, ..one.report }
        })
        .collect();
    reports.sort_by(|one, other| (one.namespace, &one.name).cmp(&(other.namespace, &other.name)));
    reports
}

/// The name of the PodTemplate that is made for a buffer.
fn template_name(buffer: &str) -> Box<str> {
    const BEFORE: &str = "capacitybuffer-";
    const AFTER: &str = "-pod-template";
    let most = LONGEST_NAME - BEFORE.len() - AFTER.len();
    // Names of objects are ASCII; of anything else nothing is left, and the API server says what it thinks of that.
    let short = buffer.get(..most.min(buffer.len())).unwrap_or_default();
    format!("{BEFORE}{short}{AFTER}").into()
}

/// A buffer for which we are to find out everything.
fn own<'w>(
    world: &'w World,
    shared: &mut Shared<'w>,
    place: usize,
    buffer: &'w Buffer,
) -> Option<Resolved<'w>> {
    if !buffer.strategy.is_empty() && *buffer.strategy != *ACTIVE_CAPACITY {
        return None;
    }
    let name = template_name(&buffer.name);
    let template = find(world, buffer.namespace, &name).filter(|found| found.made_from.is_some());
    let source = source::find(world, buffer);
    let making = source.as_ref().ok().and_then(|(from, source)| {
        let is_made = template.is_some_and(|made| made.made_from == Some(source.unit.digest));
        let (source, digest) = ((*from).clone(), source.unit.digest);
        (!is_made).then(|| Making { name: name.clone(), source, digest })
    });
    let counted = source.and_then(|(_, source)| judge(world, buffer, &source, template));
    let mut conditions = Conditions::new(world, buffer);
    let status = BufferStatus {
        template: template.map(|template| template.name.clone()),
        template_generation: template.map(|template| template.generation),
        replicas: None,
        strategy: ACTIVE_CAPACITY.into(),
        conditions: Vec::new(),
    };
    let (unit, count, told) = match counted {
        // Nobody has answered yet.
        Ok(None) => (None, 0, Told::Nothing),
        Err(problem) => {
            conditions.not_ready(&problem);
            conditions.not_provided(NOT_READY, "CapacityBuffer is not ready for provisioning");
            let conditions = conditions.finish();
            let (template, template_generation) = (None, None);
            let status = BufferStatus { conditions, template, template_generation, ..status };
            (None, 0, Told::Everything(status))
        }
        Ok(Some((unit, wanted))) => {
            let (count, blocking) = shared.quotas.allot(buffer.namespace, &unit, wanted);
            conditions.ready();
            conditions.limited(wanted, count, &blocking);
            let units = shared.provide(world, &unit, count, &mut conditions);
            let conditions = conditions.finish();
            let status = BufferStatus { conditions, replicas: Some(count), ..status };
            // What the status refers to has to be there.
            let told = if template.is_some() { Told::Everything(status) } else { Told::Nothing };
            (Some(unit), units, told)
        }
    };
    Some(Resolved { unit, report: report(place, buffer, count, told, making) })
}

/// A buffer of which somebody else finds out how many units of which shape it is.
fn foreign<'w>(
    world: &'w World,
    shared: &mut Shared<'w>,
    place: usize,
    buffer: &'w Buffer,
) -> Option<Resolved<'w>> {
    let status = &buffer.status;
    if *status.strategy != *ACTIVE_CAPACITY {
        return None;
    }
    let mut conditions = Conditions::new(world, buffer);
    let template = status.template.as_ref();
    let (unit, units) = match (template, status.replicas) {
        (Some(template), Some(count)) if !conditions.is_not_ready() => {
            if let Some(template) = find(world, buffer.namespace, template) {
                let unit = Unit::of(template);
                let units = shared.provide(world, &unit, count, &mut conditions);
                (Some(unit), units)
            } else {
                let problem = format!("PodTemplate {template} is not there");
                conditions.not_provided("FailedToGetPodTemplate", &problem);
                (None, 0)
            }
        }
        _ => {
            conditions.not_provided(NOT_READY, "CapacityBuffer is not ready for provisioning");
            (None, 0)
        }
    };
    let status = BufferStatus { conditions: conditions.finish(), ..BufferStatus::default() };
    let told = Told::Conditions(status);
    Some(Resolved { unit, report: report(place, buffer, units, told, None) })
}

const NOT_READY: &str = "NotReadyForProvisioning";

fn report(
    place: usize,
    buffer: &Buffer,
    units: u32,
    told: Told,
    making: Option<Making>,
) -> BufferReport {
    let (namespace, name, uid) = (buffer.namespace, buffer.name.clone(), buffer.uid.clone());
    BufferReport { place, namespace, name, uid, units, placed: 0, told, making }
}

fn find<'w>(world: &'w World, namespace: Symbol, name: &str) -> Option<&'w PodTemplate> {
    let mut templates = world.pod_templates.iter();
    templates.find(|template| template.namespace == namespace && &*template.name == name)
}

/// The unit and how many of it the buffer wants. `None` while its PodTemplate is being made.
fn judge<'w>(
    world: &World,
    buffer: &Buffer,
    source: &Source<'w>,
    template: Option<&'w PodTemplate>,
) -> Result<Option<(Unit<'w>, i32)>, String> {
    let refusal = buffer.refusal.as_ref().filter(|known| known.digest == source.unit.digest);
    if let Some(refusal) = refusal {
        return Err(refusal.why.to_string());
    }
    let unit = match world.settings.scale_up.buffers.units {
        Units::AsWritten => Some(source.unit),
        Units::AsAdmitted => template.map(Unit::of),
    };
    let Some(unit) = unit else { return Ok(None) };
    let count = count::wanted(buffer, &unit.pod.requests, source.replicas)?;
    Ok(Some((unit, count)))
}
