//! Pods.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_model::{Deletion, Owner, Phase, Pod, PodShape, Symbol};

use crate::{
    convert::{
        extras::extras,
        meta,
        requests::RESTART_POLICIES,
        shape::{self, Identity, Source},
    },
    intern::Interner,
    problem::{At as _, Checked, Problem},
    wire::{meta::Metadata, pod as wire},
};

const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// How long a pod is given that does not say.
const DEFAULT_GRACE: i64 = 30;

const PHASES: [&str; 5] = ["Pending", "Running", "Succeeded", "Failed", "Unknown"];

/// What pods share, and what they get when they do not say.
#[derive(Debug)]
pub(crate) struct Pods {
    pub(crate) shapes: Interner<PodShape>,
    pub(crate) owners: Interner<Owner>,
    pub(crate) default_created: Timestamp,
}

/// What `spec.nodeName` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A pod of the cluster: it runs there.
    Member,
    /// A pod that is asked about: it may go there only.
    Question,
}

// === impl Pods ===

impl Pods {
    pub(crate) fn new(default_created: Timestamp) -> Self {
        Self { shapes: Interner::default(), owners: Interner::default(), default_created }
    }

    /// The pod, its priority still to be settled.
    pub(crate) fn convert(&mut self, pod: &wire::Pod<'_>, role: Role) -> Checked<Pod> {
        let wire::Pod { metadata, spec, status } = pod;
        let name = meta::name(metadata)?;
        let phase = phase(&status.phase).at("phase").at("status")?;
        meta::one_of(&spec.restart_policy, &RESTART_POLICIES, "a restart policy", "restartPolicy")
            .at("spec")?;
        let named_node = meta::given_symbol(&spec.node);
        let (node, pinned_to) = match role {
            Role::Member => (named_node, None),
            Role::Question => (None, named_node),
        };
        let shape = shape::shape(Source {
            namespace: meta::namespace(metadata),
            labels: meta::labels(&metadata.labels),
            spec,
            status: node.is_some().then_some(status),
            claims: Some(status),
            identity: Some(Identity { name, uid: &metadata.uid }),
            pinned_to,
            terminating: !metadata.deleted.is_empty(),
        })?;
        let has_ended = matches!(phase, Phase::Succeeded | Phase::Failed);
        Ok(Pod {
            name: name.into(),
            shape: self.shapes.share(shape),
            node,
            phase,
            priority: 0,
            created: meta::created(metadata, self.default_created)?,
            deletion: deletion(metadata, spec.grace)?,
            owner: self.owner(metadata),
            scheduler: Symbol::new(spec.scheduler.given().unwrap_or(DEFAULT_SCHEDULER)),
            nominated: meta::given_symbol(&status.nominated),
            gated: !spec.gates.is_empty(),
            extras: extras(pod, has_ended),
        })
    }

    fn owner(&mut self, metadata: &Metadata<'_>) -> Option<Arc<Owner>> {
        let owner = meta::controller(metadata)?;
        Some(self.owners.share(Owner {
            kind: Symbol::new(&owner.kind),
            name: (&*owner.name).into(),
            uid: (&*owner.uid).into(),
        }))
    }
}

fn phase(word: &str) -> Checked<Phase> {
    match word {
        "" | "Pending" => Ok(Phase::Pending),
        // The kubelet cannot be reached: what ran still counts as running.
        "Running" | "Unknown" => Ok(Phase::Running),
        "Succeeded" => Ok(Phase::Succeeded),
        "Failed" => Ok(Phase::Failed),
        word => Err(Problem::unknown(word, "a phase", &PHASES)),
    }
}

fn deletion(metadata: &Metadata<'_>, usual_grace: Option<i64>) -> Checked<Option<Deletion>> {
    let at = meta::time(&metadata.deleted, "deletionTimestamp").at("metadata")?;
    let grace = metadata.grace.or(usual_grace).unwrap_or(DEFAULT_GRACE);
    Ok(at.map(|at| Deletion { at, grace }))
}

#[cfg(test)]
mod tests;
