//! `kubectl scale`, `rollout` and `wait`.

use expect_test::expect;

use super::{cluster::Cluster, normal::normal};

fn image(cluster: &Cluster) -> String {
    cluster.ok("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}")
}

#[test]
fn a_deployment_rolls_on_back_and_over_again() {
    let cluster = Cluster::start(2);
    cluster.ok("create deployment web --image=registry.example/app:1 --replicas=3");
    cluster.ok("annotate deploy web kubernetes.io/change-cause=first");
    let status = "rollout status deploy/web --timeout=120s";
    let done = "deployment \"web\" successfully rolled out\n";
    assert!(cluster.ok(status).ends_with(done));
    cluster.ok("set image deploy/web app=registry.example/app:2");
    cluster.ok("annotate deploy web kubernetes.io/change-cause=second --overwrite");
    assert!(cluster.ok(status).ends_with(done));
    expect![[r"
        deployment.apps/web
        REVISION CHANGE-CAUSE
        1 first
        2 second
    "]]
    .assert_eq(&normal(&cluster.ok("rollout history deploy/web")));
    assert!(
        cluster.ok("rollout history deploy/web --revision=1").contains("registry.example/app:1")
    );

    assert_eq!(cluster.ok("rollout undo deploy/web"), "deployment.apps/web rolled back\n");
    assert!(cluster.ok(status).ends_with(done));
    assert_eq!(image(&cluster), "registry.example/app:1");
    assert_eq!(cluster.ok("rollout restart deploy/web"), "deployment.apps/web restarted\n");
    assert!(cluster.ok(status).ends_with(done));
    expect![[r"
        deployment.apps/web
        REVISION CHANGE-CAUSE
        2 second
        3 first
        4 first
    "]]
    .assert_eq(&normal(&cluster.ok("rollout history deploy/web")));

    assert_eq!(cluster.ok("rollout pause deploy/web"), "deployment.apps/web paused\n");
    cluster.ok("set image deploy/web app=registry.example/app:3");
    assert_eq!(cluster.ok("get rs -l app=web -o name").lines().count(), 3);
    assert_eq!(cluster.ok("rollout resume deploy/web"), "deployment.apps/web resumed\n");
    assert!(cluster.ok(status).ends_with(done));
    assert_eq!(cluster.ok("get rs -l app=web -o name").lines().count(), 4);
}

#[test]
fn daemon_sets_and_stateful_sets_roll_too() {
    let cluster = Cluster::start(2);
    for kind in ["DaemonSet", "StatefulSet"] {
        cluster.apply(&format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: x}}, spec: {{selector: {{matchLabels: {{app: {kind}}}}},
               template: {{metadata: {{labels: {{app: {kind}}}}}, spec: {{containers: [{{name: c, image: 'registry.example/app:1'}}]}}}}}}}}",
        ));
        let status = format!("rollout status {kind}/x --timeout=120s");
        cluster.ok(&status);
        cluster.ok(&format!("set image {kind}/x c=registry.example/app:2"));
        cluster.ok(&status);
        assert_eq!(cluster.ok(&format!("rollout history {kind}/x")).trim().lines().count(), 4);
        cluster.ok(&format!("rollout undo {kind}/x"));
        cluster.ok(&status);
        let images =
            format!("get pods -l app={kind} -o jsonpath={{.items[*].spec.containers[0].image}}");
        cluster.until("all pods have the first image again", |cluster| {
            cluster.ok(&images).split(' ').all(|image| image == "registry.example/app:1")
        });
    }
}

#[test]
fn replicas_are_scaled_if_there_are_as_many_as_said() {
    let cluster = Cluster::start(1);
    cluster.ok("create deployment web --image=registry.example/x --replicas=1");
    assert_eq!(cluster.ok("scale deploy web --replicas=3"), "deployment.apps/web scaled\n");
    cluster.ok("wait --for=jsonpath={.status.readyReplicas}=3 deploy/web --timeout=120s");
    assert_eq!(
        cluster.ok("scale deploy web --replicas=2 --current-replicas=3"),
        "deployment.apps/web scaled\n"
    );
    expect![[r"
        error: Expected replicas to be 9, was 2
    "]]
    .assert_eq(&cluster.refused("scale deploy web --replicas=1 --current-replicas=9"));
    expect![[r#"
        Error from server (NotFound): deployments.apps "nope" not found
    "#]]
    .assert_eq(&normal(&cluster.refused("scale deploy nope --replicas=1")));
}

#[test]
fn waiting_ends_when_it_is_so_or_in_vain() {
    let cluster = Cluster::start(1);
    cluster.ok("run solo --image=registry.example/x");
    let met = "pod/solo condition met\n";
    assert_eq!(cluster.ok("wait --for=condition=Ready pod/solo --timeout=120s"), met);
    assert_eq!(
        cluster.ok("wait --for=jsonpath={.status.phase}=Running pod/solo --timeout=120s"),
        met
    );
    assert_eq!(cluster.ok("wait --for=create pod/solo --timeout=120s"), met);
    assert_eq!(cluster.ok("wait --for=delete pod/none --timeout=120s"), "");
    expect![[r"
        error: timed out waiting for the condition on pods/solo
    "]]
    .assert_eq(&cluster.refused("wait --for=condition=Nope pod/solo --timeout=1s"));
    let waiting = cluster.spawn("wait --for=delete pod/solo --timeout=120s");
    cluster.ok("delete pod solo");
    assert_eq!(waiting.end().0, Some(0));
}
