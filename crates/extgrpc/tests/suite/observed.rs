//! What can be seen of a server: metrics, health, and what it says it can do.

use std::time::Duration;

use plimsoll_extgrpc::{
    Server,
    proto::external::{self as message, cloud_provider_server::SERVICE_NAME},
};
use plimsoll_net::Clock;
use plimsoll_provider::Class;
use prometheus_client::{encoding::text::encode, registry::Registry};
use tokio_stream::StreamExt as _;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::fixture::{Fake, SETTINGS, Served};

#[tokio::test]
async fn calls_are_counted_by_method_and_code() {
    let fake = std::sync::Arc::new(Fake::default());
    let server = Server::new(fake.clone(), SETTINGS, Clock::system());
    let mut registry = Registry::default();
    server.register(&mut registry);
    let served = Served::run(server, fake, None).await;
    let mut client = served.client().await;
    for id in ["web", "web", "nobody"] {
        let request = message::NodeGroupNodesRequest { id: id.to_owned() };
        let _ = client.node_group_nodes(request).await;
    }
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    for line in [
        "plimsoll_extgrpc_calls_total{method=\"NodeGroupNodes\",code=\"OK\"} 2",
        "plimsoll_extgrpc_calls_total{method=\"NodeGroupNodes\",code=\"NotFound\"} 1",
        "plimsoll_extgrpc_call_duration_seconds_count{method=\"NodeGroupNodes\"} 3",
    ] {
        assert!(text.lines().any(|seen| seen == line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn health_is_that_of_the_provider() {
    let served = Served::start().await;
    served.fake.fail("refresh", Some(Class::Retry));
    let settings =
        plimsoll_extgrpc::ServerSettings { stale_after: Duration::from_millis(1), ..SETTINGS };
    let sick = Served::with(served.fake.clone(), settings, None).await;
    sick.client().await;
    let mut health = HealthClient::new(sick.channel().await);
    let request = HealthCheckRequest { service: SERVICE_NAME.to_owned() };
    let mut changes = health.watch(request).await.unwrap().into_inner();
    let first = changes.next().await.unwrap().unwrap().status();
    assert_eq!(first, ServingStatus::NotServing);

    let well = Served::start().await;
    well.client().await;
    let mut health = HealthClient::new(well.channel().await);
    for service in ["", SERVICE_NAME] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let mut changes = health.watch(request).await.unwrap().into_inner();
        while changes.next().await.unwrap().unwrap().status() != ServingStatus::Serving {}
    }
}

#[tokio::test]
async fn the_protocol_is_told_to_who_asks() {
    let served = Served::start().await;
    let mut reflection = ServerReflectionClient::new(served.channel().await);
    let request = ServerReflectionRequest {
        message_request: Some(MessageRequest::ListServices(String::new())),
        ..ServerReflectionRequest::default()
    };
    let replies = reflection.server_reflection_info(tokio_stream::once(request)).await.unwrap();
    let reply = replies.into_inner().next().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = reply.message_response else {
        panic!("{reply:?}");
    };
    let names: Vec<_> = list.service.iter().map(|service| service.name.as_str()).collect();
    assert!(names.contains(&SERVICE_NAME), "{names:?}");
    assert!(names.contains(&"grpc.health.v1.Health"), "{names:?}");
}
