//! What a caller sees right after a wish, and what becomes of wishes whose outcome is unknown.

use plimsoll_extgrpc::proto::external::{
    self as message, cloud_provider_client::CloudProviderClient,
    instance_status::InstanceState as State,
};
use plimsoll_provider::Class;
use tonic::{Code, transport::Channel};

use crate::fixture::Served;

async fn target(client: &mut CloudProviderClient<Channel>, id: &str) -> i32 {
    let request = message::NodeGroupTargetSizeRequest { id: id.to_owned() };
    client.node_group_target_size(request).await.unwrap().into_inner().target_size
}

fn more(delta: i32) -> message::NodeGroupIncreaseSizeRequest {
    message::NodeGroupIncreaseSizeRequest { delta, id: "web".to_owned() }
}

/// From here on the provider is not read: what is seen is what was remembered.
fn freeze(served: &Served) {
    served.fake.fail("refresh", Some(Class::Retry));
}

#[tokio::test]
async fn the_target_is_right_at_once() {
    let served = Served::start().await;
    let mut client = served.client().await;
    freeze(&served);
    assert_eq!(target(&mut client, "web").await, 3);
    client.node_group_increase_size(more(1)).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 4);
    client.node_group_increase_size(more(1)).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 5);
    let fewer = message::NodeGroupDecreaseTargetSizeRequest { delta: -1, id: "web".to_owned() };
    client.node_group_decrease_target_size(fewer).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 4);
    let orders = served.fake.orders();
    let decided: Vec<_> = orders.iter().map(|order| (order.from, order.count)).collect();
    assert_eq!(decided, [(3, 1), (4, 1)]);
    assert_ne!(orders[0].id, orders[1].id);
}

#[tokio::test]
async fn a_machine_is_on_its_way_out_at_once() {
    let served = Served::start().await;
    let mut client = served.client().await;
    freeze(&served);
    let node = message::ExternalGrpcNode { provider_id: "web-1".to_owned(), ..Default::default() };
    let request = message::NodeGroupDeleteNodesRequest { nodes: vec![node], id: "web".to_owned() };
    client.node_group_delete_nodes(request).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 2);
    let request = message::NodeGroupNodesRequest { id: "web".to_owned() };
    let instances = client.node_group_nodes(request).await.unwrap().into_inner().instances;
    let states: Vec<_> = instances
        .iter()
        .map(|instance| (instance.id.as_str(), instance.status.as_ref().unwrap().instance_state()))
        .collect();
    assert_eq!(
        states,
        [
            ("web-0", State::InstanceRunning),
            ("web-1", State::InstanceDeleting),
            ("web-2", State::InstanceRunning),
        ]
    );
}

#[tokio::test]
async fn what_somebody_else_did_is_seen_by_a_refresh() {
    let served = Served::start().await;
    let mut client = served.client().await;
    client.node_group_increase_size(more(1)).await.unwrap();
    served.fake.change("web", |web| web.group.target = 2);
    client.refresh(message::RefreshRequest {}).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 2);
}

#[tokio::test]
async fn an_order_that_was_served_without_an_answer_is_not_bought_again() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.fail("increase", Some(Class::Retry));
    let status = client.node_group_increase_size(more(2)).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    // The provider did it all the same, and now the target says so.
    served.fake.fail("increase", None);
    client.refresh(message::RefreshRequest {}).await.unwrap();
    assert_eq!(target(&mut client, "web").await, 5);
}

#[tokio::test]
async fn an_order_whose_fate_is_unknown_keeps_its_name() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.fail("lost increase", Some(Class::Retry));
    client.node_group_increase_size(more(1)).await.unwrap_err();
    // The caller asks again.
    served.fake.fail("lost increase", None);
    client.node_group_increase_size(more(1)).await.unwrap();
    let orders = served.fake.orders();
    assert_eq!(orders.len(), 2);
    assert_eq!(orders[0], orders[1]);
}

#[tokio::test]
async fn an_order_that_was_refused_is_another_one_the_next_time() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.fail("lost increase", Some(Class::OutOfCapacity));
    client.node_group_increase_size(more(1)).await.unwrap_err();
    served.fake.fail("lost increase", None);
    client.node_group_increase_size(more(1)).await.unwrap();
    let orders = served.fake.orders();
    assert_ne!(orders[0].id, orders[1].id);
}

#[tokio::test]
async fn an_order_that_is_sent_with_its_name_is_bought_once() {
    let served = Served::start().await;
    let mut client = served.client().await;
    for _ in 0..3 {
        let mut request = tonic::Request::new(more(2));
        request.metadata_mut().insert("plimsoll-order", "order-7 3 2".parse().unwrap());
        client.node_group_increase_size(request).await.unwrap();
    }
    assert_eq!(served.fake.target("web"), 5);
    assert!(served.fake.orders().iter().all(|order| order.id.as_str() == "order-7"));
}

#[tokio::test]
async fn wishes_of_one_group_take_turns() {
    let served = Served::start().await;
    let client = served.client().await;
    let two = [client.clone(), client.clone()].map(|mut client| {
        tokio::spawn(async move { client.node_group_increase_size(more(1)).await.map(drop) })
    });
    for outcome in two {
        outcome.await.unwrap().unwrap();
    }
    let mut from: Vec<_> = served.fake.orders().iter().map(|order| order.from).collect();
    from.sort_unstable();
    assert_eq!(from, [3, 4]);
    assert_eq!(served.fake.target("web"), 5);
}
