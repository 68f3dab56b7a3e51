//! CapacityBuffers: room that users want to be kept for pods like those they name.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use plimsoll_model::Units;
use plimsoll_plan::{Told, plan};

use crate::fixture::{show, world};

const ON: &str =
    "flags capacity-buffer-controller-enabled=true capacity-buffer-pod-injection-enabled=true";

/// A PodTemplate of a pod of one core and one gibibyte.
const UNIT: &str = "raw {apiVersion: v1, kind: PodTemplate, metadata: {name: unit}, template: {spec: \
    {containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}]}}}";

fn buffer(name: &str, spec: &str) -> String {
    format!(
        "raw {{apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, \
         metadata: {{name: {name}}}, spec: {{{spec}}}}}"
    )
}

/// Plans, and compares the whole answer and what the users of buffers are told.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "so that `expect![…]` stands alone")]
fn check(lines: &[&str], expected: Expect) {
    let plan = plan(&world(&lines.join("\n")));
    let mut text = show(&plan);
    for report in &plan.buffers {
        let (units, placed) = (report.units, report.placed);
        write!(text, "buffer  {}: {placed} of {units} units placed", report.name).unwrap();
        if let Told::Everything(status) | Told::Conditions(status) = &report.told {
            for one in &status.conditions {
                write!(text, "; {} {} {}", one.name, one.status.as_str(), one.reason).unwrap();
                if !one.message.is_empty() {
                    write!(text, ": {}", one.message).unwrap();
                }
            }
        }
        text.push('\n');
    }
    expected.assert_eq(&text);
}

#[test]
fn units_are_bought_for() {
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            UNIT,
            &buffer("spare", "podTemplateRef: {name: unit}, replicas: 3"),
        ],
        expect![[r#"
            buy     only 0 → 2 for nobody
            cost    $0.00 → $0.40
            buffer  spare: 3 of 3 units placed
        "#]],
    );
}

#[test]
fn without_injection_nothing_is_bought() {
    check(
        &[
            "flags capacity-buffer-controller-enabled=true",
            "group only 0..10 2cpu 8Gi $0.20",
            UNIT,
            &buffer("spare", "podTemplateRef: {name: unit}, replicas: 3"),
        ],
        expect![[r#"
            buffer  spare: 0 of 0 units placed
        "#]],
    );
}

#[test]
fn real_pods_come_first_and_units_are_bought_for_anew() {
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            "node a-0 of only",
            "pods web 1cpu 1Gi prio=-5",
            UNIT,
            &buffer("spare", "podTemplateRef: {name: unit}, replicas: 2"),
        ],
        expect![[r#"
            buy     only 1 → 2 for nobody
            fits    web on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
            buffer  spare: 2 of 2 units placed
        "#]],
    );
}

#[test]
fn a_node_with_a_unit_is_not_given_back() {
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            "node a-0 of only",
            "node a-1 of only",
            "memory unneeded a-0 since=30m",
            "memory unneeded a-1 since=30m",
            UNIT,
            &buffer("spare", "podTemplateRef: {name: unit}, replicas: 1"),
        ],
        expect![[r#"
            give    a-1 of only: empty
            keep    a-0: NotUnderutilized
            cost    $0.40 → $0.20
            buffer  spare: 1 of 1 units placed
        "#]],
    );
}

#[test]
fn a_share_of_a_controller_is_kept() {
    let set = "raw {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5, \
        template: {spec: {containers: [{name: a, resources: {limits: {cpu: 2}}}]}}}}";
    check(
        &[
            ON,
            "group only 0..10 4cpu 8Gi $0.20",
            set,
            &buffer(
                "spare",
                "scalableRef: {apiGroup: apps, kind: Deployment, name: web}, percentage: 30",
            ),
        ],
        expect![[r#"
            buy     only 0 → 1 for nobody
            cost    $0.00 → $0.20
            buffer  spare: 2 of 2 units placed
        "#]],
    );
}

#[test]
fn older_buffers_have_the_first_claim_on_a_quota() {
    let quota = "raw {apiVersion: v1, kind: ResourceQuota, metadata: {name: team}, \
        status: {hard: {requests.cpu: 5}, used: {requests.cpu: 1}}}";
    let older = "raw {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: old, \
        creationTimestamp: '2020-01-01T00:00:00Z'}, spec: {podTemplateRef: {name: unit}, replicas: 3}}";
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            UNIT,
            quota,
            &buffer("new", "podTemplateRef: {name: unit}, replicas: 3"),
            older,
        ],
        expect![[r#"
            buy     only 0 → 2 for nobody
            cost    $0.00 → $0.40
            buffer  new: 1 of 1 units placed
            buffer  old: 3 of 3 units placed
        "#]],
    );
}

#[test]
fn more_units_than_anybody_means_are_not_bought_for() {
    let many = |name| buffer(name, "podTemplateRef: {name: unit}, replicas: 2000000000");
    let buffers: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(many).into();
    let mut lines = vec![ON, UNIT];
    lines.extend(buffers.iter().map(String::as_str));
    let planned = plan(&world(&lines.join("\n")));
    let units: Vec<u32> = planned.buffers.iter().map(|report| report.units).collect();
    assert_eq!(units, [10_000, 10_000, 10_000, 10_000, 10_000, 0]);
}

#[test]
fn what_cannot_be_is_told() {
    let rollout = "scalableRef: {apiGroup: argoproj.io, kind: Rollout, name: web}, replicas: 1";
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            UNIT,
            &buffer("both", "scalableRef: {kind: Job, name: a}, podTemplateRef: {name: unit}"),
            &buffer("custom", rollout),
            &buffer(
                "foreign",
                "provisioningStrategy: example.com/warm, podTemplateRef: {name: unit}, replicas: 1",
            ),
            &buffer("gone", "podTemplateRef: {name: other}, replicas: 1"),
            &buffer("none", "podTemplateRef: {name: unit}, replicas: 0"),
            &buffer("unsaid", "podTemplateRef: {name: unit}"),
        ],
        expect![[r#"
            buffer  both: 0 of 0 units placed; ReadyForProvisioning False error: exactly one of podTemplateRef and scalableRef has to be set; Provisioning False NotReadyForProvisioning: CapacityBuffer is not ready for provisioning
            buffer  custom: 0 of 0 units placed; ReadyForProvisioning False error: pods of argoproj.io/Rollout are not known: scalableRef can be of apps/Deployment, apps/ReplicaSet, apps/StatefulSet, core/ReplicationController, batch/Job; with podTemplateRef any pod can be named; Provisioning False NotReadyForProvisioning: CapacityBuffer is not ready for provisioning
            buffer  gone: 0 of 0 units placed; ReadyForProvisioning False error: PodTemplate other is not there; Provisioning False NotReadyForProvisioning: CapacityBuffer is not ready for provisioning
            buffer  none: 0 of 0 units placed
            buffer  unsaid: 0 of 0 units placed; ReadyForProvisioning False error: replicas, percentage and limits are not defined; Provisioning False NotReadyForProvisioning: CapacityBuffer is not ready for provisioning
        "#]],
    );
}

#[test]
fn units_below_the_cutoff_are_not_bought_for() {
    let low = "raw {apiVersion: v1, kind: PodTemplate, metadata: {name: unit}, template: {spec: \
        {priority: -50, containers: [{name: a, resources: {requests: {cpu: 1}}}]}}}";
    check(
        &[
            ON,
            "group only 0..10 2cpu 8Gi $0.20",
            low,
            &buffer("spare", "podTemplateRef: {name: unit}, replicas: 1"),
        ],
        expect![[r#"
            buffer  spare: 0 of 0 units placed
        "#]],
    );
}

#[test]
fn with_injection_alone_the_status_of_somebody_else_counts() {
    let resolved = "raw {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: spare}, \
        spec: {podTemplateRef: {name: other}}, status: {podTemplateRef: {name: unit}, replicas: 2, \
        provisioningStrategy: buffer.x-k8s.io/active-capacity}}";
    check(
        &[
            "flags capacity-buffer-pod-injection-enabled=true",
            "group only 0..10 2cpu 8Gi $0.20",
            UNIT,
            resolved,
        ],
        expect![[r#"
            buy     only 0 → 1 for nobody
            cost    $0.00 → $0.20
            buffer  spare: 2 of 2 units placed; Provisioning True FakePodsInjected
        "#]],
    );
}

/// Until it is known what the API server makes of a unit, nothing is bought for it and nothing is told.
#[test]
fn a_unit_that_has_to_be_admitted_waits_for_its_template() {
    let lines = [
        ON,
        "group only 0..10 2cpu 8Gi $0.20",
        UNIT,
        &buffer("spare", "podTemplateRef: {name: unit}, replicas: 2"),
    ];
    let mut world = world(&lines.join("\n"));
    world.settings.scale_up.buffers.units = Units::AsAdmitted;
    let first = plan(&world);
    assert!(first.purchases.is_empty());
    assert_eq!(first.buffers[0].told, Told::Nothing);
    let making = first.buffers[0].making.clone().unwrap();
    assert_eq!(&*making.name, "capacitybuffer-spare-pod-template");

    let mut made = world.pod_templates[0].clone();
    (made.name, made.made_from, made.generation) = (making.name, Some(making.digest), 4);
    world.pod_templates.push(made);
    let second = plan(&world);
    assert_eq!((second.purchases.len(), &second.buffers[0].making), (1, &None));
    let Told::Everything(status) = &second.buffers[0].told else { panic!("{second:?}") };
    assert_eq!((status.template_generation, status.replicas), (Some(4), Some(2)));
}

/// What was so before keeps the moment since when it is so.
#[test]
fn a_condition_that_stays_keeps_its_moment_and_others_stay() {
    let known = "raw {apiVersion: autoscaling.x-k8s.io/v1beta1, kind: CapacityBuffer, metadata: {name: spare}, \
        spec: {podTemplateRef: {name: other}, replicas: 2}, status: {conditions: [\
        {type: Theirs, status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z'}, \
        {type: ReadyForProvisioning, status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z'}, \
        {type: Provisioning, status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z'}]}}";
    let world = world(&[ON, "group only 0..10 2cpu 8Gi $0.20", UNIT, known].join("\n"));
    let plan = plan(&world);
    let Told::Everything(status) = &plan.buffers[0].told else { panic!("{plan:?}") };
    let moments: Vec<String> = status
        .conditions
        .iter()
        .map(|one| format!("{} {} since {}", one.name, one.status.as_str(), one.at))
        .collect();
    expect![[r#"
        Theirs True since 2020-01-01T00:00:00Z
        ReadyForProvisioning False since 2020-01-01T00:00:00Z
        Provisioning False since 2026-01-01T12:00:00Z"#]]
    .assert_eq(&moments.join("\n"));
}
