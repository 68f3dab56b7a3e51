//! What a pod asks for, by Kubernetes' rules.
//!
//! Containers run side by side, so their requests add up. Ordinary init containers run one after the other before them, so
//! only the largest counts, each on top of the sidecars (restartable init containers) that were started before it. Requests
//! at pod level replace the sum for the resources they name; overhead comes on top.

use crate::{Quantity, Resources, Symbol, quantity::QuantityError, resource};

/// Requested amounts as written, by resource name. Unordered; a name stands once.
pub type Requests = Vec<(Symbol, Quantity)>;

/// An init container, in the order of the pod's list.
#[derive(Clone, Debug)]
pub struct InitContainer {
    /// What it asks for.
    pub requests: Requests,
    /// Restart policy Always: it is a sidecar and keeps running beside the containers.
    pub sidecar: bool,
}

/// The parts of a pod that decide what it asks for.
#[derive(Clone, Debug, Default)]
pub struct PodRequests {
    /// One entry a container.
    pub containers: Vec<Requests>,
    /// One entry an init container, in order.
    pub init_containers: Vec<InitContainer>,
    /// `spec.resources.requests`; the API server lets it name cpu, memory and huge pages only.
    pub pod_level: Requests,
    /// What the runtime itself needs.
    pub overhead: Requests,
}

// === impl PodRequests ===

impl PodRequests {
    /// The pod's total, each resource rounded up once at the end. The error names the resource whose sum is too large.
    pub fn total(&self) -> Result<Resources, (Symbol, QuantityError)> {
        let mut running = Requests::new();
        for container in &self.containers {
            add_all(&mut running, container)?;
        }
        let mut sidecars = Requests::new();
        let mut starting = Requests::new();
        for init in &self.init_containers {
            if init.sidecar {
                add_all(&mut running, &init.requests)?;
                add_all(&mut sidecars, &init.requests)?;
                raise_to(&mut starting, &sidecars);
            } else {
                let mut beside = init.requests.clone();
                add_all(&mut beside, &sidecars)?;
                raise_to(&mut starting, &beside);
            }
        }
        raise_to(&mut running, &starting);
        for (name, amount) in &self.pod_level {
            match running.iter_mut().find(|(other, _)| other == name) {
                Some((_, replaced)) => *replaced = *amount,
                None => running.push((*name, *amount)),
            }
        }
        add_all(&mut running, &self.overhead)?;
        scheduler_units(&running)
    }
}

/// For each resource the larger amount; used for a running container whose resize is under way, too.
pub fn raise_to(requests: &mut Requests, floor: &[(Symbol, Quantity)]) {
    for (name, amount) in floor {
        match requests.iter_mut().find(|(other, _)| other == name) {
            Some((_, present)) if *present < *amount => *present = *amount,
            Some(_) => {}
            None => requests.push((*name, *amount)),
        }
    }
}

/// Amounts in the scheduler's units: cpu in thousandths, everything else in whole units, rounded up.
pub fn scheduler_units(
    amounts: &[(Symbol, Quantity)],
) -> Result<Resources, (Symbol, QuantityError)> {
    let mut resources = Resources::default();
    for (name, amount) in amounts {
        let units = if name.as_str() == resource::CPU { amount.milli() } else { amount.value() };
        resources.add(*name, units.map_err(|error| (*name, error))?);
    }
    Ok(resources)
}

fn add_all(
    sum: &mut Requests,
    amounts: &[(Symbol, Quantity)],
) -> Result<(), (Symbol, QuantityError)> {
    for (name, amount) in amounts {
        match sum.iter_mut().find(|(other, _)| other == name) {
            Some((_, present)) => {
                *present = present.checked_add(amount).map_err(|error| (*name, error))?;
            }
            None => sum.push((*name, *amount)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
