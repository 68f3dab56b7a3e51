//! The provider over Slicer hosts keeps every promise of the contract that such a host lets it keep.

use futures::StreamExt as _;
use plimsoll_provider::conformance::{self, Check, Report};

use super::testbed::SlicerTestbed;

/// What cannot be tried with a host that has no pages, no stock to ask for and no orders that wait; that does not say why a
/// machine ended; whose machines are there at once; whose groups come from its own configuration.
const UNTRIED: [&str; 24] = [
    "stale_order_without_names_buys_nothing",
    "stockout_buys_nothing",
    "stockout_of_one_group_leaves_others",
    "partial_success_is_success",
    "partial_success_is_counted",
    "partial_order_again_buys_no_more_than_asked",
    "refused_order_may_be_placed_again",
    "stock_is_honest",
    "failed_machines_tell_a_shortage",
    "lowering_gives_up_what_has_not_arrived",
    "lowering_part_of_the_way_keeps_the_rest",
    "lowering_twice_is_lowering_once",
    "lowering_after_a_lost_reply_is_lowering_once",
    "deletion_asked_again_is_not_begun_anew",
    "deletion_of_a_machine_being_made",
    "deletion_below_the_minimum_is_refused",
    "foreign_machine_is_left_alone",
    "refresh_reads_all_pages",
    "restart_keeps_what_has_not_arrived",
    "options_make_sense",
    "group_can_be_made",
    "group_is_made_once",
    "group_can_be_removed",
    "group_with_machines_is_kept",
];

/// The sockets are real and so is the time, so checks wait side by side.
const SIDE_BY_SIDE: usize = 32;

#[tokio::test]
async fn the_slicer_provider_conforms() {
    let run = |check: &'static Check| async move {
        let report = conformance::run_some(SlicerTestbed::new, |other| other.name == check.name);
        report.await.results
    };
    let results: Vec<_> =
        futures::stream::iter(conformance::checks()).map(run).buffered(SIDE_BY_SIDE).concat().await;
    let report = Report { results };
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert_eq!(untried, UNTRIED, "{report}");
}
