//! `kubectl apply`, from the client's side and from the server's.

use std::collections::BTreeSet;

use expect_test::expect;

use super::{
    cluster::{Cluster, yaml},
    normal::normal,
};

/// One of each kind of workload, and what goes with them.
const WORKLOADS: &str = include_str!("files/workloads.yaml");
const WIDGETS: &str = include_str!("files/widgets.yaml");

#[test]
fn workloads_are_made_found_unchanged_and_changed() {
    let cluster = Cluster::start(3);
    let all = |verb: &str| {
        [
            "deployment.apps/web",
            "daemonset.apps/agent",
            "job.batch/once",
            "statefulset.apps/db",
            "poddisruptionbudget.policy/db",
        ]
        .map(|object| format!("{object} {verb}\n"))
        .concat()
    };
    assert_eq!(cluster.apply(WORKLOADS), all("created"));
    cluster.ok("rollout status deployment/web --timeout=120s");
    cluster.ok("rollout status daemonset/agent --timeout=120s");
    cluster.ok("rollout status statefulset/db --timeout=120s");
    cluster.ok("wait --for=condition=Complete job/once --timeout=120s");
    cluster.ok("wait --for=jsonpath={.status.disruptionsAllowed}=1 pdb/db --timeout=120s");
    // kubectl always sends the selector of a budget, because it is replaced as a whole, and calls that configured.
    let again = all("unchanged").replace("policy/db unchanged", "policy/db configured");
    assert_eq!(cluster.apply(WORKLOADS), again);

    let changed = WORKLOADS.replace("app:1", "app:2");
    expect![[r"
        deployment.apps/web configured
        daemonset.apps/agent unchanged
        job.batch/once unchanged
        statefulset.apps/db configured
        poddisruptionbudget.policy/db configured
    "]]
    .assert_eq(&cluster.apply(&changed));
    cluster.ok("rollout status deployment/web --timeout=120s");
    cluster.ok("rollout status statefulset/db --timeout=120s");
    let images = "get pods -l app -o jsonpath={.items[*].spec.containers[*].image}";
    cluster.until("only pods of the new template are left", |cluster| {
        !cluster.ok(images).contains("app:1")
    });
    expect![[r"
        NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR
        deployment.apps/web 2/2 2 2 <age> c registry.example/app:2 app=web

        NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE SELECTOR AGE CONTAINERS IMAGES SELECTOR
        daemonset.apps/agent 3 3 3 3 3 <none> <age> c registry.example/agent:1 app=agent

        NAME STATUS COMPLETIONS DURATION AGE CONTAINERS IMAGES SELECTOR
        job.batch/once Complete 1/1 <age> <age> c registry.example/once:1 batch.kubernetes.io/controller-uid=<uid>

        NAME READY AGE CONTAINERS IMAGES
        statefulset.apps/db 2/2 <age> c registry.example/app:2

        NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE
        poddisruptionbudget.policy/db 1 N/A 1 <age>
    "]]
    .assert_eq(&normal(&cluster.ok("get deploy,ds,jobs,sts,pdb -o wide")));
}

#[test]
fn what_is_wrong_with_a_manifest_is_said_as_a_real_server_says_it() {
    let cluster = Cluster::start(0);
    let check = |manifest: &str, expected: expect_test::Expect| {
        let done = cluster.run_words(&["apply", "-f", "-"], &yaml(manifest));
        assert_eq!(done.exit, Some(1), "{done:?}");
        expected.assert_eq(&done.stderr);
    };
    check(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, nonsense: 1}",
        expect![[r#"
            Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nonsense"
        "#]],
    );
    check(
        "{apiVersion: example.com/v1, kind: Nope, metadata: {name: x}}",
        expect![[r#"
            error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "Nope" in version "example.com/v1"
            ensure CRDs are installed first
        "#]],
    );
    check(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: -1, selector: {matchLabels: {a: b}},
          template: {metadata: {labels: {a: c}}, spec: {containers: [{name: c}]}}}}",
        expect![[r#"
            The Deployment "x" is invalid: 
            * spec.replicas: Invalid value: -1: must be greater than or equal to 0
            * spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`
            * spec.template.spec.containers[0].image: Required value
        "#]],
    );
    check(
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: nowhere}, spec: {containers: [{name: c, image: i}]}}",
        expect![[r#"
            Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found
        "#]],
    );
    assert_eq!(cluster.ok("get deploy,pods -o name"), "");
    assert_eq!(cluster.ok("get cm bad --ignore-not-found"), "");
}

#[test]
fn a_definition_brings_a_kind_that_kubectl_knows_at_once() {
    let cluster = Cluster::start(0);
    let (definition, widget) = WIDGETS.split_once("---\n").unwrap();
    cluster.apply(definition);
    cluster.ok("wait --for=condition=Established crd/widgets.shop.example --timeout=120s");
    assert_eq!(cluster.apply(widget), "widget.shop.example/left created\n");
    assert_eq!(cluster.apply(widget), "widget.shop.example/left unchanged\n");
    assert_eq!(
        cluster.apply(&widget.replace("size: 3", "size: 4")),
        "widget.shop.example/left configured\n"
    );
    expect![[r"
        NAME SIZE COLOUR AGE
        left 4 green <age>
    "]]
    .assert_eq(&normal(&cluster.ok("get wd")));
    expect![[r#"
        The Widget "left" is invalid: spec.size: Invalid value: 12: spec.size in body should be less than or equal to 10
    "#]]
    .assert_eq(&cluster.refused(r#"patch widget left --type=merge -p {"spec":{"size":12}}"#));
    cluster.ok("scale widget left --replicas=7");
    assert_eq!(cluster.ok("get widget left -o jsonpath={.spec.replicas}"), "7");
    expect![[r"
        GROUP: shop.example
        KIND: Widget
        VERSION: v1

        FIELD: size <integer>


        DESCRIPTION:
            How large it is.
    "]]
    .assert_eq(&normal(&cluster.ok("explain widget.spec.size")));
    assert_eq!(
        cluster.ok("api-resources --api-group=shop.example -o name"),
        "widgets.shop.example\n"
    );
    cluster.ok("delete crd widgets.shop.example --timeout=120s");
    expect![[r#"
        error: the server doesn't have a resource type "widgets"
    "#]]
    .assert_eq(&cluster.refused("get widgets --cache-dir=cold"));
}

#[test]
fn managers_of_fields_do_not_overwrite_each_other_unless_forced() {
    let cluster = Cluster::start(0);
    cluster.file(
        "one.yaml",
        &yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: one, b: one}}"),
    );
    cluster.file(
        "two.yaml",
        &yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: two}}"),
    );
    let applied = "configmap/cfg serverside-applied\n";
    assert_eq!(cluster.ok("apply --server-side -f one.yaml --field-manager=first"), applied);
    let conflict = cluster.refused("apply --server-side -f two.yaml --field-manager=second");
    let first = conflict.lines().next().unwrap();
    assert_eq!(first, r#"error: Apply failed with 1 conflict: conflict with "first": .data.a"#);
    assert_eq!(cluster.ok("get cm cfg -o jsonpath={.data}"), r#"{"a":"one","b":"one"}"#);
    let forced = "apply --server-side -f two.yaml --field-manager=second --force-conflicts";
    assert_eq!(cluster.ok(forced), applied);
    assert_eq!(cluster.ok("get cm cfg -o jsonpath={.data}"), r#"{"a":"two","b":"one"}"#);
    // The first has lost `a`; what it leaves out now and owns alone goes.
    cluster.file(
        "one.yaml",
        &yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {c: one}}"),
    );
    assert_eq!(cluster.ok("apply --server-side -f one.yaml --field-manager=first"), applied);
    assert_eq!(cluster.ok("get cm cfg -o jsonpath={.data}"), r#"{"a":"two","c":"one"}"#);
    let managers =
        "get cm cfg --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}";
    // They are in the order of their last writes, to the second.
    let managers = cluster.ok(managers);
    assert_eq!(managers.split(' ').collect::<BTreeSet<_>>(), BTreeSet::from(["first", "second"]));
}
