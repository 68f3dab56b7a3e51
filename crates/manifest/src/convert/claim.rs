//! Claims for devices.

use std::sync::Arc;

use plimsoll_model::{
    AllocatedDevice, AllocatedWhere, ClaimAllocation, ClaimSpec, DeviceClaim, DeviceConstraint,
    DeviceCount, DeviceRequest, DeviceWants, DeviceWish, PodClaim, SameOrDistinct, Symbol,
};

use crate::{
    convert::{
        affinity,
        device::{named_amounts, selectors},
        meta::{self, required},
        taints,
    },
    problem::{At as _, Checked, Problem, each},
    wire::{
        device as wire,
        pod::{PodSpec, PodStatus},
    },
};

const MODES: [&str; 2] = ["ExactCount", ALL];
const ALL: &str = "All";

/// A ResourceClaim.
pub(crate) fn claim(claim: &wire::ResourceClaim<'_>) -> Checked<DeviceClaim> {
    let wire::ResourceClaim { metadata, spec, status } = claim;
    let id = (meta::namespace(metadata), Symbol::new(meta::name(metadata)?));
    let is_pod = |user: &&wire::ClaimUser<'_>| user.group.is_empty() && &*user.resource == "pods";
    let others = status.users.iter().filter(|user| !is_pod(user)).count();
    Ok(DeviceClaim {
        id,
        spec: Arc::new(claim_spec(spec).at("spec")?),
        allocation: status
            .allocation
            .as_ref()
            .map(allocation)
            .transpose()
            .at("allocation")
            .at("status")?,
        other_users: u32::try_from(others).unwrap_or(u32::MAX),
        deleting: !metadata.deleted.is_empty(),
    })
}

/// A ResourceClaimTemplate: namespace and name, and what its claims ask for.
pub(crate) fn template(
    template: &wire::ClaimTemplate<'_>,
) -> Checked<((Symbol, Symbol), Arc<ClaimSpec>)> {
    let wire::ClaimTemplate { metadata, spec } = template;
    let id = (meta::namespace(metadata), Symbol::new(meta::name(metadata)?));
    Ok((id, Arc::new(claim_spec(&spec.spec).at("spec").at("spec")?)))
}

/// `spec.resourceClaims` of a pod. A pod that exists knows which claims were made for it, and for which entries none is
/// needed.
pub(crate) fn pod_claims(
    spec: &PodSpec<'_>,
    status: Option<&PodStatus<'_>>,
) -> Checked<Box<[PodClaim]>> {
    let claims: Vec<Option<PodClaim>> = each(&spec.claims, "resourceClaims", |entry| {
        let name = required(&entry.name, "name")?;
        match (entry.claim.given(), entry.template.given()) {
            (Some(_), Some(_)) => {
                Err(Problem::new("names a claim and a template, and only one of them can be"))
            }
            (Some(claim), None) => Ok(Some(PodClaim::Named(Symbol::new(claim)))),
            (None, Some(template)) => Ok(own_claim(name, template, status)),
            (None, None) => Err(Problem::missing()).at("resourceClaimName"),
        }
    })?;
    Ok(claims.into_iter().flatten().collect())
}

fn own_claim(name: &str, template: &str, status: Option<&PodStatus<'_>>) -> Option<PodClaim> {
    let template = Symbol::new(template);
    let mut made = status.into_iter().flat_map(|status| status.claims.iter());
    let Some(made) = made.find(|made| &*made.name == name) else {
        return Some(PodClaim::Template(template));
    };
    let claim = Symbol::new(made.claim.given()?);
    Some(PodClaim::Generated { template, claim })
}

fn claim_spec(spec: &wire::ClaimSpec<'_>) -> Checked<ClaimSpec> {
    let devices = &spec.devices;
    let requests = each(&devices.requests, "requests", request).at("devices")?;
    let constraints = each(&devices.constraints, "constraints", constraint).at("devices")?;
    Ok(ClaimSpec { requests, constraints })
}

fn request(request: &wire::DeviceRequest<'_>) -> Checked<DeviceRequest> {
    let name = Symbol::new(required(&request.name, "name")?);
    let wants = match (&request.exactly, &*request.first_available) {
        (Some(_), [_, ..]) => {
            return Err(Problem::new("has exactly and firstAvailable, and only one can be"));
        }
        (Some(exactly), []) => DeviceWants::Exactly(wish(exactly).at("exactly")?),
        (None, alternatives @ [_, ..]) => {
            DeviceWants::FirstAvailable(each(alternatives, "firstAvailable", |one| {
                Ok((Symbol::new(required(&one.name, "name")?), wish(one)?))
            })?)
        }
        // As v1beta1 has it.
        (None, []) => DeviceWants::Exactly(wish(request)?),
    };
    Ok(DeviceRequest { name, wants })
}

fn wish(asked: &wire::DeviceRequest<'_>) -> Checked<DeviceWish> {
    let mode = meta::one_of(&asked.mode, &MODES, "an allocation mode", "allocationMode")?;
    let count = match asked.count {
        _ if mode == ALL => DeviceCount::All,
        Some(count @ ..0) => {
            return Err(Problem::new(format!("{count} is less than 1"))).at("count");
        }
        // Zero is what Go writes when nothing was said.
        None | Some(0) => DeviceCount::Exactly(1),
        Some(count) => DeviceCount::Exactly(count),
    };
    Ok(DeviceWish {
        class: Symbol::new(required(&asked.class, "deviceClassName")?),
        count,
        selectors: selectors(&asked.selectors)?,
        tolerations: each(&asked.tolerations, "tolerations", taints::toleration)?,
        admin: asked.admin == Some(true),
        capacity: named_amounts(&asked.capacity.requests, "requests").at("capacity")?,
    })
}

fn constraint(constraint: &wire::Constraint<'_>) -> Checked<DeviceConstraint> {
    let (attribute, rule) = match (constraint.same.given(), constraint.distinct.given()) {
        (Some(attribute), None) => (attribute, SameOrDistinct::Same),
        (None, Some(attribute)) => (attribute, SameOrDistinct::Distinct),
        (None, None) => return Err(Problem::missing()).at("matchAttribute"),
        (Some(_), Some(_)) => {
            return Err(Problem::new(
                "has matchAttribute and distinctAttribute, and only one can be",
            ));
        }
    };
    Ok(DeviceConstraint {
        requests: constraint.requests.iter().map(|name| Symbol::new(name)).collect(),
        attribute: Symbol::new(attribute),
        rule,
    })
}

fn allocation(allocation: &wire::Allocation<'_>) -> Checked<ClaimAllocation> {
    let device = |device: &wire::AllocatedDevice<'_>| {
        Ok(AllocatedDevice {
            driver: Symbol::new(&device.driver),
            pool: Symbol::new(&device.pool),
            device: Symbol::new(&device.device),
            admin: device.admin == Some(true),
            shared: !device.share.is_empty(),
            consumed: named_amounts(&device.consumed, "consumedCapacity")?,
        })
    };
    let nodes = allocation.nodes.as_ref().map(affinity::node_selector).transpose();
    Ok(ClaimAllocation {
        devices: each(&allocation.devices.results, "results", device).at("devices")?,
        reach: match nodes.at("nodeSelector")? {
            Some(nodes) => AllocatedWhere::Nodes(nodes),
            None => AllocatedWhere::Everywhere,
        },
    })
}

#[cfg(test)]
mod tests;
