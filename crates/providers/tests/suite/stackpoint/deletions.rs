//! The service is asked whether a machine may be deleted before it is.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use jiff::Timestamp;
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use plimsoll_provider::{Class, Home, Provider as _};
use plimsoll_providers::{
    rest::{Exchange, Local, Rest},
    stackpoint::{
        Config, StackPoint,
        emulator::{Emulator, Offer},
    },
};

const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
pools: [{name: general, size: m5.large, autoscaled: true, max: 10, initial: 2}]
";

/// Writes down what the service is asked about single machines.
#[derive(Debug)]
struct Listening {
    service: Local,
    heard: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Exchange for Listening {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        if let Some((_, about)) = request.uri().path().split_once("/nodes/") {
            let (_, question) = about.split_once('/').unwrap_or_default();
            let said = format!("{} {question}", request.method());
            self.heard.lock().unwrap().push(said.trim().to_owned());
        }
        self.service.exchange(request).await
    }
}

#[tokio::test(start_paused = true)]
async fn who_may_not_be_deleted_is_not_asked_to_go() {
    let clock = Clock::starting_at("2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap());
    let emulator = Emulator::new(Offer::read("offer.yaml", OFFER).unwrap(), clock);
    let environment = |name: &str| {
        let value = match name {
            "CLUSTER_API_TOKEN" => "let-me-in",
            "SPC_API_BASE_URL" => "http://emulator",
            "ORGANIZATION_ID" => "12",
            _ => "345",
        };
        Some(value.to_owned())
    };
    let config = Config::from_environment(&environment).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let service = Local::new(emulator.router());
    let exchange = Arc::new(Listening { service, heard: Arc::clone(&heard) });
    let rest = Rest::new(exchange, config.endpoint.clone(), "test");
    let provider = StackPoint::over(None, config, rest, Home::alone(clock));
    let group = Symbol::new("autoscaling-spc5fd2a0b1-pool-1");
    let inventory = provider.refresh().await.unwrap();
    let machines = &inventory.group(group).unwrap().group.instances;
    let ids: Vec<Box<str>> = machines.iter().map(|machine| machine.id.clone()).collect();

    assert!(emulator.keep(&ids[0]));
    let answers = provider.delete(group, &ids[..1]).await.unwrap();
    assert_eq!(answers[0].outcome.as_ref().unwrap_err().class(), Class::Invalid);
    assert_eq!(std::mem::take(&mut *heard.lock().unwrap()), ["GET can_delete"]);

    let answers = provider.delete(group, &ids[1..]).await.unwrap();
    assert_eq!(answers[0].outcome, Ok(()));
    assert_eq!(*heard.lock().unwrap(), ["GET can_delete", "DELETE"]);
}
