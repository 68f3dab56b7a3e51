use super::*;

const LIBRARY: &str = "     Running unittests src/lib.rs (target/debug/deps/plimsoll_fit-01ab)";
const REGRESSION: &str = "     Running tests/regression.rs (target/debug/deps/regression-23cd)";
const DOCS: &str = "   Doc-tests plimsoll_fit";
const CLOSING: &str = "error: 1 target failed:\n    `-p plimsoll-fit --lib`";

fn ok(passed: u64, ignored: u64) -> String {
    format!(
        "test result: ok. {passed} passed; 0 failed; {ignored} ignored; 0 measured; \
         0 filtered out; finished in 0.00s"
    )
}

fn parts(cargo_succeeded: bool, lines: &[&str]) -> Vec<Part> {
    let owned = |key: &str, package: &str| (key.to_owned(), package.to_owned());
    let owners = Owners {
        executables: [
            owned("plimsoll_fit-01ab", "plimsoll-fit"),
            owned("regression-23cd", "plimsoll-plan"),
        ]
        .into(),
        libraries: [owned("plimsoll_fit", "plimsoll-fit")].into(),
    };
    let packages = ["plimsoll-fit", "plimsoll-plan"].map(str::to_owned);
    let mut transcript = Transcript::new(owners, packages);
    for line in lines.iter().flat_map(|text| text.lines()) {
        transcript.read(line);
    }
    transcript.finish(cargo_succeeded)
}

#[track_caller]
fn check(parts: &[Part], expected: &[&str]) {
    let lines = parts.iter().map(|part| format!("{}: {}", part.name, part.tally));
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn results_go_to_the_package_that_owns_the_executable() {
    let lines = [LIBRARY, &ok(12, 1), REGRESSION, &ok(3, 0), DOCS, &ok(2, 0), &ok(1, 0)];
    let parts = parts(true, &lines);
    check(
        &parts,
        &[
            "plimsoll-fit: 15 passed, 0 failed, 1 skipped",
            "plimsoll-plan: 3 passed, 0 failed, 0 skipped",
        ],
    );
    assert!(parts.iter().all(|part| part.details.is_empty()));
}

#[test]
fn a_failure_is_shown_from_where_failures_are_listed() {
    let failure = "\
running 2 tests
test a ... ok
test b ... FAILED

failures:

---- b stdout ----
thread 'b' panicked

failures:
    b

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p plimsoll-fit --lib`";
    let parts = parts(false, &[LIBRARY, failure, REGRESSION, &ok(1, 0), CLOSING]);
    check(
        &parts,
        &[
            "plimsoll-fit: 1 passed, 1 failed, 0 skipped",
            "plimsoll-plan: 1 passed, 0 failed, 0 skipped",
        ],
    );
    let details = &parts[0].details;
    assert!(details.starts_with("Running unittests src/lib.rs"), "{details}");
    assert!(details.contains("thread 'b' panicked"), "{details}");
    assert!(!details.contains("test a ... ok"), "{details}");
    assert!(!details.contains("1 target failed"), "{details}");
}

#[test]
fn an_executable_that_dies_is_one_failure_with_all_it_said() {
    let death = "\
running 1 test
error: test failed, to rerun pass `-p plimsoll-plan --test regression`

Caused by:
  process didn't exit successfully: `regression-23cd` (signal: 6, SIGABRT: process abort signal)";
    let parts = parts(false, &[REGRESSION, death]);
    check(
        &parts,
        &[
            "plimsoll-fit: 0 passed, 0 failed, 0 skipped",
            "plimsoll-plan: 0 passed, 1 failed, 0 skipped",
        ],
    );
    assert!(parts[1].details.contains("SIGABRT"));
}

#[test]
fn a_test_without_the_usual_runner_counts_as_one() {
    check(
        &parts(true, &[REGRESSION, "all is well"]),
        &[
            "plimsoll-fit: 0 passed, 0 failed, 0 skipped",
            "plimsoll-plan: 1 passed, 0 failed, 0 skipped",
        ],
    );
}

#[test]
fn a_run_that_breaks_off_is_a_failure() {
    let parts = parts(false, &["error: could not start"]);
    check(
        &parts,
        &[
            "plimsoll-fit: 0 passed, 0 failed, 0 skipped",
            "plimsoll-plan: 0 passed, 0 failed, 0 skipped",
            "cargo test: 0 passed, 1 failed, 0 skipped",
        ],
    );
    assert_eq!(parts[2].details, "error: could not start");
}

#[test]
fn a_heading_that_a_test_made_up_is_no_heading() {
    let made_up = "     Running unittests src/lib.rs (target/debug/deps/other-45ef)";
    check(
        &parts(true, &[LIBRARY, made_up, "   Doc-tests other", &ok(4, 0)]),
        &[
            "plimsoll-fit: 4 passed, 0 failed, 0 skipped",
            "plimsoll-plan: 0 passed, 0 failed, 0 skipped",
        ],
    );
}

#[test]
fn a_line_that_is_no_result_counts_nothing() {
    assert_eq!(result("test result: ok. lots passed; 0 failed; 0 ignored"), None);
    assert_eq!(result("test a ... ok"), None);
}
