//! What has to hold in any world.

mod bounds;
mod cluster;
mod feedback;
mod placements;
mod sameness;

use std::env;

use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};

use crate::worlds::{Kinds, Lines, worlds};

/// Whether something holds.
type Checked = Result<(), TestCaseError>;

/// Runs a test on so many worlds, or on as many as `PROPTEST_CASES` says.
///
/// The seed is fixed, so that a checkout passes or fails every time; `PROPTEST_RNG_SEED` takes another.
#[track_caller]
fn check(cases: u32, kinds: Kinds, test: impl Fn(&Lines) -> Checked) {
    check_all(cases, worlds(kinds), |lines| test(&lines));
}

#[track_caller]
fn check_all<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> Checked) {
    let mut config =
        Config { failure_persistence: None, max_shrink_iters: 3_000, ..Config::default() };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1876);
    }
    if let Err(error) = TestRunner::new(config).run(&strategy, test) {
        panic!("{error}");
    }
}
