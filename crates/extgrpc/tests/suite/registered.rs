//! Machines and nodes that know each other by different names, nodes whose machines are gone, and machines without nodes.

use std::sync::Arc;

use plimsoll_extgrpc::proto::external::{
    self as message, cloud_provider_client::CloudProviderClient,
};
use plimsoll_provider::Class;
use tonic::{Code, Status, transport::Channel};

use crate::fixture::{Fake, RUNNING, SETTINGS, Served, group, lock};

type Client = CloudProviderClient<Channel>;

fn node(name: &str, provider_id: &str) -> message::ExternalGrpcNode {
    message::ExternalGrpcNode {
        name: name.to_owned(),
        provider_id: provider_id.to_owned(),
        ..Default::default()
    }
}

/// As the upstream autoscaler names a machine that has no node.
fn made_up(provider_id: &str) -> message::ExternalGrpcNode {
    let reason = ("k8s.io/cluster-autoscaler/fake-node-reason", "unregistered");
    message::ExternalGrpcNode {
        annotations: [(reason.0.to_owned(), reason.1.to_owned())].into(),
        ..node(provider_id, provider_id)
    }
}

async fn group_of(client: &mut Client, node: message::ExternalGrpcNode) -> String {
    let request = message::NodeGroupForNodeRequest { node: Some(node) };
    let reply = client.node_group_for_node(request).await.unwrap().into_inner();
    reply.node_group.unwrap().id
}

async fn listed(client: &mut Client, id: &str) -> Vec<String> {
    let request = message::NodeGroupNodesRequest { id: id.to_owned() };
    let reply = client.node_group_nodes(request).await.unwrap().into_inner();
    reply.instances.into_iter().map(|instance| instance.id).collect()
}

async fn delete(client: &mut Client, node: message::ExternalGrpcNode) -> Result<(), Status> {
    let request = message::NodeGroupDeleteNodesRequest { nodes: vec![node], id: "web".to_owned() };
    client.node_group_delete_nodes(request).await.map(drop)
}

async fn refresh(client: &mut Client, times: usize) {
    for _ in 0..times {
        client.refresh(message::RefreshRequest {}).await.unwrap();
    }
}

/// The machines of the fake that are on their way out.
fn deleting(fake: &Fake) -> Vec<String> {
    let groups = lock(&fake.groups);
    let machines = groups.iter().flat_map(|state| &state.group.instances);
    let going = machines.filter(|machine| machine.state != RUNNING);
    going.map(|machine| machine.id.to_string()).collect()
}

#[tokio::test]
async fn a_machine_is_listed_and_deleted_under_the_provider_id_of_its_node() {
    let served = Served::start().await;
    let mut client = served.client().await;
    assert_eq!(listed(&mut client, "web").await, ["web-0", "web-1", "web-2"]);
    assert_eq!(group_of(&mut client, node("node-of-web-1", "k3s://one")).await, "web");
    assert_eq!(listed(&mut client, "web").await, ["web-0", "k3s://one", "web-2"]);
    assert_eq!(listed(&mut client, "bare").await, ["bare-0"]);
    // It is known by that id without any other word, too.
    assert_eq!(group_of(&mut client, made_up("k3s://one")).await, "web");
    // The Node is deleted, the machine is not: after a while it goes as one without a node.
    refresh(&mut client, 3).await;
    assert_eq!(listed(&mut client, "web").await, ["web-0", "k3s://one", "web-2"]);
    delete(&mut client, made_up("k3s://one")).await.unwrap();
    assert_eq!(deleting(&served.fake), ["web-1"]);
}

#[tokio::test]
async fn a_machine_whose_node_has_no_provider_id_is_not_listed() {
    let served = Served::start().await;
    let mut client = served.client().await;
    assert_eq!(group_of(&mut client, node("node-of-web-1", "")).await, "web");
    assert_eq!(listed(&mut client, "web").await, ["web-0", "web-2"]);
    delete(&mut client, node("node-of-web-1", "")).await.unwrap();
    assert_eq!(deleting(&served.fake), ["web-1"]);
}

#[tokio::test]
async fn a_machine_that_a_node_says_to_be_is_not_deleted_for_another() {
    let served = Served::start().await;
    let mut client = served.client().await;
    assert_eq!(group_of(&mut client, node("node-of-web-1", "k3s://one")).await, "web");
    // A copy of the node, a name without a word, and a claim that there is no node.
    for other in [node("thief", "web-1"), made_up("web-1"), made_up("k3s://one")] {
        let status = delete(&mut client, other).await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
        assert!(status.message().contains("node-of-web-1"), "{status:?}");
    }
    // Two that both show themselves: neither.
    assert_eq!(group_of(&mut client, node("thief", "web-1")).await, "web");
    for name in ["node-of-web-1", "thief"] {
        let status = delete(&mut client, node(name, "web-1")).await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
    }
    assert!(deleting(&served.fake).is_empty());
    // One of them is gone.
    refresh(&mut client, 3).await;
    assert_eq!(group_of(&mut client, node("node-of-web-1", "k3s://one")).await, "web");
    delete(&mut client, node("node-of-web-1", "k3s://one")).await.unwrap();
    assert_eq!(deleting(&served.fake), ["web-1"]);
}

#[tokio::test]
async fn a_node_keeps_its_group_when_its_machine_is_gone() {
    let served = Served::start().await;
    let mut client = served.client().await;
    assert_eq!(group_of(&mut client, node("n", "web-2")).await, "web");
    served.fake.change("web", |web| {
        web.group.instances.pop();
        web.group.target = 2;
    });
    for _ in 0..5 {
        refresh(&mut client, 1).await;
        assert_eq!(group_of(&mut client, node("n", "web-2")).await, "web");
        assert_eq!(group_of(&mut client, node("other", "web-2")).await, "", "nobody knew it");
    }
    assert_eq!(listed(&mut client, "web").await, ["web-0", "web-1"]);
    // Its deletion is no news, and costs the group nothing.
    delete(&mut client, node("n", "web-2")).await.unwrap();
    assert_eq!(served.fake.target("web"), 2);
    // The group goes as well.
    lock(&served.fake.groups).remove(0);
    refresh(&mut client, 1).await;
    assert_eq!(group_of(&mut client, node("n", "web-2")).await, "");
}

#[tokio::test]
async fn a_node_keeps_its_group_while_its_provider_is_away() {
    let served = Served::start().await;
    let mut client = served.client().await;
    assert_eq!(group_of(&mut client, node("node-of-web-1", "")).await, "web");
    served.fake.fail("owner", Some(Class::Retry));
    assert_eq!(group_of(&mut client, node("node-of-web-1", "")).await, "web");
    let request = message::NodeGroupForNodeRequest { node: Some(node("unknown", "")) };
    let status = client.node_group_for_node(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}

#[tokio::test]
async fn a_machine_that_did_not_register_may_go_below_the_minimum() {
    let fake = Arc::new(Fake::default());
    *lock(&fake.groups) = vec![group("web", 2, 5, &[("web-0", RUNNING), ("web-1", RUNNING)])];
    let served = Served::with(fake, SETTINGS, None).await;
    let mut client = served.client().await;
    assert_eq!(group_of(&mut client, node("well", "web-0")).await, "web");
    let status = delete(&mut client, node("well", "web-0")).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    delete(&mut client, made_up("web-1")).await.unwrap();
    assert_eq!(deleting(&served.fake), ["web-1"]);
    assert_eq!(served.fake.target("web"), 1);
}

#[tokio::test]
async fn a_refresh_is_fine_while_what_is_known_is_not_too_old() {
    let served = Served::start().await;
    let mut client = served.client().await;
    served.fake.fail("refresh", Some(Class::Retry));
    refresh(&mut client, 3).await;
    assert_eq!(listed(&mut client, "web").await.len(), 3);
    // A client of this project wants to know.
    let mut request = tonic::Request::new(message::RefreshRequest {});
    request.metadata_mut().insert("plimsoll-refresh", "new".parse().unwrap());
    let status = client.refresh(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}
