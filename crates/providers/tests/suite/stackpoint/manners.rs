//! How the service is asked: how often, where, and with what.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use jiff::SignedDuration;
use plimsoll_provider::{Class, Home, Provider as _};
use plimsoll_providers::{
    rest::{Exchange, Local, Rest},
    stackpoint::{
        Bounds, Config, Placement, StackPoint,
        emulator::{Paths, Trouble},
    },
};
use serde_json::Value;

use super::stage::{Stage, group, other};

/// What the service was asked: the method, where, and with what body.
type Heard = Arc<Mutex<Vec<(Method, String, Value)>>>;

/// Writes down what the service is asked.
#[derive(Debug)]
struct Listening {
    service: Local,
    heard: Heard,
}

#[async_trait]
impl Exchange for Listening {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (method, uri) = (request.method().clone(), request.uri().to_string());
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        self.heard.lock().unwrap().push((method, uri, body));
        self.service.exchange(request).await
    }
}

/// A provider whose requests can be looked at.
fn listening(stage: &Stage) -> (StackPoint, Heard) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let service = Local::new(stage.emulator.router());
    let exchange = Arc::new(Listening { service, heard: Arc::clone(&heard) });
    let rest = Rest::new(exchange, stage.config.endpoint.clone(), "test");
    (StackPoint::over(None, stage.config.clone(), rest, Home::alone(stage.clock)), heard)
}

fn order(stage: &Stage, count: u32) -> plimsoll_provider::Order {
    let id = plimsoll_provider::OrderId::new("order-1").unwrap();
    plimsoll_provider::Order { id, group: group(), count, from: stage.emulator.target(group()) }
}

#[tokio::test(start_paused = true)]
async fn zone_and_subnet_are_sent_only_if_the_user_says_so() {
    for placement in [Placement::Service, Placement::Pool] {
        let stage = Stage::with(|config| config.placement = placement);
        let (provider, heard) = listening(&stage);
        provider.increase(&order(&stage, 1)).await.unwrap();
        let heard = heard.lock().unwrap();
        let (_, _, body) = heard.iter().find(|(method, ..)| method == Method::POST).unwrap();
        let is_sent = body.get("provider_subnet_id").is_some();
        assert_eq!(is_sent, placement == Placement::Pool, "{body}");
        assert!(body.get("group").is_none(), "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn lists_are_read_as_often_as_the_user_says() {
    let stage = Stage::with(|config| config.poll = SignedDuration::from_secs(60));
    let (provider, heard) = listening(&stage);
    let lists = || {
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        heard.iter().filter(|(_, uri, _)| uri.ends_with("/nodes")).count()
    };
    provider.refresh().await.unwrap();
    assert_eq!(lists(), 1);
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(10)).await;
        provider.refresh().await.unwrap();
    }
    assert_eq!(lists(), 0, "nothing can have changed");
    tokio::time::sleep(Duration::from_secs(10)).await;
    provider.refresh().await.unwrap();
    assert_eq!(lists(), 1);
    // An order reads before and after, and while machines are on their way every refresh does.
    provider.increase(&order(&stage, 1)).await.unwrap();
    assert_eq!(lists(), 1);
    let told = provider.refresh().await.unwrap();
    assert_eq!(told.group(group()).unwrap().group.target, 4);
    provider.refresh().await.unwrap();
    assert_eq!(lists(), 2);
    stage.emulator.settle();
    let told = provider.refresh().await.unwrap();
    let machine = told.group(group()).unwrap().group.instances[0].id.clone();
    provider.refresh().await.unwrap();
    assert_eq!(lists(), 1, "all of them run");
    provider.delete(group(), &[machine]).await.unwrap();
    let told = provider.refresh().await.unwrap();
    assert_eq!((told.group(group()).unwrap().group.target, lists()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn the_originals_interval_is_the_default() {
    let stage = Stage::new();
    let endpoint = stage.config.endpoint.clone();
    let config = Config::new(endpoint, 12, 345, stage.config.token.clone());
    assert_eq!(config.poll, SignedDuration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn redirects_to_the_same_host_are_followed() {
    let stage = Stage::new();
    stage.emulator.set_paths(Paths::WithSlash);
    assert_eq!(stage.group().await.target, 3);
    assert_eq!(stage.order(group(), 1).await, Ok(1));
    let machine = stage.group().await.instances[0].id.clone();
    let answers = stage.provider.delete(group(), &[machine]).await.unwrap();
    assert_eq!(answers[0].outcome, Ok(()));
    assert_eq!(stage.group().await.target, 3);
}

#[tokio::test(start_paused = true)]
async fn a_token_is_not_taken_to_another_host() {
    let stage = Stage::new();
    stage.emulator.set_paths(Paths::OtherHost);
    let (provider, heard) = listening(&stage);
    let error = provider.refresh().await.unwrap_err();
    assert!(error.to_string().contains("301"), "{error}");
    assert!(heard.lock().unwrap().iter().all(|(_, uri, _)| uri.starts_with("http://emulator/")));
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_the_services_own_autoscaler_is_kept() {
    let stage = Stage::new();
    stage.emulator.set_max_nodes(Some(4));
    assert_eq!(stage.group().await.stock, Some(1));
    let refused = stage.order(other(), 2).await.unwrap_err();
    assert_eq!((refused.class(), refused.code()), (Class::Quota, "max-nodes"));
    assert_eq!(stage.order(other(), 1).await, Ok(1));
    assert_eq!(stage.group().await.stock, Some(0));
    // It is raised, and noticed within a minute.
    stage.emulator.set_max_nodes(Some(6));
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(stage.group().await.stock, Some(2));
    // What the user says goes before it.
    let stage = Stage::with(|config| config.bounds = Bounds { min: 0, max: Some(9) });
    stage.emulator.set_max_nodes(Some(4));
    assert_eq!(stage.group().await.stock, Some(6));
    let stage = Stage::new();
    stage.emulator.trouble(group(), 0, Trouble::Fails);
    assert_eq!(stage.group().await.stock, None, "there is no limit");
}
