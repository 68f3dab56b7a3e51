//! What is said of pods, nodes and groups.

use std::sync::Arc;

use expect_test::{Expect, expect};
use plimsoll_model::{Exemplar, Remembered, SignedDuration, Symbol};

use super::*;
use crate::{
    engine::HeldBack,
    sketch::{CLUSTER, pass},
};

#[expect(clippy::needless_pass_by_value, reason = "a question and its answer, once")]
fn check(pass: &Pass, subject: Subject, expected: Expect) {
    let told = match explain(pass, &subject) {
        Ok(told) => told.sentences.join("\n"),
        Err(unknown) => unknown.to_string(),
    };
    expected.assert_eq(&told);
}

fn pod(name: &str) -> Subject {
    Subject::Pod(name.to_owned())
}

fn node(name: &str) -> Subject {
    Subject::Node(name.to_owned())
}

fn group(name: &str) -> Subject {
    Subject::Group(name.to_owned())
}

#[test]
fn a_pod_that_nobody_can_take_hears_from_every_group() {
    let pass = pass(CLUSTER);
    check(
        &pass,
        pod("default/huge"),
        expect![[r"
        pod default/huge stays pending for now: no group can take it in this pass
          gpu    backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)
          small  insufficient cpu: asks 32, a new node has 4
          tiny   insufficient cpu: asks 32, a new node has 1"]],
    );
    let told = explain(&pass, &pod("huge")).unwrap();
    let told = serde_json::to_string_pretty(&told).unwrap();
    expect![[r#"
        {
          "kind": "pod",
          "name": "default/huge",
          "pass": 1,
          "at": "2026-01-01T12:00:00Z",
          "sentences": [
            "pod default/huge stays pending for now: no group can take it in this pass",
            "  gpu    backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)",
            "  small  insufficient cpu: asks 32, a new node has 4",
            "  tiny   insufficient cpu: asks 32, a new node has 1"
          ],
          "outcome": "AwaitsNextPass",
          "rejections": [
            {
              "group": "gpu",
              "reason": "Backoff",
              "message": "backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)"
            },
            {
              "group": "small",
              "reason": "NodeResourcesFit",
              "message": "insufficient cpu: asks 32, a new node has 4"
            },
            {
              "group": "tiny",
              "reason": "NodeResourcesFit",
              "message": "insufficient cpu: asks 32, a new node has 1"
            }
          ]
        }"#]]
    .assert_eq(&told);
}

#[test]
fn a_pod_that_runs_is_known_only_to_who_sees_everything() {
    let mut pass = pass(CLUSTER);
    check(&pass, pod("web"), expect!["there is no pod web"]);
    pass.world = Some(Arc::new(plimsoll_manifest::scenario::read(CLUSTER).unwrap()));
    check(&pass, pod("web"), expect!["pod default/web is on small-0 and stays there"]);
    check(
        &pass,
        pod("default/wbe"),
        expect!["there is no pod default/wbe; did you mean default/web?"],
    );
}

#[test]
fn nodes() {
    let mut kept = pass(CLUSTER);
    check(
        &kept,
        node("small-0"),
        expect![[r"
        node small-0 stays: not underutilised
        it is of group small"]],
    );
    check(
        &kept,
        node("small-1"),
        expect![[r"
        node small-1 is unneeded since 11:55 and goes at 12:05 if it stays so
        it is of group small"]],
    );
    let mut least = pass(CLUSTER);
    least.at = "2026-01-01T12:00:00.123456789Z".parse().unwrap();
    least.seen.groups.iter_mut().for_each(|group| group.min = group.target);
    check(
        &least,
        node("small-1"),
        expect![[r"
        node small-1 is unneeded since 11:55; it waits: the group is at its minimum
        it is of group small"]],
    );
    check(
        &kept,
        node("smal-1"),
        expect!["there is no node smal-1; did you mean small-1 or small-0?"],
    );
    kept.held_back = Some(HeldBack::DryRun);
    check(
        &kept,
        node("small-0"),
        expect![[r"
        node small-0 stays: not underutilised
        it is of group small
        dry run: plans are told and not acted on"]],
    );
    let mut leaving = pass(&CLUSTER.replace("11:55", "11:40"));
    leaving.retirements[0].stage = "Draining";
    leaving.retirements[0].waits_for = "2 pods have to go".to_owned();
    check(
        &leaving,
        node("small-1"),
        expect![
            "node small-1 of small has been leaving since 12:00: nothing runs on it (draining, 2 pods have to go)"
        ],
    );
    leaving.retirements.clear();
    check(&leaving, node("small-1"), expect!["node small-1 of small goes: nothing runs on it"]);
}

#[test]
fn a_group_that_went_to_zero_says_what_it_is_judged_by() {
    let mut pass = pass(CLUSTER);
    let nodes = &pass.seen.nodes;
    let exemplar = Exemplar {
        node: (*nodes[0]).clone(),
        pods: Box::default(),
        slices: Arc::default(),
        volume_limits: Arc::default(),
        template: None,
    };
    let gone_since = Some(pass.at - SignedDuration::from_mins(20));
    let remembered = Remembered { exemplar: Arc::new(exemplar), gone_since };
    Arc::make_mut(&mut pass.memory).exemplars.insert(Symbol::new("gpu"), remembered);
    check(
        &pass,
        group("gpu"),
        expect![[r"
            group gpu: target 0 (0..4), 0 ready, backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)
            a node costs $1.20 an hour
            its provider has 3 more machines of this kind
            a new node is expected to look like the ones that it had until 11:40"]],
    );
}

#[test]
fn groups() {
    let pass = pass(CLUSTER);
    check(
        &pass,
        group("small"),
        expect![[r"
        group small: target 2 (1..5), 2 ready, healthy
        a node costs $0.10 an hour"]],
    );
    check(
        &pass,
        group("gpu"),
        expect![[r"
        group gpu: target 0 (0..4), 0 ready, backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)
        a node costs $1.20 an hour
        its provider has 3 more machines of this kind"]],
    );
    check(&pass, group("gpuu"), expect!["there is no group gpuu; did you mean gpu?"]);
    let told = explain(&pass, &group("gpu")).unwrap();
    let told = serde_json::to_string_pretty(&told).unwrap();
    expect![[r#"
        {
          "kind": "group",
          "name": "gpu",
          "pass": 1,
          "at": "2026-01-01T12:00:00Z",
          "sentences": [
            "group gpu: target 0 (0..4), 0 ready, backing off until 12:05 (ZONE_RESOURCE_POOL_EXHAUSTED)",
            "a node costs $1.20 an hour",
            "its provider has 3 more machines of this kind"
          ],
          "min": 0,
          "max": 4,
          "target": 0,
          "ready": 0,
          "upcoming": 0,
          "health": "Backoff",
          "backoffUntil": "2026-01-01T12:05:00Z",
          "backoffCode": "ZONE_RESOURCE_POOL_EXHAUSTED",
          "price": 1.2,
          "stock": 3,
          "orders": [],
          "leaving": [],
          "failed": []
        }"#]].assert_eq(&told);
}

#[test]
fn what_a_provider_could_not_read_of_a_group_is_told() {
    let mut pass = pass(CLUSTER);
    let remark = "its template could not be read (no); the last known one is used";
    pass.remarks.insert("small".into(), vec![remark.to_owned()]);
    let told = explain(&pass, &group("small")).unwrap().sentences;
    assert!(told.iter().any(|sentence| sentence == remark), "{told:?}");
}

#[test]
fn what_is_on_order_counts() {
    let pod_of = |name| {
        format!(
            "- {{kind: Pod, apiVersion: v1, metadata: {{name: {name}, namespace: default}}, \
             spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 4}}}}}}]}}}}\n"
        )
    };
    let order = "memory:\n  scaleUps: [{group: small, increase: 1, at: 2026-01-01T11:59:00Z}]";
    let scenario = CLUSTER.replace("max: 5,", "max: 5, target: 3,");
    let scenario = scenario.replacen("memory:\n", &format!("{order}\n"), 1);
    let pass = pass(&format!("{scenario}{}{}", pod_of("a"), pod_of("b")));
    check(&pass, pod("a"), expect!["pod default/a has a place on small-1"]);
    check(&pass, pod("b"), expect!["pod default/b has a place on a node of small on its way"]);
    check(
        &pass,
        group("small"),
        expect![[r"
        group small: target 3 (1..5), 2 ready, 1 on the way, healthy
        a node costs $0.10 an hour"]],
    );
}
