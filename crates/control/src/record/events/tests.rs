//! Which events follow from what.

use expect_test::{Expect, expect};
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{Order, OrderPhase, ScaleUp};
use plimsoll_plan::Repair;
use plimsoll_provider::Class;

use super::*;
use crate::{
    engine::{News, OpenRetirement, Pass},
    sketch::{CLUSTER, at, order_id, pass},
};

/// A cluster in which something is bought while other pods wait in vain.
const BUSY: &str = "
now: 2026-01-01T12:00:00Z
groups:
- {id: small, max: 5, price: 0.10, template: {status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}}
- {id: tainted, max: 5, template: {spec: {taints: [{key: a, effect: NoSchedule}]}, status: {allocatable: {cpu: 64, memory: 16Gi, pods: 110}}}}
- {id: full, max: 0, template: {status: {allocatable: {cpu: 64, memory: 64Gi, pods: 110}}}}
objects:
- {kind: Pod, apiVersion: v1, metadata: {name: good, namespace: default}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
- {kind: Pod, apiVersion: v1, metadata: {name: bad, namespace: default}, spec: {containers: [{name: c, resources: {requests: {cpu: 32, memory: 1Gi}}}]}}
";

fn shown(events: &[Event]) -> String {
    let lines = events.iter().map(|event| {
        let about = match &event.about {
            About::Pod { name, uid } => format!("pod {name} ({})", uid.as_deref().unwrap_or("-")),
            About::Node { name, .. } => format!("node {name}"),
            About::Status => "status".to_owned(),
        };
        format!("{about}: {:?} {}: {}\n", event.level, event.reason, event.message)
    });
    lines.collect()
}

#[expect(clippy::needless_pass_by_value, reason = "an answer, once")]
fn check(teller: &mut Teller, expected: Expect) {
    expected.assert_eq(&shown(&teller.take(usize::MAX)));
}

fn order(pass: &Pass) -> Order<ScaleUp> {
    Order { phase: OrderPhase::Placed, ..pass.orders[0].clone() }
}

#[test]
fn a_busy_pass_explains_those_it_does_nothing_for() {
    let mut teller = Teller::new(Duplicates::Left);
    let pass = pass(BUSY);
    teller.pass(&pass, 50);
    check(
        &mut teller,
        expect![[r"
        pod default/bad (uid-bad): Normal NotTriggerScaleUp: pod didn't trigger scale-up: 1 Insufficient cpu, 1 max node group size reached, 1 node(s) had untolerated taint(s)
    "]],
    );
    teller.news(&News::Placed(order(&pass)), pass.at);
    check(
        &mut teller,
        expect![[r"
        status: Normal ScaledUpGroup: Scale-up: group small size set to 1 instead of 0 (max: 5)
        pod default/good (uid-good): Normal TriggeredScaleUp: pod triggered scale-up: [{small 0->1 (max: 5)}]
    "]],
    );
}

#[test]
fn an_order_that_fails_triggers_nothing() {
    let mut teller = Teller::new(Duplicates::Left);
    let pass = pass(BUSY);
    teller.pass(&pass, 0);
    let order = Order { message: "no more machines".to_owned(), ..order(&pass) };
    let (class, code) = (Class::OutOfCapacity, "STOCKOUT".to_owned());
    teller.news(&News::OrderFailed { order: order.clone(), class, code }, pass.at);
    teller.news(&News::Placed(order), pass.at);
    check(
        &mut teller,
        expect![[r"
        status: Warning FailedToScaleUpGroup: Scale-up failed for group small: no more machines
        status: Normal ScaledUpGroup: Scale-up: group small size set to 1 instead of 0 (max: 5)
    "]],
    );
}

#[test]
fn the_same_is_told_again_after_a_while_and_a_change_at_once() {
    let mut teller = Teller::new(Duplicates::Left);
    let first = pass(CLUSTER);
    let told = |teller: &mut Teller, pass: &Pass| {
        teller.pass(pass, 50);
        teller.take(usize::MAX).len()
    };
    assert_eq!(told(&mut teller, &first), 1);
    assert_eq!(told(&mut teller, &at(&first, "2026-01-01T12:00:10Z")), 0, "said a moment ago");
    let taint = "spec: {taints: [{key: a, effect: NoSchedule}]}";
    let tiny = "id: tiny, max: 9, template: {";
    let tainted = pass(&CLUSTER.replace(tiny, &format!("{tiny}{taint}, ")));
    let changed = at(&tainted, "2026-01-01T12:00:20Z");
    assert_eq!(told(&mut teller, &changed), 1, "another reason");
    assert_eq!(told(&mut teller, &at(&first, "2026-01-01T12:04:59Z")), 0);
    assert_eq!(told(&mut teller, &at(&first, "2026-01-01T12:05:01Z")), 1, "it is still so");

    let mut chatty = Teller::new(Duplicates::Told);
    assert_eq!(told(&mut chatty, &first), 1);
    assert_eq!(told(&mut chatty, &at(&first, "2026-01-01T12:00:10Z")), 1);
}

#[test]
fn many_pods_are_told_little_by_little_and_the_youngest_first() {
    let mut scenario = CLUSTER.to_owned();
    for number in 0..120 {
        let minute = number % 60;
        let pod = format!(
            "- {{kind: Pod, apiVersion: v1, metadata: {{name: p{number}, namespace: default, \
             creationTimestamp: '2026-01-01T11:{minute:02}:00Z'}}, \
             spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 100}}}}}}]}}}}\n"
        );
        scenario.push_str(&pod);
    }
    let first = pass(&scenario);
    let mut teller = Teller::new(Duplicates::Left);
    let mut told = Vec::new();
    for second in 0..5 {
        teller.pass(&at(&first, &format!("2026-01-01T12:00:0{second}Z")), 50);
        told.push(teller.take(usize::MAX));
    }
    assert_eq!(told.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50, 21, 0, 0]);
    let minute = |event: &Event| {
        let name = shown(std::slice::from_ref(event));
        let number = name.trim_start_matches("pod default/p").split(' ').next().unwrap().to_owned();
        number.parse::<u32>().unwrap() % 60
    };
    let youngest: Vec<u32> = told[0].iter().map(minute).collect();
    assert!(youngest.is_sorted_by(|one, other| one >= other), "{youngest:?}");
    assert_eq!((youngest[0], youngest[49]), (59, 35));
    assert!(shown(&told[2][20..]).starts_with("pod default/huge "), "the oldest is the last");
}

#[test]
fn nothing_is_said_of_pods_while_the_cluster_cannot_be_seen() {
    let mut stale = pass(CLUSTER);
    let unseen = plimsoll_cluster::mirror::Staleness::Unseen(Vec::new());
    stale.held_back = Some(HeldBack::Stale(unseen));
    let mut teller = Teller::new(Duplicates::Left);
    teller.pass(&stale, 50);
    check(&mut teller, expect![[""]]);
}

#[test]
fn an_unhealthy_cluster_and_a_full_one_are_told() {
    let limited = CLUSTER.replace("groups:", "flags: {max-nodes-total: 2}\ngroups:");
    let limited = limited.replace("cpu: 32", "cpu: 2").replace("cpu: 3,", "cpu: 4,");
    let limited = limited.replace("name: small-1, labels: {plimsoll.dev/node-group: small}}, status", "name: small-1, labels: {plimsoll.dev/node-group: small}}, spec: {unschedulable: true}, status");
    let mut full = pass(&limited);
    let mut plan = (*full.plan).clone();
    plan.healthy = false;
    full.plan = plan.into();
    let mut teller = Teller::new(Duplicates::Left);
    teller.pass(&full, 0);
    check(
        &mut teller,
        expect![[r"
        status: Warning ClusterUnhealthy: Cluster is unhealthy
        status: Warning MaxNodesTotalReached: Max total nodes in cluster reached: 2
    "]],
    );
}

#[test]
fn machines_that_do_not_come_are_told_once() {
    let mut first = pass(CLUSTER);
    let mut teller = Teller::new(Duplicates::Told);
    teller.pass(&first, 0);
    check(&mut teller, expect![[""]]);
    let mut plan = (*first.plan).clone();
    let backoff = plan.memory.backoff.get_mut(&Symbol::new("gpu")).unwrap();
    backoff.failed = "2026-01-01T12:00:01Z".parse().unwrap();
    backoff.code = "timeout".into();
    first.plan = plan.into();
    teller.pass(&first, 0);
    teller.pass(&first, 0);
    check(
        &mut teller,
        expect![[r"
        status: Warning ScaleUpTimedOut: Nodes added to group gpu failed to register within 15m0s
    "]],
    );
}

#[test]
fn a_node_that_leaves() {
    let gone = CLUSTER.replace("11:55", "11:40");
    let pass = pass(&gone);
    let mut teller = Teller::new(Duplicates::Left);
    let leaving = pass.retirements[0].clone();
    teller.pass(&pass, 0);
    let node = leaving.node;
    let pod = PodName { namespace: Symbol::new("default"), name: "web".into() };
    let outcomes = [
        Eviction::Accepted,
        Eviction::Gone,
        Eviction::Blocked { why: "a budget".to_owned() },
        Eviction::Failed { why: "forbidden".to_owned() },
    ];
    teller.news(&News::Leaving(leaving.clone()), pass.at);
    for outcome in outcomes {
        let pod = pod.clone();
        teller.news(&News::Evicted { node, pod, uid: None, outcome }, pass.at);
    }
    teller.news(&News::Gone(leaving.clone()), pass.at);
    let other = OpenRetirement { id: order_id("other"), drains: true, ..leaving };
    teller.news(
        &News::Gone(OpenRetirement { node: Symbol::new("small-0"), ..other.clone() }),
        pass.at,
    );
    let why = "web did not end".to_owned();
    teller.news(&News::Released { retirement: other.clone(), why }, pass.at);
    let (retirement, why) = (OpenRetirement { needed: true, ..other }, "needed".to_owned());
    teller.news(&News::Released { retirement, why }, pass.at);
    teller.news(&News::Cleaned(node), pass.at);
    check(
        &mut teller,
        expect![[r#"
        status: Normal ScaleDownEmpty: Scale-down: removing empty node "small-1"
        node small-1: Normal ScaleDown: marked the node as toBeDeleted/unschedulable: nothing runs on it
        pod default/web (-): Normal ScaleDown: deleting pod for node scale down
        pod default/web (-): Warning ScaleDownFailed: failed to delete pod for ScaleDown: forbidden
        status: Normal ScaleDownEmpty: Scale-down: empty node small-1 removed
        node small-1: Normal ScaleDown: node removed by cluster autoscaler
        status: Normal ScaleDown: Scale-down: node small-0 removed with drain
        node small-0: Normal ScaleDown: node removed by cluster autoscaler
        node small-1: Warning ScaleDownFailed: failed to drain the node, aborting ScaleDown: web did not end
        node small-1: Normal ClusterAutoscalerCleanup: marked the node as schedulable: needed
        node small-1: Normal ClusterAutoscalerCleanup: marked the node as schedulable
    "#]],
    );
}

#[test]
fn a_node_that_is_removed_is_told_of_once() {
    let mut teller = Teller::new(Duplicates::Left);
    let mut pass = pass(CLUSTER);
    let (node, group, unready) = ("small-1".into(), "small".into(), pass.at);
    pass.begun.removals = vec![Removal { node, group, instance: "i-1".into(), unready }];
    teller.pass(&pass, 0);
    // It could not be done, and is begun again.
    teller.pass(&pass, 0);
    let events = teller.take(usize::MAX);
    let told: Vec<_> = events.into_iter().filter(|one| one.reason == "DeletingNode").collect();
    expect![[r"
        node small-1: Normal DeletingNode: Deleting node small-1 because it does not exist in the cloud provider
    "]].assert_eq(&shown(&told));
}

#[test]
fn repairs() {
    let (group, why) = (Symbol::new("small"), "overdue".to_owned());
    let delete = Repair::DeleteInstance { group, instance: "i-1".into(), why: why.clone() };
    let lower = Repair::LowerTarget { group, from: 2, to: 1, why };
    let raise = Repair::RaiseToMin { group, from: 0, to: 1 };
    let mut teller = Teller::new(Duplicates::Left);
    let now = Timestamp::UNIX_EPOCH;
    for repair in [delete, lower, raise] {
        teller.news(&News::Repaired(repair.clone()), now);
        teller.news(&News::RepairFailed { repair, message: "away".to_owned() }, now);
    }
    check(
        &mut teller,
        expect![[r"
        status: Normal DeleteUnregistered: Removed unregistered node i-1
        status: Warning DeleteUnregisteredFailed: Failed to remove node i-1: away
        status: Warning FailedToRevertScaleUp: Failed to lower the target size of group small: away
        status: Warning FailedToScaleUpGroup: Scale-up failed for group small: away
    "]],
    );
}

#[test]
fn nodes_that_claim_one_machine_are_told_each_and_again_after_a_while() {
    let mut contested = pass(CLUSTER);
    let mut plan = (*contested.plan).clone();
    plan.contested.push(plimsoll_model::Contested {
        group: "small".into(),
        instance: "sim://small-0".into(),
        nodes: ["small-0".into(), "small-1".into()].into(),
    });
    plan.contradiction = Some(plimsoll_plan::Contradiction {
        machines: 3,
        without_node: 2,
        since: "2026-01-01T11:00:00Z".parse().unwrap(),
    });
    contested.plan = Arc::new(plan);
    let mut teller = Teller::new(Duplicates::Left);
    teller.pass(&contested, 0);
    let told = shown(&teller.take(usize::MAX));
    let about = |words: &str| told.lines().filter(|line| line.contains(words)).count();
    assert_eq!((about("DuplicateProviderID"), about("MachinesWithoutNodes")), (2, 1), "{told}");
    teller.pass(&contested, 0);
    assert_eq!(shown(&teller.take(usize::MAX)).trim(), "", "it was told");
}
