//! The text of the status, to the letter.

use expect_test::expect;
use plimsoll_cluster::mirror::Staleness;

use super::*;
use crate::{
    engine::HeldBack,
    sketch::{CLUSTER, at, pass},
};

#[test]
fn a_cluster_as_upstream_would_write_it() {
    let status = Transitions::default().status(&pass(CLUSTER));
    expect![[r#"
        time: 2026-01-01 12:00:00 +0000 UTC
        autoscalerStatus: Running
        clusterWide:
          health:
            status: Healthy
            nodeCounts:
              registered:
                total: 2
                ready: 2
                notStarted: 0
                unready:
                  total: 0
                  resourceUnready: 0
              longUnregistered: 0
              unregistered: 0
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleUp:
            status: NoActivity
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleDown:
            status: CandidatesPresent
            candidates: 1
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
        nodeGroups:
        - name: gpu
          health:
            status: Healthy
            nodeCounts:
              registered:
                total: 0
                ready: 0
                notStarted: 0
                unready:
                  total: 0
                  resourceUnready: 0
              longUnregistered: 0
              unregistered: 0
            cloudProviderTarget: 0
            minSize: 0
            maxSize: 4
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleUp:
            status: Backoff
            backoffInfo:
              errorCode: ZONE_RESOURCE_POOL_EXHAUSTED
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleDown:
            status: NoCandidates
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
        - name: small
          health:
            status: Healthy
            nodeCounts:
              registered:
                total: 2
                ready: 2
                notStarted: 0
                unready:
                  total: 0
                  resourceUnready: 0
              longUnregistered: 0
              unregistered: 0
            cloudProviderTarget: 2
            minSize: 1
            maxSize: 5
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleUp:
            status: NoActivity
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleDown:
            status: CandidatesPresent
            candidates: 1
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
        - name: tiny
          health:
            status: Healthy
            nodeCounts:
              registered:
                total: 0
                ready: 0
                notStarted: 0
                unready:
                  total: 0
                  resourceUnready: 0
              longUnregistered: 0
              unregistered: 0
            cloudProviderTarget: 0
            minSize: 0
            maxSize: 9
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleUp:
            status: NoActivity
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
          scaleDown:
            status: NoCandidates
            lastProbeTime: "2026-01-01T12:00:00Z"
            lastTransitionTime: "2026-01-01T12:00:00Z"
    "#]]
    .assert_eq(&status.text());
}

#[test]
fn conditions_remember_since_when_they_hold() {
    let mut transitions = Transitions::default();
    let first = pass(CLUSTER);
    let before = transitions.status(&first);
    let later = transitions.status(&at(&first, "2026-01-01T12:00:10.5Z"));
    assert!(later.says_the_same_as(&before), "only the time is new");
    assert!(later.text().contains("lastProbeTime: \"2026-01-01T12:00:10.5Z\""));
    assert!(!later.text().contains("lastTransitionTime: \"2026-01-01T12:00:10.5Z\""));

    let mut grown = at(&first, "2026-01-01T12:00:20Z");
    let mut plan = (*grown.plan).clone();
    plan.healthy = false;
    grown.plan = plan.into();
    let after = transitions.status(&grown);
    assert!(!after.says_the_same_as(&later));
    assert_eq!(after.cluster.health.status, "Unhealthy");
    assert_eq!(after.cluster.health.since, grown.at);
    assert_eq!(after.cluster.scale_up.since, first.at, "nothing else has changed");
}

#[test]
fn what_keeps_it_from_acting_is_said() {
    let mut held = pass(CLUSTER);
    held.held_back = Some(HeldBack::Stale(Staleness::Unseen(Vec::new())));
    let text = Transitions::default().status(&held).text();
    assert!(text.contains("\nmessage: "), "{text}");
    assert!(text.contains("nothing is done"), "{text}");
}

#[test]
fn times_are_written_as_go_does() {
    for (moment, expected) in [
        ("2026-01-01T12:00:00Z", "2026-01-01 12:00:00 +0000 UTC"),
        ("2026-01-01T12:00:00.120Z", "2026-01-01 12:00:00.12 +0000 UTC"),
        ("2020-11-25T08:19:44.090873082Z", "2020-11-25 08:19:44.090873082 +0000 UTC"),
    ] {
        assert_eq!(go_time(moment.parse().unwrap()), expected);
    }
}
