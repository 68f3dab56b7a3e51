use jiff::SignedDuration;
use plimsoll_model::{Conditions, InstanceState, Labels, Resources};

use super::*;

/// A moment so many minutes after noon, which is when the machine was made.
fn at(minutes: i64) -> Timestamp {
    let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    noon + SignedDuration::from_mins(minutes)
}

fn machine(created: Option<Timestamp>) -> Instance {
    let state = InstanceState::Running;
    Instance { id: "x://vm".into(), node: None, state, created, error: None }
}

/// A Node that registered then and is Ready.
fn node(name: &str, created: i64) -> Node {
    Node {
        name: name.into(),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: Resources::default(),
        capacity: Resources::default(),
        provider_id: "x://vm".into(),
        created: at(created),
        conditions: Conditions { ready_since: Some(at(created)), ..Conditions::default() },
        keep: false,
        deleting: false,
    }
}

/// A Node that registered at the first moment and fell silent at the second.
fn silent(name: &str, created: i64, since: i64) -> Node {
    let conditions =
        Conditions { ready: false, ready_since: Some(at(since)), ..Conditions::default() };
    Node { conditions, ..node(name, created) }
}

/// The verdict, an hour after noon: the owner, who has outlived, and who is contested.
fn verdict(
    machine: &Instance,
    named: Option<&Node>,
    nodes: &[Node],
) -> (Option<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let mut claims = Claims::default();
    for node in nodes {
        claims.claim_id("x://vm", node);
    }
    let names = |names: Vec<Symbol>| names.into_iter().map(Symbol::as_str).collect();
    let Verdict { owner, outlived, contested } = claims.judge("a".into(), machine, named, at(60));
    (owner.map(Symbol::as_str), names(outlived), names(contested))
}

#[test]
fn a_single_claimant_has_its_machine_whatever_it_reports() {
    let machine = machine(Some(at(0)));
    assert_eq!(verdict(&machine, None, &[node("one", 1)]), (Some("one"), vec![], vec![]));
    let quiet = silent("one", 1, 5);
    assert_eq!(verdict(&machine, None, &[quiet]), (Some("one"), vec![], vec![]));
    assert_eq!(verdict(&machine, None, &[]), (None, vec![], vec![]));
}

#[test]
fn two_live_claimants_are_both_left_alone_and_the_machine_has_a_node() {
    for created in [Some(at(0)), None] {
        let machine = machine(created);
        let nodes = [node("impostor", 30), node("victim", 1)];
        let contested = vec!["impostor", "victim"];
        assert_eq!(verdict(&machine, None, &nodes), (Some("impostor"), vec![], contested));
    }
}

#[test]
fn a_claimant_that_came_while_the_other_was_well_does_not_inherit_when_that_falls_silent() {
    let machine = machine(Some(at(0)));
    let nodes = [node("impostor", 30), silent("victim", 1, 50)];
    let contested = vec!["impostor", "victim"];
    assert_eq!(verdict(&machine, None, &nodes), (Some("impostor"), vec![], contested));
}

#[test]
fn a_claimant_that_fell_silent_before_the_other_came_has_outlived_its_machine() {
    // Nobody knows when the machine was made, so only the two nodes can tell.
    let machine = machine(None);
    let nodes = [silent("old", -600, 29), node("new", 30)];
    assert_eq!(verdict(&machine, None, &nodes), (Some("new"), vec!["old"], vec![]));
    // While the cluster has not noticed, it cannot be told.
    let nodes = [node("old", -600), node("new", 30)];
    let contested = vec!["new", "old"];
    assert_eq!(verdict(&machine, None, &nodes), (Some("new"), vec![], contested));
}

#[test]
fn of_claimants_that_are_all_silent_none_is_touched() {
    let machine = machine(Some(at(0)));
    let nodes = [silent("old", 1, 20), silent("young", 30, 50)];
    let contested = vec!["old", "young"];
    assert_eq!(verdict(&machine, None, &nodes), (Some("young"), vec![], contested));
}

#[test]
fn a_predecessor_has_no_claim() {
    let machine = machine(Some(at(0)));
    let nodes = [silent("old", -600, -1), node("new", 1)];
    assert_eq!(verdict(&machine, None, &nodes), (Some("new"), vec!["old"], vec![]));
    let nodes = [silent("old", -600, -1)];
    assert_eq!(verdict(&machine, None, &nodes), (None, vec!["old"], vec![]));
}

#[test]
fn the_node_that_the_provider_names_has_the_machine_and_others_contest_it() {
    let machine = machine(None);
    let named = node("named", 1);
    let nodes = [node("impostor", 30)];
    let contested = vec!["impostor", "named"];
    assert_eq!(verdict(&machine, Some(&named), &nodes), (Some("named"), vec![], contested));
}

#[test]
fn what_a_provider_answered_is_a_claim_like_any_other() {
    let machine = machine(None);
    let (labelled, by_id) = (node("labelled", 1), node("by-id", 30));
    let mut claims = Claims::default();
    claims.claim_owner(("a".into(), "x://vm"), &labelled);
    let alone = claims.judge("a".into(), &machine, None, at(60));
    assert_eq!((alone.owner, alone.contested.len()), (Some("labelled".into()), 0));
    assert_eq!(claims.judge("b".into(), &machine, None, at(60)), Verdict::default());
    claims.claim_id("x://vm", &by_id);
    let both = claims.judge("a".into(), &machine, None, at(60));
    assert_eq!(both.contested, ["by-id".into(), "labelled".into()]);
}
