//! The provider for StackPoint against its emulated service, over HTTP.

use plimsoll_provider::conformance;
use plimsoll_providers::stackpoint::{emulator::Foreign, testbed::StackPointTestbed};

#[tokio::test]
async fn provider_conforms() {
    let report = conformance::run(async || StackPointTestbed::start().await.unwrap()).await;
    conformance::assert_conforms(&report);
    let untried: Vec<_> = report.not_applicable().collect();
    assert_eq!(untried, [""; 0]);
}

#[tokio::test]
async fn masters_and_hosts_of_etcd_are_nobodys() {
    for foreign in [Foreign::Master, Foreign::EtcdHost] {
        let start = async || StackPointTestbed::start().await.unwrap().with_foreign(foreign);
        let about_foreign = |check: &conformance::Check| check.name.contains("foreign");
        let report = conformance::run_some(start, about_foreign).await;
        conformance::assert_conforms(&report);
        assert_eq!(report.not_applicable().count(), 0);
    }
}
