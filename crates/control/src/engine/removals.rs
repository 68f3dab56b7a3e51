//! Nodes that are being removed: begun, judged, and led step by step.

use std::{collections::BTreeMap, time::Duration};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_plan::{Retirement as Wanted, RetirementReason};
use tracing::warn;

use super::{
    Begun, Cause, Context, News,
    decide::{Decision, Observation},
    later,
    leader::{Event, Leader},
};
use crate::{
    orders::new_id,
    retire::{
        Job, Retirement,
        executor::{Doomed, Subject},
        sight,
    },
};

// === impl Leader ===

impl Leader {
    /// Begins to remove a node.
    pub(super) fn begin_removal(
        &mut self,
        wanted: &Wanted,
        decision: &Decision,
        begun: &mut Begun,
        context: &Context,
        now: Timestamp,
    ) {
        let Decision { plan, seen, .. } = decision;
        let node = wanted.node;
        if self.retiring.contains_key(&node) {
            return;
        }
        let Some(found) = seen.nodes.iter().find(|known| known.name == node) else { return };
        let group = seen.groups.iter().find(|group| group.id == wanted.group);
        let mut instances = group.into_iter().flat_map(|group| &group.instances);
        let instance = instances.find(|instance| instance.node == Some(node));
        let instance =
            instance.map_or_else(|| found.provider_id.clone(), |instance| instance.id.clone());
        if instance.is_empty() {
            warn!(%node, "cannot remove the node: no provider knows its machine");
            begun.left.push(format!("{node}: no provider knows its machine"));
            return;
        }
        let Some(id) = new_id("retire", node.as_str()) else { return };
        begun.retirements.push(id.clone());
        let why = in_words(wanted.why).to_owned();
        let mut retirement = Retirement::new(id, wanted.group, node, instance, why, now);
        retirement.node_uid = seen.node_uids.get(&node).cloned();
        let unneeded = plan.unneeded.iter().find(|unneeded| unneeded.node == node);
        retirement.unneeded = unneeded.map_or(now, |unneeded| unneeded.since);
        retirement.was_closed = found.unschedulable;
        retirement.replaced = wanted.why == RetirementReason::Consolidate;
        retirement.reason = Some(wanted.why);
        retirement.drains = !wanted.evict.is_empty();
        context.handle.tell(News::Leaving(retirement.view()));
        self.retiring.insert(node, retirement);
    }

    /// Takes what a plan on fresh data says of nodes that are being removed.
    pub(super) fn judge(&mut self, verdicts: BTreeMap<Symbol, Result<(), String>>, now: Timestamp) {
        for (node, verdict) in verdicts {
            if let Some(retirement) = self.retiring.get_mut(&node) {
                retirement.judged(verdict, now);
            }
        }
    }

    /// Lets nodes that are being removed, and those that are new, take their next steps.
    pub(super) fn step(
        &mut self,
        context: &Context,
        observation: &mut Observation,
        now: Timestamp,
    ) {
        self.step_at = None;
        let settings = &context.settings;
        // On data that may be wrong no pod is evicted.
        if observation.mirror.staleness(now, settings.pace.stale_after).is_some() {
            return;
        }
        if !self.holding.is_empty() {
            self.step_holds(context, observation, now);
        }
        if self.retiring.is_empty() {
            return;
        }
        let subjects = self.retiring.iter();
        let subjects: BTreeMap<_, _> =
            subjects.map(|(node, one)| (*node, (one.group, one.instance.clone()))).collect();
        let inventory = context.fleet.inventory(&settings.plan.group);
        let as_of = |group| context.fleet.as_of(group);
        let Observation { mirror, owners } = observation;
        let mut seen = sight::look(mirror, owners, &inventory, as_of, &subjects);
        let rules = &settings.retire;
        let batches = batches(self.retiring.values(), rules.batch);
        let (mut jobs, mut wake, mut in_doubt) = (Vec::new(), None::<Timestamp>, false);
        let mut deletions: BTreeMap<Symbol, Vec<Doomed>> = BTreeMap::new();
        for (node, retirement) in &mut self.retiring {
            let Some(sighting) = seen.get_mut(node) else { continue };
            sighting.awaits_order = self.ledger.is_busy(retirement.group);
            sighting.batch_until = batches.get(&retirement.group).copied();
            let was_in_doubt = retirement.is_in_doubt();
            let step = retirement.step(sighting, rules, now);
            in_doubt |= retirement.is_in_doubt() && !was_in_doubt;
            let subject = Subject::of(retirement, rules.cordon);
            for job in step.jobs {
                match job {
                    Job::Delete { lost } => {
                        deletions
                            .entry(retirement.group)
                            .or_default()
                            .push((subject.clone(), lost));
                    }
                    job => jobs.push((*node, subject.clone(), job)),
                }
            }
            wake = [wake, step.wake].into_iter().flatten().min();
        }
        for (node, subject, job) in jobs {
            let removal_executor = context.removal_executor.clone();
            let pod_uid = match &job {
                Job::Evict { uid, .. } => uid.clone(),
                _ => None,
            };
            self.spawn(async move {
                let answer = removal_executor.run(&subject, job).await;
                Event::RemovalAnswered { node, id: subject.id().clone(), answer, pod_uid }
            });
        }
        for nodes in deletions.into_values() {
            let removal_executor = context.removal_executor.clone();
            self.spawn(async move {
                let answers = removal_executor.delete(&nodes).await;
                let told = nodes
                    .into_iter()
                    .zip(answers)
                    .map(|((subject, _), answer)| (subject.node(), subject.id().clone(), answer));
                Event::DeletionsAnswered(told.collect())
            });
        }
        self.step_at = wake.map(|wake| wake.max(later(now, Duration::from_millis(1))));
        if in_doubt {
            self.schedule_pass(Cause::Outcome, context);
        }
    }
}

/// When the deletions of each group are asked for: so long after the first of them was due.
fn batches<'r>(
    retiring: impl Iterator<Item = &'r Retirement>,
    interval: SignedDuration,
) -> BTreeMap<Symbol, Timestamp> {
    let mut batches = BTreeMap::new();
    for retirement in retiring {
        let Some(since) = retirement.deletion_due_since() else { continue };
        let until = since.checked_add(interval).unwrap_or(Timestamp::MAX);
        let known = batches.entry(retirement.group).or_insert(until);
        *known = until.min(*known);
    }
    batches
}

const fn in_words(why: RetirementReason) -> &'static str {
    match why {
        RetirementReason::Empty => "nothing runs on it",
        RetirementReason::Underutilized => "little runs on it, and that has another place",
        RetirementReason::Unready => "it has been unready for too long",
        RetirementReason::Consolidate => "its pods fit on fewer or cheaper nodes",
        RetirementReason::Rotate => "its time is up",
    }
}
