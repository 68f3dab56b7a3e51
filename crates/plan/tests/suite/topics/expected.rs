//! Pods that controllers want and have not made yet.

use expect_test::expect;

use crate::fixture::check;

/// A ReplicaSet that wants so many pods, beside the one that `pods … owner=rs` makes.
fn set(kind: &str, spec: &str, status: &str) -> String {
    let version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
    format!(
        "raw {{apiVersion: {version}, kind: {kind}, metadata: {{name: web, uid: u}}, spec: {{{spec}}}, \
         status: {{{status}}}}}"
    )
}

/// A pod of it, which waits or runs.
fn pod(kind: &str, name: &str, rest: &str) -> String {
    format!(
        "raw {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, ownerReferences: [{{kind: {kind}, name: web, \
         uid: u, controller: true}}]}}, spec: {{containers: [{{name: a, resources: {{requests: {{cpu: 1}}}}}}]{rest}}}}}"
    )
}

fn planned(flags: &str, lines: &[String]) -> String {
    let text = format!("flags {flags}\ngroup only 0..10 2cpu 8Gi $0.20\n{}", lines.join("\n"));
    crate::fixture::show(&plimsoll_plan::plan(&crate::fixture::world(&text)))
}

fn purchase(flags: &str, lines: &[String]) -> String {
    let plan = planned(flags, lines);
    let bought = plan.lines().find_map(|line| line.strip_prefix("buy     only 0 → "));
    bought.and_then(|line| line.split(' ').next()).unwrap_or("0").to_owned()
}

const ON: &str = "enable-proactive-scaleup=true";

#[test]
fn a_controller_with_a_pod_that_waits_is_bought_for_whole() {
    let (kind, spec) = ("ReplicaSet", "replicas: 6");
    let lines = [set(kind, spec, ""), pod(kind, "web-0", "")];
    assert_eq!(purchase("max-nodes-total=0", &lines), "1");
    assert_eq!(purchase(ON, &lines), "3");
}

#[test]
fn what_is_missing_is_what_is_wanted_less_what_is_there() {
    let waiting = |kind: &str| pod(kind, "web-0", "");
    let cases = [
        ("ReplicaSet", "replicas: 1", "", "1"),
        ("ReplicaSet", "replicas: 8", "", "4"),
        ("StatefulSet", "replicas: 8", "", "4"),
        ("Job", "parallelism: 8", "", "4"),
        ("Job", "parallelism: 8, completions: 4", "", "2"),
        ("Job", "parallelism: 2, completions: 8", "", "1"),
        ("Job", "parallelism: 8, completions: 8", "succeeded: 6", "1"),
        // Once a pod of a queue has ended well no more are made.
        ("Job", "parallelism: 8", "succeeded: 1", "1"),
        ("ReplicationController", "replicas: 8", "", "1"),
    ];
    for (kind, spec, status, expected) in cases {
        let lines = [
            set(kind, spec, status)
                .replace("apps/v1, kind: ReplicationController", "v1, kind: ReplicationController"),
            waiting(kind),
        ];
        assert_eq!(purchase(ON, &lines), expected, "{kind} {spec} {status}");
    }
}

#[test]
fn controllers_of_which_nothing_waits_are_left_alone() {
    let kind = "ReplicaSet";
    let gated = ", schedulingGates: [{name: later}]";
    assert_eq!(purchase(ON, &[set(kind, "replicas: 8", "")]), "0");
    assert_eq!(purchase(ON, &[set(kind, "replicas: 8", ""), pod(kind, "web-0", gated)]), "0");
}

#[test]
fn the_limit_counts_pods_that_wait_and_those_that_are_expected() {
    let lines = [
        set("ReplicaSet", "replicas: 20", ""),
        pod("ReplicaSet", "web-0", ""),
        pod("ReplicaSet", "web-1", ""),
    ];
    for (limit, expected) in [("5000", "10"), ("8", "4"), ("3", "2"), ("2", "1"), ("0", "1")] {
        let flags = format!("{ON} pod-injection-limit={limit}");
        assert_eq!(purchase(&flags, &lines), expected, "{limit}");
    }
}

#[test]
fn only_pods_that_exist_are_told_of() {
    check(
        &format!(
            "flags {ON}\ngroup only 0..10 2cpu 8Gi $0.20\n{}\n{}",
            set("ReplicaSet", "replicas: 4", ""),
            pod("ReplicaSet", "web-0", "")
        ),
        expect![[r#"
            buy     only 0 → 2 for web-0
            cost    $0.00 → $0.40
        "#]],
    );
}
