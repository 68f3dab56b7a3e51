//! One executable, run with one seed.

use std::process::{Command, Stdio};

use super::modules::STORY_SEED;
use super::programs::Program;
use crate::suites::Tally;

/// The variable from which proptest takes a seed.
const PROPERTY_SEED: &str = "PROPTEST_RNG_SEED";

/// A test that did not hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its whole name.
    pub(super) test: String,
    /// What it printed.
    pub(super) output: String,
}

// === impl Program ===

impl Program {
    /// Runs the tests that are left.
    pub(super) fn run(&self, seed: u64) -> (Tally, Vec<Failure>) {
        if self.tests.is_empty() {
            return (Tally::default(), Vec::new());
        }
        let output = Command::new(&self.executable)
            .arg("--exact")
            .args(&self.tests)
            .current_dir(&self.directory)
            .env("CARGO_MANIFEST_DIR", &self.directory)
            .env(PROPERTY_SEED, seed.to_string())
            .env(STORY_SEED, seed.to_string())
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(output) => {
                let printed = String::from_utf8_lossy(&output.stdout);
                let complaints = String::from_utf8_lossy(&output.stderr);
                judged(&self.tests, &printed, &complaints, output.status.success())
            }
            Err(error) => judged(&self.tests, "", &error.to_string(), false),
        }
    }

    /// The command that runs one test again with the same seed.
    pub(super) fn repetition(&self, seed: u64, test: &str) -> String {
        let Self { package, target, .. } = self;
        format!(
            "{PROPERTY_SEED}={seed} {STORY_SEED}={seed} cargo test -p {package} {target} -- --exact {test}"
        )
    }
}

/// Reads what libtest printed: a line `test NAME ... ok` or `... FAILED` for each, and a section `---- NAME stdout ----` for each that
/// failed. A test of which nothing is said did not come to its end, because the process died.
fn judged(
    tests: &[String],
    printed: &str,
    complaints: &str,
    succeeded: bool,
) -> (Tally, Vec<Failure>) {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for test in tests {
        let holds = [format!("test {test} ... ok"), format!("test {test} - should panic ... ok")];
        if printed.lines().any(|line| holds.iter().any(|told| line == told)) {
            tally.passed += 1;
            continue;
        }
        tally.failed += 1;
        let output = section(printed, test);
        let output = if output.is_empty() { complaints.trim_end().to_owned() } else { output };
        failures.push(Failure { test: test.clone(), output });
    }
    if !succeeded && failures.is_empty() {
        // All is well, and still the process failed: nobody may overlook that.
        tally.failed += 1;
    }
    (tally, failures)
}

/// What a failed test printed.
fn section(printed: &str, test: &str) -> String {
    let heading = format!("---- {test} stdout ----");
    let lines = printed.lines().skip_while(|line| *line != heading).skip(1);
    let own = lines.take_while(|line| !line.starts_with("---- ") && *line != "failures:");
    own.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::modules::Target;
    use super::*;

    const PRINTED: &str = "
running 3 tests
test a::one ... ok
test a::two ... FAILED
test a::three ... FAILED

failures:

---- a::two stdout ----
minimal failing input: story = [
    Time(3),
]

---- a::three stdout ----
thread panicked

failures:
    a::two
    a::three

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.10s
";

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn failure(test: &str, output: &str) -> Failure {
        Failure { test: test.to_owned(), output: output.to_owned() }
    }

    #[test]
    fn each_failure_comes_with_what_it_printed() {
        let tests = names(&["a::one", "a::two", "a::three"]);
        let (tally, failures) = judged(&tests, PRINTED, "", false);
        assert_eq!(tally, Tally { passed: 1, failed: 2, skipped: 0 });
        assert_eq!(
            failures,
            [
                failure("a::two", "minimal failing input: story = [\n    Time(3),\n]"),
                failure("a::three", "thread panicked"),
            ]
        );
    }

    #[test]
    fn a_process_that_dies_fails_the_tests_that_had_not_ended() {
        let tests = names(&["a::one", "a::two"]);
        let (tally, failures) = judged(&tests, "test a::one ... ok\n", "out of memory\n", false);
        assert_eq!(tally, Tally { passed: 1, failed: 1, skipped: 0 });
        assert_eq!(failures, [failure("a::two", "out of memory")]);
    }

    #[test]
    fn a_process_that_fails_after_its_tests_is_a_failure() {
        let (tally, failures) = judged(&names(&["a::one"]), "test a::one ... ok\n", "", false);
        assert_eq!(tally, Tally { passed: 1, failed: 1, skipped: 0 });
        assert_eq!(failures, []);
    }

    #[test]
    fn a_find_can_be_repeated_with_one_command() {
        let program = Program {
            package: "plimsoll-fit".to_owned(),
            target: Target::Test("suite".to_owned()),
            executable: "/somewhere".into(),
            directory: "/crates/fit".into(),
            tests: names(&["a::one"]),
        };
        assert_eq!(
            program.repetition(7, "a::one"),
            "PROPTEST_RNG_SEED=7 PLIMSOLL_STORY_SEED=7 cargo test -p plimsoll-fit --test suite -- --exact a::one"
        );
    }
}
