//! Who waits for machines is told in time.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use expect_test::expect;
use plimsoll_model::Symbol;
use plimsoll_net::Shutdown;
use plimsoll_provider::{Class, Provider as _};
use plimsoll_providers::{Joins, simulated::Cloud};
use serde_json::Value;

use super::{START, World, pass};

const LAB: &str = "
groups:
- {id: a, max: 9, initial: 1, template: {cpu: 1}, boot: 30s, deletion: 10s}
";

/// Writes down what it is told, and when.
#[derive(Clone)]
struct Cluster {
    cloud: Cloud,
    told: Arc<Mutex<Vec<String>>>,
}

// === impl Cluster ===

impl Cluster {
    fn note(&self, word: &str, name: &str) {
        let start = START.parse().unwrap();
        let seconds = self.cloud.now().duration_since(start).as_secs();
        self.told.lock().unwrap().push(format!("{seconds}s {name} {word}"));
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }
}

#[async_trait]
impl Joins for Cluster {
    async fn join(&self, node: Value) {
        self.note("joins", node["metadata"]["name"].as_str().unwrap());
    }

    async fn leave(&self, name: &str) {
        self.note("leaves", name);
    }
}

#[tokio::test(start_paused = true)]
async fn machines_join_and_leave_at_their_time() {
    let world = World::new(LAB);
    let cluster = Cluster { cloud: world.cloud.clone(), told: Arc::default() };
    let shutdown = Shutdown::new();
    let (cloud, joins, stop) = (world.cloud.clone(), cluster.clone(), shutdown.clone());
    let task = tokio::spawn(async move { cloud.run(&joins, stop).await });
    let group = Symbol::new("a");

    pass(5).await;
    world.buy("a", "o-1", 2).await.unwrap();
    pass(100).await;
    let ids = world.ids("a");
    world.provider.delete(group, &ids[..1]).await.unwrap();
    pass(20).await;
    world.cloud.vanish(&ids[1]).unwrap();
    world.cloud.fail_machines(group, 1, Class::Bug).unwrap();
    world.buy("a", "o-2", 2).await.unwrap();
    pass(5).await;
    // One that is deleted before it has booted never joins, nor does one that fails.
    let young = world.ids("a").pop().unwrap();
    world.provider.delete(group, &[young]).await.unwrap();
    pass(1000).await;
    let failed = world.ids("a").pop().unwrap();
    world.provider.delete(group, &[failed]).await.unwrap();
    pass(1000).await;

    expect![[r"
        0s a-e8bc joins
        35s a-6c51 joins
        35s a-404b joins
        115s a-e8bc leaves
        125s a-6c51 leaves"]]
    .assert_eq(&cluster.told());
    shutdown.trigger();
    task.await.unwrap();
}
