//! What callers of three versions make of a group's settings.
//!
//! Each takes all of its settings from a reply that has any, and keeps its own when there are none. What its messages do not have is
//! zero then.

use plimsoll_extgrpc::proto::external as message;
use plimsoll_provider::{Capabilities, Overrides, Steer};
use tonic::Code;

use crate::{
    fixture::{Fake, SETTINGS, Served, lock},
    frozen::{kubernetes, v1_27, v1_32, v1_35},
    versions::call,
};

/// What a caller goes by, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settings {
    threshold: f64,
    ignore_daemon_sets: bool,
    unneeded: i64,
    provision: i64,
    startup: i64,
}

/// The caller's flags.
const FLAGS: Settings = Settings {
    threshold: 0.5,
    ignore_daemon_sets: true,
    unneeded: 600,
    provision: 900,
    startup: 840,
};

fn nanoseconds(seconds: i64) -> kubernetes::Duration {
    kubernetes::Duration { duration: Some(seconds * 1_000_000_000) }
}

/// It ends itself over a time that is missing.
fn seconds(time: Option<kubernetes::Duration>) -> i64 {
    time.unwrap().duration.unwrap_or_default() / 1_000_000_000
}

async fn of_1_27(served: &Served, id: &str) -> Settings {
    let defaults = v1_27::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: FLAGS.threshold,
        scale_down_gpu_utilization_threshold: FLAGS.threshold,
        scale_down_unneeded_time: Some(nanoseconds(FLAGS.unneeded)),
        scale_down_unready_time: Some(nanoseconds(1_200)),
    };
    let request =
        v1_27::NodeGroupAutoscalingOptionsRequest { id: id.to_owned(), defaults: Some(defaults) };
    let reply: v1_27::NodeGroupAutoscalingOptionsResponse =
        call(&served.channel().await, "NodeGroupGetOptions", request).await;
    let Some(own) = reply.node_group_autoscaling_options else { return FLAGS };
    Settings {
        threshold: own.scale_down_utilization_threshold,
        unneeded: seconds(own.scale_down_unneeded_time),
        ignore_daemon_sets: false,
        provision: 0,
        startup: 0,
    }
}

async fn of_1_32(served: &Served, id: &str) -> Settings {
    let defaults = v1_32::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: FLAGS.threshold,
        scale_down_gpu_utilization_threshold: FLAGS.threshold,
        scale_down_unneeded_time: Some(nanoseconds(FLAGS.unneeded)),
        scale_down_unready_time: Some(nanoseconds(1_200)),
        max_node_provision_time: Some(nanoseconds(FLAGS.provision)),
    };
    let request =
        v1_32::NodeGroupAutoscalingOptionsRequest { id: id.to_owned(), defaults: Some(defaults) };
    let reply: v1_32::NodeGroupAutoscalingOptionsResponse =
        call(&served.channel().await, "NodeGroupGetOptions", request).await;
    let Some(own) = reply.node_group_autoscaling_options else { return FLAGS };
    assert!(own.scale_down_unready_time.is_some());
    Settings {
        threshold: own.scale_down_utilization_threshold,
        unneeded: seconds(own.scale_down_unneeded_time),
        ignore_daemon_sets: false,
        provision: seconds(own.max_node_provision_time),
        startup: FLAGS.startup,
    }
}

async fn of_1_35(served: &Served, id: &str) -> Settings {
    let time = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let defaults = v1_35::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: FLAGS.threshold,
        scale_down_gpu_utilization_threshold: FLAGS.threshold,
        zero_or_max_node_scaling: false,
        ignore_daemon_sets_utilization: FLAGS.ignore_daemon_sets,
        scale_down_unneeded_duration: time(FLAGS.unneeded),
        scale_down_unready_duration: time(1_200),
        max_node_provision_duration: time(FLAGS.provision),
    };
    let request =
        v1_35::NodeGroupAutoscalingOptionsRequest { id: id.to_owned(), defaults: Some(defaults) };
    let reply: v1_35::NodeGroupAutoscalingOptionsResponse =
        call(&served.channel().await, "NodeGroupGetOptions", request).await;
    let Some(own) = reply.node_group_autoscaling_options else { return FLAGS };
    assert!(own.scale_down_unready_duration.is_some());
    Settings {
        threshold: own.scale_down_utilization_threshold,
        unneeded: own.scale_down_unneeded_duration.unwrap().seconds,
        ignore_daemon_sets: own.ignore_daemon_sets_utilization,
        provision: own.max_node_provision_duration.unwrap().seconds,
        startup: 0,
    }
}

#[tokio::test]
async fn a_group_without_settings_of_its_own_leaves_every_caller_its_flags() {
    let fake = Fake::default();
    // Neither does one whose settings the protocol cannot carry.
    let steer = Steer { key: "k".into(), value: "v".into(), why: None };
    lock(&fake.groups)[0].overrides = Overrides { steer: Some(steer), ..Overrides::default() };
    let served = Served::with(std::sync::Arc::new(fake), SETTINGS, None).await;
    served.client().await;
    for id in ["bare", "web"] {
        assert_eq!(of_1_27(&served, id).await, FLAGS, "{id}");
        assert_eq!(of_1_32(&served, id).await, FLAGS, "{id}");
        assert_eq!(of_1_35(&served, id).await, FLAGS, "{id}");
    }
}

#[tokio::test]
async fn a_provider_that_knows_no_settings_is_no_server_without_the_method() {
    let fake = Fake::default();
    *lock(&fake.capabilities) = Capabilities::default();
    let served = Served::with(std::sync::Arc::new(fake), SETTINGS, None).await;
    served.client().await;
    assert_eq!(of_1_27(&served, "bare").await, FLAGS);
    let mut client = served.client().await;
    // Not even defaults are needed to say that there is nothing.
    let request = |id: &str| message::NodeGroupAutoscalingOptionsRequest {
        id: id.to_owned(),
        defaults: None,
    };
    let reply = client.node_group_get_options(request("bare")).await.unwrap().into_inner();
    assert_eq!(reply.node_group_autoscaling_options, None);
    let status = client.node_group_get_options(request("nobody")).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn settings_of_a_group_reach_callers_that_do_not_misread_them() {
    let served = Served::start().await;
    served.client().await;
    // It would take the provision time for 0, and delete what has just been started.
    assert_eq!(of_1_27(&served, "web").await, FLAGS);
    let own = Settings { unneeded: 90, ..FLAGS };
    let lost = Settings { ignore_daemon_sets: false, ..own };
    assert_eq!(of_1_32(&served, "web").await, lost, "its messages have no field for it");
    let lost = Settings { startup: 0, ..own };
    assert_eq!(of_1_35(&served, "web").await, lost, "its messages have no field for it");
}
