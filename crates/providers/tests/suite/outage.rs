//! Several providers in one process: the planner sees the groups of all, and the outage of one is nobody else's.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_manifest::{Reader, scenario};
use plimsoll_model::{GroupOptions, Node, World};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_plan::plan;
use plimsoll_provider::{Fleet, Home, Limits, Order, OrderId, Provider, Steady, Upkeep};
use plimsoll_providers::{
    Joins,
    simulated::{Catalogue, Cloud, Reach, Simulated},
};
use serde_json::Value;

const CELLAR: &str = "
name: cellar
groups: [{id: rack, max: 50, price: 0.10, boot: 20s, template: {cpu: 4, memory: 16Gi}}]
";
const BURST: &str = "
name: burst
groups: [{id: cloud, max: 50, price: 0.30, boot: 20s, template: {cpu: 4, memory: 16Gi}}]
";

/// A cluster that is only a list of nodes.
#[derive(Clone, Debug)]
struct Nodes {
    clock: Clock,
    by_name: Arc<Mutex<BTreeMap<String, Arc<Node>>>>,
}

#[async_trait]
impl Joins for Nodes {
    async fn join(&self, node: Value) {
        // It registers now.
        let mut reader = Reader::new(self.clock.now());
        reader.add_json(&node.to_string()).unwrap();
        for node in reader.finish().unwrap().nodes {
            self.by_name.lock().unwrap().insert(node.name.to_string(), node);
        }
    }

    async fn leave(&self, name: &str) {
        self.by_name.lock().unwrap().remove(name);
    }
}

/// Two providers, a cluster that their machines join, and what a loop needs to go on from pass to pass.
struct Stage {
    fleet: Arc<Fleet>,
    clock: Clock,
    nodes: Nodes,
    memory: plimsoll_model::Memory,
    orders: u32,
}

impl Stage {
    fn new() -> (Self, Cloud, Cloud) {
        let clock = Clock::starting_at(Timestamp::from_second(1_800_000_000).unwrap());
        let nodes = Nodes { clock, by_name: Arc::default() };
        let open = |text: &str| {
            let cloud = Cloud::new(Catalogue::read("test", text).unwrap(), clock);
            let (running, nodes) = (cloud.clone(), nodes.clone());
            tokio::spawn(async move { running.run(&nodes, Shutdown::new()).await });
            cloud
        };
        let (cellar, burst) = (open(CELLAR), open(BURST));
        let steady = |cloud: &Cloud| -> Arc<dyn Provider> {
            Arc::new(Steady::new(
                Arc::new(Simulated::new(cloud.clone(), Home::alone(clock))),
                Limits::default(),
            ))
        };
        let members = vec![steady(&cellar), steady(&burst)];
        let fleet = Arc::new(Fleet::new(members, clock, Upkeep::default()).unwrap());
        let running = Arc::clone(&fleet);
        tokio::spawn(async move { running.run(&Shutdown::new()).await });
        let stage =
            Self { fleet, clock, nodes, memory: plimsoll_model::Memory::default(), orders: 0 };
        (stage, cellar, burst)
    }

    /// One pass for a cluster with so many pods, each of which fills a node. Answers with what was bought.
    async fn pass(&mut self, pods: u32) -> BTreeMap<String, u32> {
        let mut world = self.world(pods);
        let inventory = self.fleet.inventory(&GroupOptions::default());
        world.groups = inventory.groups.into_iter().map(|state| state.group).collect();
        for instance in world.groups.iter_mut().flat_map(|group| &mut group.instances) {
            let node = world.nodes.iter().find(|node| node.provider_id == instance.id);
            instance.node = node.map(|node| node.name);
        }
        world.memory = self.memory.clone();
        let decided = plan(&world);
        self.memory = decided.memory;
        let mut bought = BTreeMap::new();
        for purchase in decided.purchases {
            self.orders += 1;
            let id = OrderId::new(&format!("order-{}", self.orders)).unwrap();
            let (group, count) = (purchase.group, purchase.to - purchase.from);
            let order = Order { id, group, count, from: purchase.from };
            if self.fleet.increase(&order).await.is_ok() {
                bought.insert(group.to_string(), count);
            }
        }
        self.fleet.refresh().await.unwrap();
        bought
    }

    /// Pods that fill a node each; as many of them as there are nodes run.
    fn world(&self, pods: u32) -> World {
        let nodes: Vec<Arc<Node>> = self.nodes.by_name.lock().unwrap().values().cloned().collect();
        let objects: Vec<String> = (0..pods)
            .map(|pod| {
                let node = nodes.get(pod as usize).map(|node| format!("nodeName: {}, ", node.name));
                let node = node.unwrap_or_default();
                format!(
                    "- {{kind: Pod, metadata: {{name: p{pod}}}, spec: {{{node}containers: [{{name: c, resources: {{requests: {{cpu: '3'}}}}}}]}}}}"
                )
            })
            .collect();
        let now = self.clock.now();
        let text = format!(
            "now: {now}\nflags: {{scale-down-enabled: false}}\ngroups: []\nobjects:\n{}\n",
            objects.join("\n")
        );
        let mut world = scenario::read(&text).unwrap();
        world.nodes = nodes;
        world
    }
}

#[tokio::test(start_paused = true)]
async fn while_one_is_down_for_ten_minutes_the_other_serves() {
    let (mut stage, cellar, _burst) = Stage::new();
    stage.fleet.refresh().await.unwrap();

    // The cheaper one is chosen while it can be.
    let mut pods = 2;
    assert_eq!(stage.pass(pods).await, BTreeMap::from([("cellar/rack".to_owned(), 2)]));
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(stage.pass(pods).await, BTreeMap::new());

    // It goes away; a pod more every minute, and each is served by the other from the moment the first counts as frozen.
    cellar.set_reach(Reach::Down);
    tokio::time::sleep(Duration::from_mins(1)).await;
    for minute in 0..9 {
        pods += 1;
        let bought = stage.pass(pods).await;
        assert_eq!(bought, BTreeMap::from([("burst/cloud".to_owned(), 1)]), "minute {minute}");
        let frozen: Vec<bool> = stage
            .fleet
            .inventory(&GroupOptions::default())
            .groups
            .iter()
            .map(|state| state.group.frozen.is_some())
            .collect();
        assert_eq!(frozen, [true, false]);
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    // What it had is still there and still counts.
    assert_eq!(stage.nodes.by_name.lock().unwrap().len(), 11);

    cellar.set_reach(Reach::Up);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(stage.pass(pods + 1).await, BTreeMap::from([("cellar/rack".to_owned(), 1)]));
}
