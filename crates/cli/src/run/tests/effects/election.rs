//! Who leads.

use jiff::{SignedDuration, Timestamp};

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::{
    process,
    stage::{Stage, gate::State, text},
};

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "leader-elect",
        cases: [("true", "kube-system/cluster-autoscaler"), ("false", "")],
        with: &[],
        look: |words| Box::pin(leases(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-resource-name",
        cases: [
            ("cluster-autoscaler", "kube-system/cluster-autoscaler"),
            ("plimsoll", "kube-system/plimsoll"),
        ],
        with: &[],
        look: |words| Box::pin(leases(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-resource-namespace",
        cases: [("", "kube-system/cluster-autoscaler"), ("default", "default/cluster-autoscaler")],
        with: &[],
        look: |words| Box::pin(leases(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-resource-lock",
        cases: [
            ("leases", "kube-system/cluster-autoscaler"),
            (
                "endpoints",
                "--leader-elect-resource-lock: \"endpoints\" is not leases, which is all there is",
            ),
        ],
        with: &[],
        look: |words| Box::pin(leases(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-lease-duration",
        cases: [("15s", "others wait for 15 s"), ("40s", "others wait for 40 s")],
        with: &[],
        look: |words| Box::pin(wait_of_others(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-renew-deadline",
        cases: [("10s", "leads for 10 s"), ("30s", "leads for 30 s")],
        with: &["--leader-elect-lease-duration=60s"],
        look: |words| Box::pin(renewal_fails(words)),
        time: Paused,
    },
    Effect {
        flag: "leader-elect-retry-period",
        cases: [("2s", "renews every 2 s"), ("5s", "renews every 5 s")],
        with: &[],
        look: |words| Box::pin(time_between_renewals(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_the_election_are_seen_from_outside() {
    check(TABLE);
}

/// The Leases that are there after a while, or what is wrong with the words.
async fn leases(words: Words) -> String {
    let given: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Err(problem) = process(&given) {
        return problem;
    }
    let stage = Stage::begun(&words).await;
    stage.pass(10).await;
    stage.names("leases.coordination.k8s.io").join(", ")
}

/// Another one that holds the Lease says nothing from here on.
async fn wait_of_others(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(10).await;
    format!("others wait for {} s", lease(&stage)["spec"]["leaseDurationSeconds"])
}

async fn renewal_fails(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(10).await;
    assert!(stage.metric("plimsoll_leader").await > 0.0);
    stage.gate.set(State::Closed);
    while stage.metric("plimsoll_leader").await > 0.0 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    format!("leads for {} s", whole(stage.clock.now().duration_since(renewed(&stage))))
}

async fn time_between_renewals(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(10).await;
    let first = renewed(&stage);
    stage.until("it is renewed", |stage| renewed(stage) > first).await;
    format!("renews every {} s", whole(renewed(&stage).duration_since(first)))
}

fn lease(stage: &Stage) -> serde_json::Value {
    let leases = stage.list("leases.coordination.k8s.io");
    let ours = |lease: &serde_json::Value| text(lease, "/metadata/name") == "cluster-autoscaler";
    leases.into_iter().find(ours).unwrap()
}

fn renewed(stage: &Stage) -> Timestamp {
    text(&lease(stage), "/spec/renewTime").parse().unwrap()
}

fn whole(time: SignedDuration) -> i64 {
    time.round(jiff::Unit::Second).unwrap().as_secs()
}
