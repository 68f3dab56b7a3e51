//! What still holds of a plan after the cluster has gone on.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_cluster::source::{Change, Kinds, Watched};
use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::{Purchase, Retirement, RetirementReason};
use serde_json::{Value, json};

use super::{Preconditions, Unmet};
use crate::{
    engine::{
        Seen,
        backlog::{Backlog, CaughtUp, Meanwhile},
        decide::Observation,
    },
    sketch::{CLUSTER, pass},
};

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// A cluster that was observed before the plan was made, and what happened to it since.
struct Story {
    observation: Observation,
    backlog: Backlog,
}

impl Story {
    /// The node `n` of uid `first`, and two pods `a` and `b` that are pending.
    fn new() -> Self {
        let mut observation = Observation::new(NOW, Kinds::default());
        let objects = [
            (Watched::Nodes, node("first")),
            (Watched::Pods, pod("a", None)),
            (Watched::Pods, pod("b", None)),
        ];
        for (watched, object) in objects {
            observation.mirror.apply(put(watched, &object), NOW);
        }
        Self { observation, backlog: Backlog::default() }
    }

    fn then(mut self, change: Change) -> Self {
        self.backlog.push_change(change, NOW);
        self
    }

    fn catch_up(self) -> (Observation, Meanwhile) {
        let Self { mut observation, backlog } = self;
        let CaughtUp { meanwhile, .. } = backlog.catch_up(&mut observation);
        (observation, meanwhile)
    }

    /// What is said of a scale-up for both pods.
    fn scale_up(self) -> Result<Option<usize>, Unmet> {
        let (observation, meanwhile) = self.catch_up();
        let pods = vec![name("a"), name("b")];
        let scale_up = Purchase { group: Symbol::new("g"), from: 0, to: 1, pods };
        let assumed = BTreeMap::new();
        let preconditions = Preconditions::new(&meanwhile, &assumed, None);
        preconditions.still_pending(&scale_up, &observation.mirror)
    }

    /// What is said of the removal of the node, from which these pods were to be evicted.
    fn removal(self, evict: &[&str]) -> Result<(), Unmet> {
        let (observation, meanwhile) = self.catch_up();
        let removal = Retirement {
            node: Symbol::new("n"),
            group: Symbol::new("g"),
            why: RetirementReason::Underutilized,
            evict: evict.iter().map(|pod| name(pod)).collect(),
        };
        let node_uids = BTreeMap::from([(Symbol::new("n"), "first".into())]);
        let seen = Seen { node_uids, ..pass(CLUSTER).seen };
        let assumed = BTreeMap::new();
        let preconditions = Preconditions::new(&meanwhile, &assumed, None);
        preconditions.check_removal(&removal, &seen, &observation.mirror)
    }
}

fn name(pod: &str) -> PodName {
    PodName { namespace: Symbol::new("default"), name: pod.into() }
}

fn node(uid: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": { "name": "n", "uid": uid },
        "status": { "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" } },
    })
}

fn pod(name: &str, node: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": "default", "uid": name },
        "spec": { "nodeName": node, "containers": [{ "name": "main", "image": "none" }] },
    })
}

fn put(watched: Watched, object: &Value) -> Change {
    Change::Put(watched, Box::new(serde_json::from_value(object.clone()).unwrap()))
}

fn gone(watched: Watched, object: &Value) -> Change {
    Change::Gone(watched, Box::new(serde_json::from_value(object.clone()).unwrap()))
}

#[test]
fn what_nothing_happened_to_still_holds() {
    assert_eq!(Story::new().scale_up(), Ok(Some(2)));
    assert_eq!(Story::new().removal(&[]), Ok(()));
}

#[test]
fn a_pod_that_was_scheduled_or_deleted_is_not_scaled_up_for() {
    let scheduled = put(Watched::Pods, &pod("a", Some("n")));
    assert_eq!(Story::new().then(scheduled).scale_up(), Ok(Some(1)));
    let story = Story::new()
        .then(put(Watched::Pods, &pod("a", Some("n"))))
        .then(gone(Watched::Pods, &pod("b", None)));
    assert_eq!(story.scale_up(), Err(Unmet::NoPodPending));
}

#[test]
fn a_pod_that_only_changed_is_still_scaled_up_for() {
    let story = Story::new().then(put(Watched::Pods, &pod("a", None)));
    assert_eq!(story.scale_up(), Ok(Some(2)));
}

#[test]
fn a_node_that_got_a_pod_is_not_removed() {
    let arrival = || put(Watched::Pods, &pod("a", Some("n")));
    assert_eq!(Story::new().then(arrival()).removal(&[]), Err(Unmet::Occupied(name("a"))));
    assert_eq!(Story::new().then(arrival()).removal(&["a"]), Ok(()), "it is evicted anyway");
}

#[test]
fn a_node_that_was_replaced_is_not_removed() {
    let story = Story::new().then(put(Watched::Nodes, &node("second")));
    assert_eq!(story.removal(&[]), Err(Unmet::NodeReplaced));
    let story = Story::new().then(gone(Watched::Nodes, &node("first")));
    assert_eq!(story.removal(&[]), Err(Unmet::NodeReplaced));
    let story = Story::new().then(put(Watched::Nodes, &node("first")));
    assert_eq!(story.removal(&[]), Ok(()), "a heartbeat is no replacement");
}

#[test]
fn nothing_holds_after_everything_was_listed_again() {
    let story = Story::new().then(Change::Complete(Watched::Pods));
    assert_eq!(story.removal(&[]), Err(Unmet::Relisted));
}

#[test]
fn a_group_of_another_size_is_left_to_the_next_pass() {
    let (group, meanwhile) = (Symbol::new("g"), Meanwhile::default());
    let assumed = BTreeMap::from([(group, 3)]);
    let check = |current: Option<&[u32]>| {
        let current = current.map(|sizes| sizes.iter().map(|size| (group, *size)).collect());
        Preconditions::new(&meanwhile, &assumed, current).check_group(group)
    };
    assert_eq!(check(None), Ok(()));
    assert_eq!(check(Some(&[3])), Ok(()));
    let changed = |current| Err(Unmet::SizeChanged { assumed: 3, current });
    assert_eq!(check(Some(&[4])), changed(Some(4)));
    assert_eq!(check(Some(&[])), changed(None));
}
