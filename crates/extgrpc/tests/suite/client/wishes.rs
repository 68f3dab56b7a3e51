//! Wishes, over a protocol that has no names for orders and one answer for all.

use std::time::Duration;

use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Fence};
use plimsoll_provider::{Class, Error, NodeIdentity, Order, OrderId, Provider as _, Whose};
use tonic::{Code, Status};

use crate::{
    fixture::lock,
    scripted::{Scripted, group, machine},
};

fn pool() -> Symbol {
    "pool".into()
}

fn order(id: &str, from: u32, count: u32) -> Order {
    Order { id: OrderId::new(id).unwrap(), group: pool(), count, from }
}

fn target(server: &Scripted) -> i32 {
    lock(&server.script).targets["pool"]
}

#[tokio::test]
async fn an_order_is_bought_once() {
    let server = Scripted::start().await;
    let provider = server.provider();
    provider.increase(&order("first", 2, 3)).await.unwrap();
    provider.increase(&order("first", 2, 3)).await.unwrap();
    assert_eq!(target(&server), 5);
    // After a restart the target tells.
    server.provider().increase(&order("first", 2, 3)).await.unwrap();
    assert_eq!(target(&server), 5);
    assert_eq!(server.called("NodeGroupIncreaseSize"), 1);
    // The machines of an order that was served may have gone since: its name is remembered.
    server.change(|script| {
        script.targets.insert("pool".to_owned(), 2);
    });
    provider.increase(&order("first", 2, 3)).await.unwrap();
    assert_eq!(target(&server), 2);
    provider.increase(&order("second", 2, 1)).await.unwrap();
    assert_eq!(target(&server), 3);
}

#[tokio::test]
async fn an_answer_that_is_lost_is_found_in_the_target() {
    for status in [Status::unavailable("gone"), Status::unknown("gone")] {
        let server = Scripted::start().await;
        server.change(|script| {
            script.failing.insert("NodeGroupIncreaseSize", status);
            script.lost.insert("NodeGroupIncreaseSize");
        });
        server.provider().increase(&order("lost", 2, 3)).await.unwrap();
        assert_eq!(target(&server), 5);
    }
}

#[tokio::test]
async fn no_answer_is_not_a_no() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.stuck.insert("NodeGroupIncreaseSize");
    });
    let provider = server.patient(Duration::from_secs(3));
    let error = provider.increase(&order("slow", 2, 3)).await.unwrap_err();
    assert_eq!(error.class(), Class::Retry);
    assert!(error.to_string().ends_with("NodeGroupIncreaseSize: no answer within 3s"), "{error}");
    // It came true later; the next attempt looks first.
    server.change(|script| {
        script.targets.insert("pool".to_owned(), 5);
    });
    provider.increase(&order("slow", 2, 3)).await.unwrap();
    assert_eq!(server.called("NodeGroupIncreaseSize"), 1);
}

#[tokio::test]
async fn orders_that_cannot_be_are_refused_before_anybody_is_asked() {
    let server = Scripted::start().await;
    let provider = server.provider();
    let refused = |order: Order| {
        let provider = &provider;
        async move { provider.increase(&order).await.unwrap_err().class() }
    };
    assert_eq!(refused(order("nothing", 2, 0)).await, Class::Invalid);
    assert_eq!(refused(order("much", 2, 9)).await, Class::Invalid);
    assert_eq!(refused(order("endless", u32::MAX, 1)).await, Class::Invalid);
    let elsewhere = Order { group: "nobody".into(), ..order("elsewhere", 0, 1) };
    assert_eq!(refused(elsewhere).await, Class::NotFound);
    assert_eq!(server.called("NodeGroupIncreaseSize"), 0);
    // Somebody raises the maximum behind our back.
    server.change(|script| script.groups[0] = group("pool", 0, 20));
    provider.increase(&order("more", 2, 9)).await.unwrap();
    assert_eq!(target(&server), 11);
}

#[tokio::test]
async fn codes_of_an_increase_have_their_classes() {
    let table = [
        (Code::ResourceExhausted, Class::OutOfCapacity),
        (Code::FailedPrecondition, Class::Invalid),
        (Code::InvalidArgument, Class::Invalid),
        (Code::NotFound, Class::NotFound),
        (Code::PermissionDenied, Class::Auth),
        (Code::Unimplemented, Class::Unsupported),
        (Code::Internal, Class::Bug),
        (Code::Unknown, Class::Retry),
        (Code::Aborted, Class::Retry),
    ];
    for (code, class) in table {
        let server = Scripted::start().await;
        server.change(|script| {
            script.failing.insert("NodeGroupIncreaseSize", Status::new(code, "no"));
        });
        let error = server.provider().increase(&order("one", 2, 1)).await.unwrap_err();
        assert_eq!(error.class(), class, "{code:?}");
    }
}

#[tokio::test]
async fn a_target_is_lowered_to_what_is_there() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.targets.insert("pool".to_owned(), 7);
    });
    let provider = server.provider();
    assert_eq!(provider.lower_target(pool(), 8).await.unwrap(), 7);
    assert_eq!(provider.lower_target(pool(), 5).await.unwrap(), 5);
    assert_eq!(provider.lower_target(pool(), 0).await.unwrap(), 2);
    assert_eq!(provider.lower_target(pool(), 0).await.unwrap(), 2);
    assert_eq!(server.called("NodeGroupDecreaseTargetSize"), 2);
    let error = provider.lower_target("nobody".into(), 0).await.unwrap_err();
    assert_eq!(error.class(), Class::NotFound);
}

#[tokio::test]
async fn machines_are_deleted_with_all_that_is_known_of_their_nodes() {
    let server = Scripted::start().await;
    let provider = server.provider();
    provider.refresh().await.unwrap();
    let identity = NodeIdentity {
        name: "node-0".to_owned(),
        provider_id: "m-0".to_owned(),
        labels: [("zone".to_owned(), "z".to_owned())].into(),
        ..NodeIdentity::default()
    };
    let owner = provider.owner(&identity).await.unwrap().machine().unwrap();
    assert_eq!((owner.group, owner.instance.as_deref()), (pool(), Some("m-0")));
    assert_eq!(server.called("NodeGroupForNode"), 0);
    let stranger = NodeIdentity { provider_id: "x".to_owned(), ..NodeIdentity::default() };
    assert_eq!(provider.owner(&stranger).await.unwrap(), Whose::Nobodys);

    let ids: Vec<Box<str>> = vec!["m-0".into(), "never".into()];
    let deletions = provider.delete(pool(), &ids).await.unwrap();
    let outcomes: Vec<_> =
        deletions.iter().map(|one| one.outcome.as_ref().err().map(Error::class)).collect();
    assert_eq!(outcomes, [None, Some(Class::NotFound)]);
    let deleted = lock(&server.script).deleted.clone();
    assert_eq!(deleted.len(), 1);
    assert_eq!((deleted[0].name.as_str(), deleted[0].labels["zone"].as_str()), ("node-0", "z"));
    assert_eq!(target(&server), 1);
}

#[tokio::test]
async fn a_deletion_names_the_node_that_it_was_introduced_with() {
    let server = Scripted::start().await;
    // Upstream's example server knows machines by the names of their nodes.
    server.change(|script| {
        script.names.insert("node-0".to_owned(), "m-0".to_owned());
    });
    let provider = server.provider();
    let node = NodeIdentity {
        name: "node-0".to_owned(),
        provider_id: "m-0".to_owned(),
        labels: [("zone".to_owned(), "z".to_owned())].into(),
        annotations: [("note".to_owned(), "n".to_owned())].into(),
        ..NodeIdentity::default()
    };
    provider.introduce(pool(), "m-0", &node);
    provider.delete(pool(), &["m-0".into()]).await.unwrap();
    let deleted = lock(&server.script).deleted.clone();
    let [told] = &deleted[..] else { panic!("{deleted:?}") };
    assert_eq!((told.name.as_str(), told.provider_id.as_str()), ("node-0", "m-0"));
    assert_eq!((told.labels["zone"].as_str(), told.annotations["note"].as_str()), ("z", "n"));
}

#[tokio::test]
async fn a_machine_without_a_node_is_named_as_the_upstream_names_it() {
    let server = Scripted::start().await;
    let provider = server.provider();
    provider.introduce(pool(), "m-0", &NodeIdentity::unregistered("m-0"));
    provider.delete(pool(), &["m-0".into(), "m-1".into()]).await.unwrap();
    let deleted = lock(&server.script).deleted.clone();
    assert_eq!((deleted[0].name.as_str(), deleted[0].provider_id.as_str()), ("m-0", "m-0"));
    let reason = &deleted[0].annotations["k8s.io/cluster-autoscaler/fake-node-reason"];
    assert_eq!(reason, "unregistered");
    // Of another it is only not known whether it has a node.
    assert_eq!((deleted[1].name.as_str(), deleted[1].annotations.len()), ("m-1", 0));
}

#[tokio::test]
async fn a_machine_that_runs_on_after_its_deletion_is_deleted_again_and_then_told() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.names.insert("another".to_owned(), "m-9".to_owned());
    });
    let provider = server.provider();
    let ids: [Box<str>; 1] = ["m-0".into()];
    for _ in 0..2 {
        assert!(provider.delete(pool(), &ids).await.unwrap()[0].outcome.is_ok());
        provider.refresh().await.unwrap();
    }
    assert_eq!(server.called("NodeGroupDeleteNodes"), 2);
    let error = provider.delete(pool(), &ids).await.unwrap()[0].outcome.clone().unwrap_err();
    assert_eq!(error.class(), Class::Bug);
    assert!(error.to_string().contains("m-0, and the machine still runs"), "{error}");
    assert_eq!(server.called("NodeGroupDeleteNodes"), 2, "it would be of no use");
    // Somebody has put the server right.
    server.change(|script| script.names.clear());
    assert!(provider.delete(pool(), &ids).await.unwrap()[0].outcome.is_ok());
    assert!(provider.refresh().await.unwrap().instance("m-0").is_none());
}

#[tokio::test]
async fn a_node_whose_machine_is_not_listed_is_nobodys() {
    let server = Scripted::start().await;
    let provider = server.provider();
    provider.refresh().await.unwrap();
    let node = NodeIdentity { provider_id: "gone-0".to_owned(), ..NodeIdentity::default() };
    // The server answers with the group of a machine that it does not list any more.
    server.change(|script| {
        script.owners.insert("gone-0".to_owned(), "pool".to_owned());
    });
    assert_eq!(provider.owner(&node).await.unwrap(), Whose::Nobodys);
    server.change(|script| script.machines.get_mut("pool").unwrap().push(machine("gone-0")));
    let owner = provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!((owner.group, owner.instance.as_deref()), (pool(), Some("gone-0")));
}

#[tokio::test]
async fn machines_of_another_group_are_refused() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.groups.push(group("other", 0, 5));
        script.targets.insert("other".to_owned(), 1);
        script.machines.insert("other".to_owned(), vec![machine("o-0")]);
    });
    // Also by a client that has never looked.
    let ids: Vec<Box<str>> = vec!["m-0".into(), "o-0".into()];
    let error = server.provider().delete(pool(), &ids).await.unwrap_err();
    assert_eq!(error.class(), Class::Invalid, "{error}");
    assert_eq!(server.called("NodeGroupDeleteNodes"), 0);
}

#[tokio::test]
async fn which_machines_went_is_seen_by_looking_again() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.protected.insert("m-1".to_owned());
    });
    let ids: Vec<Box<str>> = vec!["m-0".into(), "m-1".into()];
    let deletions = server.provider().delete(pool(), &ids).await.unwrap();
    assert!(deletions[0].outcome.is_ok());
    assert!(deletions[1].outcome.is_err());
    // When nothing went, the answer is for the whole call.
    let error = server.provider().delete(pool(), &ids[1..]).await.unwrap_err();
    assert_eq!(error.class(), Class::Retry);

    // The answer got lost, the machine did not stay.
    let server = Scripted::start().await;
    server.change(|script| {
        script.failing.insert("NodeGroupDeleteNodes", Status::unavailable("gone"));
        script.lost.insert("NodeGroupDeleteNodes");
    });
    let deletions = server.provider().delete(pool(), &ids).await.unwrap();
    assert!(deletions.iter().all(|deletion| deletion.outcome.is_ok()));
}

#[tokio::test]
async fn a_process_that_does_not_lead_changes_nothing() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.targets.insert("pool".to_owned(), 4);
    });
    let clock = Clock::system();
    let fence = Fence::closed(clock);
    let provider = server.fenced(fence.clone());
    let errors = [
        provider.increase(&order("late", 4, 1)).await.map(drop),
        provider.lower_target(pool(), 0).await.map(drop),
        provider.delete(pool(), &["m-0".into()]).await.map(drop),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!((error.class(), error.code()), (Class::Retry, "NotLeader"), "{error}");
    }
    for method in ["NodeGroupIncreaseSize", "NodeGroupDecreaseTargetSize", "NodeGroupDeleteNodes"] {
        assert_eq!(server.called(method), 0, "{method}");
    }
    assert_eq!(provider.refresh().await.unwrap().groups.len(), 1, "it may look");
    fence.extend(clock.now(), Duration::from_hours(1));
    provider.increase(&order("late", 4, 1)).await.unwrap();
    assert_eq!(target(&server), 5);
}
