//! The suite passes what is right and finds what is wrong.

use std::{collections::BTreeSet, fmt::Write as _};

use expect_test::{expect, expect_file};
use plimsoll_provider::conformance::{self, Check, CheckResult, Outcome, assert_conforms};

use crate::{
    broken::Flaw,
    honest::{Ability, bed::Bed},
};

/// How the list of checks begins; the rest of it is made from the checks.
const ABOUT_THE_LIST: &str = "# What is checked of a provider

The checks of the conformance suite by topic. [providers.md](providers.md) says how to run them. This list is made from the
checks themselves: `UPDATE_EXPECT=1 cargo test -p plimsoll-provider documentation` writes it anew.
";

#[tokio::test(start_paused = true)]
async fn honest_provider_passes() {
    let report = conformance::run(async || Bed::honest(Ability::Full)).await;
    assert_conforms(&report);
    let left: Vec<_> = report.not_applicable().collect();
    assert_eq!(
        left,
        [
            "stale_order_without_names_buys_nothing",
            "deletion_below_the_minimum_is_refused",
            "foreign_machine_is_left_alone",
            "groups_are_unsupported_otherwise"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn honest_provider_over_a_bare_service_passes() {
    let report = conformance::run(async || Bed::honest(Ability::Bare)).await;
    assert_conforms(&report);
    let left: Vec<_> = report.not_applicable().collect();
    expect![[r"
        same_order_after_its_machines_were_deleted_buys_nothing
        stock_is_honest
        deletion_of_a_mixed_bag
        deletion_below_the_minimum_is_refused
        foreign_machine_is_refused
        orders_at_once_all_count
        orders_and_deletions_at_once_add_up
        templates_of_empty_groups
        templates_are_stable
        prices_are_told
        options_make_sense
        group_can_be_made
        group_is_made_once
        group_can_be_removed
        group_with_machines_is_kept"]]
    .assert_eq(&left.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn honest_provider_that_keeps_the_minimum_passes() {
    let report = conformance::run(async || Bed::honest(Ability::Guarded)).await;
    assert_conforms(&report);
    let left: Vec<_> = report.not_applicable().collect();
    expect![[r"
        stale_order_without_names_buys_nothing
        deletion_below_the_minimum_is_done
        foreign_machine_is_refused
        groups_are_unsupported_otherwise"]]
    .assert_eq(&left.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn every_flaw_is_found_and_every_check_finds_one() {
    let mut found = BTreeSet::<&str>::new();
    let mut missed = Vec::new();
    for flaw in Flaw::ALL {
        let report = conformance::run(async || Bed::broken(*flaw)).await;
        let panicked = |result: &&CheckResult| match &result.outcome {
            Outcome::Failed(seen) => seen.contains("panicked"),
            _ => false,
        };
        for result in report.results.iter().filter(panicked) {
            missed.push(format!("{flaw:?} panics in {}", result.check.name));
        }
        let failed: BTreeSet<_> = report.failed().collect();
        for check in flaw.found_by().iter().filter(|check| !failed.contains(**check)) {
            missed.push(format!("{flaw:?} passes {check}"));
        }
        found.extend(flaw.found_by());
    }
    let idle = conformance::checks().filter(|check| !found.contains(check.name));
    missed.extend(idle.map(|check| format!("no flaw is to be found by {}", check.name)));
    assert!(missed.is_empty(), "{missed:#?}");
}

#[tokio::test(start_paused = true)]
async fn checks_do_not_apply_without_their_knob() {
    let report = conformance::run(async || Bed::without_knobs()).await;
    assert_conforms(&report);
    let missing = report.results.iter().filter_map(|result| match &result.outcome {
        Outcome::NotApplicable(missing) => Some(format!("{}: {missing}\n", result.check.name)),
        _ => None,
    });
    expect![[r"
        same_order_after_a_lost_reply_buys_once: the emulator has no knob LoseReplies
        order_that_was_cut_off_is_bought_once: the emulator has no knob Slow
        order_that_failed_is_bought_by_the_next_attempt: the emulator has no knob Fail
        stale_order_without_names_buys_nothing: the provider keeps names of orders
        order_above_a_lowered_maximum_is_invalid: the emulator has no knob SetBounds
        stockout_buys_nothing: the emulator has no knob Stock
        stockout_of_one_group_leaves_others: the emulator has no knob Stock
        used_up_quota_buys_nothing: the emulator has no knob Quota
        partial_success_is_success: the emulator has no knob Stock
        partial_success_is_counted: the emulator has no knob Stock
        partial_order_again_buys_no_more_than_asked: the emulator has no knob Stock
        refused_order_may_be_placed_again: the emulator has no knob Stock
        stock_is_honest: the emulator has no knob Stock
        failed_machines_tell_a_shortage: the emulator has no knob FailMachines
        failed_machines_tell_other_reasons: the emulator has no knob FailMachines
        failed_machines_can_be_deleted: the emulator has no knob FailMachines
        lowering_gives_up_what_has_not_arrived: the emulator has no knob Queue
        lowering_part_of_the_way_keeps_the_rest: the emulator has no knob Queue
        lowering_twice_is_lowering_once: the emulator has no knob Queue
        lowering_after_a_lost_reply_is_lowering_once: the emulator has no knob Queue
        lowering_touches_no_failed_machine: the emulator has no knob FailMachines
        deletion_asked_again_is_not_begun_anew: the emulator does not count deletions
        deletion_after_a_lost_reply_counts_once: the emulator has no knob LoseReplies
        vanished_machine_is_not_found: the emulator has no knob RemoveMachine
        deletion_below_the_minimum_is_done: the emulator has no knob SetBounds
        deletion_below_the_minimum_is_refused: the provider leaves the minimum to its callers
        failed_machine_may_go_at_the_minimum: the emulator has no knob FailMachines
        foreign_machine_is_refused: the emulator has no knob AddForeign
        foreign_machine_is_left_alone: the provider sees machines that no group has
        protected_machine_is_refused: the emulator has no knob Protect
        refresh_reads_all_pages: the emulator has no knob PageSize
        failing_request_makes_no_short_list: the emulator has no knob Fail
        truncated_reply_makes_no_short_list: the emulator has no knob Truncate
        slow_service_makes_no_short_list: the emulator has no knob Slow
        vanished_machine_is_forgotten: the emulator has no knob RemoveMachine
        vanished_machine_is_not_made_up_for: the emulator has no knob RemoveMachine
        foreign_machine_is_in_no_group: the emulator has no knob AddForeign
        bounds_changed_outside_are_seen: the emulator has no knob SetBounds
        skewed_clock_loses_no_machine: the emulator has no knob ClockSkew
        service_that_is_away_is_retry: the emulator has no knob Down
        service_that_came_back_is_used: the emulator has no knob Down
        orders_during_an_outage_buy_nothing: the emulator has no knob Down
        refused_credentials_are_auth: the emulator has no knob Fail
        overloaded_service_is_retry: the emulator has no knob Fail
        quota_answer_is_quota: the emulator has no knob Fail
        failed_deletion_is_not_told_as_done: the emulator has no knob Fail
        failed_lowering_may_be_repeated: the emulator has no knob Fail
        slow_service_is_served: the emulator has no knob Slow
        restart_after_a_lost_reply_keeps_the_order: the emulator has no knob LoseReplies
        restart_in_the_middle_of_an_order_keeps_it: the emulator has no knob Slow
        restart_keeps_what_has_not_arrived: the emulator has no knob Queue
        calls_overlap: the emulator has no knob Slow
        owner_of_a_foreign_node: the emulator has no knob AddForeign
        nothing_is_gone_while_the_service_is_away: the emulator has no knob Down
        groups_are_unsupported_otherwise: the provider can make groups
    "]]
    .assert_eq(&missing.collect::<String>());
}

#[tokio::test(start_paused = true)]
async fn report_is_a_table() {
    let wanted = ["order_up_to_the_maximum_is_served", "lowering_never_raises", "close_is_safe"];
    let only = |check: &Check| wanted.contains(&check.name);
    let report = conformance::run_some(async || Bed::broken(Flaw::LoweringRaises), only).await;
    expect![[r"
        refusals  order_up_to_the_maximum_is_served  passed
        targets   lowering_never_raises              FAILED: the target was lowered to one that is not lower: the target of plain changed by 3, not 0
                  promised: A target that is at or below the one named stays as it is.
        groups    close_is_safe                      passed
        2 passed, 1 failed, 0 not applicable
    "]].assert_eq(&report.to_string());
}

#[tokio::test(start_paused = true)]
async fn panic_fails_the_check_and_not_the_run() {
    let only = |check: &Check| check.topic == "targets";
    let report = conformance::run_some(async || -> Bed { panic!("no testbed today") }, only).await;
    assert!(!report.conforms());
    assert_eq!(report.failed().count(), conformance::checks().filter(|check| only(check)).count());
}

#[test]
fn checks_say_what_is_promised() {
    let mut names = BTreeSet::new();
    for check in conformance::checks() {
        let Check { name, topic, promise, .. } = check;
        assert!(names.insert(name), "{name} stands twice");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(promise.ends_with('.') && promise.len() > 20, "{topic}: {name}: {promise}");
    }
}

#[test]
fn every_check_is_in_the_documentation() {
    let mut text = String::from(ABOUT_THE_LIST);
    let mut topic = "";
    for check in conformance::checks() {
        if check.topic != topic {
            topic = check.topic;
            write!(text, "\n## {topic}\n\n| check | promise |\n|---|---|\n").unwrap();
        }
        writeln!(text, "| `{}` | {} |", check.name, check.promise).unwrap();
    }
    expect_file!["../../../../docs/conformance.md"].assert_eq(&text);
}
