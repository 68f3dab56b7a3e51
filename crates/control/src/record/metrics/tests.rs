//! What can be read after passes and news.

use expect_test::expect;
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{PodName, Symbol};
use plimsoll_plan::RetirementReason;

use super::*;
use crate::{
    engine::OpenOrder,
    sketch::{CLUSTER, at, order_id, pass},
};

/// The samples of a text: histograms only with their counts, and no explanations.
fn samples(meter: &Meter) -> String {
    let text = meter.metrics().text();
    let is_sample = |line: &&str| {
        !line.starts_with('#') && !line.contains("_bucket{") && !line.contains("_sum{")
    };
    let mut lines: Vec<&str> = text.lines().filter(is_sample).collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn a_pass_is_shown() {
    let mut meter = Meter::new(PerGroup::Shown);
    meter.stand(true);
    let pass = pass(CLUSTER);
    let as_of = Some("2026-01-01T11:59:48Z".parse().unwrap());
    let provider = Freshness { provider: "simulated".to_owned(), as_of, is_failing: false };
    meter.pass(&pass, &[provider]);
    expect![[""]].assert_eq(&samples(&meter));
}

#[test]
fn news_are_counted() {
    let mut meter = Meter::new(PerGroup::Left);
    let pass = pass(CLUSTER);
    let order = OpenOrder {
        id: order_id("a"),
        group: Symbol::new("gpu"),
        count: 2,
        from: 0,
        at: pass.at,
        phase: plimsoll_cluster::orders::Phase::Placed,
        message: String::new(),
    };
    let leaving = crate::sketch::pass(&CLUSTER.replace("11:55", "11:40")).retirements[0].clone();
    let departure = Departure { why: RetirementReason::Empty, drains: false };
    let pod = PodName { namespace: Symbol::new("default"), name: "web".into() };
    let news = [
        News::Placed(order.clone()),
        News::OrderFailed {
            order,
            class: plimsoll_provider::Class::OutOfCapacity,
            code: "STOCKOUT".to_owned(),
        },
        News::Evicted { node: leaving.node, pod, uid: None, outcome: Eviction::Accepted },
        News::Gone(leaving.clone()),
        News::Released { retirement: leaving, why: "needed".to_owned() },
        News::Repaired(plimsoll_plan::Repair::DeleteInstance {
            group: Symbol::new("gpu"),
            instance: "i".into(),
            why: String::new(),
        }),
    ];
    for one in news {
        meter.news(&one, Some(&departure), Some(&pass), at(&pass, "2026-01-01T12:01:00Z").at);
    }
    meter.events("written", 3);
    expect![[""]].assert_eq(&samples(&meter));
}

#[test]
fn who_stands_by_shows_nothing_of_the_cluster() {
    let mut meter = Meter::new(PerGroup::Shown);
    meter.stand(true);
    meter.pass(&pass(CLUSTER), &[]);
    meter.stand(false);
    let text = samples(&meter);
    assert!(text.contains("plimsoll_leader 0.0"), "{text}");
    assert!(!text.contains("cluster_autoscaler_nodes_count"), "{text}");
}

#[test]
fn a_series_of_something_that_is_gone_goes() {
    let mut meter = Meter::new(PerGroup::Shown);
    meter.pass(&pass(CLUSTER), &[]);
    assert!(samples(&meter).contains("node_group=\"tiny\""));
    let fewer: Vec<&str> = CLUSTER.lines().filter(|line| !line.contains("id: tiny")).collect();
    meter.pass(&pass(&fewer.join("\n")), &[]);
    assert!(!samples(&meter).contains("node_group=\"tiny\""));
}

#[test]
fn every_metric_is_in_the_documentation() {
    let page = include_str!("../../../../../docs/observing.md");
    let names = (GAUGES.iter().map(|(name, _)| *name))
        .chain(COUNTERS.iter().map(|(name, _, _)| *name))
        .chain(HISTOGRAMS.iter().map(|(name, _)| *name));
    let missing: Vec<&str> = names.filter(|name| !page.contains(&format!("`{name}"))).collect();
    assert_eq!(missing, [""; 0]);
}
