//! Objects from the future: in every kind that is watched, every word out of a list and every amount, replaced by one that nobody
//! knows yet.

use std::fmt::Write as _;

use expect_test::expect;
use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Quota, Symbol, World};
use serde_json::{Value, json};

use super::{Effect, Mirror};
use crate::source::{Change, Kinds, Watched};

mod objects;

use self::objects::{FUTURE, object};

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

fn mirror() -> Mirror {
    Mirror::new(NOW, Kinds::default())
}

fn put(mirror: &mut Mirror, watched: Watched, object: &Value) -> Effect {
    let object = serde_json::from_value(object.clone()).unwrap();
    mirror.apply(Change::Put(watched, Box::new(object)), NOW)
}

fn gone(mirror: &mut Mirror, watched: Watched, object: &Value) {
    let object = serde_json::from_value(object.clone()).unwrap();
    mirror.apply(Change::Gone(watched, Box::new(object)), NOW);
}

fn opaque(mirror: &Mirror) -> Vec<&'static str> {
    let mut nodes: Vec<_> = mirror.opaque_nodes().map(Symbol::as_str).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// How many objects of a kind a decision takes into account.
fn count(world: &World, watched: Watched) -> usize {
    let (storage, devices) = (&world.storage, &world.devices);
    let of_kind =
        |kind: &str| world.controllers.iter().filter(|one| one.kind.as_str() == kind).count();
    match watched {
        Watched::Nodes => world.nodes.len(),
        Watched::Pods => world.pods.len(),
        Watched::DaemonSets => world.daemon_sets.len(),
        Watched::ReplicaSets
        | Watched::StatefulSets
        | Watched::Jobs
        | Watched::ReplicationControllers
        | Watched::Deployments => of_kind(watched.kind()),
        Watched::Budgets => world.budgets.len(),
        Watched::Namespaces => world.namespaces.len(),
        Watched::Volumes => storage.volumes().len(),
        Watched::Claims => storage.claims.len(),
        Watched::StorageClasses => storage.classes.len(),
        Watched::CsiNodes => storage.limits.len(),
        Watched::CsiDrivers => storage.capacity_drivers.len(),
        Watched::StorageCapacities => storage.capacities.len(),
        Watched::VolumeAttachments => storage.attachments.len(),
        Watched::PodTemplates => world.pod_templates.len(),
        Watched::ResourceQuotas => world.namespace_quotas.len(),
        Watched::CapacityBuffers => world.buffers.len(),
        Watched::Requests => world.requests.len(),
        Watched::CapacityQuotas => world.quotas.len(),
        Watched::ResourceSlices => devices.slices.len(),
        Watched::ResourceClaims => devices.claims.len(),
        Watched::ResourceClaimTemplates => devices.templates.len(),
        Watched::DeviceClasses => devices.classes.len(),
    }
}

/// A mirror that knows node `n` with pod `default/p` on it.
fn peopled() -> Mirror {
    let mut mirror = mirror();
    put(&mut mirror, Watched::Nodes, &object(Watched::Nodes));
    put(&mut mirror, Watched::Pods, &object(Watched::Pods));
    mirror
}

/// Checks the rule for a kind. `known` is whether the object could be read before.
fn keeps_the_rule(mirror: &mut Mirror, watched: Watched, known: bool) -> Result<(), &'static str> {
    let is_readable = mirror.unreadable().next().is_none();
    let opaque = opaque(mirror);
    let (is_kept, there) = (opaque == ["n"], count(mirror.world(), watched));
    let rule = |holds: bool, rule| if holds { Ok(()) } else { Err(rule) };
    if is_readable {
        return rule(
            opaque.is_empty() && there == 1,
            "what can be read is there and blocks nothing",
        );
    }
    match watched {
        Watched::Nodes => {
            let node = mirror.world().nodes[0].clone();
            let is_untouched = node.keep && node.unschedulable && node.allocatable.is_empty();
            let is_itself = &*node.provider_id == "simulated://n" && node.name.as_str() == "n";
            let identity = mirror.identity(node.name).map(|one| one.provider_id.clone());
            let is_known = identity.as_deref() == Some("simulated://n")
                && mirror.node_uid(node.name) == Some("uid-n");
            rule(is_kept && is_untouched && is_itself && is_known, "a node stays, untouched")
        }
        Watched::Pods => rule(is_kept && there == usize::from(known), "a pod keeps its node"),
        Watched::Budgets => rule(is_kept, "pods of its namespace keep their nodes"),
        Watched::CapacityQuotas => {
            let nothing: Box<[_]> = [(Symbol::new(Quota::NODES), 0)].into();
            let quotas = &mirror.world().quotas;
            let is_strict = known || quotas[0].limits == nothing;
            rule(
                quotas.len() == 1 && is_strict,
                "a quota that nobody can read lets nothing through",
            )
        }
        Watched::CsiNodes if !known => rule(is_kept, "its node is kept"),
        _ => rule(there == usize::from(known), "what was read last holds"),
    }
}

#[test]
fn whatever_comes_from_the_future_is_not_taken_for_absent() {
    let mut told = String::new();
    for watched in Watched::all() {
        let valid = object(watched);
        let mut mirror = peopled();
        put(&mut mirror, watched, &valid);
        assert_eq!(mirror.unreadable().collect::<Vec<_>>(), [""; 0], "{watched:?}");
        assert_eq!(count(mirror.world(), watched), 1, "{watched:?}");
        let futures: Vec<_> = FUTURE.iter().filter(|(of, ..)| *of == watched).collect();
        assert!(!futures.is_empty(), "{watched:?} has nothing that could change");
        for (_, pointer, word) in futures {
            let mut strange = valid.clone();
            let field = strange.pointer_mut(pointer);
            *field.unwrap_or_else(|| panic!("{watched:?} has no {pointer}")) = json!(word);
            for known in [false, true] {
                let mut mirror = peopled();
                if known {
                    put(&mut mirror, watched, &valid);
                } else {
                    gone(&mut mirror, watched, &valid);
                }
                put(&mut mirror, watched, &strange);
                let problems: Vec<String> = mirror.unreadable().collect();
                if !known {
                    let verdict = if problems.is_empty() { "read" } else { "not read" };
                    writeln!(told, "{verdict:8} {} {pointer} {word}", watched.kind()).unwrap();
                }
                assert!(problems.iter().all(|one| one.starts_with(watched.kind())), "{problems:?}");
                let rule = keeps_the_rule(&mut mirror, watched, known);
                assert_eq!(rule, Ok(()), "{watched:?} {pointer} {word} known: {known}");
                // When it is gone, or can be read again, nothing is left of it.
                let mut later = peopled();
                put(&mut later, watched, &strange);
                put(&mut later, watched, &valid);
                assert_eq!(later.unreadable().count() + opaque(&later).len(), 0, "{watched:?}");
                assert_eq!(count(later.world(), watched), 1, "{watched:?} {pointer}");
                gone(&mut mirror, watched, &strange);
                assert_eq!(mirror.unreadable().count() + opaque(&mirror).len(), 0, "{watched:?}");
                assert_eq!(count(mirror.world(), watched), 0, "{watched:?} {pointer}");
            }
        }
    }
    expect![[r"
        not read Node /spec/taints/0/effect NoScheduleTomorrow
        not read Node /status/allocatable/memory 1e30
        not read Node /status/capacity/memory 1e30
        not read Node /status/capacity/cpu 4 cores
        not read Node /status/capacity large
        not read Node /status/conditions/0/status Mostly
        not read Node /status/conditions/0/lastTransitionTime just now
        read     Node /status/conditions/0/type Readiness
        not read Node /spec/unschedulable partly
        read     Node /status/phase Dreaming
        not read Pod /status/phase Dreaming
        not read Pod /spec/restartPolicy Sometimes
        not read Pod /spec/tolerations/0/operator Resembles
        not read Pod /spec/tolerations/0/effect NoScheduleTomorrow
        not read Pod /spec/containers/0/resources/requests/memory 1e30
        not read Pod /spec/containers/0/ports/0/protocol QUIC
        not read Pod /spec/containers/0/ports/0/hostPort any
        not read Pod /spec/topologySpreadConstraints/0/whenUnsatisfiable Complain
        not read Pod /spec/topologySpreadConstraints/0/nodeTaintsPolicy Weigh
        not read Pod /spec/topologySpreadConstraints/0/labelSelector/matchExpressions/0/operator Near
        not read Pod /spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/0/operator Near
        not read Pod /spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector/matchExpressions/0/operator Near
        read     Pod /spec/preemptionPolicy Politely
        read     Pod /spec/os/name plan9
        not read Pod /spec/volumes/0 a disk
        read     Pod /metadata/ownerReferences/0/kind Swarm
        not read DaemonSet /spec/template/spec/containers/0/resources/requests/memory 1e30
        not read DaemonSet /spec/template/spec/tolerations/0/operator Resembles
        read     DaemonSet /spec/updateStrategy/type Never
        not read ReplicaSet /spec/replicas several
        not read ReplicaSet /spec/selector/matchExpressions/0/operator Near
        read     ReplicaSet /spec/template/spec/restartPolicy Sometimes
        not read StatefulSet /spec/replicas several
        read     StatefulSet /spec/podManagementPolicy Chaotic
        not read StatefulSet /spec/selector/matchExpressions/0/operator Near
        not read Job /spec/parallelism several
        read     Job /spec/completionMode Someday
        not read ReplicationController /spec/replicas several
        not read PodDisruptionBudget /spec/minAvailable a third
        not read PodDisruptionBudget /spec/selector/matchExpressions/0/operator Near
        read     PodDisruptionBudget /spec/unhealthyPodEvictionPolicy AskFirst
        not read PodDisruptionBudget /status/disruptionsAllowed a few
        read     Namespace /status/phase Dreaming
        not read PersistentVolume /spec/accessModes/0 ReadTwice
        not read PersistentVolume /spec/capacity/storage 1e30
        not read PersistentVolume /spec/volumeMode Object
        read     PersistentVolume /spec/persistentVolumeReclaimPolicy Donate
        not read PersistentVolume /status/phase Dreaming
        not read PersistentVolume /spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/operator Near
        not read PersistentVolumeClaim /spec/accessModes/0 ReadTwice
        not read PersistentVolumeClaim /spec/resources/requests/storage 1e30
        not read PersistentVolumeClaim /spec/volumeMode Object
        not read PersistentVolumeClaim /status/phase Dreaming
        not read StorageClass /volumeBindingMode Eventually
        read     StorageClass /reclaimPolicy Donate
        not read CSINode /spec/drivers/0/allocatable/count many
        not read CSINode /spec/drivers all
        not read CSIDriver /spec/storageCapacity partly
        not read CSIStorageCapacity /capacity 1e30
        not read CSIStorageCapacity /nodeTopology/matchExpressions/0/operator Near
        not read VolumeAttachment /spec/source a disk
        read     VolumeAttachment /status/attached partly
        read     PodTemplate /template/spec/restartPolicy Sometimes
        not read PodTemplate /template/spec/containers/0/resources/requests/memory 1e30
        not read Deployment /spec/replicas several
        read     Deployment /spec/strategy/type Gently
        not read ResourceQuota /status/hard/cpu 1e30
        read     ResourceQuota /spec/scopes/0 OnSundays
        read     CapacityBuffer /spec/provisioningStrategy buffer.x-k8s.io/lazy
        not read CapacityBuffer /spec/replicas several
        not read CapacityBuffer /spec/limits/cpu 1e30
        read     ProvisioningRequest /spec/provisioningClassName someday.autoscaling.x-k8s.io
        not read ProvisioningRequest /spec/podSets/0/count several
        not read CapacityQuota /spec/limits/resources/cpu 1e30
        not read CapacityQuota /spec/selector/matchExpressions/0/operator Near
        not read CapacityQuota /spec/limits generous
        not read ResourceSlice /spec/devices/0/taints/0/effect NoScheduleTomorrow
        read     ResourceSlice /spec/devices/0/capacity/memory/value 1e30
        not read ResourceSlice /spec/nodeSelector/nodeSelectorTerms/0/matchExpressions/0/operator Near
        not read ResourceClaim /spec/devices/requests/0/exactly/allocationMode Some
        not read ResourceClaim /spec/devices/requests/0/exactly/tolerations/0/operator Resembles
        not read ResourceClaim /spec/devices/requests/0/exactly/count several
        not read ResourceClaimTemplate /spec/spec/devices/requests/0/exactly/allocationMode Some
        read     DeviceClass /spec/selectors/0/cel/expression device.mood == 'good' and then some
        not read DeviceClass /spec/selectors/0/cel good
    "]].assert_eq(&told);
}

/// A pod that cannot be read.
fn strange_pod(node: Option<&str>, uid: &str) -> Value {
    let mut pod = object(Watched::Pods);
    pod["spec"]["restartPolicy"] = json!("Sometimes");
    pod["spec"]["nodeName"] = json!(node);
    pod["metadata"]["uid"] = json!(uid);
    pod
}

#[test]
fn a_pod_that_cannot_be_read_keeps_its_node_whenever_it_got_there() {
    let mut mirror = mirror();
    put(&mut mirror, Watched::Pods, &strange_pod(None, "1"));
    assert_eq!(opaque(&mirror), [""; 0], "it waits");
    put(&mut mirror, Watched::Pods, &strange_pod(Some("n"), "1"));
    assert_eq!(opaque(&mirror), ["n"], "it was scheduled");
    put(&mut mirror, Watched::Pods, &strange_pod(None, "1"));
    assert_eq!(opaque(&mirror), ["n"], "pods do not leave their nodes");
    put(&mut mirror, Watched::Pods, &strange_pod(None, "2"));
    assert_eq!(opaque(&mirror), [""; 0], "another pod of its name waits");
}

#[test]
fn a_pod_that_could_be_read_before_still_counts_where_it_runs_and_not_where_it_waited() {
    let mut mirror = mirror();
    let mut pod = object(Watched::Pods);
    put(&mut mirror, Watched::Pods, &pod);
    put(&mut mirror, Watched::Pods, &strange_pod(Some("n"), "uid-p"));
    assert_eq!((opaque(&mirror), mirror.world().pods.len()), (vec!["n"], 1));
    put(&mut mirror, Watched::Pods, &strange_pod(Some("m"), "another"));
    assert_eq!((opaque(&mirror), mirror.world().pods.len()), (vec!["m"], 0), "another of its name");

    pod["metadata"]["name"] = json!("waiting");
    pod["spec"]["nodeName"] = json!(null);
    put(&mut mirror, Watched::Pods, &pod);
    assert_eq!(mirror.world().pods.len(), 1);
    pod["spec"]["restartPolicy"] = json!("Sometimes");
    pod["spec"]["nodeName"] = json!("n");
    put(&mut mirror, Watched::Pods, &pod);
    assert_eq!((opaque(&mirror), mirror.world().pods.len()), (vec!["m", "n"], 0));
}

#[test]
fn a_budget_that_cannot_be_read_guards_the_pods_of_its_namespace_and_no_others() {
    let mut mirror = mirror();
    let mut pod = object(Watched::Pods);
    for (name, namespace, node, owner) in [
        ("a", "default", "n1", "ReplicaSet"),
        ("b", "other", "n2", "ReplicaSet"),
        ("c", "default", "n3", "DaemonSet"),
    ] {
        pod["metadata"]["name"] = json!(name);
        pod["metadata"]["namespace"] = json!(namespace);
        pod["spec"]["nodeName"] = json!(node);
        let owner = json!({ "kind": owner, "name": "o", "uid": "o", "controller": true, "apiVersion": "apps/v1" });
        pod["metadata"]["ownerReferences"] = json!([owner]);
        put(&mut mirror, Watched::Pods, &pod);
    }
    let mut budget = object(Watched::Budgets);
    budget["spec"]["minAvailable"] = json!("a third");
    put(&mut mirror, Watched::Budgets, &budget);
    assert_eq!(opaque(&mirror), ["n1"]);
    gone(&mut mirror, Watched::Budgets, &budget);
    assert_eq!(opaque(&mirror), [""; 0]);
}

#[test]
fn a_node_that_cannot_be_read_is_as_ready_and_as_large_as_can_be_told() {
    let mut mirror = mirror();
    let mut node = object(Watched::Nodes);
    node["status"]["capacity"]["memory"] = json!("1e30");
    node["spec"]["taints"] = json!([
        { "key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule", "value": "5" },
        { "key": "x", "effect": "NoScheduleTomorrow" },
    ]);
    put(&mut mirror, Watched::Nodes, &node);
    let seen = mirror.world().nodes[0].clone();
    assert!(seen.conditions.ready && seen.keep);
    assert_eq!(seen.taints.len(), 1, "our own marks are seen");
    let cpu = Symbol::new("cpu");
    assert_eq!((seen.capacity.get(cpu), seen.capacity.iter().len()), (4000, 2));
    node["status"]["conditions"][0]["status"] = json!("False");
    put(&mut mirror, Watched::Nodes, &node);
    assert!(!mirror.world().nodes[0].conditions.ready);

    // One that could be read before is as large as it was, unless it is another of its name.
    put(&mut mirror, Watched::Nodes, &object(Watched::Nodes));
    node["status"]["capacity"] = json!({ "cpu": "a lot" });
    put(&mut mirror, Watched::Nodes, &node);
    assert_eq!(mirror.world().nodes[0].capacity.get(cpu), 4000);
    node["metadata"]["uid"] = json!("another");
    put(&mut mirror, Watched::Nodes, &node);
    assert_eq!(mirror.world().nodes[0].capacity.get(cpu), 0);
    assert_eq!(mirror.node_uid(Symbol::new("n")), Some("another"));
}

#[test]
fn what_cannot_be_read_and_is_not_listed_again_is_gone() {
    let mut mirror = mirror();
    let mut node = object(Watched::Nodes);
    node["status"]["capacity"]["memory"] = json!("1e30");
    put(&mut mirror, Watched::Nodes, &node);
    put(&mut mirror, Watched::Pods, &strange_pod(Some("n"), "1"));
    for watched in [Watched::Nodes, Watched::Pods] {
        mirror.apply(Change::Restart(watched), NOW);
        mirror.apply(Change::Complete(watched), NOW);
    }
    assert_eq!((mirror.unreadable().count(), opaque(&mirror).len()), (0, 0));
    assert!(mirror.world().nodes.is_empty());
}

#[test]
fn a_kind_that_is_back_after_a_break_calls_for_a_decision() {
    let mut mirror = mirror();
    for watched in Kinds::default().iter() {
        mirror.apply(Change::Complete(watched), NOW);
    }
    assert_eq!(mirror.apply(Change::Alive(Watched::Pods), NOW), Effect::None);
    mirror.apply(Change::Broken(Watched::Pods, "refused".to_owned()), NOW);
    assert_eq!(mirror.apply(Change::Alive(Watched::Pods), NOW), Effect::Urgent);
    let limit = SignedDuration::from_secs(30);
    assert_eq!(mirror.staleness(NOW + limit, limit), None);
    assert_eq!(mirror.fresh_until(limit), Some(NOW + limit));
    assert!(mirror.staleness(NOW + limit * 2, limit).is_some());
}
