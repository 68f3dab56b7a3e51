//! When a server is asked, how long a call may take, and over which connection.

use std::sync::Arc;

use plimsoll_extgrpc::proto::external as message;
use plimsoll_provider::{Class, Limits, Provider as _, Steady};
use tonic::Status;

use super::{node, set_threshold};
use crate::{
    fixture::lock,
    scripted::{Scripted, group},
};

#[tokio::test(start_paused = true)]
async fn templates_are_asked_for_again_within_a_minute() {
    let server = Scripted::start().await;
    let provider = server.patient(std::time::Duration::from_hours(1));
    let clock = tokio::time::Instant::now();
    let inventory = provider.refresh().await.unwrap();
    assert!(inventory.groups[0].group.template.is_none(), "it is not implemented");
    server.change(|script| {
        script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
            node_info: Some(node(&[("kind", "new")])),
            node_bytes: Vec::new(),
        });
        script.price = Some(0.5);
        set_threshold(script, 0.25);
    });
    let state = loop {
        tokio::time::advance(std::time::Duration::from_secs(5)).await;
        let inventory = provider.refresh().await.unwrap();
        let state = inventory.groups.into_iter().next().unwrap();
        if state.group.template.is_some() || clock.elapsed().as_secs() > 60 {
            break state;
        }
    };
    assert!(state.group.template.is_some() && state.group.price.is_some());
    assert_eq!(state.overrides.utilization_threshold, Some(0.25));
}

/// One after the other the calls would take 25 minutes; eight groups at a time, three. What is told is not good for that long.
#[tokio::test(start_paused = true)]
async fn many_groups_of_a_slow_server_are_asked_about_at_the_same_time() {
    let server = Scripted::start().await;
    server.change(|script| {
        for number in 0..300 {
            let id = format!("group-{number}");
            script.groups.push(group(&id, 0, 1));
            script.targets.insert(id, 0);
        }
        script.delay = std::time::Duration::from_secs(1);
    });
    let steady = Steady::new(Arc::new(server.provider()), Limits::default());
    let inventory = steady.refresh().await.unwrap();
    assert_eq!(inventory.groups.len(), 301);
    assert!(inventory.groups.iter().all(|state| state.group.frozen.is_none()));
    assert_eq!(lock(&server.script).most_waiting, 64);

    // Few groups are not asked about more eagerly than a server that serves one call after the other can take.
    server.change(|script| {
        script.groups.truncate(30);
        script.most_waiting = 0;
    });
    steady.refresh().await.unwrap();
    assert_eq!(lock(&server.script).most_waiting, 8);
}

#[tokio::test(start_paused = true)]
async fn a_call_may_take_as_long_as_the_configuration_says() {
    let server = Scripted::start().await;
    server.change(|script| script.delay = std::time::Duration::from_secs(50));
    let provider = server.patient(std::time::Duration::from_mins(2));
    let steady = Steady::new(Arc::new(provider), Limits { attempts: 1, ..Limits::default() });
    assert_eq!(steady.refresh().await.unwrap().groups[0].group.frozen, None);
    let id = plimsoll_provider::OrderId::new("slow").unwrap();
    let order = plimsoll_provider::Order { id, group: "pool".into(), count: 1, from: 2 };
    steady.increase(&order).await.unwrap();
    steady.delete("pool".into(), &["m-0".into()]).await.unwrap();
}

#[tokio::test]
async fn a_server_that_stops_answering_is_not_asked_about_every_group() {
    let server = Scripted::start().await;
    server.change(|script| {
        for number in 0..300 {
            let id = format!("group-{number}");
            script.groups.push(group(&id, 0, 1));
            script.targets.insert(id, 0);
        }
        script.failing.insert("NodeGroupTargetSize", Status::unavailable("going"));
    });
    let error = server.provider().refresh().await.unwrap_err();
    assert_eq!(error.class(), Class::Retry);
    assert!(error.to_string().ends_with("has stopped answering"), "{error}");
    assert!(server.called("NodeGroupTargetSize") < 300);
}

#[tokio::test]
async fn a_server_that_is_away_may_be_back_later() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let away =
        Scripted { address: listener.local_addr().unwrap().to_string(), ..Scripted::start().await };
    drop(listener);
    let error = away.provider().refresh().await.unwrap_err();
    assert_eq!(error.class(), Class::Retry, "{error}");
}

#[tokio::test]
async fn a_server_may_be_behind_a_socket() {
    let server = Scripted::start().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("provider.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let address = server.address.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = tokio::net::TcpStream::connect(&address).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
        }
    });
    let near = Scripted { address: format!("unix:{}", path.display()), ..server };
    assert_eq!(near.provider().refresh().await.unwrap().groups.len(), 1);
}

#[tokio::test]
async fn a_client_that_goes_says_so() {
    let server = Scripted::start().await;
    server.provider().close().await;
    assert_eq!(server.called("Cleanup"), 1);
}
