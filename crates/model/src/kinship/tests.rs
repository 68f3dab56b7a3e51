use super::*;
use crate::{Conditions, InstanceState, Labels, Resources};

/// A moment so many seconds after the machine was made.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_767_268_800 + seconds).unwrap()
}

fn machine() -> Instance {
    let (state, created) = (InstanceState::Running, Some(at(0)));
    Instance { id: "sim://a".into(), node: None, state, created, error: None }
}

/// A Node that registered then, and of which the Ready condition last changed then.
fn node(registered: i64, ready: bool, turned: Option<i64>) -> Node {
    Node {
        name: "a".into(),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: Resources::default(),
        capacity: Resources::default(),
        provider_id: "sim://a".into(),
        created: at(registered),
        conditions: Conditions { ready, ready_since: turned.map(at), ..Conditions::default() },
        keep: false,
        deleting: false,
    }
}

#[test]
fn a_node_that_registered_after_its_machine_was_made_is_its_own_whatever_it_reports() {
    for (ready, turned) in [(true, None), (true, Some(30)), (false, None), (false, Some(40))] {
        assert_eq!(node(30, ready, turned).kinship(&machine(), at(50)), Kinship::Own);
    }
    // The two clocks are a little apart, and not more.
    assert_eq!(node(-5, false, Some(-5)).kinship(&machine(), at(50)), Kinship::Own);
    assert_eq!(node(-6, false, Some(-6)).kinship(&machine(), at(50)), Kinship::Predecessor);
}

#[test]
fn a_node_that_is_left_of_an_earlier_machine_is_not_the_new_ones() {
    let left = |turned| node(-3600, false, turned);
    assert_eq!(left(Some(-600)).kinship(&machine(), at(50)), Kinship::Predecessor);
    // The controller manager noticed only after the new machine was made.
    assert_eq!(left(Some(40)).kinship(&machine(), at(50)), Kinship::Predecessor);
    assert_eq!(left(None).kinship(&machine(), at(50)), Kinship::Predecessor);
}

#[test]
fn a_node_that_nobody_has_missed_yet_proves_nothing() {
    let still_ready = node(-3600, true, Some(-3500));
    assert_eq!(still_ready.kinship(&machine(), at(5)), Kinship::Unproven);
    assert_eq!(still_ready.kinship(&machine(), at(300)), Kinship::Unproven);
    // A machine that is dead does not keep a Node Ready for that long.
    assert_eq!(still_ready.kinship(&machine(), at(301)), Kinship::Own);
}

#[test]
fn a_kubelet_that_registers_under_an_old_node_has_it_for_good() {
    let taken_over = node(-3600, true, Some(30));
    assert_eq!(taken_over.kinship(&machine(), at(31)), Kinship::Own);
    // It falls silent an hour later: that does not make it the Node of somebody else.
    let silent = node(-3600, false, Some(3600));
    assert_eq!(silent.kinship(&machine(), at(3700)), Kinship::Own);
}

#[test]
fn machines_of_one_id_are_told_apart_by_when_they_were_made() {
    assert!(is_same_machine(Some(at(0)), Some(at(1))) && is_same_machine(Some(at(1)), Some(at(0))));
    assert!(is_same_machine(None, None));
    assert!(!is_same_machine(Some(at(0)), Some(at(61))));
    assert!(!is_same_machine(Some(at(0)), None) && !is_same_machine(None, Some(at(0))));
}

#[test]
fn of_a_machine_of_unknown_age_every_claim_is_believed() {
    let ageless = Instance { created: None, ..machine() };
    assert_eq!(node(-3600, false, Some(-600)).kinship(&ageless, at(0)), Kinship::Own);
}
