//! Objects as they come from the watches, and go.

use std::sync::Arc;

use plimsoll_manifest::Reader;
use plimsoll_model::{Node, Symbol};
use serde_json::Value;
use tracing::warn;

use super::{
    Effect, Mirror,
    facts::{
        PodFacts, is_same, is_same_buffer, is_storage, kept_text, node_effect, true_conditions,
    },
    named::Name,
    stand_in::unknown_readiness,
};
use crate::{
    nodes::identity,
    source::{Object, Watched},
};

/// How many shapes may have been abandoned before they are looked for.
const SWEEP_AFTER: u32 = 10_000;

// === impl Mirror ===

impl Mirror {
    pub(super) fn put(&mut self, watched: Watched, object: &Object) -> Effect {
        self.puts += 1;
        if self.puts > SWEEP_AFTER {
            self.puts = 0;
            self.reader.sweep();
        }
        let name = Name::of(object);
        self.health.told(watched, &name);
        let before = self.unreadable.remove(&(watched, name.clone()));
        match self.take(watched, &name, object) {
            Ok(effect) if before.is_some() => effect.max(Effect::Changed),
            Ok(effect) => effect,
            Err(problem) => self.take_unreadable(watched, name, object, problem, before),
        }
    }

    fn take(&mut self, watched: Watched, name: &Name, object: &Object) -> Result<Effect, String> {
        let (api_version, kind) = (watched.api_version(), watched.kind());
        let read = self.reader.add_object(&api_version, kind, object.text());
        let drained = self.reader.drain();
        read.map_err(|error| error.to_string())?;
        let objects = drained.map_err(|error| error.to_string())?;
        if is_storage(watched) {
            self.storage.insert((watched, name.clone()), kept_text(watched, object));
            self.storage_changed = true;
            return Ok(Effect::Changed);
        }
        let mut effect = Effect::None;
        for node in objects.nodes {
            let tree = object.tree();
            if let Some(problem) = unknown_readiness(&tree) {
                return Err(problem);
            }
            effect = effect.max(self.put_node(object, &tree, &node));
        }
        let world = &mut self.world;
        for pod in objects.pods {
            let facts = PodFacts::of(object);
            let refused = facts.is_refused && pod.node.is_none() && pod.deletion.is_none();
            let is_ready = facts.is_ready;
            let known = self.pod_facts.insert(name.clone(), facts);
            let news = refused && !known.as_ref().is_some_and(|known| known.is_refused);
            let turned = known.is_some_and(|known| known.is_ready != is_ready);
            let before = self.pods.put(&mut world.pods, name.clone(), pod.clone());
            effect = effect.max(match before {
                // The scheduler has the first look: most pods find a place without us.
                _ if news => Effect::Urgent,
                Some(before) if is_same(&before, &pod) && !turned => Effect::None,
                _ => Effect::Changed,
            });
        }
        for set in objects.daemon_sets {
            let before = self.daemon_sets.put(&mut world.daemon_sets, name.clone(), set.clone());
            effect = effect.max(changed(before.as_ref() == Some(&set)));
        }
        for controller in objects.controllers {
            let key = (controller.kind, name.clone());
            let before = self.controllers.put(&mut world.controllers, key, controller.clone());
            effect = effect.max(changed(before.as_ref() == Some(&controller)));
        }
        for budget in objects.budgets {
            let before = self.budgets.put(&mut world.budgets, name.clone(), budget.clone());
            effect = effect.max(changed(before.as_ref() == Some(&budget)));
        }
        for template in objects.pod_templates {
            let list = &mut world.pod_templates;
            let before = self.pod_templates.put(list, name.clone(), template.clone());
            effect = effect.max(called_for(before.as_ref() == Some(&template)));
        }
        for mut buffer in objects.buffers {
            buffer.refusal = self.refusals.get(name).cloned();
            let before = self.buffers.put(&mut world.buffers, name.clone(), buffer.clone());
            let same = before.is_some_and(|before| is_same_buffer(&before, &buffer));
            effect = effect.max(called_for(same));
        }
        for quota in objects.namespace_quotas {
            let before =
                self.namespace_quotas.put(&mut world.namespace_quotas, name.clone(), quota.clone());
            effect = effect.max(changed(before.as_ref() == Some(&quota)));
        }
        for request in objects.requests {
            let before = self.requests.put(&mut world.requests, name.clone(), request.clone());
            effect = effect.max(match before {
                Some(before) => changed(before == request),
                None => Effect::Urgent,
            });
        }
        for quota in objects.quotas {
            let before = self.quotas.put(&mut world.quotas, name.clone(), quota.clone());
            effect = effect.max(changed(before.as_ref() == Some(&quota)));
        }
        for (namespace, labels) in objects.namespaces {
            world.namespaces.insert(namespace, labels);
            effect = effect.max(Effect::Changed);
        }
        Ok(effect)
    }

    pub(super) fn put_node(&mut self, object: &Object, tree: &Value, node: &Arc<Node>) -> Effect {
        self.identities.insert(node.name, identity(tree));
        self.node_uids.insert(node.name, object.uid().into());
        let conditions = true_conditions(tree);
        let known = self.node_conditions.insert(node.name, conditions.clone());
        let turned = known.is_some_and(|known| known != conditions);
        let before = self.nodes.put(&mut self.world.nodes, node.name, Arc::clone(node));
        let effect = match before {
            Some(before) if before == *node => Effect::None,
            Some(before) => node_effect(&before, node),
            None => Effect::Urgent,
        };
        if turned { effect.max(Effect::Changed) } else { effect }
    }

    pub(super) fn remove(&mut self, watched: Watched, name: &Name) -> Effect {
        self.unreadable.remove(&(watched, name.clone()));
        let world = &mut self.world;
        let known = match watched {
            Watched::Nodes => {
                let node = Symbol::new(&name.name);
                self.identities.remove(&node);
                self.node_uids.remove(&node);
                self.node_conditions.remove(&node);
                let gone = self.nodes.remove(&mut world.nodes, &node).is_some();
                return if gone { Effect::Urgent } else { Effect::None };
            }
            Watched::Pods => {
                self.pod_facts.remove(name);
                self.pods.remove(&mut world.pods, name).is_some()
            }
            Watched::DaemonSets => self.daemon_sets.remove(&mut world.daemon_sets, name).is_some(),
            Watched::ReplicaSets
            | Watched::StatefulSets
            | Watched::Jobs
            | Watched::ReplicationControllers
            | Watched::Deployments => {
                let key = (Symbol::new(watched.kind()), name.clone());
                self.controllers.remove(&mut world.controllers, &key).is_some()
            }
            Watched::Budgets => self.budgets.remove(&mut world.budgets, name).is_some(),
            Watched::PodTemplates => {
                let gone = self.pod_templates.remove(&mut world.pod_templates, name).is_some();
                return called_for(!gone);
            }
            Watched::CapacityBuffers => {
                self.refusals.remove(name);
                let gone = self.buffers.remove(&mut world.buffers, name).is_some();
                return called_for(!gone);
            }
            Watched::ResourceQuotas => {
                self.namespace_quotas.remove(&mut world.namespace_quotas, name).is_some()
            }
            Watched::Requests => self.requests.remove(&mut world.requests, name).is_some(),
            Watched::CapacityQuotas => self.quotas.remove(&mut world.quotas, name).is_some(),
            Watched::Namespaces => world.namespaces.remove(&Symbol::new(&name.name)).is_some(),
            storage => {
                self.storage_changed = true;
                self.storage.remove(&(storage, name.clone())).is_some()
            }
        };
        changed(!known)
    }

    /// A list begins anew: from here on it is noted what is in it.
    pub(super) fn begin(&mut self, watched: Watched) {
        let unreadable = self.unreadable.keys().filter(|(of, _)| *of == watched);
        let mut names: Vec<Name> = unreadable.map(|(_, name)| name.clone()).collect();
        names.extend(self.names(watched));
        self.health.begin(watched, names);
    }

    /// The list is complete: what was there before and was not told again is gone.
    pub(super) fn end(&mut self, watched: Watched) {
        for name in self.health.end(watched) {
            self.remove(watched, &name);
        }
    }

    fn names(&self, watched: Watched) -> Vec<Name> {
        match watched {
            Watched::Nodes => self.nodes.keys().map(|node| Name::cluster(node.as_str())).collect(),
            Watched::Pods => self.pods.keys().cloned().collect(),
            Watched::DaemonSets => self.daemon_sets.keys().cloned().collect(),
            Watched::ReplicaSets
            | Watched::StatefulSets
            | Watched::Jobs
            | Watched::ReplicationControllers
            | Watched::Deployments => {
                let kind = Symbol::new(watched.kind());
                let of_kind = self.controllers.keys().filter(|(of, _)| *of == kind);
                of_kind.map(|(_, name)| name.clone()).collect()
            }
            Watched::Budgets => self.budgets.keys().cloned().collect(),
            Watched::PodTemplates => self.pod_templates.keys().cloned().collect(),
            Watched::CapacityBuffers => self.buffers.keys().cloned().collect(),
            Watched::ResourceQuotas => self.namespace_quotas.keys().cloned().collect(),
            Watched::Requests => self.requests.keys().cloned().collect(),
            Watched::CapacityQuotas => self.quotas.keys().cloned().collect(),
            Watched::Namespaces => {
                let namespaces = self.world.namespaces.keys();
                namespaces.map(|namespace| Name::cluster(namespace.as_str())).collect()
            }
            storage => {
                let of_kind = self.storage.keys().filter(|(of, _)| *of == storage);
                of_kind.map(|(_, name)| name.clone()).collect()
            }
        }
    }

    pub(super) fn read_storage(&mut self) {
        let mut reader = Reader::new(self.world.now);
        for text in self.storage.values() {
            // Each of them could be read when it came.
            if let Err(error) = reader.add_json(text) {
                warn!(%error, "object cannot be read and is left out");
            }
        }
        match reader.finish() {
            Ok(objects) => {
                self.world.storage = objects.storage;
                self.world.devices = objects.devices;
            }
            Err(error) => warn!(%error, "kept the objects of storage and devices as they were"),
        }
    }
}

/// Somebody has just written it, and waits to see what comes of it.
const fn called_for(same: bool) -> Effect {
    if same { Effect::None } else { Effect::Urgent }
}

const fn changed(same: bool) -> Effect {
    if same { Effect::None } else { Effect::Changed }
}
