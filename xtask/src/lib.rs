//! The project's own chores, so that plain cargo is all a contributor needs.
//!
//! - [`tidy`] checks what the compiler cannot: which crate may use which, how long a file may be,
//!   that the map of the code names every crate.
//! - [`suites`] is the test command: every suite, one summary.
//! - [`nightly`] searches with random seeds for what the test command, which has one seed, does not find.
//!
//! The rules and the parser of test output are pure functions over small values. Reading the tree,
//! running cargo and printing happen at the rim.

#![expect(clippy::print_stdout, reason = "a command line tool talks to the person who ran it")]

use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use anyhow::Context as _;

use crate::tidy::Workspace;

mod cargo;
pub mod nightly;
pub mod suites;
pub mod tidy;

const HELP: &str = "\
Plimsoll's chores.

Usage: cargo xtask <command>

Commands:
  tidy            check the rules that the compiler does not know; one line per violation
  test [NAME…]    run every suite, or those whose name contains one of the words
  nightly [--minutes N | --seeds N | --seed S] [NAME…]
                  run the tests that take a seed with random seeds, for half an hour, N minutes, N seeds,
                  or with the seed S; of all packages, or of those whose name contains one of the words
  bench [ARG…]    run the benchmarks; the arguments go to `cargo bench`
  help            print this text

`test` builds everything first: some minutes on a new machine, and ten more for the control plane of `e2e`,
once. `test harm` runs what the autoscaler must never do. With CI=true in the environment, `test` counts a
skipped test as a failed one.
";

/// Runs the command that `words` spell, without the program's own name.
pub fn run(words: &[String]) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let Some((command, rest)) = words.split_first() else {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    match (command.as_str(), rest) {
        ("tidy", []) => tidy(&here),
        ("test", names) => {
            let strictness = suites::Strictness::of(std::env::var("CI").ok().as_deref());
            Ok(suites::run(&here, names, strictness))
        }
        ("nightly", arguments) => Ok(nightly::run(&here, &nightly::Options::read(arguments)?)),
        ("bench", arguments) => bench(&here, arguments),
        ("help" | "--help" | "-h", []) => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprint!("error: `cargo xtask {}` is not a command\n\n{HELP}", words.join(" "));
            Ok(ExitCode::from(2))
        }
    }
}

fn tidy(here: &Path) -> anyhow::Result<ExitCode> {
    let violations = tidy::check(&Workspace::read(here, &[])?);
    for violation in &violations {
        println!("{violation}");
    }
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn bench(here: &Path, arguments: &[String]) -> anyhow::Result<ExitCode> {
    let status: ExitStatus = cargo::command(here)
        .args(["bench", "--workspace"])
        .args(arguments)
        .status()
        .context("cannot run cargo bench")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
