//! Passes for tests: a world in a few lines, planned by the very planner, shown as the loop would show it.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use plimsoll_manifest::scenario;
use plimsoll_model::{Order, OrderId, OrderPhase, PodName, Resources, ScaleUp, Symbol};
use plimsoll_plan::plan;

use crate::{
    engine::{Begun, Cause, OpenRetirement, Pass, Seen, Took},
    settings::Settings,
};

/// A small cluster: one group in use, one that rests, one that is too small for the pod that asks for much.
pub(crate) const CLUSTER: &str = "
now: 2026-01-01T12:00:00Z
groups:
- {id: small, min: 1, max: 5, price: 0.10, template: {status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}}
- {id: gpu, max: 4, stock: 3, price: 1.20, template: {status: {allocatable: {cpu: 64, memory: 64Gi, pods: 110, nvidia.com/gpu: 1}}}}
- {id: tiny, max: 9, template: {status: {allocatable: {cpu: 1, memory: 1Gi, pods: 110}}}}
memory:
  unneededSince: {small-1: 2026-01-01T11:55:00Z}
  backoff: [{group: gpu, until: 2026-01-01T12:05:00Z, code: ZONE_RESOURCE_POOL_EXHAUSTED}]
objects:
- {kind: Node, apiVersion: v1, metadata: {name: small-0, labels: {plimsoll.dev/node-group: small}}, status: {capacity: {cpu: 4, memory: 16Gi}, allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}
- {kind: Node, apiVersion: v1, metadata: {name: small-1, labels: {plimsoll.dev/node-group: small}}, status: {capacity: {cpu: 4, memory: 16Gi}, allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}
- {kind: Pod, apiVersion: v1, metadata: {name: web, namespace: default}, spec: {nodeName: small-0, containers: [{name: web, resources: {requests: {cpu: 3, memory: 4Gi}}}]}, status: {phase: Running}}
- {kind: Pod, apiVersion: v1, metadata: {name: huge, namespace: default}, spec: {containers: [{name: huge, resources: {requests: {cpu: 32}}}]}}
";

/// The pass that is made of a scenario.
pub(crate) fn pass(text: &str) -> Pass {
    let world = scenario::read(text).unwrap();
    let planned = plan(&world);
    let mut requested: BTreeMap<Symbol, Resources> = BTreeMap::new();
    for pod in &world.pods {
        if let Some(node) = pod.node {
            requested.entry(node).or_default().add_all(&pod.shape.requests);
        }
    }
    let uid = |pod: &PodName| (pod.clone(), format!("uid-{}", pod.name).into());
    let seen = Seen {
        nodes: world.nodes.clone(),
        groups: world.groups.clone(),
        pending: world.pods.iter().filter(|pod| pod.node.is_none()).cloned().collect(),
        requested,
        pods: world.pods.len(),
        pod_uids: planned.pods.iter().map(|report| uid(&report.pod)).collect(),
        node_uids: world.nodes.iter().map(|node| (node.name, "uid".into())).collect(),
        unreadable: Vec::new(),
    };
    let mut pass = Pass {
        number: 1,
        cause: Cause::Cluster,
        at: world.now,
        held_back: None,
        settings: Arc::new(Settings { plan: world.settings.clone(), ..Settings::default() }),
        seen,
        memory: Arc::new(planned.memory.clone()),
        plan: Arc::new(planned),
        steered: BTreeMap::new(),
        remarks: BTreeMap::new(),
        begun: Begun::default(),
        orders: Vec::new(),
        retirements: Vec::new(),
        took: Took::default(),
        world: None,
    };
    begin(&mut pass);
    pass
}

/// The same as a pass of another moment.
pub(crate) fn at(pass: &Pass, moment: &str) -> Pass {
    let at: Timestamp = moment.parse().unwrap();
    Pass { at, number: pass.number + 1, ..pass.clone() }
}

pub(crate) fn order_id(name: &str) -> OrderId {
    OrderId::new(name).unwrap()
}

/// Begins what is planned, as the loop does.
fn begin(pass: &mut Pass) {
    for purchase in &pass.plan.purchases {
        let id = order_id(&format!("order-{}", purchase.group));
        pass.begun.orders.push(id.clone());
        let intent = ScaleUp {
            group: purchase.group,
            count: purchase.to - purchase.from,
            from: purchase.from,
            pods: Vec::new(),
            why: String::new(),
        };
        pass.orders.push(Order::new(id, intent, OrderPhase::Wanted, pass.at));
    }
    for retirement in &pass.plan.retirements {
        let id = order_id(&format!("retire-{}", retirement.node));
        pass.begun.retirements.push(id.clone());
        pass.retirements.push(OpenRetirement {
            reason: Some(retirement.why),
            drains: !retirement.evict.is_empty(),
            needed: false,
            id,
            node: retirement.node,
            group: retirement.group,
            instance: "machine".into(),
            why: "nothing runs on it".to_owned(),
            stage: "Marking",
            since: pass.at,
            waits_for: String::new(),
        });
    }
}
