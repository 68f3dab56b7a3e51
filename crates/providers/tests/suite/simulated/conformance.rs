//! The reference keeps every promise of the contract.

use plimsoll_provider::conformance;
use plimsoll_providers::simulated::testbed::SimulatedTestbed;

/// What cannot be tried with a provider that keeps the names of orders, leaves the minimum to its callers, sees machines of no group,
/// has no secrets and can make groups.
const UNTRIED: [&str; 5] = [
    "stale_order_without_names_buys_nothing",
    "deletion_below_the_minimum_is_refused",
    "foreign_machine_is_left_alone",
    "errors_contain_no_secret",
    "groups_are_unsupported_otherwise",
];

#[tokio::test(start_paused = true)]
async fn the_simulated_provider_conforms() {
    let report = conformance::run(async || SimulatedTestbed::new().unwrap()).await;
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert_eq!(untried, UNTRIED, "the reference offers everything else\n{report}");
}
