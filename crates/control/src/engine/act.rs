//! What a plan wants is begun: the calls are made aside.

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
use plimsoll_model::{InstanceState, Symbol};
use plimsoll_plan::{Plan, Repair};
use plimsoll_provider::Steer;
use tokio::time::timeout;
use tracing::{debug, info, warn};

use super::{Begun, Engine, News, Seen, decide::Decision, reign::Event};
use crate::{
    observe::is_leaving,
    orders::{Errand, Increase, Registered, errands},
    settings::SoftTaintSettings,
    soft, statuses, steer,
};

// === impl Engine ===

impl Engine {
    /// Begins what the plan wants.
    pub(super) fn act(&mut self, decision: &Decision, now: Timestamp) -> Begun {
        let mut begun = Begun::default();
        self.clean(&decision.seen);
        let stranger = self.sight.owners.stranger();
        let nodes = decision.seen.nodes.iter().map(|node| &**node);
        let registered = Registered::new(&decision.seen.groups, nodes, now);
        for mut errand in errands(&decision.plan, &decision.seen.pod_uids) {
            self.guard(&mut errand, &registered, &mut begun, now);
            match stranger.filter(|_| loses_patience(&errand, &decision.seen)) {
                Some(node) => {
                    let problem = format!(
                        "{}: a machine seems to have no node, but nobody has said yet whose {node} is",
                        errand.group
                    );
                    self.leave_errand(&errand, problem, &mut begun, now);
                }
                None => self.run_errand(errand, &registered, &mut begun, now),
            }
        }
        for wanted in &decision.plan.retirements {
            self.retire(wanted, &decision.plan, &decision.seen, &mut begun, now);
        }
        for removal in &decision.plan.removals {
            self.remove(removal, &decision.seen, &mut begun);
        }
        self.soften(&decision.plan, &decision.seen);
        self.write_templates(&decision.plan, now);
        self.tell(&decision.plan);
        begun
    }

    fn run_errand(
        &mut self,
        errand: Errand,
        registered: &Registered<'_>,
        begun: &mut Begun,
        now: Timestamp,
    ) {
        let Some(reign) = &mut self.reign else { return };
        let group = errand.group;
        if errand.repairs.is_empty() && errand.increase.is_none() {
            return;
        }
        if reign.ledger.is_busy(group) {
            let problem = format!("{group}: its provider has not answered the last call yet");
            self.leave_errand(&errand, problem, begun, now);
            return;
        }
        begun.repairs.extend(errand.repairs.iter().cloned());
        if let Some(increase) = &errand.increase {
            let Increase { order, why, pods } = increase;
            let (from, to, pods) = (order.from, order.from.saturating_add(order.count), pods.len());
            info!(%group, from, to, pods, reason = why, order = %order.id, "scale-up started");
            begun.orders.push(order.id.clone());
            reign.ledger.begin(increase, Arc::clone(&registered.nodes), now);
        }
        reign.ledger.set_busy(group, true);
        let clerk = self.clerk.clone();
        reign.spawn(async move { Event::Errand(group, clerk.run(errand).await) });
    }

    /// Holds a scale-up back that is more than pods can need, whatever the plan says.
    fn guard(
        &mut self,
        errand: &mut Errand,
        registered: &Registered<'_>,
        begun: &mut Begun,
        now: Timestamp,
    ) {
        let Some(reign) = &mut self.reign else { return };
        let Some(Increase { order, pods, .. }) = &errand.increase else { return };
        let (group, machines) = (errand.group, order.count);
        let Err(too_much) = reign.ledger.guard(group, machines, pods, registered, now) else {
            return;
        };
        warn!(%group, machines, reason = %too_much, "scale-up held back by the runaway guard");
        let why = too_much.to_string();
        self.handle.tell(News::ScaleUpHeldBack { group, machines, why: why.clone() });
        self.leave_errand(errand, format!("{group}: {why}"), begun, now);
        errand.increase = None;
    }

    /// Leaves what is wanted of a group to a later pass.
    fn leave_errand(&mut self, errand: &Errand, why: String, begun: &mut Begun, now: Timestamp) {
        begun.left.push(why);
        let Some(reign) = &mut self.reign else { return };
        if errand.increase.is_some() {
            // It was not ordered, so it is not waited for.
            reign.memory.orders.retain(|known| (known.group, known.at) != (errand.group, now));
        }
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
        let SoftTaintSettings { per_pass, time, .. } = self.settings.soft_taints;
        for (node, marking) in soft::changes(&seen.nodes, &plan.unneeded, &busy, per_pass) {
            reign.marking.insert(node);
            let client = self.client.clone();
            reign.spawn(async move {
                let name = node.as_str();
                let mark = taints::mark(&client, (name, None), Mark::Candidate, marking, Cordon::Keep);
                match timeout(time, mark).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => {
                        warn!(%node, %error, "could not change the mark of a node that nobody needs");
                    }
                    Err(_) => debug!(%node, "its mark is left to another pass"),
                }
                Event::Marked(node)
            });
        }
    }

    /// Writes down what units of buffers look like.
    fn write_templates(&mut self, plan: &Plan, now: Timestamp) {
        let units = self.settings.plan.scale_up.buffers.units;
        let Some(reign) = &mut self.reign else { return };
        for (report, making) in reign.templates.due(&plan.buffers, now) {
            let recipe = Recipe {
                namespace: report.namespace.as_str().to_owned(),
                buffer: report.name.to_string(),
                uid: report.uid.to_string(),
                name: making.name.to_string(),
                source: making.source.clone(),
                digest: making.digest,
                units,
            };
            let (client, name) = (self.client.clone(), (report.namespace, report.name.clone()));
            reign.spawn(async move {
                let made = buffers::make(&client, &recipe).await;
                Event::Made(name, recipe.digest, made)
            });
        }
    }

    /// Tells users on their own objects what became of what they asked for.
    fn tell(&mut self, plan: &Plan) {
        let Some(reign) = &mut self.reign else { return };
        for (object, status) in reign.statuses.changes(statuses::wanted(plan)) {
            let client = self.client.clone();
            reign.spawn(async move {
                let written = match cluster::write(&client, &object, &status).await {
                    Ok(()) => Some(status),
                    Err(error) => {
                        warn!(%object, %error, "could not write a status");
                        None
                    }
                };
                Event::Told(object, written)
            });
        }
        for (object, uid) in statuses::outlived(plan) {
            if reign.statuses.begin_deletion(&object) {
                let client = self.client.clone();
                reign.spawn(async move {
                    match cluster::delete(&client, &object, &uid).await {
                        Ok(()) => info!(%object, "has long been over, and is deleted"),
                        Err(error) => warn!(%object, %error, "could not be deleted"),
                    }
                    Event::Told(object, None)
                });
            }
        }
    }

    /// Taints the nodes of groups that pods are to keep away from, and frees those of others.
    pub(super) fn steer(&mut self, steers: &BTreeMap<Symbol, Steer>, seen: &Seen) {
        let Some(reign) = &mut self.reign else { return };
        let busy: BTreeSet<Symbol> =
            reign.marking.iter().chain(reign.retiring.keys()).copied().collect();
        let most = self.settings.soft_taints.per_pass;
        let changes = steer::changes(steers, &seen.nodes, &seen.groups, &busy, most);
        for (node, taint, advice) in changes {
            reign.marking.insert(node);
            let client = self.client.clone();
            reign.spawn(async move {
                let pair = (taint.key.as_str(), taint.value.as_str());
                match taints::advise(&client, node.as_str(), pair, advice).await {
                    Ok(_) => info!(%node, taint = pair.0, ?advice, "pods are steered"),
                    Err(error) => warn!(%node, %error, "could not change the taint of a group"),
                }
                Event::Marked(node)
            });
        }
    }
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
