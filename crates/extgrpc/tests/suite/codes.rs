//! Which status a call is answered with.

use std::sync::Arc;

use plimsoll_extgrpc::proto::external as message;
use plimsoll_model::InstanceState;
use plimsoll_provider::{Capabilities, Class};
use tonic::{Code, Status};

use crate::fixture::{Fake, SETTINGS, Served, failed, group, lock, machine};

fn node(provider_id: &str) -> message::ExternalGrpcNode {
    message::ExternalGrpcNode { provider_id: provider_id.to_owned(), ..Default::default() }
}

fn named(name: &str) -> message::ExternalGrpcNode {
    message::ExternalGrpcNode { name: name.to_owned(), ..Default::default() }
}

async fn increase(served: &Served, id: &str, delta: i32) -> Result<(), Status> {
    let request = message::NodeGroupIncreaseSizeRequest { delta, id: id.to_owned() };
    served.client().await.node_group_increase_size(request).await.map(drop)
}

async fn decrease(served: &Served, id: &str, delta: i32) -> Result<(), Status> {
    let request = message::NodeGroupDecreaseTargetSizeRequest { delta, id: id.to_owned() };
    served.client().await.node_group_decrease_target_size(request).await.map(drop)
}

async fn delete(
    served: &Served,
    id: &str,
    nodes: Vec<message::ExternalGrpcNode>,
) -> Result<(), Status> {
    let request = message::NodeGroupDeleteNodesRequest { nodes, id: id.to_owned() };
    served.client().await.node_group_delete_nodes(request).await.map(drop)
}

fn code(outcome: &Result<(), Status>) -> Code {
    outcome.as_ref().err().map_or(Code::Ok, Status::code)
}

#[tokio::test]
async fn increases() {
    let served = Served::start().await;
    let table = [
        ("web", 0, Code::InvalidArgument),
        ("web", -1, Code::InvalidArgument),
        ("web", i32::MAX, Code::InvalidArgument),
        ("web", 3, Code::FailedPrecondition),
        ("nobody", 1, Code::NotFound),
        ("", 1, Code::NotFound),
        ("web", 2, Code::Ok),
        ("web", 1, Code::FailedPrecondition),
    ];
    for (id, delta, expected) in table {
        let outcome = increase(&served, id, delta).await;
        assert_eq!(code(&outcome), expected, "{id} {delta}: {outcome:?}");
    }
    assert_eq!(served.fake.target("web"), 5);
}

#[tokio::test]
async fn decreases() {
    let served = Served::start().await;
    // Two of five have not arrived.
    served.fake.change("web", |web| web.group.target = 5);
    let table = [
        ("web", 0, Code::InvalidArgument),
        ("web", 1, Code::InvalidArgument),
        ("web", -6, Code::InvalidArgument),
        ("web", i32::MIN, Code::InvalidArgument),
        ("web", -3, Code::FailedPrecondition),
        ("nobody", -1, Code::NotFound),
        ("web", -2, Code::Ok),
        ("web", -1, Code::FailedPrecondition),
    ];
    for (id, delta, expected) in table {
        let outcome = decrease(&served, id, delta).await;
        assert_eq!(code(&outcome), expected, "{id} {delta}: {outcome:?}");
    }
    assert_eq!(served.fake.target("web"), 3);
}

#[tokio::test]
async fn deletions() {
    let served = Served::start().await;
    let table = [
        ("nobody", vec![node("web-0")], Code::NotFound),
        ("web", vec![node("bare-0")], Code::InvalidArgument),
        // Who knows neither the machine nor the name cannot delete it.
        ("web", vec![named("stranger")], Code::NotFound),
        // A machine that is gone is deleted.
        ("web", vec![node("web-99")], Code::Ok),
        ("web", vec![], Code::Ok),
        // All or nothing: the minimum is 1.
        ("web", vec![node("web-0"), node("web-1"), node("web-2")], Code::FailedPrecondition),
        ("web", vec![named("node-of-web-1"), node("web-0"), node("web-0")], Code::Ok),
        // Again: they are on their way already, and the minimum is not touched.
        ("web", vec![node("web-0"), node("web-1")], Code::Ok),
        ("web", vec![node("web-2")], Code::FailedPrecondition),
    ];
    for (id, nodes, expected) in table {
        let outcome = delete(&served, id, nodes.clone()).await;
        assert_eq!(code(&outcome), expected, "{id} {nodes:?}: {outcome:?}");
    }
    assert_eq!(served.fake.target("web"), 1);
}

#[tokio::test]
async fn what_does_not_work_may_go_below_the_minimum() {
    let served = Served::start().await;
    served.fake.change("web", |web| {
        web.group.min = 3;
        web.group.instances = vec![
            failed("broken"),
            machine("young", InstanceState::Creating),
            machine("well", InstanceState::Running),
        ];
    });
    assert_eq!(code(&delete(&served, "web", vec![node("broken"), node("young")]).await), Code::Ok);
    let well = delete(&served, "web", vec![node("well")]).await;
    assert_eq!(code(&well), Code::FailedPrecondition, "{well:?}");
    assert_eq!(served.fake.target("web"), 1);
}

#[tokio::test]
async fn what_a_provider_refuses_is_told_by_name() {
    let served = Served::start().await;
    *lock(&served.fake.groups) = vec![group(
        "web",
        0,
        5,
        &[("one", InstanceState::Running), ("two-protected", InstanceState::Running)],
    )];
    let outcome = delete(&served, "web", vec![node("one"), node("two-protected")]).await;
    let status = outcome.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert_eq!(status.message(), "two-protected: two-protected is protected");
    assert_eq!(served.fake.target("web"), 1);
}

#[tokio::test]
async fn every_class_has_its_code() {
    let table = [
        (Class::Retry, Code::Unavailable),
        (Class::OutOfCapacity, Code::ResourceExhausted),
        (Class::Quota, Code::ResourceExhausted),
        (Class::Auth, Code::PermissionDenied),
        (Class::NotFound, Code::NotFound),
        (Class::Invalid, Code::FailedPrecondition),
        (Class::Unsupported, Code::FailedPrecondition),
        (Class::Bug, Code::Internal),
    ];
    let served = Served::start().await;
    for (class, expected) in table {
        served.fake.fail("delete", Some(class));
        let outcome = delete(&served, "bare", vec![node("bare-0")]).await;
        assert_eq!(code(&outcome), expected, "{class}");
        assert_eq!(outcome.unwrap_err().message(), "as the test wants it");
    }
}

#[tokio::test]
async fn a_provider_that_was_never_read_is_unavailable_and_then_says_why() {
    let fake = Arc::new(Fake::default());
    fake.fail("refresh", Some(Class::Auth));
    let served = Served::with(fake, SETTINGS, None).await;
    let mut client = served.client().await;
    let status = client.node_groups(message::NodeGroupsRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    let status = client.refresh(message::RefreshRequest {}).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::PermissionDenied, "as the test wants it"));

    served.fake.fail("refresh", Some(Class::Retry));
    let status = client.refresh(message::RefreshRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);

    served.fake.fail("refresh", None);
    client.refresh(message::RefreshRequest {}).await.unwrap();
    let groups = client.node_groups(message::NodeGroupsRequest {}).await.unwrap().into_inner();
    assert_eq!(groups.node_groups.len(), 2);

    // What was read a moment ago is still given out.
    served.fake.fail("refresh", Some(Class::Retry));
    client.refresh(message::RefreshRequest {}).await.unwrap();
    client.node_groups(message::NodeGroupsRequest {}).await.unwrap();
}

#[tokio::test]
async fn only_what_a_provider_lacks_is_unimplemented() {
    let fake = Fake::default();
    *lock(&fake.capabilities) = Capabilities::default();
    let served = Served::with(Arc::new(fake), SETTINGS, None).await;
    let mut client = served.client().await;
    let id = || "web".to_owned();
    let codes = [
        client
            .node_group_template_node_info(message::NodeGroupTemplateNodeInfoRequest { id: id() })
            .await
            .map(drop),
        client.pricing_node_price(message::PricingNodePriceRequest::default()).await.map(drop),
        client.pricing_pod_price(message::PricingPodPriceRequest::default()).await.map(drop),
    ];
    for outcome in codes {
        assert_eq!(code(&outcome), Code::Unimplemented);
    }
}

#[tokio::test]
async fn a_group_without_template_or_price_does_not_stop_the_others() {
    let served = Served::start().await;
    let mut client = served.client().await;
    let request = message::NodeGroupTemplateNodeInfoRequest { id: "bare".to_owned() };
    let status = client.node_group_template_node_info(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);

    let hour = |node| message::PricingNodePriceRequest {
        node: Some(node),
        start_timestamp: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
        end_timestamp: Some(prost_types::Timestamp { seconds: 5_400, nanos: 0 }),
        ..Default::default()
    };
    let status = client.pricing_node_price(hour(node("bare-0"))).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    let status = client.pricing_node_price(hour(named("stranger"))).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    let price = client.pricing_node_price(hour(named("node-of-web-1"))).await.unwrap();
    assert!((price.into_inner().price - 0.18).abs() < 1e-9);
}

#[tokio::test]
async fn missing_parts_are_named() {
    let served = Served::start().await;
    let mut client = served.client().await;
    let outcomes = [
        client.node_group_for_node(message::NodeGroupForNodeRequest { node: None }).await.map(drop),
        client
            .node_group_get_options(message::NodeGroupAutoscalingOptionsRequest {
                id: "web".to_owned(),
                defaults: None,
            })
            .await
            .map(drop),
        client.pricing_node_price(message::PricingNodePriceRequest::default()).await.map(drop),
        client.pricing_pod_price(message::PricingPodPriceRequest::default()).await.map(drop),
    ];
    for (outcome, part) in outcomes.into_iter().zip(["node", "defaults", "node", "pod"]) {
        let status = outcome.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().starts_with(part), "{status:?}");
    }
}

#[tokio::test]
async fn nodes_of_nobody_have_an_empty_group() {
    let served = Served::start().await;
    let mut client = served.client().await;
    for (node, expected) in [
        (node("web-2"), "web"),
        (named("node-of-web-1"), "web"),
        (node("bare-0"), "bare"),
        (node("elsewhere"), ""),
        (named("stranger"), ""),
    ] {
        let request = message::NodeGroupForNodeRequest { node: Some(node) };
        let answer = client.node_group_for_node(request).await.unwrap().into_inner();
        assert_eq!(answer.node_group.unwrap().id, expected);
    }
}
