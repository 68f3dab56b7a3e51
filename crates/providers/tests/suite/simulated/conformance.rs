//! The reference keeps every promise of the contract.

use plimsoll_provider::conformance;
use plimsoll_providers::simulated::testbed::SimulatedTestbed;

#[tokio::test(start_paused = true)]
async fn the_simulated_provider_conforms() {
    let report = conformance::run(async || SimulatedTestbed::new().unwrap()).await;
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert!(untried.is_empty(), "the reference offers everything, but not tried: {untried:?}");
}
