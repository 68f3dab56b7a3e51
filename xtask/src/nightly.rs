//! The nightly command: the tests whose inputs follow from a seed, with random seeds, again and again.
//!
//! ```text
//! sources ──modules──▶ which modules hold such tests
//! cargo ───programs──▶ the executables, and the tests of these modules in them
//! a seed ──round────▶ every one of these tests, with that seed
//! ```
//!
//! A test that fails has found something: it is reported once with the command that repeats it, and is left out of later rounds. What it
//! found is kept in the tree, where every later run of the test command tries it first.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::suites::Tally;
use crate::tidy::Workspace;

mod modules;
mod options;
mod programs;
mod round;

pub use self::options::{Limit, Options};
use self::programs::Program;
use self::round::Failure;

/// Where what was found is kept: by proptest, and by the stories of `crates/control`.
const KEPT: [&str; 3] =
    ["*proptest-regressions/*.txt", "*.proptest-regressions", "*/kept_seeds.txt"];

/// Runs rounds until the limit is reached, and prints what was found. Its last line is the summary.
pub fn run(here: &Path, options: &Options) -> ExitCode {
    let total = prepared(here, options).map_or_else(
        |error| {
            println!("error: {error:#}");
            Tally { failed: 1, ..Tally::default() }
        },
        |(workspace, programs)| rounds(&workspace, programs, options.limit),
    );
    println!("{total}");
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Builds, and finds the tests.
fn prepared(here: &Path, options: &Options) -> anyhow::Result<(Workspace, Vec<Program>)> {
    let workspace = Workspace::read(here, &[])?;
    let mut modules = modules::with_seeds(&workspace);
    modules.retain(|module| options.wants(&module.package));
    if modules.is_empty() {
        anyhow::bail!("no package of that name has a test that takes a seed");
    }
    let programs = programs::build(&workspace, &modules)?;
    Ok((workspace, programs))
}

#[expect(clippy::disallowed_methods, reason = "a person says how long to search")]
fn rounds(workspace: &Workspace, mut programs: Vec<Program>, limit: Limit) -> Tally {
    let tests: usize = programs.iter().map(|program| program.tests.len()).sum();
    println!("{tests} tests in {} executables take a seed", programs.len());
    let begun = Instant::now();
    let mut total = Tally::default();
    for number in 1.. {
        if limit.is_reached(number - 1, begun.elapsed()) {
            break;
        }
        let seed = limit.seed().unwrap_or_else(random_seed);
        println!("round {number}, seed {seed}");
        for program in &mut programs {
            // The first round is always a whole one.
            if number > 1 && limit.is_reached(number - 1, begun.elapsed()) {
                break;
            }
            let (tally, failures) = program.run(seed);
            total += tally;
            for failure in &failures {
                report(program, seed, failure);
            }
            program.tests.retain(|test| !failures.iter().any(|failure| failure.test == *test));
        }
    }
    println!("searched for {} s", begun.elapsed().as_secs());
    for path in kept(&workspace.root) {
        println!("kept in {path}: commit it with the fix");
    }
    total
}

fn report(program: &Program, seed: u64, failure: &Failure) {
    println!("FAILED {} {}", program.package, failure.test);
    for line in failure.output.lines() {
        println!("    {line}");
    }
    println!("  to repeat: {}", program.repetition(seed, &failure.test));
}

/// Files with finds that nobody has committed yet. None if this is no git checkout.
fn kept(root: &Path) -> Vec<String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root).args(["status", "--porcelain", "--untracked-files=all", "--"]).args(KEPT);
    let output = git.output().map(|output| output.stdout).unwrap_or_default();
    let lines = String::from_utf8_lossy(&output).into_owned();
    lines.lines().filter_map(|line| line.get(3..)).map(str::to_owned).collect()
}

/// From the randomness that the standard library gives its hash tables.
fn random_seed() -> u64 {
    RandomState::new().hash_one(0)
}
