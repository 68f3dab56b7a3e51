//! What was decided is begun, as far as it still holds: the calls are made aside.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use plimsoll_cluster::{
    buffers::{self, Recipe},
    statuses as cluster,
    taints::{self, Cordon, Mark},
};
use plimsoll_model::{InstanceState, Order, ScaleUp, Symbol};
use plimsoll_plan::{Plan, Repair};
use plimsoll_provider::Steer;
use tokio::time::timeout;
use tracing::{debug, info, warn};

use super::{
    Begun, Context, News, Seen,
    decide::{Decision, Observation},
    leader::{Event, Leader},
    preconditions::{Preconditions, Unmet},
};
use crate::{
    observe::is_leaving,
    orders::{Errand, Registered, errands},
    settings::SoftTaintSettings,
    soft, statuses, steer,
};

// === impl Leader ===

impl Leader {
    /// Begins what was decided.
    pub(super) fn begin(
        &mut self,
        decision: &Decision,
        preconditions: &Preconditions<'_>,
        context: &Context,
        observation: &mut Observation,
        now: Timestamp,
    ) -> Begun {
        let Decision { plan, seen, .. } = decision;
        let mut begun = Begun::default();
        self.untaint_strays(seen, context);
        let stranger = observation.owners.stranger();
        let nodes = seen.nodes.iter().map(|node| &**node);
        let registered = Registered::new(&seen.groups, nodes, now);
        for mut errand in errands(plan, &seen.pod_uids, now) {
            if let Err(why) = check_errand(&mut errand, decision, preconditions, observation) {
                info!(group = %errand.group, reason = %why, "decision dropped; the next pass decides anew");
                begun.left.push(format!("{}: {why}", errand.group));
                continue;
            }
            self.guard(&mut errand, &registered, &mut begun, context, now);
            match stranger.filter(|_| loses_patience(&errand, seen)) {
                Some(node) => {
                    let problem = format!(
                        "{}: a machine seems to have no node, but its provider has not said yet whose {node} is",
                        errand.group
                    );
                    begun.left.push(problem);
                }
                None => self.run_errand(errand, &registered, &mut begun, context),
            }
        }
        for removal in &plan.retirements {
            match preconditions.check_removal(removal, seen, &observation.mirror) {
                Ok(()) => self.begin_removal(removal, decision, &mut begun, context, now),
                Err(unmet) => {
                    let node = removal.node;
                    info!(%node, reason = %unmet, "decision dropped; the next pass decides anew");
                    begun.left.push(format!("{node}: {unmet}"));
                }
            }
        }
        for removal in &plan.removals {
            self.delete_gone_node(removal, seen, &mut begun, context, observation);
        }
        self.soften(plan, seen, context);
        self.write_templates(plan, context, now);
        self.write_statuses(plan, context);
        begun
    }

    fn run_errand(
        &mut self,
        errand: Errand,
        registered: &Registered<'_>,
        begun: &mut Begun,
        context: &Context,
    ) {
        let group = errand.group;
        if errand.repairs.is_empty() && errand.scale_up.is_none() {
            return;
        }
        if self.ledger.is_busy(group) {
            let problem = format!("{group}: its provider has not answered the last call yet");
            begun.left.push(problem);
            return;
        }
        begun.repairs.extend(errand.repairs.iter().cloned());
        if let Some(order) = &errand.scale_up {
            let ScaleUp { from, pods, why, .. } = &order.intent;
            let (to, pods) = (order.target(), pods.len());
            info!(%group, from, to, pods, reason = why, order = %order.id, "scale-up started");
            begun.orders.push(order.id.clone());
            self.ledger.begin(order.clone(), Arc::clone(&registered.nodes));
        }
        self.ledger.set_busy(group, true);
        let order_executor = context.order_executor.clone();
        self.spawn(async move { Event::ErrandDone(group, order_executor.run(errand).await) });
    }

    /// Holds a scale-up back that is more than pods can need, whatever the plan says.
    fn guard(
        &mut self,
        errand: &mut Errand,
        registered: &Registered<'_>,
        begun: &mut Begun,
        context: &Context,
        now: Timestamp,
    ) {
        let Some(Order { intent, .. }) = &errand.scale_up else { return };
        let (group, machines) = (errand.group, intent.count);
        let Err(too_much) = self.ledger.guard(intent, registered, now) else {
            return;
        };
        warn!(%group, machines, reason = %too_much, "scale-up held back by the runaway guard");
        let why = too_much.to_string();
        context.handle.tell(News::ScaleUpHeldBack { group, machines, why: why.clone() });
        begun.left.push(format!("{group}: {why}"));
        errand.scale_up = None;
    }

    /// Takes taints off that no order explains: an earlier run or another autoscaler left them behind.
    fn untaint_strays(&mut self, seen: &Seen, context: &Context) {
        let cordon = context.settings.retire.cordon;
        let ours: BTreeSet<Symbol> = (seen.groups.iter())
            .flat_map(|group| &group.instances)
            .filter(|instance| instance.state != InstanceState::Deleting)
            .filter_map(|instance| instance.node)
            .collect();
        for node in seen.nodes.iter().filter(|node| is_leaving(node) && !node.deleting) {
            let name = node.name;
            if !ours.contains(&name)
                || self.retiring.contains_key(&name)
                || !self.updating.insert(name)
            {
                continue;
            }
            info!(node = %name, "node has the taint of a removal that no order explains; untainting it");
            let removal_executor = context.removal_executor.clone();
            self.spawn(async move {
                Event::NodeUntainted(name, removal_executor.clean(name, cordon).await)
            });
        }
    }

    /// Taints unneeded nodes with PreferNoSchedule, and untaints those that are needed again.
    fn soften(&mut self, plan: &Plan, seen: &Seen, context: &Context) {
        let busy: BTreeSet<Symbol> =
            self.updating.iter().chain(self.retiring.keys()).copied().collect();
        let SoftTaintSettings { per_pass, time, .. } = context.settings.soft_taints;
        for (node, marking) in soft::changes(&seen.nodes, &plan.unneeded, &busy, per_pass) {
            self.updating.insert(node);
            let client = context.client.clone();
            self.spawn(async move {
                let name = node.as_str();
                let mark =
                    taints::mark(&client, (name, None), Mark::Candidate, marking, Cordon::Keep);
                match timeout(time, mark).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => {
                        warn!(%node, %error, "cannot change the soft taint of the node");
                    }
                    Err(_) => debug!(%node, "soft taint of the node left to another pass"),
                }
                Event::NodeUpdated(node)
            });
        }
    }

    /// Writes the PodTemplates of CapacityBuffers.
    fn write_templates(&mut self, plan: &Plan, context: &Context, now: Timestamp) {
        let units = context.settings.plan.scale_up.buffers.units;
        for (report, making) in self.templates.due(&plan.buffers, now) {
            let recipe = Recipe {
                namespace: report.namespace.as_str().to_owned(),
                buffer: report.name.to_string(),
                uid: report.uid.to_string(),
                name: making.name.to_string(),
                source: making.source.clone(),
                digest: making.digest,
                units,
            };
            let (client, name) = (context.client.clone(), (report.namespace, report.name.clone()));
            self.spawn(async move {
                let made = buffers::make(&client, &recipe).await;
                Event::TemplateWritten(name, recipe.digest, made)
            });
        }
    }

    /// Writes the statuses of users' own objects: buffers, requests, quotas.
    fn write_statuses(&mut self, plan: &Plan, context: &Context) {
        for (object, status) in self.statuses.changes(statuses::wanted(plan)) {
            let client = context.client.clone();
            self.spawn(async move {
                let written = match cluster::write(&client, &object, &status).await {
                    Ok(()) => Some(status),
                    Err(error) => {
                        warn!(%object, %error, "cannot write the status of the object");
                        None
                    }
                };
                Event::StatusWritten(object, written)
            });
        }
        for (object, uid) in statuses::outlived(plan) {
            if self.statuses.begin_deletion(&object) {
                let client = context.client.clone();
                self.spawn(async move {
                    match cluster::delete(&client, &object, &uid).await {
                        Ok(()) => info!(%object, "object deleted because it ended long ago"),
                        Err(error) => warn!(%object, %error, "cannot delete the object"),
                    }
                    Event::StatusWritten(object, None)
                });
            }
        }
    }

    /// Taints the nodes of groups that pods are to keep away from, and untaints those of others.
    pub(super) fn steer(
        &mut self,
        steers: &BTreeMap<Symbol, Steer>,
        seen: &Seen,
        context: &Context,
    ) {
        let busy: BTreeSet<Symbol> =
            self.updating.iter().chain(self.retiring.keys()).copied().collect();
        let most = context.settings.soft_taints.per_pass;
        let changes = steer::changes(steers, &seen.nodes, &seen.groups, &busy, most);
        for (node, taint, advice) in changes {
            self.updating.insert(node);
            let client = context.client.clone();
            self.spawn(async move {
                let pair = (taint.key.as_str(), taint.value.as_str());
                match taints::advise(&client, node.as_str(), pair, advice).await {
                    Ok(_) => info!(%node, taint = pair.0, ?advice, "taint of the group changed on the node"),
                    Err(error) => warn!(%node, %error, "cannot change the taint of the group on the node"),
                }
                Event::NodeUpdated(node)
            });
        }
    }
}

/// Whether what was decided for a group still holds. A scale-up of which some pods are not pending any more is made smaller: a
/// pod needs one machine at most.
fn check_errand(
    errand: &mut Errand,
    decision: &Decision,
    preconditions: &Preconditions<'_>,
    observation: &Observation,
) -> Result<(), Unmet> {
    let group = errand.group;
    preconditions.check_group(group)?;
    let scale_up = decision.plan.purchases.iter().find(|one| one.group == group);
    let (Some(scale_up), Some(order)) = (scale_up, &mut errand.scale_up) else {
        return Ok(());
    };
    let Some(pending) = preconditions.still_pending(scale_up, &observation.mirror)? else {
        return Ok(());
    };
    let found = decision.seen.groups.iter().find(|known| known.id == group);
    let is_atomic = found.is_some_and(|known| known.options.atomic);
    if pending < scale_up.pods.len() && !is_atomic {
        let most = u32::try_from(pending).unwrap_or(u32::MAX);
        order.intent.count = order.intent.count.min(most);
    }
    Ok(())
}

/// Whether a machine is to be deleted for no other reason than that it has no node.
fn loses_patience(errand: &Errand, seen: &Seen) -> bool {
    let is_silent = |instance: &str| {
        let group = seen.groups.iter().find(|group| group.id == errand.group);
        let known =
            group.and_then(|group| group.instances.iter().find(|known| &*known.id == instance));
        known.is_some_and(|known| known.node.is_none() && known.error.is_none())
    };
    errand.repairs.iter().any(|repair| match repair {
        Repair::DeleteInstance { instance, .. } => is_silent(instance),
        Repair::LowerTarget { .. } | Repair::RaiseToMin { .. } => false,
    })
}
