//! Clients of two versions against one server, byte by byte.

use std::collections::BTreeMap;

use plimsoll_extgrpc::proto::external::cloud_provider_server::SERVICE_NAME;
use prost::Message;
use tonic::{Code, Status, client::Grpc, codegen::http::uri::PathAndQuery, transport::Channel};
use tonic_prost::ProstCodec;

use crate::{
    fixture::Served,
    frozen::{head, kubernetes, v1_30},
};

/// Calls a method with messages of any version.
pub(crate) async fn call<Q, R>(channel: &Channel, method: &str, request: Q) -> R
where
    Q: Message + 'static,
    R: Message + Default + 'static,
{
    try_call(channel, method, request).await.unwrap()
}

async fn try_call<Q, R>(channel: &Channel, method: &str, request: Q) -> Result<R, Status>
where
    Q: Message + 'static,
    R: Message + Default + 'static,
{
    let path = PathAndQuery::try_from(format!("/{SERVICE_NAME}/{method}")).unwrap();
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.unwrap();
    let codec = ProstCodec::<Q, R>::default();
    grpc.unary(tonic::Request::new(request), path, codec).await.map(tonic::Response::into_inner)
}

async fn connected() -> (Served, Channel) {
    let served = Served::start().await;
    served.client().await;
    let channel = served.channel().await;
    (served, channel)
}

fn check_node(node: &kubernetes::Node) {
    let metadata = node.metadata.as_ref().unwrap();
    assert_eq!(metadata.name(), "web-template");
    assert_eq!(metadata.labels, BTreeMap::from([("zone".to_owned(), "z1".to_owned())]));
    let spec = node.spec.as_ref().unwrap();
    assert_eq!(spec.provider_id(), "fake://template/web");
    let taint = &spec.taints[0];
    assert_eq!((taint.key(), taint.value(), taint.effect()), ("only", "web", "NoSchedule"));
    let status = node.status.as_ref().unwrap();
    for amounts in [&status.capacity, &status.allocatable] {
        let amounts: Vec<_> = amounts.iter().map(|(k, v)| (k.as_str(), v.string())).collect();
        assert_eq!(amounts, [("cpu", "4"), ("memory", "16Gi"), ("pods", "110")]);
    }
    let ready = &status.conditions[0];
    assert_eq!((ready.r#type(), ready.status()), ("Ready", "True"));
}

#[tokio::test]
async fn a_template_is_read_by_both() {
    let (_served, channel) = connected().await;
    let old: v1_30::NodeGroupTemplateNodeInfoResponse =
        call(&channel, "NodeGroupTemplateNodeInfo", v1_30::GroupRequest { id: "web".to_owned() })
            .await;
    check_node(&old.node_info.unwrap());
    let new: head::NodeGroupTemplateNodeInfoResponse =
        call(&channel, "NodeGroupTemplateNodeInfo", head::GroupRequest { id: "web".to_owned() })
            .await;
    check_node(&kubernetes::Node::decode(&*new.node_bytes).unwrap());
}

#[tokio::test]
async fn options_come_back_whole_to_both() {
    let (_served, channel) = connected().await;
    let hours =
        |hours: i64| Some(kubernetes::Duration { duration: Some(hours * 3_600_000_000_000) });
    let defaults = v1_30::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: 0.25,
        scale_down_gpu_utilization_threshold: 0.75,
        scale_down_unneeded_time: hours(1),
        scale_down_unready_time: hours(2),
        max_node_provision_time: hours(3),
    };
    let request = v1_30::NodeGroupAutoscalingOptionsRequest {
        id: "web".to_owned(),
        defaults: Some(defaults),
    };
    let reply: v1_30::NodeGroupAutoscalingOptionsResponse =
        call(&channel, "NodeGroupGetOptions", request).await;
    // The group has one setting of its own.
    let own = kubernetes::Duration { duration: Some(90_000_000_000) };
    let expected =
        v1_30::NodeGroupAutoscalingOptions { scale_down_unneeded_time: Some(own), ..defaults };
    assert_eq!(reply.node_group_autoscaling_options, Some(expected));

    let seconds = |seconds: i64| Some(prost_types::Duration { seconds, nanos: 500_000_000 });
    let defaults = head::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: 0.25,
        scale_down_gpu_utilization_threshold: 0.75,
        zero_or_max_node_scaling: true,
        ignore_daemon_sets_utilization: true,
        scale_down_unneeded_duration: seconds(1),
        scale_down_unready_duration: seconds(2),
        max_node_provision_duration: seconds(3),
        max_node_startup_duration: seconds(4),
        allow_non_atomic_scale_up_to_max: true,
    };
    let request =
        head::NodeGroupAutoscalingOptionsRequest { id: "web".to_owned(), defaults: Some(defaults) };
    let reply: head::NodeGroupAutoscalingOptionsResponse =
        call(&channel, "NodeGroupGetOptions", request).await;
    let own = prost_types::Duration { seconds: 90, nanos: 0 };
    let expected =
        head::NodeGroupAutoscalingOptions { scale_down_unneeded_duration: Some(own), ..defaults };
    assert_eq!(reply.node_group_autoscaling_options, Some(expected));
}

/// Clients up to 1.33 end themselves over a reply without the times that they know.
#[tokio::test]
async fn no_time_is_ever_missing_from_settings_that_are_sent() {
    let (_served, channel) = connected().await;
    let request = v1_30::NodeGroupAutoscalingOptionsRequest {
        id: "web".to_owned(),
        defaults: Some(v1_30::NodeGroupAutoscalingOptions {
            max_node_provision_time: Some(kubernetes::Duration { duration: Some(1) }),
            ..v1_30::NodeGroupAutoscalingOptions::default()
        }),
    };
    let old: v1_30::NodeGroupAutoscalingOptionsResponse =
        call(&channel, "NodeGroupGetOptions", request.clone()).await;
    let old = old.node_group_autoscaling_options.unwrap();
    assert!(old.scale_down_unneeded_time.is_some());
    assert!(old.scale_down_unready_time.is_some());
    assert!(old.max_node_provision_time.is_some());
    let new: head::NodeGroupAutoscalingOptionsResponse =
        call(&channel, "NodeGroupGetOptions", request).await;
    let new = new.node_group_autoscaling_options.unwrap();
    assert!(new.scale_down_unneeded_duration.is_some());
    assert!(new.scale_down_unready_duration.is_some());
    assert!(new.max_node_provision_duration.is_some());
    assert!(new.max_node_startup_duration.is_some());
}

#[tokio::test]
async fn prices_are_asked_for_by_both() {
    let (_served, channel) = connected().await;
    // Two hours of a node that costs 0.12.
    let old_time = |seconds| Some(kubernetes::Time { seconds: Some(seconds), nanos: None });
    let old = v1_30::PricingNodePriceRequest {
        node: Some(v1_30::ExternalGrpcNode {
            provider_id: "web-0".to_owned(),
            ..v1_30::ExternalGrpcNode::default()
        }),
        start_time: old_time(1_000),
        end_time: old_time(8_200),
    };
    let reply: v1_30::PriceResponse = call(&channel, "PricingNodePrice", old).await;
    assert!((reply.price - 0.24).abs() < 1e-9, "{reply:?}");

    let new_time = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let new = head::PricingNodePriceRequest {
        // The template, as a client shows it.
        node: Some(head::ExternalGrpcNode {
            provider_id: "fake://template/web".to_owned(),
            ..head::ExternalGrpcNode::default()
        }),
        start_timestamp: new_time(1_000),
        end_timestamp: new_time(8_200),
    };
    let reply: head::PriceResponse = call(&channel, "PricingNodePrice", new).await;
    assert!((reply.price - 0.24).abs() < 1e-9, "{reply:?}");
}

#[tokio::test]
async fn a_pod_costs_the_share_of_its_scarcest_resource() {
    let (_served, channel) = connected().await;
    let quantity = |amount: &str| kubernetes::Quantity { string: Some(amount.to_owned()) };
    let requests = |cpu: &str, memory: &str| {
        let requests = BTreeMap::from([
            ("cpu".to_owned(), quantity(cpu)),
            ("memory".to_owned(), quantity(memory)),
        ]);
        Some(kubernetes::ResourceRequirements { requests, limits: BTreeMap::new() })
    };
    let container = |cpu: &str, memory: &str| kubernetes::Container {
        resources: requests(cpu, memory),
        ..kubernetes::Container::default()
    };
    let pod = kubernetes::Pod {
        metadata: None,
        spec: Some(kubernetes::PodSpec {
            // 1 of 4 cores, 8 of 16 GiB: half a node.
            containers: vec![container("500m", "4Gi"), container("500m", "4Gi")],
            // Smaller than what runs later.
            init_containers: vec![container("900m", "1Gi")],
            ..kubernetes::PodSpec::default()
        }),
    };
    let old_time = |seconds| Some(kubernetes::Time { seconds: Some(seconds), nanos: Some(0) });
    let old = v1_30::PricingPodPriceRequest {
        pod: Some(pod.clone()),
        start_time: old_time(0),
        end_time: old_time(3_600),
    };
    let reply: v1_30::PriceResponse = call(&channel, "PricingPodPrice", old).await;
    assert!((reply.price - 0.06).abs() < 1e-9, "{reply:?}");

    let new_time = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let new = head::PricingPodPriceRequest {
        pod_bytes: pod.encode_to_vec(),
        start_timestamp: new_time(0),
        end_timestamp: new_time(3_600),
    };
    let reply: head::PriceResponse = call(&channel, "PricingPodPrice", new.clone()).await;
    assert!((reply.price - 0.06).abs() < 1e-9, "{reply:?}");

    // What nobody has cannot be priced, unless none of it is asked for.
    for (amount, expected) in [("0", Code::Ok), ("1", Code::NotFound), ("x", Code::NotFound)] {
        let mut pod = pod.clone();
        let container = &mut pod.spec.as_mut().unwrap().containers[0];
        let requests = &mut container.resources.as_mut().unwrap().requests;
        requests.insert("example.com/unicorn".to_owned(), quantity(amount));
        let new = head::PricingPodPriceRequest { pod_bytes: pod.encode_to_vec(), ..new.clone() };
        let answer = try_call::<_, head::PriceResponse>(&channel, "PricingPodPrice", new).await;
        assert_eq!(answer.map_or_else(|status| status.code(), |_| Code::Ok), expected, "{amount}");
    }
}
