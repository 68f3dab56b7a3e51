//! What the scheduler looks at in a pod.

use plimsoll_model::{Labels, PodShape, Resources, Symbol};

use crate::{
    convert::{affinity, claim, ports, requests, spread, taints, volumes},
    problem::{At as _, Checked, each},
    wire::pod::{PodSpec, PodStatus},
};

/// A pod, or the pod that a template would yield.
pub(crate) struct Source<'s> {
    pub(crate) namespace: Symbol,
    pub(crate) labels: Labels,
    pub(crate) spec: &'s PodSpec<'s>,
    /// Of a pod that runs.
    pub(crate) status: Option<&'s PodStatus<'s>>,
    /// Of a pod that exists: the claims that were made for it.
    pub(crate) claims: Option<&'s PodStatus<'s>>,
    /// A template has none.
    pub(crate) identity: Option<Identity<'s>>,
    pub(crate) pinned_to: Option<Symbol>,
    pub(crate) terminating: bool,
}

/// Name and uid of a pod that exists.
pub(crate) struct Identity<'s> {
    pub(crate) name: &'s str,
    pub(crate) uid: &'s str,
}

/// The shape; the path of a problem begins at the pod.
pub(crate) fn shape(source: Source<'_>) -> Checked<PodShape> {
    let requests = requests::total(source.spec, source.status)?;
    with_requests(source, requests).at("spec")
}

fn with_requests(source: Source<'_>, requests: Resources) -> Checked<PodShape> {
    let Source { namespace, labels, spec, status: _, claims, identity, pinned_to, terminating } =
        source;
    let spread: Vec<_> =
        each(&spec.spread, "topologySpreadConstraints", |one| spread::constraint(one, &labels))?;
    let volumes: Vec<_> =
        each(&spec.volumes, "volumes", |volume| volumes::pod_volume(volume, identity.as_ref()))?;
    let [affinity, anti_affinity] = affinity::pod_terms(spec, namespace, &labels)?;
    Ok(PodShape {
        namespace,
        requests,
        pinned_to,
        node_affinity: affinity::node_affinity(spec)?,
        tolerations: each(&spec.tolerations, "tolerations", taints::toleration)?,
        ports: ports::host_ports(spec)?,
        spread: spread.into_iter().flatten().collect(),
        affinity,
        anti_affinity,
        volumes: volumes.into_iter().flatten().collect(),
        device_claims: claim::pod_claims(spec, claims)?,
        terminating,
        labels,
    })
}
