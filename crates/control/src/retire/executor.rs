//! The calls that take a node out of service, and back into it.

use std::sync::Arc;

use futures::future::join_all;
use plimsoll_cluster::{
    Client, evict, nodes,
    orders::{Orders, OrdersError, Progress, Written},
    pods::{self, LiveKind, LivePod},
    taints::{self, Cordon, Mark, Marked, Marking},
};
use plimsoll_model::{Intent, OrderPhase, RemoveNode, Symbol};
use plimsoll_net::Clock;
use plimsoll_plan::words;
use plimsoll_provider::{Class, Error, Fleet, OrderId, Provider as _};
use tracing::{info, warn};

use super::{Answer, Deletion, Job, Retirement};
use crate::fault::{Faults, Point};

/// Makes the calls that retirements need. Clones are the same.
#[derive(Clone)]
pub(crate) struct RemovalExecutor {
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
    /// The Node that is meant. Another one of its name is not touched.
    uid: Option<Box<str>>,
    group: Symbol,
    instance: Box<str>,
    close: Cordon,
    open: Cordon,
}

/// A node whose machine is to be deleted, and the uids of pods on it that nobody is left to end.
pub(crate) type Doomed = (Subject, Vec<Box<str>>);

// === impl Subject ===

impl Subject {
    /// `cordon` says whether nodes that leave are closed as well as tainted.
    pub(crate) fn of(retirement: &Retirement, cordon: bool) -> Self {
        let Retirement {
            id,
            group,
            node,
            node_uid,
            instance,
            why,
            was_closed,
            replaced,
            drains,
            ..
        } = retirement;
        let intent = Intent::RemoveNode(RemoveNode {
            group: *group,
            node: *node,
            node_uid: node_uid.clone(),
            instance: instance.clone(),
            was_closed: *was_closed,
            replaced: *replaced,
            why: why.clone(),
            reason: retirement.reason.map(|why| words::retirement_name(why).to_owned()),
            drains: *drains,
        });
        Self {
            id: id.clone(),
            intent,
            node: *node,
            uid: node_uid.clone(),
            group: *group,
            instance: instance.clone(),
            close: if cordon { Cordon::Close } else { Cordon::Keep },
            open: if cordon && !was_closed { Cordon::Open } else { Cordon::Keep },
        }
    }

    /// The node.
    pub(crate) const fn node(&self) -> Symbol {
        self.node
    }

    /// The name of its order.
    pub(crate) fn id(&self) -> &OrderId {
        &self.id
    }
}

// === impl RemovalExecutor ===

impl RemovalExecutor {
    /// Makes a call.
    pub(crate) async fn run(&self, subject: &Subject, job: Job) -> Answer {
        match job {
            Job::Mark => Answer::Marked(self.mark(subject).await),
            Job::NoteDrain => {
                let noted = self.note(subject, OrderPhase::Draining, "").await;
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
            // Deletions are asked for group by group.
            Job::Delete { lost } => {
                let answers = self.delete(&[(subject.clone(), lost)]).await;
                let nobody = || Answer::Deleted(Err("nothing was asked".to_owned()));
                answers.into_iter().next().unwrap_or_else(nobody)
            }
            Job::Finish { uid } => Answer::Finished(self.finish(subject, uid.as_deref()).await),
            Job::Release { why } => Answer::Released(self.release(subject, &why).await),
            Job::Close { why } => {
                warn!(node = %subject.node, order = %subject.id, why, "order given up, node left as it is");
                Answer::Released(self.note(subject, OrderPhase::Released, &why).await)
            }
        }
    }

    /// Asks the provider to delete the machines of some nodes of one group, all in one call. Of each it is written down first, and
    /// each is looked at once more in the API server itself: what is watched may be behind. Answers in the order of the nodes.
    pub(crate) async fn delete(&self, nodes: &[Doomed]) -> Vec<Answer> {
        let checks = nodes.iter().map(|(subject, lost)| self.check(subject, lost));
        let checked = join_all(checks).await;
        let clear = nodes.iter().zip(&checked).filter(|(_, checked)| matches!(checked, Ok(None)));
        let wanted: Vec<Box<str>> =
            clear.map(|((subject, _), _)| subject.instance.clone()).collect();
        self.faults.point(Point::DeletionNoted).await;
        let answer = match nodes.first() {
            Some((subject, _)) if !wanted.is_empty() => {
                info!(group = %subject.group, machines = ?wanted, "machine deletion started");
                self.fleet.delete(subject.group, &wanted).await
            }
            _ => Ok(Vec::new()),
        };
        self.faults.point(Point::DeletionAnswered).await;
        let told = |subject: &Subject| {
            let deletions = answer.as_ref().map_err(|error| match error.class() {
                // That nobody knows the group does not mean that the machine is gone.
                Class::NotFound => Error::invalid(error.to_string()),
                _ => error.clone(),
            })?;
            let ours = deletions.iter().find(|one| one.instance == subject.instance);
            ours.map_or(Ok(()), |deletion| deletion.outcome.clone())
        };
        let answers = nodes.iter().zip(checked).map(|((subject, _), checked)| {
            Answer::Deleted(
                checked.map(|kept| kept.unwrap_or_else(|| Deletion::Answered(told(subject)))),
            )
        });
        answers.collect()
    }

    /// Writes down that a machine is to be deleted, and looks whether it may be: `None` when nothing stands in the way.
    async fn check(
        &self,
        subject: &Subject,
        lost: &[Box<str>],
    ) -> Result<Option<Deletion>, String> {
        self.note(subject, OrderPhase::Deleting, "").await?;
        let name = subject.node.as_str();
        let node = nodes::live_node(&self.client, name).await.map_err(|error| error.to_string())?;
        let changed = match &node {
            None => Some("the node is gone".to_owned()),
            Some(node) if subject.uid.as_ref().is_some_and(|uid| *uid != node.uid) => {
                Some(format!("another node is called {name} by now"))
            }
            Some(node) if node.keep => Some("it is marked as not to be removed".to_owned()),
            Some(_) => None,
        };
        if let Some(why) = changed {
            return Ok(Some(Deletion::Changed(why)));
        }
        let pods = pods::on_node(&self.client, name).await.map_err(|error| error.to_string())?;
        let runs = |pod: &&LivePod| pod.kind == LiveKind::Workload && !lost.contains(&pod.uid);
        let Some(pod) = pods.iter().find(runs) else {
            if let Some(node) = &node {
                self.fleet.introduce(subject.group, &subject.instance, &node.identity);
            }
            return Ok(None);
        };
        let pod = format!("{}/{}", pod.namespace, pod.name);
        warn!(node = name, pod, order = %subject.id, "machine not deleted: a pod runs on the node");
        Ok(Some(Deletion::Occupied))
    }

    /// Takes a mark off that no order explains. Says whether there was one.
    pub(crate) async fn clean(&self, node: Symbol, cordon: bool) -> Result<bool, String> {
        let open = if cordon { Cordon::Open } else { Cordon::Keep };
        let cleaned =
            taints::mark(&self.client, (node.as_str(), None), Mark::Leaving, Marking::Take, open)
                .await;
        cleaned.map(|marked| marked == Marked::Written).map_err(|error| error.to_string())
    }

    async fn mark(&self, subject: &Subject) -> Result<bool, String> {
        let now = self.clock.now();
        self.write(subject).await?;
        self.faults.point(Point::RetirementWanted).await;
        let (node, close) = (subject.node.as_str(), subject.close);
        let uid = subject.uid.as_deref();
        let marked =
            taints::mark(&self.client, (node, uid), Mark::Leaving, Marking::Put(now), close).await;
        self.faults.point(Point::Marked).await;
        info!(node, order = %subject.id, "scale-down started, node tainted");
        marked.map(|marked| marked != Marked::Gone).map_err(|error| error.to_string())
    }

    async fn finish(&self, subject: &Subject, uid: Option<&str>) -> Result<(), String> {
        if let Some(uid) = uid {
            let deleted = nodes::delete(&self.client, subject.node.as_str(), uid).await;
            deleted.map_err(|error| error.to_string())?;
        }
        self.faults.point(Point::NodeDeleted).await;
        info!(node = %subject.node, order = %subject.id, "node removed");
        self.note(subject, OrderPhase::Done, "").await
    }

    async fn release(&self, subject: &Subject, why: &str) -> Result<(), String> {
        warn!(node = %subject.node, order = %subject.id, why, "scale-down called off, node untainted");
        self.faults.point(Point::ReleaseBegun).await;
        let (node, open) = (subject.node.as_str(), subject.open);
        let uid = subject.uid.as_deref();
        let unmarked =
            taints::mark(&self.client, (node, uid), Mark::Leaving, Marking::Take, open).await;
        unmarked.map_err(|error| error.to_string())?;
        self.faults.point(Point::ReleaseDone).await;
        self.note(subject, OrderPhase::Released, why).await
    }

    async fn note(
        &self,
        subject: &Subject,
        phase: OrderPhase,
        message: &str,
    ) -> Result<(), String> {
        let progress = Progress { phase, message, made: None };
        let advance = || self.orders.advance(&subject.id, &progress, self.clock.now());
        let mut written = advance().await;
        if let Err(OrdersError::Missing(_)) = written {
            // It was deleted. What is under way is on record before anything more is done about it.
            self.write(subject).await?;
            written = advance().await;
        }
        written.map_err(|error| error.to_string())
    }

    async fn write(&self, subject: &Subject) -> Result<(), String> {
        let provider = self.fleet.name_of(subject.group).map(|name| name.provider);
        let (id, now) = (&subject.id, self.clock.now());
        let written = self.orders.write(id, &subject.intent, provider.as_deref(), now).await;
        let advanced = match written {
            Ok(Written::Created) => {
                let first = subject.intent.first_phase().into();
                self.orders.advance(id, &first, now).await
            }
            Ok(Written::Found) => Ok(()),
            Err(error) => Err(error),
        };
        advanced.map_err(|error| error.to_string())
    }
}

impl std::fmt::Debug for RemovalExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemovalExecutor").finish_non_exhaustive()
    }
}
