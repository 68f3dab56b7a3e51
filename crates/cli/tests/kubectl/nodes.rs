//! `kubectl taint`, `cordon`, `uncordon` and `drain`.

use expect_test::{Expect, expect};

use super::{cluster::Cluster, normal::normal};

/// The names of the nodes.
fn nodes(cluster: &Cluster) -> Vec<String> {
    let names = cluster.ok("get nodes -o jsonpath={.items[*].metadata.name}");
    names.split(' ').map(str::to_owned).collect()
}

#[test]
fn taints_come_and_go() {
    let cluster = Cluster::start(1);
    let node = nodes(&cluster).remove(0);
    let check = |taint: &str, expected: Expect| {
        let done = cluster.run(&format!("taint node {node} {taint}"));
        expected.assert_eq(&(done.stdout + &done.stderr).replace(&node, "NODE"));
    };
    check(
        "k=v:NoSchedule",
        expect![[r"
        node/NODE tainted
    "]],
    );
    check(
        "k=w:NoSchedule",
        expect![[r"
        error: node NODE already has k taint(s) with same effect(s) and --overwrite is false
    "]],
    );
    check(
        "k=w:NoSchedule --overwrite",
        expect![[r"
        node/NODE modified
    "]],
    );
    cluster.ok("run solo --image=registry.example/x");
    cluster.ok("wait --for=condition=PodScheduled=False pod/solo --timeout=120s");
    check(
        "k:NoSchedule-",
        expect![[r"
        node/NODE untainted
    "]],
    );
    cluster.ok("wait --for=condition=Ready pod/solo --timeout=120s");
    check(
        "k:NoExecute",
        expect![[r"
        node/NODE tainted
    "]],
    );
    cluster.ok("wait --for=delete pod/solo --timeout=120s");
    check(
        "gone:NoSchedule-",
        expect![[r#"
        error: taint "gone:NoSchedule" not found
    "#]],
    );
}

#[test]
fn cordoned_nodes_take_no_pods() {
    let cluster = Cluster::start(1);
    let node = nodes(&cluster).remove(0);
    assert_eq!(cluster.ok(&format!("cordon {node}")), format!("node/{node} cordoned\n"));
    assert_eq!(cluster.ok(&format!("cordon {node}")), format!("node/{node} already cordoned\n"));
    expect![[r"
        NODE Ready,SchedulingDisabled <none> <age> v1.36.4
    "]]
    .assert_eq(&normal(&cluster.ok("get nodes --no-headers")).replace(&node, "NODE"));
    cluster.ok("run solo --image=registry.example/x");
    cluster.ok("wait --for=condition=PodScheduled=False pod/solo --timeout=120s");
    let reason = cluster.ok("get pod solo -o jsonpath={.status.conditions[0].message}");
    expect!["0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."].assert_eq(&reason);
    assert_eq!(cluster.ok(&format!("uncordon {node}")), format!("node/{node} uncordoned\n"));
    cluster.ok("wait --for=condition=Ready pod/solo --timeout=120s");
}

#[test]
fn a_drain_asks_before_it_takes_what_is_lost() {
    let cluster = Cluster::start(1);
    let node = nodes(&cluster).remove(0);
    cluster.apply(
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: {app: agent}},
          template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: i}]}}}}",
    );
    cluster.apply(
        "{apiVersion: v1, kind: Pod, metadata: {name: scratch}, spec: {volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i}]}}",
    );
    cluster.ok("rollout status ds/agent --timeout=120s");
    cluster.ok("wait --for=condition=Ready pod --all --timeout=120s");
    let complaint = normal(&cluster.refused(&format!("drain {node}")));
    let mut reasons: Vec<&str> =
        complaint.lines().filter(|line| line.starts_with("cannot ")).collect();
    reasons.sort_unstable();
    expect![[r"
        cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent-<gen>
        cannot delete Pods with local storage (use --delete-emptydir-data to override): default/scratch"]]
    .assert_eq(&reasons.join("\n"));
    let line =
        format!("drain {node} --ignore-daemonsets --delete-emptydir-data --force --timeout=120s");
    let done = cluster.run(&line);
    assert_eq!(done.exit, Some(0), "{done:?}");
    expect![[r"
        node/NODE already cordoned
        evicting pod default/scratch
        pod/scratch evicted
        node/NODE drained
    "]]
    .assert_eq(&normal(&done.stdout).replace(&node, "NODE"));
    expect![[r"
        pod/agent-<gen>
    "]]
    .assert_eq(&normal(&cluster.ok("get pods -o name")));
}

#[test]
fn a_drain_waits_for_a_budget_and_goes_on_when_it_allows() {
    let cluster = Cluster::start(2);
    let node = nodes(&cluster).remove(0);
    let other = nodes(&cluster).remove(1);
    cluster.ok(&format!("cordon {other}"));
    cluster.ok("create deployment web --image=registry.example/app:1 --replicas=2");
    cluster.ok("create pdb web --selector=app=web --min-available=2");
    cluster.ok("rollout status deploy/web --timeout=120s");
    cluster.ok("wait --for=jsonpath={.status.currentHealthy}=2 pdb/web --timeout=120s");
    let line = format!("drain {node} --timeout=1s");
    let blocked = normal(&cluster.refused(&line)).replace(&node, "NODE");
    assert!(
        blocked.contains("Cannot evict pod as it would violate the pod's disruption budget."),
        "{blocked}"
    );
    let on_node = format!("get pods -o name --field-selector=spec.nodeName={node}");
    assert_eq!(cluster.ok(&on_node).lines().count(), 2);

    // A third pod, elsewhere, makes room for one disruption after the other.
    cluster.ok(&format!("uncordon {other}"));
    cluster.ok("scale deploy web --replicas=3");
    cluster.ok("wait --for=jsonpath={.status.disruptionsAllowed}=1 pdb/web --timeout=120s");
    let drained = cluster.ok(&format!("drain {node} --timeout=120s"));
    assert!(drained.ends_with(&format!("node/{node} drained\n")), "{drained}");
    assert_eq!(cluster.ok(&on_node), "");
    cluster.ok("rollout status deploy/web --timeout=120s");
}
