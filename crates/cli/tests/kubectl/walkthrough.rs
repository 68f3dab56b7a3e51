//! What a new user does in the first minutes, from the first manifest to the last deletion, in one cluster of three nodes.

use expect_test::{Expect, expect};

use super::{
    cluster::{Cluster, yaml},
    normal::normal,
};

const MANIFEST: &str = include_str!("walkthrough.yaml");

fn check(printed: &str, expected: &Expect) {
    expected.assert_eq(&normal(printed));
}

#[test]
fn a_new_user_applies_scales_drains_and_deletes() {
    let cluster = Cluster::start(3);
    everything_is_applied(&cluster);
    a_custom_resource_is_like_any_other(&cluster);
    a_deployment_is_scaled_and_rolled_out(&cluster);
    a_drain_honours_the_budget(&cluster);
    everything_is_deleted(&cluster);
}

fn everything_is_applied(cluster: &Cluster) {
    check(
        &cluster.apply(MANIFEST),
        &expect![[r"
            deployment.apps/web created
            daemonset.apps/agent created
            job.batch/once created
            statefulset.apps/db created
            poddisruptionbudget.policy/db created
            customresourcedefinition.apiextensions.k8s.io/ships.example.com created
        "]],
    );
    cluster.ok("rollout status deploy/web --timeout=120s");
    cluster.ok("rollout status ds/agent --timeout=120s");
    cluster.ok("rollout status sts/db --timeout=120s");
    cluster.ok("wait --for=condition=Complete job/once --timeout=120s");
    cluster.ok("wait --for=jsonpath={.status.currentHealthy}=3 pdb/db --timeout=120s");
    check(
        &cluster.ok("get deploy,ds,job,sts,pdb"),
        &expect![[r"
            NAME READY UP-TO-DATE AVAILABLE AGE
            deployment.apps/web 2/2 2 2 <age>

            NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE SELECTOR AGE
            daemonset.apps/agent 3 3 3 3 3 <none> <age>

            NAME STATUS COMPLETIONS DURATION AGE
            job.batch/once Complete 1/1 <age> <age>

            NAME READY AGE
            statefulset.apps/db 3/3 <age>

            NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE
            poddisruptionbudget.policy/db 3 N/A 0 <age>
        "]],
    );
    let places = cluster.ok("get pods -l app=db -o wide --no-headers --sort-by=.metadata.name");
    let expected = expect![[r"
        db-0 1/1 Running 0 <age> <ip> NODE <none> <none>
        db-1 1/1 Running 0 <age> <ip> NODE <none> <none>
        db-2 1/1 Running 0 <age> <ip> NODE <none> <none>
    "]];
    let nodes = ["node-0", "node-1", "node-2"];
    // Each of the three is on a node of its own.
    assert!(nodes.iter().all(|node| places.matches(node).count() == 1), "{places}");
    check(&nodes.iter().fold(places, |text, node| text.replace(node, "NODE")), &expected);
    let described = cluster.ok("describe sts db");
    for line in
        ["Replicas:           3 desired | 3 total", "create Pod db-2 in StatefulSet db successful"]
    {
        assert!(described.contains(line), "{described}");
    }
}

fn a_custom_resource_is_like_any_other(cluster: &Cluster) {
    cluster.ok("wait --for=condition=Established crd/ships.example.com --timeout=120s");
    let ship = |holds: &str| {
        format!(
            "{{apiVersion: example.com/v1, kind: Ship, metadata: {{name: cutty}}, spec: {{holds: {holds}}}}}"
        )
    };
    check(
        &cluster.apply(&ship("2")),
        &expect![[r"
        ship.example.com/cutty created
    "]],
    );
    check(
        &cluster.ok("get ships"),
        &expect![[r"
        NAME HOLDS RIG
        cutty 2 bark
    "]],
    );
    cluster.file("refused.yaml", &yaml(&ship("-1")));
    check(
        &cluster.refused("apply -f refused.yaml"),
        &expect![[r#"
            The Ship "cutty" is invalid: spec.holds: Invalid value: -1: spec.holds in body should be greater than or equal to 0
        "#]],
    );
    cluster.ok("patch ship cutty --type=merge -p {\"spec\":{\"holds\":3}}");
    assert_eq!(cluster.ok("get ship cutty -o jsonpath={.spec.holds},{.spec.rig}"), "3,bark");
}

fn a_deployment_is_scaled_and_rolled_out(cluster: &Cluster) {
    check(
        &cluster.ok("scale deploy/web --replicas=4"),
        &expect![[r"
        deployment.apps/web scaled
    "]],
    );
    cluster.ok("rollout status deploy/web --timeout=120s");
    cluster.ok("set image deploy/web c=registry.example/web:2");
    let status = cluster.ok("rollout status deploy/web --timeout=120s");
    assert!(status.ends_with("deployment \"web\" successfully rolled out\n"), "{status}");
    let images = "get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}";
    cluster.until("the old pods are gone", |cluster| {
        cluster.ok(images) == ["registry.example/web:2"; 4].join(" ")
    });
    let events = cluster.ok("events --for deployment/web");
    assert!(events.contains("Scaled up replica set"), "{events}");
}

fn a_drain_honours_the_budget(cluster: &Cluster) {
    let node = cluster.ok("get pod db-0 -o jsonpath={.spec.nodeName}");
    let drain = format!("drain {node} --ignore-daemonsets --delete-emptydir-data");
    let blocked = cluster.refused(&format!("{drain} --timeout=1s"));
    let reason = "Cannot evict pod as it would violate the pod's disruption budget.";
    assert!(blocked.contains(reason), "{blocked}");
    assert_eq!(cluster.ok("get pod db-0 -o jsonpath={.status.phase}"), "Running");
    let taken = cluster.ok(&format!("get node {node} -o jsonpath={{.spec.unschedulable}}"));
    assert_eq!(taken, "true");

    cluster.ok("patch pdb db --type=merge -p {\"spec\":{\"minAvailable\":2}}");
    cluster.ok("wait --for=jsonpath={.status.disruptionsAllowed}=1 pdb/db --timeout=120s");
    let drained = cluster.ok(&format!("{drain} --timeout=120s"));
    assert!(drained.ends_with(&format!("node/{node} drained\n")), "{drained}");
    // The set brings its pod back elsewhere, under the same name.
    cluster.ok("rollout status sts/db --timeout=120s");
    cluster.until("db-0 is back", |cluster| {
        let place = cluster.run("get pod db-0 -o jsonpath={.spec.nodeName},{.status.phase}").stdout;
        place.ends_with(",Running") && !place.starts_with(&format!("{node},"))
    });
    let left =
        format!("get pods -o name --field-selector=spec.nodeName={node},status.phase=Running");
    check(
        &cluster.ok(&left),
        &expect![[r"
        pod/agent-<gen>
    "]],
    );
    check(
        &cluster.ok(&format!("uncordon {node}")).replace(&node, "NODE"),
        &expect![[r"
        node/NODE uncordoned
    "]],
    );
}

fn everything_is_deleted(cluster: &Cluster) {
    cluster.file("all.yaml", MANIFEST);
    check(
        &cluster.ok("delete -f all.yaml --timeout=120s"),
        &expect![[r#"
        deployment.apps "web" deleted
        daemonset.apps "agent" deleted
        job.batch "once" deleted
        statefulset.apps "db" deleted
        poddisruptionbudget.policy "db" deleted
        customresourcedefinition.apiextensions.k8s.io "ships.example.com" deleted
    "#]],
    );
    cluster.until("the pods are gone", |cluster| cluster.ok("get pods -o name").is_empty());
    let unknown = cluster.refused("get ships");
    assert!(unknown.contains("the server could not find the requested resource"), "{unknown}");
}
