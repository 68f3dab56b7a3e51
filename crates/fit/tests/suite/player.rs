//! Plays a scenario twice at once: on a snapshot, and on a plain list of nodes and pods.

use std::slice;

use plimsoll_fit::Snapshot;
use proptest::test_runner::TestCaseError;

use crate::generate::{DEEPEST, Scenario, Step, namespaces};

pub(crate) use mirror::Mirror;

mod mirror;

/// Whether a test goes on.
pub(crate) type Checked = Result<(), TestCaseError>;

/// A moment in a scenario at which a test may look at the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The scenario asks about a shape.
    Asked(usize),
    /// A fork is about to begin.
    Forking,
    /// A fork was kept.
    Kept,
    /// A fork was dropped.
    Dropped,
    /// All steps are done and all forks are over.
    Ended,
}

/// Plays all steps and calls `look` at each moment worth it. Forks still open at the end are dropped.
pub(crate) fn play(
    scenario: &Scenario,
    look: &mut dyn FnMut(Moment, &mut Snapshot, &mut Mirror) -> Checked,
) -> Checked {
    let mut snapshot = Snapshot::new(namespaces(), scenario.storage.clone());
    play_on(&mut snapshot, scenario, look)
}

/// Plays on a snapshot that may know shapes already, but no nodes and pods.
pub(crate) fn play_on(
    snapshot: &mut Snapshot,
    scenario: &Scenario,
    look: &mut dyn FnMut(Moment, &mut Snapshot, &mut Mirror) -> Checked,
) -> Checked {
    let mut mirror = Mirror::new(scenario);
    let mut player = Player { scenario, steps: scenario.steps.iter(), look };
    player.play_fork(snapshot, &mut mirror, 0)?;
    (player.look)(Moment::Ended, snapshot, &mut mirror)
}

/// What stays the same while forks come and go.
struct Player<'a> {
    scenario: &'a Scenario,
    steps: slice::Iter<'a, Step>,
    look: &'a mut dyn FnMut(Moment, &mut Snapshot, &mut Mirror) -> Checked,
}

// === impl Player ===

impl Player<'_> {
    /// Plays until the fork ends; says whether it was kept.
    fn play_fork(
        &mut self,
        snapshot: &mut Snapshot,
        mirror: &mut Mirror,
        depth: usize,
    ) -> Result<bool, TestCaseError> {
        while let Some(step) = self.steps.next() {
            match *step {
                Step::Fork if depth < DEEPEST => {
                    (self.look)(Moment::Forking, snapshot, mirror)?;
                    let before = mirror.clone();
                    mirror.history.push("fork".to_owned());
                    let mut fork = snapshot.fork();
                    let moment = if self.play_fork(&mut fork, mirror, depth + 1)? {
                        fork.keep();
                        mirror.history.push("keep".to_owned());
                        Moment::Kept
                    } else {
                        drop(fork);
                        mirror.go_back_to(before);
                        mirror.history.push("drop".to_owned());
                        Moment::Dropped
                    };
                    (self.look)(moment, snapshot, mirror)?;
                }
                Step::Drop if depth > 0 => return Ok(false),
                Step::Keep if depth > 0 => return Ok(true),
                Step::Fork | Step::Drop | Step::Keep => {}
                Step::Ask(shape) => {
                    let shape = shape % self.scenario.shapes.len();
                    mirror.shape(self.scenario, snapshot, shape);
                    (self.look)(Moment::Asked(shape), snapshot, mirror)?;
                }
                step => mirror.change(self.scenario, snapshot, step)?,
            }
        }
        Ok(false)
    }
}
