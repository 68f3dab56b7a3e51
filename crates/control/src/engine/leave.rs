//! Nodes on their way out: begun, judged, and led step by step.

use std::{collections::BTreeMap, time::Duration};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_plan::{Plan, Retirement as Wanted, RetirementReason};
use tracing::warn;

use super::{Begun, Cause, Engine, News, Seen, decide::Sight, later, reign::Event};
use crate::{
    orders::new_id,
    retire::{
        Job, Retirement,
        crew::{Doomed, Subject},
        sight,
    },
};

// === impl Engine ===

impl Engine {
    /// A node is to leave.
    pub(super) fn retire(
        &mut self,
        wanted: &Wanted,
        plan: &Plan,
        seen: &Seen,
        begun: &mut Begun,
        now: Timestamp,
    ) {
        let Some(reign) = &mut self.reign else { return };
        let node = wanted.node;
        if reign.retiring.contains_key(&node) {
            return;
        }
        let Some(found) = seen.nodes.iter().find(|known| known.name == node) else { return };
        let group = seen.groups.iter().find(|group| group.id == wanted.group);
        let mut instances = group.into_iter().flat_map(|group| &group.instances);
        let instance = instances.find(|instance| instance.node == Some(node));
        let instance =
            instance.map_or_else(|| found.provider_id.clone(), |instance| instance.id.clone());
        if instance.is_empty() {
            warn!(%node, "cannot be given back: nobody knows its machine");
            begun.left.push(format!("{node}: nobody knows its machine"));
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
        self.handle.tell(News::Leaving(retirement.view()));
        reign.retiring.insert(node, retirement);
    }

    /// What is known of nodes on their way out by a plan on fresh data.
    pub(super) fn judge(&mut self, verdicts: BTreeMap<Symbol, Result<(), String>>, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        for (node, verdict) in verdicts {
            if let Some(retirement) = reign.retiring.get_mut(&node) {
                retirement.judged(verdict, now);
            }
        }
    }

    /// Lets nodes on their way out, and those that are new, take their next steps.
    pub(super) fn step(&mut self, now: Timestamp) {
        self.step_at = None;
        let Some(reign) = &mut self.reign else { return };
        // On data that may be wrong nobody is asked to leave.
        let stale = self.sight.mirror.staleness(now, self.settings.pace.stale_after).is_some();
        if stale {
            return;
        }
        if !reign.holding.is_empty() {
            self.step_holds(now);
        }
        let Some(reign) = &mut self.reign else { return };
        if reign.retiring.is_empty() {
            return;
        }
        let subjects = reign.retiring.iter();
        let subjects: BTreeMap<_, _> =
            subjects.map(|(node, one)| (*node, (one.group, one.instance.clone()))).collect();
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let as_of = |group| self.fleet.as_of(group);
        let Sight { mirror, owners } = &mut self.sight;
        let mut seen = sight::look(mirror, owners, &inventory, as_of, &subjects);
        let rules = &self.settings.retire;
        let batches = batches(reign.retiring.values(), rules.batch);
        let (mut jobs, mut wake, mut in_doubt) = (Vec::new(), None::<Timestamp>, false);
        let mut deletions: BTreeMap<Symbol, Vec<Doomed>> = BTreeMap::new();
        for (node, retirement) in &mut reign.retiring {
            let Some(sighting) = seen.get_mut(node) else { continue };
            sighting.awaits_order = reign.ledger.is_busy(retirement.group);
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
            let crew = self.crew.clone();
            reign.spawn(async move {
                let answer = crew.run(&subject, job).await;
                Event::Retirement(node, subject.id().clone(), answer)
            });
        }
        for nodes in deletions.into_values() {
            let crew = self.crew.clone();
            reign.spawn(async move {
                let answers = crew.delete(&nodes).await;
                let told = nodes
                    .into_iter()
                    .zip(answers)
                    .map(|((subject, _), answer)| (subject.node(), subject.id().clone(), answer));
                Event::Deletions(told.collect())
            });
        }
        self.step_at = wake.map(|wake| wake.max(later(now, Duration::from_millis(1))));
        if in_doubt {
            self.call(Cause::Outcome);
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
