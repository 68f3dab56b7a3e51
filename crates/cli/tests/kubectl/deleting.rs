//! `kubectl delete`: at once or in time, with dependents or without.

use expect_test::expect;

use super::{cluster::Cluster, normal::normal};

#[test]
fn a_pod_has_its_time_to_end() {
    let cluster = Cluster::start(1);
    cluster.apply(
        "{apiVersion: v1, kind: Pod, metadata: {name: slow, annotations: {plimsoll.dev/terminates-in: 1h}},
          spec: {terminationGracePeriodSeconds: 3600, containers: [{name: c, image: i}]}}",
    );
    cluster.ok("wait --for=condition=Ready pod/slow --timeout=120s");
    assert_eq!(normal(&cluster.ok("delete pod slow --wait=false")), "pod \"slow\" deleted\n");
    expect![[r"
        slow 1/1 Terminating 0 <age>
    "]]
    .assert_eq(&normal(&cluster.ok("get pods --no-headers")));
    assert_eq!(
        cluster.ok("get pod slow -o jsonpath={.metadata.deletionGracePeriodSeconds}"),
        "3600"
    );
    cluster.refused("wait --for=delete pod/slow --timeout=1s");
    // A shorter time is taken over, and with it the pod goes.
    cluster.ok("delete pod slow --grace-period=1 --timeout=120s");
    assert_eq!(cluster.ok("get pods -o name"), "");
}

#[test]
fn a_pod_can_be_forced_out() {
    let cluster = Cluster::start(1);
    cluster.apply(
        "{apiVersion: v1, kind: Pod, metadata: {name: stuck, annotations: {plimsoll.dev/terminates-in: 1h}},
          spec: {containers: [{name: c, image: i}]}}",
    );
    cluster.ok("wait --for=condition=Ready pod/stuck --timeout=120s");
    let done = cluster.run("delete pod stuck --grace-period=0 --force");
    assert_eq!(done.exit, Some(0), "{done:?}");
    assert_eq!(normal(&done.stdout), "pod \"stuck\" force deleted\n");
    assert_eq!(cluster.ok("get pods -o name"), "");
}

#[test]
fn dependents_go_stay_or_go_first() {
    let cluster = Cluster::start(1);
    for name in ["background", "orphan", "foreground"] {
        cluster.ok(&format!("create deployment {name} --image=registry.example/x --replicas=2"));
        cluster.ok(&format!("rollout status deploy/{name} --timeout=120s"));
    }
    cluster.ok("delete deploy background --cascade=background --timeout=120s");
    cluster.until("the dependents are gone", |cluster| {
        cluster.ok("get rs,pods -l app=background -o name").is_empty()
    });
    cluster.ok("delete deploy orphan --cascade=orphan --timeout=120s");
    assert_eq!(cluster.ok("get rs,pods -l app=orphan -o name").lines().count(), 3);
    let owners = "get rs -l app=orphan -o jsonpath={.items[*].metadata.ownerReferences}";
    assert_eq!(cluster.ok(owners), "");
    cluster.ok("delete deploy foreground --cascade=foreground --timeout=120s");
    assert_eq!(cluster.ok("get rs,pods -l app=foreground -o name"), "");
}

#[test]
fn a_finalizer_holds_an_object_until_it_is_taken_off() {
    let cluster = Cluster::start(0);
    cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [shop.example/hold]}}");
    cluster.refused("delete cm held --timeout=1s");
    assert_ne!(cluster.ok("get cm held -o jsonpath={.metadata.deletionTimestamp}"), "");
    cluster.ok(r#"patch cm held --type=merge -p {"metadata":{"finalizers":null}}"#);
    cluster.ok("wait --for=delete cm/held --timeout=120s");
}

#[test]
fn a_namespace_takes_everything_with_it() {
    let cluster = Cluster::start(1);
    cluster.ok("create namespace shop");
    cluster.ok("create deployment web --image=registry.example/x -n shop");
    cluster.ok("create configmap cfg -n shop");
    cluster.ok("rollout status deploy/web -n shop --timeout=120s");
    assert_eq!(cluster.ok("delete ns shop --timeout=120s"), "namespace \"shop\" deleted\n");
    expect![[r"
        No resources found in shop namespace.
    "]]
    .assert_eq(&cluster.run("get all,cm,sa -n shop").stderr);
    expect![[r#"
        Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted
    "#]]
    .assert_eq(&cluster.refused("delete ns default"));
}

#[test]
fn many_are_deleted_by_label() {
    let cluster = Cluster::start(0);
    for name in ["a", "b", "c"] {
        cluster.ok(&format!("create configmap {name}"));
    }
    cluster.ok("label cm a b x=1");
    assert_eq!(
        normal(&cluster.ok("delete cm -l x=1")),
        "configmap \"a\" deleted\nconfigmap \"b\" deleted\n"
    );
    assert_eq!(
        normal(&cluster.ok("delete cm c --dry-run=server")),
        "configmap \"c\" deleted (server dry run)\n"
    );
    assert_eq!(cluster.ok("get cm c -o name"), "configmap/c\n");
    expect![[r#"
        Error from server (NotFound): configmaps "nope" not found
    "#]]
    .assert_eq(&cluster.refused("delete cm nope"));
    assert_eq!(cluster.ok("delete cm nope --ignore-not-found"), "");
}
