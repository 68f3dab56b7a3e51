//! A provider hears which node a machine is right before it is told to delete the machine.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plimsoll_control::settings::Mode;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Deletion, Error, Home, Inventory, NodeIdentity, Order, Provider, Whose,
};
use plimsoll_providers::simulated::Simulated;

use crate::{
    running::Running,
    stage::{Stage, TWO_GROUPS},
};

/// A provider that writes down whom it was introduced to and what it was told to delete.
#[derive(Debug)]
struct Polite {
    inner: Simulated,
    heard: Arc<Mutex<Vec<Heard>>>,
}

#[derive(Clone, Debug)]
enum Heard {
    Introduced(Box<str>, NodeIdentity),
    Deleted(Box<str>),
}

#[async_trait]
impl Provider for Polite {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn introduce(&self, _group: Symbol, instance: &str, node: &NodeIdentity) {
        self.heard.lock().unwrap().push(Heard::Introduced(instance.into(), node.clone()));
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.inner.refresh().await
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.inner.increase(order).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.inner.lower_target(group, target).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let deleted = instances.iter().cloned().map(Heard::Deleted);
        self.heard.lock().unwrap().extend(deleted);
        self.inner.delete(group, instances).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.inner.owner(node).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_deleted_after_its_provider_heard_which_node_it_is() {
    let stage = Stage::set(TWO_GROUPS).await;
    let inner = Simulated::new(stage.cloud.clone(), Home::alone(stage.clock));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let provider = Polite { inner, heard: Arc::clone(&heard) };
    let running = Running::start_with(&stage, Arc::new(provider), "one", Mode::Act);
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    let names = stage.node_names();
    stage.scale("web", 0);
    stage.until("no node is left", |stage| stage.node_names().is_empty()).await;
    running.stop().await;

    let heard = heard.lock().unwrap().clone();
    let introduced = |machine: &str, before: usize| {
        heard[..before].iter().find_map(|heard| match heard {
            Heard::Introduced(known, node) if **known == *machine => Some(node),
            _ => None,
        })
    };
    let mut deleted = Vec::new();
    for (place, said) in heard.iter().enumerate() {
        let Heard::Deleted(machine) = said else { continue };
        let node = introduced(machine, place).expect("introduced before");
        assert_eq!(node.provider_id, **machine);
        assert!(node.labels.contains_key("kubernetes.io/hostname"), "{node:?}");
        deleted.push(node.name.clone());
    }
    deleted.sort_unstable();
    assert_eq!(deleted, names);
}
