//! What has to hold after any history.

use std::env;

use plimsoll_fit::Snapshot;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use crate::{
    generate::{self, Odds, Scenario, namespaces},
    player::{Checked, Moment, play, play_on},
};
use answer::{Answer, answers, check_contents};

mod answer;

/// Runs a test on so many scenarios, or on as many as `PROPTEST_CASES` says.
///
/// Cargo sets the seed for every property test, see `.cargo/config.toml`; `PROPTEST_RNG_SEED` takes another.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
fn check(cases: u32, scenario: impl Strategy<Value = Scenario>, test: fn(&Scenario) -> Checked) {
    let mut config = Config {
        // What fails is kept beside this file and tried first from then on.
        source_file: Some(file!()),
        // The default is few for lists of steps; a readable failure is worth a minute.
        max_shrink_iters: 50_000,
        ..Config::default()
    };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let outcome = TestRunner::new(config).run(&scenario, |scenario| test(&scenario));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// The usual size.
fn small(odds: Odds) -> impl Strategy<Value = Scenario> {
    generate::scenario(odds, 70, 3)
}

#[test]
fn labels_taints_ports_and_amounts_are_judged_as_by_the_reference() {
    check(1000, small(Odds::NODES), agrees_with_reference);
}

#[test]
fn spread_is_judged_as_by_the_reference() {
    check(1500, small(Odds::SPREAD), agrees_with_reference);
}

#[test]
fn affinity_is_judged_as_by_the_reference() {
    check(1500, small(Odds::COMPANY), agrees_with_reference);
}

#[test]
fn volumes_are_judged_as_by_the_reference() {
    check(1500, small(Odds::VOLUMES), agrees_with_reference);
}

#[test]
fn everything_together_is_judged_as_by_the_reference() {
    check(1500, small(Odds::EVERYTHING), agrees_with_reference);
}

#[test]
fn many_nodes_are_judged_as_by_the_reference() {
    check(600, generate::scenario(Odds::CROWD, 40, 40), agrees_with_reference);
}

#[test]
fn a_dropped_fork_leaves_no_trace() {
    check(600, small(Odds::EVERYTHING), forks_leave_no_trace);
}

#[test]
fn it_does_not_matter_when_shapes_are_met() {
    check(600, small(Odds::EVERYTHING), meeting_shapes_early_changes_nothing);
}

#[test]
fn a_history_leads_where_a_fresh_start_does() {
    check(600, small(Odds::EVERYTHING), equals_a_fresh_snapshot);
}

/// The snapshot says what the reference says, in the middle and at the end.
fn agrees_with_reference(scenario: &Scenario) -> Checked {
    play(scenario, &mut |moment, snapshot, mirror| {
        check_contents(snapshot, mirror)?;
        let shapes = match moment {
            Moment::Asked(shape) => vec![shape],
            // Shapes that are new here are asked about at the end only: so some are met late.
            Moment::Dropped | Moment::Kept => mirror.used.clone(),
            Moment::Forking => Vec::new(),
            Moment::Ended => (0..scenario.shapes.len()).collect(),
        };
        for shape in shapes {
            let said = Answer::of_snapshot(scenario, snapshot, mirror, shape);
            let expected = Answer::of_reference(scenario, mirror, shape);
            prop_assert_eq!(said, expected, "{:#?}", mirror.history);
        }
        Ok(())
    })
}

/// After a dropped fork every answer is what it was before.
fn forks_leave_no_trace(scenario: &Scenario) -> Checked {
    let mut before = Vec::new();
    play(scenario, &mut |moment, snapshot, mirror| {
        match moment {
            Moment::Forking => before.push(answers(scenario, snapshot, mirror)),
            Moment::Kept => {
                before.pop();
            }
            Moment::Dropped => {
                let after = answers(scenario, snapshot, mirror);
                prop_assert_eq!(before.pop(), Some(after), "{:#?}", mirror.history);
            }
            Moment::Asked(_) | Moment::Ended => {}
        }
        Ok(())
    })
}

/// A snapshot that has met all shapes before anything else answers like one that meets them as they come.
fn meeting_shapes_early_changes_nothing(scenario: &Scenario) -> Checked {
    let mut late = Vec::new();
    play(scenario, &mut |moment, snapshot, mirror| {
        if let Moment::Asked(shape) = moment {
            late.push(Answer::of_snapshot(scenario, snapshot, mirror, shape));
        }
        Ok(())
    })?;
    let mut early = Vec::new();
    let mut history = Vec::new();
    let mut snapshot = Snapshot::new(namespaces(), scenario.storage.clone());
    for shape in &scenario.shapes {
        snapshot.shape(shape);
    }
    play_on(&mut snapshot, scenario, &mut |moment, snapshot, mirror| {
        if let Moment::Asked(shape) = moment {
            early.push(Answer::of_snapshot(scenario, snapshot, mirror, shape));
        }
        history.clone_from(&mirror.history);
        Ok(())
    })?;
    prop_assert_eq!(late, early, "{:#?}", history);
    Ok(())
}

/// At the end, a snapshot made afresh from what is there gives the same answers.
fn equals_a_fresh_snapshot(scenario: &Scenario) -> Checked {
    play(scenario, &mut |moment, snapshot, mirror| {
        if moment != Moment::Ended {
            return Ok(());
        }
        let mut fresh = Snapshot::new(namespaces(), scenario.storage.clone());
        let mut fresh_mirror = mirror.clone();
        let nodes = mirror.cluster.nodes.iter();
        fresh_mirror.nodes = nodes.map(|node| fresh.add_node(node.clone())).collect();
        for (pod, node) in &mirror.cluster.pods {
            let shape = fresh.shape(pod);
            fresh.place(shape, fresh_mirror.handle(*node).expect("the pod's node"));
        }
        for closed in &mirror.closed {
            fresh.close_node(fresh_mirror.handle(*closed).expect("a node"));
        }
        let said = answers(scenario, snapshot, mirror);
        let said_afresh = answers(scenario, &mut fresh, &mut fresh_mirror);
        prop_assert_eq!(said, said_afresh, "{:#?}", mirror.history);
        Ok(())
    })
}
