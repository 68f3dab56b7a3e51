use super::*;
use crate::tidy::Member;

const ABSENT: Tool = Tool {
    program: "plimsoll-no-such-program",
    otherwise: &[&["plimsoll-no-such-command"]],
    how_to_get_it: "it cannot be had",
};

const TOY_SUITES: &[Suite] = &[
    Suite { name: "sound", run: |_| vec![passed("sound", 2)], ..USUAL },
    Suite {
        name: "many",
        parts: |_| vec!["left".to_owned(), "right".to_owned()],
        run: |context| {
            let parts = ["left", "right"].into_iter().filter(|part| context.wants(part));
            parts.map(|part| passed(part, 10)).collect()
        },
        ..USUAL
    },
    Suite {
        name: "browser",
        needs: &[ABSENT],
        run: |_| panic!("a suite without its tool must not run"),
        ..USUAL
    },
    Suite {
        name: "again",
        when: When::Asked("again"),
        run: |_| vec![passed("again", 100)],
        ..USUAL
    },
];

fn passed(name: &str, count: u64) -> Part {
    let tally = Tally { passed: count, ..Tally::default() };
    Part { name: name.to_owned(), tally, details: String::new() }
}

fn context(words: &[&str]) -> Context {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Context { workspace: Workspace::default(), words }
}

#[track_caller]
fn check(words: &[&str], expected: &str) {
    assert_eq!(run_all(TOY_SUITES, &context(words)).to_string(), expected);
}

#[test]
fn everything_runs_by_default_and_a_missing_tool_skips() {
    check(&[], "22 passed, 0 failed, 1 skipped");
}

#[test]
fn words_select_suites_and_parts() {
    check(&["sou"], "2 passed, 0 failed, 0 skipped");
    check(&["left"], "10 passed, 0 failed, 0 skipped");
    check(&["left", "sound"], "12 passed, 0 failed, 0 skipped");
    check(&["browser"], "0 passed, 0 failed, 1 skipped");
}

#[test]
fn what_others_run_as_well_runs_only_when_it_is_asked_for() {
    check(&["again"], "100 passed, 0 failed, 0 skipped");
    check(&["again", "sound"], "102 passed, 0 failed, 0 skipped");
    check(&["aga"], "0 passed, 1 failed, 0 skipped");
}

#[test]
fn a_word_that_selects_nothing_is_a_failure() {
    check(&["nothing"], "0 passed, 1 failed, 0 skipped");
}

#[test]
fn a_skip_says_how_to_get_the_tool() {
    let skipped = Part::skipped("browser", &ABSENT);
    assert_eq!(
        skipped.details,
        "plimsoll-no-such-program is not on the PATH\nhelp: it cannot be had"
    );
}

#[test]
fn a_tool_may_be_had_in_another_way() {
    assert!(!ABSENT.is_present());
    assert!(
        Tool { otherwise: &[&["rustc", "--no-such-flag"], &["rustc", "--version"]], ..ABSENT }
            .is_present()
    );
    assert!(!Tool { otherwise: &[&["rustc", "--no-such-flag"]], ..ABSENT }.is_present());
}

#[test]
fn each_tidy_rule_is_a_test() {
    let member = Member { name: "xtask".into(), directory: "xtask".into(), ..Member::default() };
    let workspace = Workspace { members: vec![member], ..Workspace::default() };
    let parts = run_tidy(&Context { workspace, words: Vec::new() });
    let [part] = parts.as_slice() else { panic!("tidy is one part, not {parts:?}") };
    // No root file, no map, no README; the other rules have nothing to object to.
    assert_eq!(part.tally.failed, 3);
    assert_eq!(part.tally.passed + part.tally.failed, tidy::RULES.len() as u64);
    assert!(
        part.details.contains("rule broken: every crate says what it is\n  xtask: has neither")
    );
}
