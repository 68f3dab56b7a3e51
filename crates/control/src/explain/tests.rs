//! What is said of pods, nodes and groups.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::{
    engine::HeldBack,
    sketch::{CLUSTER, pass},
};

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
    check(&pass, pod("default/huge"), expect![[""]]);
    let told = explain(&pass, &pod("huge")).unwrap();
    let told = serde_json::to_string_pretty(&told).unwrap();
    expect![[""]].assert_eq(&told);
}

#[test]
fn a_pod_that_runs_is_known_only_to_who_sees_everything() {
    let mut pass = pass(CLUSTER);
    check(&pass, pod("web"), expect![[""]]);
    pass.world = Some(Arc::new(plimsoll_manifest::scenario::read(CLUSTER).unwrap()));
    check(&pass, pod("web"), expect![[""]]);
    check(&pass, pod("default/wbe"), expect![[""]]);
}

#[test]
fn nodes() {
    let mut kept = pass(CLUSTER);
    check(&kept, node("small-0"), expect![[""]]);
    check(&kept, node("small-1"), expect![[""]]);
    check(&kept, node("smal-1"), expect![[""]]);
    kept.held_back = Some(HeldBack::DryRun);
    check(&kept, node("small-0"), expect![[""]]);
    let mut leaving = pass(&CLUSTER.replace("11:55", "11:40"));
    leaving.retirements[0].stage = "Draining";
    leaving.retirements[0].waits_for = "2 pods have to go".to_owned();
    check(&leaving, node("small-1"), expect![[""]]);
    leaving.retirements.clear();
    check(&leaving, node("small-1"), expect![[""]]);
}

#[test]
fn groups() {
    let pass = pass(CLUSTER);
    check(&pass, group("small"), expect![[""]]);
    check(&pass, group("gpu"), expect![[""]]);
    check(&pass, group("gpuu"), expect![[""]]);
    let told = explain(&pass, &group("gpu")).unwrap();
    let told = serde_json::to_string_pretty(&told).unwrap();
    expect![[""]].assert_eq(&told);
}
