//! What a plan wants is begun: the calls are made aside.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plimsoll_cluster::taints::{self, Cordon, Mark};
use plimsoll_model::{InstanceState, Symbol};
use plimsoll_plan::{Plan, Retirement as Wanted, RetirementReason};
use tracing::{info, warn};

use super::{Begun, Engine, Seen, decide::Decision, later, pass::OpenOrder, reign::Event};
use crate::{
    observe::is_leaving,
    orders::{Errand, errands, new_id},
    retire::{Retirement, crew::Subject, sight},
    soft,
};

// === impl Engine ===

impl Engine {
    /// Begins what the plan wants.
    pub(super) fn act(&mut self, decision: &Decision, now: Timestamp) -> Begun {
        let mut begun = Begun::default();
        self.clean(&decision.seen);
        for errand in errands(&decision.plan) {
            self.run_errand(errand, &mut begun, now);
        }
        for wanted in &decision.plan.retirements {
            self.retire(wanted, &decision.plan, &decision.seen, &mut begun, now);
        }
        self.soften(&decision.plan, &decision.seen);
        begun
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

    fn run_errand(&mut self, errand: Errand, begun: &mut Begun, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        let group = errand.group;
        if reign.ledger.is_busy(group) {
            begun.left.push(format!("{group}: its provider has not answered the last call yet"));
            if let Some((order, _)) = &errand.order {
                // It was not ordered, so it is not waited for.
                reign.memory.orders.retain(|known| (known.group, known.at) != (order.group, now));
            }
            return;
        }
        begun.repairs.extend(errand.repairs.iter().cloned());
        if let Some((order, why)) = &errand.order {
            let (from, count) = (order.from, order.count);
            info!(%group, order = %order.id, from, count, why, "grows");
            begun.orders.push(order.id.clone());
            reign.ledger.begin(order, now);
        }
        reign.ledger.set_busy(group, true);
        let clerk = self.clerk.clone();
        reign.spawn(async move { Event::Errand(group, clerk.run(errand).await) });
    }

    fn retire(
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
        let unneeded = plan.unneeded.iter().find(|unneeded| unneeded.node == node);
        retirement.unneeded = unneeded.map_or(now, |unneeded| unneeded.since);
        retirement.was_closed = found.unschedulable;
        self.handle.tell(super::News::Leaving(retirement.view()));
        reign.retiring.insert(node, retirement);
    }

    /// Takes marks off that no order explains: an earlier run or another autoscaler left them behind.
    fn clean(&mut self, seen: &Seen) {
        let cordon = self.settings.retire.cordon;
        let Some(reign) = &mut self.reign else { return };
        let ours: BTreeSet<Symbol> = (seen.groups.iter())
            .flat_map(|group| &group.instances)
            .filter(|instance| instance.state != InstanceState::Deleting)
            .filter_map(|instance| instance.node)
            .collect();
        for node in seen.nodes.iter().filter(|node| is_leaving(node) && !node.deleting) {
            let name = node.name;
            if !ours.contains(&name)
                || reign.retiring.contains_key(&name)
                || !reign.marking.insert(name)
            {
                continue;
            }
            info!(node = %name, "carries a mark that no order explains");
            let crew = self.crew.clone();
            reign.spawn(async move { Event::Cleaned(name, crew.clean(name, cordon).await) });
        }
    }

    /// Marks nodes that nobody needs, and unmarks those that somebody does.
    fn soften(&mut self, plan: &Plan, seen: &Seen) {
        let Some(reign) = &mut self.reign else { return };
        let busy: BTreeSet<Symbol> =
            reign.marking.iter().chain(reign.retiring.keys()).copied().collect();
        let most = self.settings.soft_taints.per_pass;
        for (node, marking) in soft::changes(&seen.nodes, &plan.unneeded, &busy, most) {
            reign.marking.insert(node);
            let client = self.client.clone();
            reign.spawn(async move {
                let name = node.as_str();
                let marked =
                    taints::mark(&client, name, Mark::Candidate, marking, Cordon::Keep).await;
                if let Err(error) = marked {
                    warn!(%node, %error, "could not change the mark of a node that nobody needs");
                }
                Event::Softened(node)
            });
        }
    }

    /// Lets nodes on their way out take their next steps.
    pub(super) fn step_retirements(&mut self, now: Timestamp) {
        self.step_at = None;
        let Some(reign) = &mut self.reign else { return };
        // On data that may be wrong nobody is asked to leave.
        let stale = self.sight.mirror.staleness(now, self.settings.pace.stale_after).is_some();
        if reign.retiring.is_empty() || stale {
            return;
        }
        let subjects = reign.retiring.iter();
        let subjects: BTreeMap<_, _> =
            subjects.map(|(node, one)| (*node, (one.group, one.instance.clone()))).collect();
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let as_of = |group| self.fleet.as_of(group);
        let seen = sight::look(&mut self.sight.mirror, &inventory, as_of, &subjects);
        let rules = &self.settings.retire;
        let (mut jobs, mut wake, mut in_doubt) = (Vec::new(), None::<Timestamp>, false);
        for (node, retirement) in &mut reign.retiring {
            let Some(sighting) = seen.get(node) else { continue };
            let was_in_doubt = retirement.is_in_doubt();
            let step = retirement.step(sighting, rules, now);
            in_doubt |= retirement.is_in_doubt() && !was_in_doubt;
            let subject = Subject::of(retirement, rules.cordon);
            jobs.extend(step.jobs.into_iter().map(|job| (*node, subject.clone(), job)));
            wake = [wake, step.wake].into_iter().flatten().min();
        }
        for (node, subject, job) in jobs {
            let crew = self.crew.clone();
            reign.spawn(async move {
                let answer = crew.run(&subject, job).await;
                Event::Retirement(node, subject.id().clone(), answer)
            });
        }
        self.step_at = wake.map(|wake| wake.max(later(now, std::time::Duration::from_millis(1))));
        if in_doubt {
            self.call(super::Cause::Outcome);
        }
    }

    /// An order was not placed, so it is not waited for.
    pub(super) fn forget(&mut self, order: &OpenOrder) {
        if let Some(reign) = &mut self.reign {
            reign.forget(order);
        }
    }
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
