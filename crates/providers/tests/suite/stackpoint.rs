//! The provider for StackPoint against its emulated service, over HTTP.

mod deletions;
mod forms;
mod kinds;
mod manners;
mod poolless;
mod stage;
mod trouble;

use plimsoll_provider::conformance;
use plimsoll_providers::stackpoint::{
    emulator::{Foreign, Offer},
    testbed::StackPointTestbed,
};

/// The service has no names of orders, no targets beside its machines, no pages and no prices, never says why a machine failed, and
/// lists machines of no group as well.
const UNTRIED: [&str; 18] = [
    "same_order_after_its_machines_were_deleted_buys_nothing",
    "stock_is_honest",
    "failed_machines_tell_a_shortage",
    "lowering_gives_up_what_has_not_arrived",
    "lowering_part_of_the_way_keeps_the_rest",
    "lowering_twice_is_lowering_once",
    "lowering_after_a_lost_reply_is_lowering_once",
    "deletion_below_the_minimum_is_refused",
    "foreign_machine_is_left_alone",
    "refresh_reads_all_pages",
    "restart_keeps_what_has_not_arrived",
    "orders_at_once_all_count",
    "orders_and_deletions_at_once_add_up",
    "prices_are_told",
    "group_can_be_made",
    "group_is_made_once",
    "group_can_be_removed",
    "group_with_machines_is_kept",
];

#[tokio::test]
async fn provider_conforms() {
    let report = conformance::run(async || StackPointTestbed::start().await.unwrap()).await;
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert_eq!(untried, UNTRIED);
}

#[tokio::test]
async fn masters_and_hosts_of_etcd_are_nobodys() {
    for foreign in [Foreign::Master, Foreign::EtcdHost] {
        let start = async || StackPointTestbed::start().await.unwrap().with_foreign(foreign);
        let about_foreign = |check: &conformance::Check| check.name.contains("foreign");
        let report = conformance::run_some(start, about_foreign).await;
        conformance::assert_conforms(&report);
        let untried: Vec<_> = report.not_applicable().collect();
        assert_eq!(untried, ["foreign_machine_is_left_alone"]);
    }
}

#[test]
fn the_example_can_be_offered() {
    let text = include_str!("../../../../examples/stackpoint-emulator.yaml");
    assert_eq!(Offer::read("example", text).unwrap().pools.len(), 4);
}
