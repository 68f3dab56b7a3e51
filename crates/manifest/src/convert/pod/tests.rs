use expect_test::{Expect, expect};
use jiff::Timestamp;
use plimsoll_model::Pod;

use super::{Pods, Role};
use crate::{parse::parse, wire::pod as wire};

fn pod(json: &str, role: Role) -> Result<Pod, String> {
    let pod: wire::Pod<'_> = parse(json).unwrap();
    let mut pods = Pods::new(Timestamp::UNIX_EPOCH);
    pods.convert(&pod, role).map_err(|problem| format!("{}: {}", problem.path(), problem.text))
}

/// Shows a part of a pod with these fields of `spec`.
fn check<T: std::fmt::Debug>(spec: &str, part: impl Fn(&Pod) -> T, expected: &Expect) {
    let json = format!(
        r#"{{"metadata":{{"name":"web","namespace":"prod","uid":"u1","labels":{{"app":"web"}}}},"spec":{spec}}}"#
    );
    match pod(&json, Role::Member) {
        Ok(pod) => expected.assert_eq(&format!("{:?}", part(&pod))),
        Err(problem) => expected.assert_eq(&problem),
    }
}

#[test]
fn a_named_node_is_where_a_member_runs_and_where_a_question_may_go() {
    let json = r#"{"metadata":{"name":"web"},"spec":{"nodeName":"n1"}}"#;
    let member = pod(json, Role::Member).unwrap();
    assert_eq!((member.node, member.shape.pinned_to), (Some("n1".into()), None));
    let question = pod(json, Role::Question).unwrap();
    assert_eq!((question.node, question.shape.pinned_to), (None, Some("n1".into())));
}

#[test]
fn what_is_not_said_has_a_default() {
    let pod = pod(r#"{"metadata":{"name":"web"}}"#, Role::Member).unwrap();
    assert_eq!(pod.id().to_string(), "default/web");
    assert_eq!(pod.scheduler.as_str(), "default-scheduler");
    assert_eq!(pod.created, Timestamp::UNIX_EPOCH);
    assert!(pod.extras.is_none() && pod.owner.is_none() && pod.deletion.is_none());
}

#[test]
fn own_labels_are_merged_into_selectors_once() {
    let spread = |selector: &str| {
        format!(
            r#"{{"topologySpreadConstraints":[
                {{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
                  "matchLabelKeys":["app","absent"],"labelSelector":{selector}}},
                {{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}}]}}"#
        )
    };
    let show = |pod: &Pod| {
        let all = pod.shape.spread.iter();
        all.map(|one| one.selector.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    };
    check(&spread("{}"), show, &expect![[r#"[Some("app=web")]"#]]);
    check(&spread(r#"{"matchLabels":{"app":"web"}}"#), show, &expect![[r#"[Some("app=web")]"#]]);
    check(
        &spread("null"),
        show,
        &expect![[
            r#"spec.topologySpreadConstraints[0].matchLabelKeys: needs a labelSelector to add "app" to"#
        ]],
    );
}

#[test]
fn pod_affinity_looks_at_its_own_namespace_unless_it_says_more() {
    let terms = |more: &str| {
        format!(
            r#"{{"affinity":{{"podAntiAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":[
                {{"topologyKey":"zone","mismatchLabelKeys":["app"],"labelSelector":{{}}{more}}}]}}}}}}"#
        )
    };
    let show = |pod: &Pod| {
        let term = &pod.shape.anti_affinity[0];
        format!("{:?} {:?}", term.namespaces, term.selector.as_ref().map(ToString::to_string))
    };
    check(
        &terms(""),
        show,
        &expect![[r#""NamespaceScope { named: [\"prod\"], selected: None } Some(\"app!=web\")""#]],
    );
    check(
        &terms(r#","namespaces":["b","a","b"]"#),
        show,
        &expect![[
            r#""NamespaceScope { named: [\"a\", \"b\"], selected: None } Some(\"app!=web\")""#
        ]],
    );
    check(
        &terms(r#","namespaceSelector":{}"#),
        show,
        &expect![[
            r#""NamespaceScope { named: [], selected: Some(LabelSelector { requirements: [] }) } Some(\"app!=web\")""#
        ]],
    );
}

#[test]
fn a_term_that_compares_with_no_integer_matches_nothing() {
    let terms = |value: &str| {
        format!(
            r#"{{"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":
                {{"nodeSelectorTerms":[{{"matchFields":[{{"key":"metadata.name","operator":"In","values":["n1"]}}],
                  "matchExpressions":[{{"key":"cores","operator":"Gt","values":["{value}"]}}]}}]}}}}}}}}"#
        )
    };
    let show = |pod: &Pod| pod.shape.node_affinity.terms.clone();
    check(
        &terms("007"),
        show,
        &expect![[
            r#"Some([NodeTerm { labels: LabelSelector { requirements: [LabelRequirement { key: "cores", operator: Gt(7) }] }, names: [NameRequirement { name: "n1", negated: false }] }])"#
        ]],
    );
    check(
        &terms("six"),
        show,
        &expect!["Some([NodeTerm { labels: LabelSelector { requirements: [] }, names: [] }])"],
    );
}

#[test]
fn ports_of_the_host_are_those_of_containers_and_sidecars() {
    let spec = |host_network: bool| {
        format!(
            r#"{{"hostNetwork":{host_network},
                "containers":[{{"ports":[{{"containerPort":80}},{{"containerPort":53,"hostPort":53,"protocol":"UDP"}}]}}],
                "initContainers":[{{"ports":[{{"containerPort":1,"hostPort":1}}]}},
                  {{"restartPolicy":"Always","ports":[{{"containerPort":2,"hostPort":2,"hostIP":"10.0.0.1"}}]}}]}}"#
        )
    };
    let show = |pod: &Pod| pod.shape.ports.clone();
    check(&spec(false), show, &expect!["[53/UDP, 10.0.0.1:2/TCP]"]);
    check(&spec(true), show, &expect!["[80/TCP, 53/UDP, 10.0.0.1:2/TCP]"]);
}

#[test]
fn volumes_that_the_scheduler_looks_at() {
    check(
        r#"{"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"data"}},{"name":"b","ephemeral":{}},
            {"name":"c","configMap":{"name":"x"}},{"name":"d","rbd":{"monitors":["m"],"image":"i"}},
            {"name":"e","gcePersistentDisk":{"pdName":"g","readOnly":true}}]}"#,
        |pod| pod.shape.volumes.clone(),
        &expect![[
            r#"[Claim("data"), Ephemeral { claim: "web-b", pod_uid: "u1" }, Disk(Rbd { monitors: ["m"], pool: "rbd", image: "i", read_only: false }), Disk(GcePersistentDisk { name: "g", read_only: true })]"#
        ]],
    );
}

#[test]
fn marks_come_from_annotations_and_local_volumes() {
    let json = r#"{"metadata":{"name":"web","annotations":{
            "cluster-autoscaler.kubernetes.io/safe-to-evict":"on-completion",
            "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes":"tmp, cache",
            "cluster-autoscaler.kubernetes.io/pod-scale-up-delay":"1m500ms",
            "cluster-autoscaler.kubernetes.io/enable-ds-eviction":"maybe",
            "controller.kubernetes.io/pod-deletion-cost":"-5","plimsoll.dev/pod-group":"train"}},
        "spec":{"volumes":[{"name":"tmp","emptyDir":{}},{"name":"ram","emptyDir":{"medium":"Memory"}},
            {"name":"disk","emptyDir":{}},{"name":"host","hostPath":{"path":"/x"}}]}}"#;
    let extras = pod(json, Role::Member).unwrap().extras.unwrap();
    expect![[r#"
        PodExtras {
            mirror: false,
            daemon: false,
            safe_to_evict: Some(
                OnCompletion,
            ),
            daemon_eviction: None,
            scale_up_delay: Some(
                61,
            ),
            local_volumes: [
                "disk",
                "host",
            ],
            deletion_cost: -5,
            gang: Some(
                "train",
            ),
            wishes_spread: false,
            consumes: None,
            stands_for: None,
            restarts_always: false,
        }
    "#]]
    .assert_debug_eq(&extras);
}

#[test]
fn the_way_out_is_noted() {
    let json = r#"{"metadata":{"name":"web","deletionTimestamp":"2026-01-01T12:00:00Z"},
        "spec":{"terminationGracePeriodSeconds":5},"status":{"phase":"Failed"}}"#;
    let pod = pod(json, Role::Member).unwrap();
    assert!(pod.shape.terminating && pod.has_ended());
    assert_eq!(pod.deletion.unwrap().grace, 5);
    assert!(pod.extras.unwrap().restarts_always);
}
