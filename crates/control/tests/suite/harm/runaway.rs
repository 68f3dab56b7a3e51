//! Scale-ups without bound: the guard holds whatever the planner is led to believe.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_control::settings::Mode;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Deletion, Error, Home, Inventory, NodeIdentity, Order, Provider, Whose,
};
use plimsoll_providers::simulated::Simulated;

use crate::{
    running::{Running, events},
    stage::Stage,
};

/// More machines than any test needs, so that no maximum holds anything back. None of them boots within the test.
const LARGE_GROUP: &str = "
name: simulated
groups:
- {id: pool, max: 1000, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 10h, deletion: 20s}
";

/// A provider that takes every order and never shows what became of it: its groups are empty whenever it is looked at.
#[derive(Debug)]
struct Forgetful(Simulated);

#[async_trait]
impl Provider for Forgetful {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let mut inventory = self.0.refresh().await?;
        for state in &mut inventory.groups {
            state.group.instances.clear();
            state.group.target = 0;
        }
        Ok(inventory)
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.0.increase(order).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.0.lower_target(group, target).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.0.delete(group, instances).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.0.owner(node).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_shows_its_machines_is_not_ordered_from_without_bound() {
    let stage = Stage::set(LARGE_GROUP).await;
    let provider = Simulated::new(stage.cloud.clone(), Home::alone(stage.clock));
    let running = Running::start_with(&stage, Arc::new(Forgetful(provider)), "one", Mode::Act);
    // Ten pods, each of which fills a machine.
    stage.deploy("web", 10, "3");
    stage.until("ten machines are ordered", |stage| stage.machines() >= 10).await;
    // They are pending for as long as the guard counts scale-ups together, and never get more than twice what they can need.
    for _ in 0..14 {
        stage.pass(60).await;
        assert!(stage.machines() <= 20, "{} machines for 10 pods", stage.machines());
    }
    let ordered = stage.machines();
    assert!(ordered > 10, "the planner was to be led to order again: {ordered}");

    let metrics = running.get("/metrics").await.1;
    let held_back = metrics.lines().find_map(|line| {
        line.strip_prefix("plimsoll_scale_ups_held_back_total ")?.parse::<f64>().ok()
    });
    assert!(held_back.is_some_and(|count| count >= 1.0), "{metrics}");
    let told = events(&stage);
    let is_told = |line: &String| {
        line.starts_with(
            "ConfigMap/cluster-autoscaler-status ScaleUpHeldBack: Scale-up of group pool",
        )
    };
    assert!(told.iter().any(is_told), "{told:#?}");
    let decisions = running.json("/status").await["decisions"].to_string();
    assert!(decisions.contains("scale-up of pool by"), "{decisions}");
    assert!(decisions.contains("are more than 10 pods can need"), "{decisions}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_guard_holds_over_a_restart() {
    let stage = Stage::set(LARGE_GROUP).await;
    stage.deploy("web", 10, "3");
    for round in 0..10 {
        let provider = Simulated::new(stage.cloud.clone(), Home::alone(stage.clock));
        let name = format!("process-{round}");
        let running = Running::start_with(&stage, Arc::new(Forgetful(provider)), &name, Mode::Act);
        stage.pass(60).await;
        running.stop().await;
    }
    let machines = stage.machines();
    assert!((10..=20).contains(&machines), "{machines} machines for 10 pods");
}
