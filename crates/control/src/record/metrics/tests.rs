//! What can be read after passes and news.

use expect_test::expect;
use plimsoll_cluster::evict::Eviction;
use plimsoll_model::{Order, PodName, Symbol};

use super::*;
use crate::{
    engine::OpenRetirement,
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
    expect![[r#"
        cluster_autoscaler_cluster_cpu_current_cores 8.0
        cluster_autoscaler_cluster_memory_current_bytes 34359738368.0
        cluster_autoscaler_cluster_safe_to_autoscale 1.0
        cluster_autoscaler_cpu_limits_cores{direction="maximum"} 320000.0
        cluster_autoscaler_cpu_limits_cores{direction="minimum"} 0.0
        cluster_autoscaler_function_duration_seconds_count{function="loopWait"} 1
        cluster_autoscaler_function_duration_seconds_count{function="main"} 1
        cluster_autoscaler_function_duration_seconds_count{function="updateClusterState"} 1
        cluster_autoscaler_last_activity{activity="autoscaling"} 1767268800.0
        cluster_autoscaler_last_activity{activity="main"} 1767268800.0
        cluster_autoscaler_max_nodes_count 0.0
        cluster_autoscaler_memory_limits_bytes{direction="maximum"} 6871947673600000.0
        cluster_autoscaler_memory_limits_bytes{direction="minimum"} 0.0
        cluster_autoscaler_node_group_backoff_status{node_group="gpu",reason="ZONE_RESOURCE_POOL_EXHAUSTED"} 1.0
        cluster_autoscaler_node_group_backoff_status{node_group="small",reason=""} 0.0
        cluster_autoscaler_node_group_backoff_status{node_group="tiny",reason=""} 0.0
        cluster_autoscaler_node_group_healthiness{node_group="gpu"} 1.0
        cluster_autoscaler_node_group_healthiness{node_group="small"} 1.0
        cluster_autoscaler_node_group_healthiness{node_group="tiny"} 1.0
        cluster_autoscaler_node_group_max_count{node_group="gpu"} 4.0
        cluster_autoscaler_node_group_max_count{node_group="small"} 5.0
        cluster_autoscaler_node_group_max_count{node_group="tiny"} 9.0
        cluster_autoscaler_node_group_min_count{node_group="gpu"} 0.0
        cluster_autoscaler_node_group_min_count{node_group="small"} 1.0
        cluster_autoscaler_node_group_min_count{node_group="tiny"} 0.0
        cluster_autoscaler_node_group_target_count{node_group="gpu"} 0.0
        cluster_autoscaler_node_group_target_count{node_group="small"} 2.0
        cluster_autoscaler_node_group_target_count{node_group="tiny"} 0.0
        cluster_autoscaler_node_groups_count{node_group_type="autoscaled"} 3.0
        cluster_autoscaler_nodes_count{state="longUnregistered"} 0.0
        cluster_autoscaler_nodes_count{state="notStarted"} 0.0
        cluster_autoscaler_nodes_count{state="ready"} 2.0
        cluster_autoscaler_nodes_count{state="unready"} 0.0
        cluster_autoscaler_nodes_count{state="unregistered"} 0.0
        cluster_autoscaler_pending_node_deletions 0.0
        cluster_autoscaler_scale_down_in_cooldown 0.0
        cluster_autoscaler_unneeded_nodes_count 1.0
        cluster_autoscaler_unremovable_nodes_count{reason="NotUnderutilized"} 1.0
        cluster_autoscaler_unremovable_nodes_count{reason="NotUnneededLongEnough"} 1.0
        cluster_autoscaler_unschedulable_pods_count{type="unschedulable"} 1.0
        plimsoll_cluster_pods 2.0
        plimsoll_cluster_stale 0.0
        plimsoll_cost_per_hour{when="now"} 0.2
        plimsoll_cost_per_hour{when="planned"} 0.2
        plimsoll_group_price_per_hour{node_group="gpu"} 1.2
        plimsoll_group_price_per_hour{node_group="small"} 0.1
        plimsoll_group_ready_nodes{node_group="gpu"} 0.0
        plimsoll_group_ready_nodes{node_group="small"} 2.0
        plimsoll_group_ready_nodes{node_group="tiny"} 0.0
        plimsoll_group_upcoming_nodes{node_group="gpu"} 0.0
        plimsoll_group_upcoming_nodes{node_group="small"} 0.0
        plimsoll_group_upcoming_nodes{node_group="tiny"} 0.0
        plimsoll_leader 1.0
        plimsoll_pass_duration_seconds_count{part="act"} 1
        plimsoll_pass_duration_seconds_count{part="observe"} 1
        plimsoll_pass_duration_seconds_count{part="plan"} 1
        plimsoll_pass_duration_seconds_count{part="wait"} 1
        plimsoll_pass_number 1.0
        plimsoll_passes_total{cause="cluster"} 1
        plimsoll_pods{outcome="AwaitsNextPass"} 1.0
        plimsoll_provider_age_seconds{provider="simulated"} 12.0
        plimsoll_provider_failing{provider="simulated"} 0.0
        plimsoll_unreadable_objects 0.0"#]].assert_eq(&samples(&meter));
}

#[test]
fn news_are_counted() {
    let mut meter = Meter::new(PerGroup::Left);
    let pass = pass(CLUSTER);
    let order = Order::placed(order_id("a"), Symbol::new("gpu"), 2, pass.at);
    let leaving = crate::sketch::pass(&CLUSTER.replace("11:55", "11:40")).retirements[0].clone();
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
        News::Gone(OpenRetirement { reason: None, ..leaving.clone() }),
        News::Released { retirement: leaving, why: "needed".to_owned() },
        News::Repaired(plimsoll_plan::Repair::DeleteInstance {
            group: Symbol::new("gpu"),
            instance: "i".into(),
            why: String::new(),
        }),
    ];
    for one in news {
        meter.news(&one, Some(&pass), at(&pass, "2026-01-01T12:01:00Z").at);
    }
    meter.events("written", 3);
    expect![[r#"
        cluster_autoscaler_evicted_pods_total{eviction_result="succeeded"} 1
        cluster_autoscaler_failed_gpu_scale_ups_total{reason="STOCKOUT",gpu_resource_name="nvidia.com/gpu",gpu_name="generic"} 1
        cluster_autoscaler_failed_scale_ups_total{reason="STOCKOUT",gpu_resource_name="nvidia.com/gpu",gpu_name="generic",dra_drivers=""} 1
        cluster_autoscaler_node_removal_latency_seconds_count{deleted="false",delay_reason=""} 1
        cluster_autoscaler_node_removal_latency_seconds_count{deleted="true",delay_reason=""} 2
        cluster_autoscaler_old_unregistered_nodes_removed_count 1.0
        cluster_autoscaler_scaled_down_nodes_total{reason="empty",gpu_resource_name="",gpu_name="",dra_drivers=""} 1
        cluster_autoscaler_scaled_down_nodes_total{reason="unknown",gpu_resource_name="",gpu_name="",dra_drivers=""} 1
        cluster_autoscaler_scaled_up_gpu_nodes_total{gpu_resource_name="nvidia.com/gpu",gpu_name="generic"} 2
        cluster_autoscaler_scaled_up_nodes_total{gpu_resource_name="nvidia.com/gpu",gpu_name="generic",dra_drivers=""} 2
        plimsoll_events_total{outcome="written"} 3
        plimsoll_released_nodes_total 1"#]].assert_eq(&samples(&meter));
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
