//! The calls that take a node out of service, and back into it.

use std::sync::Arc;

use plimsoll_cluster::{
    Client, evict, nodes,
    orders::{Intent, Orders, Phase},
    taints::{self, Cordon, Mark, Marked, Marking},
};
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use plimsoll_plan::words;
use plimsoll_provider::{Error, Fleet, OrderId, Provider as _};
use tracing::{info, warn};

use super::{Answer, Job, Retirement};
use crate::fault::{Faults, Point};

/// Makes the calls that retirements need. Clones are the same.
#[derive(Clone)]
pub(crate) struct Crew {
    pub client: Client,
    pub orders: Orders,
    pub fleet: Arc<Fleet>,
    pub clock: Clock,
    pub faults: Faults,
}

/// What a call is about.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    id: OrderId,
    intent: Intent,
    node: Symbol,
    group: Symbol,
    instance: Box<str>,
    close: Cordon,
    open: Cordon,
}

// === impl Subject ===

impl Subject {
    /// `cordon` says whether nodes that leave are closed as well as tainted.
    pub(crate) fn of(retirement: &Retirement, cordon: bool) -> Self {
        let Retirement { id, group, node, instance, why, was_closed, replaced, drains, .. } =
            retirement;
        let intent = Intent::Retire {
            group: *group,
            node: *node,
            instance: instance.clone(),
            was_closed: *was_closed,
            replaced: *replaced,
            why: why.clone(),
            reason: retirement.reason.map(|why| words::retirement_name(why).to_owned()),
            drains: *drains,
        };
        Self {
            id: id.clone(),
            intent,
            node: *node,
            group: *group,
            instance: instance.clone(),
            close: if cordon { Cordon::Close } else { Cordon::Keep },
            open: if cordon && !was_closed { Cordon::Open } else { Cordon::Keep },
        }
    }

    /// The name of its order.
    pub(crate) fn id(&self) -> &OrderId {
        &self.id
    }
}

// === impl Crew ===

impl Crew {
    /// Makes a call.
    pub(crate) async fn run(&self, subject: &Subject, job: Job) -> Answer {
        match job {
            Job::Mark => Answer::Marked(self.mark(subject).await),
            Job::NoteDrain => {
                let noted = self.note(subject, Phase::Draining, "").await;
                self.faults.point(Point::DrainNoted).await;
                Answer::DrainNoted(noted)
            }
            Job::Evict { pod, uid, grace } => {
                let (namespace, name) = (pod.namespace.as_str(), &*pod.name);
                let outcome =
                    evict::evict(&self.client, namespace, name, uid.as_deref(), grace).await;
                self.faults.point(Point::Evicted).await;
                Answer::Evicted(pod, outcome)
            }
            Job::Delete => Answer::Deleted(self.delete(subject).await),
            Job::Finish { uid } => Answer::Finished(self.finish(subject, uid.as_deref()).await),
            Job::Release { why } => Answer::Released(self.release(subject, &why).await),
        }
    }

    /// Takes a mark off that no order explains. Says whether there was one.
    pub(crate) async fn clean(&self, node: Symbol, cordon: bool) -> Result<bool, String> {
        let open = if cordon { Cordon::Open } else { Cordon::Keep };
        let cleaned =
            taints::mark(&self.client, node.as_str(), Mark::Leaving, Marking::Take, open).await;
        cleaned.map(|marked| marked == Marked::Written).map_err(|error| error.to_string())
    }

    async fn mark(&self, subject: &Subject) -> Result<bool, String> {
        let now = self.clock.now();
        let written = self.orders.write(&subject.id, &subject.intent, now).await;
        written.map_err(|error| error.to_string())?;
        self.faults.point(Point::RetirementWanted).await;
        let (node, close) = (subject.node.as_str(), subject.close);
        let marked =
            taints::mark(&self.client, node, Mark::Leaving, Marking::Put(now), close).await;
        self.faults.point(Point::Marked).await;
        info!(node, order = %subject.id, "leaves");
        marked.map(|marked| marked != Marked::Gone).map_err(|error| error.to_string())
    }

    async fn delete(&self, subject: &Subject) -> Result<Result<(), Error>, String> {
        self.note(subject, Phase::Deleting, "").await?;
        self.faults.point(Point::DeletionNoted).await;
        let wanted = std::slice::from_ref(&subject.instance);
        let answer = self.fleet.delete(subject.group, wanted).await;
        self.faults.point(Point::DeletionAnswered).await;
        Ok(answer.and_then(|deletions| {
            let ours = deletions.into_iter().find(|one| one.instance == subject.instance);
            ours.map_or(Ok(()), |deletion| deletion.outcome)
        }))
    }

    async fn finish(&self, subject: &Subject, uid: Option<&str>) -> Result<(), String> {
        if let Some(uid) = uid {
            let deleted = nodes::delete(&self.client, subject.node.as_str(), uid).await;
            deleted.map_err(|error| error.to_string())?;
        }
        self.faults.point(Point::NodeDeleted).await;
        info!(node = %subject.node, order = %subject.id, "is gone");
        self.note(subject, Phase::Done, "").await
    }

    async fn release(&self, subject: &Subject, why: &str) -> Result<(), String> {
        warn!(node = %subject.node, order = %subject.id, why, "stays after all");
        self.faults.point(Point::ReleaseBegun).await;
        let (node, open) = (subject.node.as_str(), subject.open);
        let unmarked = taints::mark(&self.client, node, Mark::Leaving, Marking::Take, open).await;
        unmarked.map_err(|error| error.to_string())?;
        self.faults.point(Point::ReleaseDone).await;
        self.note(subject, Phase::Released, why).await
    }

    async fn note(&self, subject: &Subject, phase: Phase, message: &str) -> Result<(), String> {
        let written = self.orders.advance(&subject.id, phase, message, self.clock.now()).await;
        written.map_err(|error| error.to_string())
    }
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew").finish_non_exhaustive()
    }
}
