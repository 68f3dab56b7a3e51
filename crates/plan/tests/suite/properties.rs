//! What has to hold in any world.

mod bounds;
mod cluster;
mod feedback;
mod placements;
mod sameness;

use std::env;

use proptest::{
    prelude::*,
    test_runner::{Config, TestCaseError, TestRunner},
};

use crate::worlds::{Kinds, Lines, worlds};

/// Whether something holds.
type Checked = Result<(), TestCaseError>;

/// Runs a test on so many worlds, or on as many as `PROPTEST_CASES` says.
///
/// Cargo sets the seed for every property test, see `.cargo/config.toml`; `PROPTEST_RNG_SEED` takes another.
#[track_caller]
fn check(cases: u32, kinds: Kinds, test: impl Fn(&Lines) -> Checked) {
    check_all(cases, worlds(kinds), |lines| test(&lines));
}

#[track_caller]
fn check_all<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> Checked) {
    // What fails is kept beside this file and tried first from then on.
    let mut config =
        Config { source_file: Some(file!()), max_shrink_iters: 3_000, ..Config::default() };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if let Err(error) = TestRunner::new(config).run(&strategy, test) {
        panic!("{error}");
    }
}
