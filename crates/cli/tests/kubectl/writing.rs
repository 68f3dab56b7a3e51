//! `kubectl create`, `label`, `annotate`, `patch`, `replace`, `edit` of a scale.

use expect_test::expect;

use super::{cluster::Cluster, normal::normal};

/// These send protobuf and do not fall back to JSON.
#[test]
fn objects_are_created_from_nothing_but_flags() {
    let cluster = Cluster::start(1);
    let check = |line: &str, expected: &str| assert_eq!(cluster.ok(line), format!("{expected}\n"));
    check("create namespace shop", "namespace/shop created");
    check("create configmap lit --from-literal=a=b -n shop", "configmap/lit created");
    check("create secret generic key --from-literal=k=v -n shop", "secret/key created");
    check("create serviceaccount bot -n shop", "serviceaccount/bot created");
    check("create priorityclass high --value=1000", "priorityclass.scheduling.k8s.io/high created");
    check(
        "create deployment made --image=registry.example/x --replicas=2 -n shop",
        "deployment.apps/made created",
    );
    check("create job once --image=registry.example/x -n shop", "job.batch/once created");
    check(
        "create pdb made --selector=app=made --min-available=1 -n shop",
        "poddisruptionbudget.policy/made created",
    );
    check("run solo --image=registry.example/x -n shop", "pod/solo created");
    check("expose deployment made --port=80 -n shop", "service/made exposed");
    assert!(!cluster.ok("create token bot -n shop --duration=1h").trim().is_empty());
    cluster.ok("wait --for=condition=Available deploy/made -n shop --timeout=120s");
    expect![[r"
        NAME READY STATUS RESTARTS AGE
        pod/made-<hash>-<gen> 1/1 Running 0 <age>
        pod/made-<hash>-<gen> 1/1 Running 0 <age>
    "]]
    .assert_eq(&normal(&cluster.ok("get pods -l app=made -n shop --show-kind")));
}

#[test]
fn what_is_there_already_is_not_created_again() {
    let cluster = Cluster::start(0);
    cluster.ok("create configmap cfg --from-literal=a=b");
    expect![[r#"
        error: failed to create configmap: configmaps "cfg" already exists
    "#]]
    .assert_eq(&cluster.refused("create configmap cfg --from-literal=a=c"));
    assert_eq!(cluster.ok("get cm cfg -o jsonpath={.data.a}"), "b");
}

#[test]
fn labels_and_annotations_are_set_replaced_and_taken_off() {
    let cluster = Cluster::start(1);
    cluster.ok("run solo --image=registry.example/x");
    let check = |line: &str, expected: &str| assert_eq!(cluster.ok(line), format!("{expected}\n"));
    check("label pod solo x=1", "pod/solo labeled");
    check("label pod solo x=1", "pod/solo not labeled");
    expect![[r"
        error: 'x' already has a value (1), and --overwrite is false
    "]]
    .assert_eq(&cluster.refused("label pod solo x=2"));
    check("label pod solo x=2 --overwrite", "pod/solo labeled");
    check("get pod -l x=2 -o name", "pod/solo");
    check("label pod solo x-", "pod/solo unlabeled");
    check("annotate pod solo note=hello", "pod/solo annotated");
    assert_eq!(cluster.ok("get pod solo -o jsonpath={.metadata.annotations.note}"), "hello");
    check("annotate pod solo note-", "pod/solo annotated");
    check("label nodes --all pool=a", &cluster.ok("get nodes -o name").replace('\n', " labeled"));
}

#[test]
fn patches_of_every_sort_are_taken() {
    let cluster = Cluster::start(0);
    cluster.ok("create deployment web --image=registry.example/app:1 --replicas=1");
    let patched = "deployment.apps/web patched\n";
    let strategic = r#"patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"A","value":"1"}]}]}}}}"#;
    assert_eq!(cluster.ok(strategic), patched);
    let container = "get deploy web -o jsonpath={.spec.template.spec.containers[0].image},{.spec.template.spec.containers[0].env[0].name}";
    assert_eq!(cluster.ok(container), "registry.example/app:1,A");
    assert_eq!(cluster.ok(r#"patch deploy web --type=merge -p {"spec":{"replicas":3}}"#), patched);
    let json =
        r#"patch deploy web --type=json -p [{"op":"replace","path":"/spec/replicas","value":4}]"#;
    assert_eq!(cluster.ok(json), patched);
    assert_eq!(cluster.ok(json), "deployment.apps/web patched (no change)\n");
    assert_eq!(cluster.ok("get deploy web -o jsonpath={.spec.replicas}"), "4");
    expect![[r#"
        The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0
    "#]]
    .assert_eq(&cluster.refused(r#"patch deploy web --type=merge -p {"spec":{"replicas":-1}}"#));
    let stale =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cfg","resourceVersion":"1"}}"#;
    cluster.ok("create configmap cfg");
    let done = cluster.run_words(&["replace", "-f", "-"], stale);
    assert_eq!(done.exit, Some(1));
    expect![[r#"
        Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "cfg": the object has been modified; please apply your changes to the latest version and try again
    "#]]
    .assert_eq(&normal(&done.stderr));
}
