//! Callers that do not wait for ever, and a provider that is stuck.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use plimsoll_extgrpc::{
    Address, CloudConfig, ExternalGrpc, ServerSettings,
    proto::external::{self as message, cloud_provider_client::CloudProviderClient},
};
use plimsoll_model::GroupOptions;
use plimsoll_net::Clock;
use plimsoll_provider::{Class, Home, Order, OrderId, Provider as _};
use tonic::{Code, Request};

use crate::fixture::{Fake, SETTINGS, Served};

const PATIENCE: Duration = Duration::from_millis(500);

/// The server answers a little before the client gives up by itself, which it would call `Cancelled`.
fn impatient<T>(request: T) -> Request<T> {
    let mut request = Request::new(request);
    request.set_timeout(PATIENCE);
    request
}

fn more(delta: i32) -> message::NodeGroupIncreaseSizeRequest {
    message::NodeGroupIncreaseSizeRequest { delta, id: "web".to_owned() }
}

#[tokio::test]
async fn a_wish_that_is_stuck_is_answered_at_the_deadline_and_carried_out_all_the_same() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.shut();
    let status = client.node_group_increase_size(impatient(more(1))).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");

    // Others are not held up by it.
    client.node_groups(message::NodeGroupsRequest {}).await.unwrap();
    let bare = message::NodeGroupTargetSizeRequest { id: "bare".to_owned() };
    client.node_group_target_size(bare).await.unwrap();
    // Another wish of the group waits for its turn, and gives up without having been placed.
    let status = client.node_group_increase_size(impatient(more(1))).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(served.fake.orders().is_empty());

    served.fake.gate.add_permits(1);
    // The turn of this one comes after the first is done.
    client.node_group_increase_size(more(1)).await.unwrap();
    assert_eq!(served.fake.target("web"), 5);
    assert_eq!(served.fake.orders().len(), 2);
}

#[tokio::test]
async fn a_provider_that_hangs_holds_nobody_up() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.hangs.store(true, Ordering::Relaxed);
    // It is waited for until shortly before the deadline; what is known is not too old.
    client.refresh(impatient(message::RefreshRequest {})).await.unwrap();
    client.node_groups(impatient(message::NodeGroupsRequest {})).await.unwrap();
    client.node_group_increase_size(impatient(more(1))).await.unwrap();
    let request = message::NodeGroupTargetSizeRequest { id: "web".to_owned() };
    let answer = client.node_group_target_size(impatient(request)).await.unwrap();
    assert_eq!(answer.into_inner().target_size, 4);
}

#[tokio::test]
async fn a_provider_that_hangs_from_the_beginning_is_unavailable() {
    let fake = Arc::new(Fake::default());
    fake.hangs.store(true, Ordering::Relaxed);
    let served = Served::with(fake, SETTINGS, None).await;
    let mut client = CloudProviderClient::new(served.channel().await);
    let request = impatient(message::NodeGroupsRequest {});
    let status = client.node_groups(request).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    let status = client.node_groups(message::NodeGroupsRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}

#[tokio::test]
async fn what_is_too_old_is_not_given_out() {
    let settings = ServerSettings { stale_after: Duration::ZERO, ..SETTINGS };
    let served = Served::with(Arc::default(), settings, None).await;
    let mut client = served.client().await;
    let status = client.node_groups(message::NodeGroupsRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("old"), "{status:?}");
}

#[tokio::test]
async fn calls_and_wishes_under_way_finish_before_the_server_stops() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.shut();
    let wish = tokio::spawn(async move { client.node_group_increase_size(more(1)).await });
    while served.fake.arrived() == 0 {
        tokio::task::yield_now().await;
    }
    served.shutdown.trigger();
    served.fake.gate.add_permits(1);
    wish.await.unwrap().unwrap();
    served.task.await.unwrap();
    assert_eq!(served.fake.target("web"), 4);
}

/// Over the bare protocol the second attempt would be a second order.
#[tokio::test]
async fn an_order_that_is_asked_for_again_while_it_is_under_way_is_bought_once() {
    let served = Served::start().await;
    served.client().await;
    served.fake.shut();
    let config = CloudConfig {
        address: Address::parse(&served.address).unwrap(),
        tls: None,
        timeout: PATIENCE,
    };
    let client =
        ExternalGrpc::new("ours", config, GroupOptions::default(), Home::alone(Clock::system()));
    let id = OrderId::new("once").unwrap();
    let order = Order { id, group: "web".into(), count: 2, from: 3 };
    for _ in 0..2 {
        assert_eq!(client.increase(&order).await.unwrap_err().class(), Class::Retry);
    }
    served.fake.gate.add_permits(10);
    client.increase(&order).await.unwrap();
    assert_eq!(served.fake.target("web"), 5);
}
