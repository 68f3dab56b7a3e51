//! Kinds of machines that were offered in the service's time, for services that have no catalogue.
//!
//! The service of 2018 had no call for it: its clients carried such a list themselves. Where sources differ about a kind, the smaller
//! amount stands here, because a node that was promised too large is ordered for pods that never fit.

use super::wire::Specs;

mod architecture;
mod table;

pub(super) use self::architecture::architecture;
use self::table::{FAMILIES, KINDS};

/// What a kind of machine has, if it is one of those. Clouds differ in how they write capital letters.
pub(super) fn known(kind: &str) -> Option<Specs> {
    let kind = kind.trim().to_ascii_lowercase();
    listed(&kind).or_else(|| family(&kind)).or_else(|| spelled_out(&kind))
}

fn listed(kind: &str) -> Option<Specs> {
    let (_, cores, memory, gpu) = KINDS.iter().find(|(name, ..)| *name == kind)?;
    Some(Specs { cpu_millis: cores * 1000, memory: *memory, gpu: *gpu })
}

/// Kinds whose names end in how many cores they have, with as much memory for each.
fn family(kind: &str) -> Option<Specs> {
    let (prefix, memory, most) = FAMILIES.iter().find(|(prefix, ..)| kind.starts_with(prefix))?;
    let cores: u32 = kind.strip_prefix(prefix)?.parse().ok()?;
    let is_offered = cores.is_power_of_two() && cores <= *most;
    is_offered.then_some(Specs { cpu_millis: cores * 1000, memory: cores * memory, gpu: 0 })
}

/// `2,INTEL_XEON,4096,50,SSD`: cores, processor, memory in MB, disk in GB, kind of disk.
fn spelled_out(kind: &str) -> Option<Specs> {
    let parts: Vec<&str> = kind.split(',').collect();
    let [cores, _, memory, _, _] = &*parts else { return None };
    let cores: u32 = cores.trim().parse().ok().filter(|cores| (1..=512).contains(cores))?;
    let memory: u32 = memory.trim().parse().ok().filter(|memory| *memory >= 512)?;
    Some(Specs { cpu_millis: cores * 1000, memory, gpu: 0 })
}

#[cfg(test)]
mod tests;
