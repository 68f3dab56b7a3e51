//! A cluster, an infrastructure and the loop between them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::SignedDuration;
use plimsoll_cluster::{
    Client, connect,
    lease::{Leadership, Standing},
};
use plimsoll_control::{
    engine::{Adviser, Engine, Handle, Parts, Pass},
    fault::Faults,
    settings::Settings,
};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Home, Provider, Upkeep};
use plimsoll_providers::{
    joins,
    simulated::{Catalogue, Cloud, Happening, Simulated},
};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

use crate::{gate::Gate, ground::Ground};

/// Two kinds of machines of which one is cheaper.
pub(crate) const TWO_GROUPS: &str = "
name: simulated
groups:
- {id: cheap, max: 20, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
- {id: dear, max: 20, price: 0.50, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

pub(crate) struct Stage {
    pub(crate) clock: Clock,
    /// The loop's own clock.
    pub(crate) own_clock: Clock,
    pub(crate) ground: Ground,
    pub(crate) cloud: Cloud,
    pub(crate) gate: Gate,
    pub(crate) standing: watch::Sender<Standing>,
    pub(crate) settings: Settings,
    /// A service that chooses which group to scale up, for the loops that are started next.
    pub(crate) adviser: Option<Arc<dyn Adviser>>,
    /// Another infrastructure beside the first.
    other: Option<Cloud>,
    engine: Option<Running>,
}

/// The loop at work.
pub(crate) struct Running {
    pub(crate) task: JoinHandle<()>,
    pub(crate) handle: Handle,
    pub(crate) shutdown: Shutdown,
    settings: watch::Sender<Arc<Settings>>,
}

impl Stage {
    /// Everything but the loop.
    pub(crate) async fn set(catalogue: &str) -> Self {
        let ground = Ground::start().await;
        let clock = ground.clock();
        let cloud = connect_cloud(catalogue, &ground);
        let standing = watch::Sender::new(Standing::Leading);
        let mut settings = Settings::default();
        settings.plan.group.unneeded_time = SignedDuration::from_mins(2);
        settings.plan.scale_down.delay_after_add = SignedDuration::from_mins(2);
        let gate = Gate::new(ground.service());
        let stage = Self {
            clock,
            own_clock: clock,
            ground,
            cloud,
            gate,
            standing,
            settings,
            adviser: None,
            other: None,
            engine: None,
        };
        stage.pass(5).await;
        stage
    }

    /// Puts a new infrastructure in the place of the old one, whose machines are gone from one moment to the next.
    pub(crate) fn replace_cloud(&mut self, catalogue: &str) {
        for name in self.node_names() {
            self.ground.kubelets().vanish(&name);
        }
        self.cloud = connect_cloud(catalogue, &self.ground);
    }

    /// Everything, the loop included.
    pub(crate) async fn with(catalogue: &str) -> Self {
        let mut stage = Self::set(catalogue).await;
        stage.start(Faults::default());
        stage
    }

    /// Starts the loop, as a new process that knows nothing.
    pub(crate) fn start(&mut self, faults: Faults) -> Handle {
        let running = self.run(self.client(), self.standing.subscribe(), faults);
        let handle = running.handle.clone();
        self.engine = Some(running);
        handle
    }

    /// A loop beside the one that is there, if any.
    pub(crate) fn run(
        &self,
        client: Client,
        standing: watch::Receiver<Standing>,
        faults: Faults,
    ) -> Running {
        self.run_as(client, standing, Leadership::alone(), faults)
    }

    /// The same for a process that has competitors.
    pub(crate) fn run_as(
        &self,
        client: Client,
        standing: watch::Receiver<Standing>,
        leadership: Leadership,
        faults: Faults,
    ) -> Running {
        let clock = self.own_clock;
        let fence = leadership.fence().clone();
        let home = Home { fence, ..Home::alone(clock) };
        let provider: Arc<dyn Provider> = Arc::new(Simulated::new(self.cloud.clone(), home));
        let other = self.other.clone().map(|cloud| Simulated::new(cloud, Home::alone(clock)));
        let other = other.map(|other| Arc::new(other) as Arc<dyn Provider>);
        let providers = std::iter::once(provider).chain(other).collect();
        let fleet = Fleet::new(providers, clock, Upkeep::default()).unwrap();
        let settings = watch::Sender::new(Arc::new(self.settings.clone()));
        let engine = Engine::new(Parts {
            client,
            fleet: Arc::new(fleet),
            clock,
            settings: settings.subscribe(),
            standing,
            leadership,
            cluster: Binding::unbound(),
            adviser: self.adviser.clone(),
            faults,
        });
        let (handle, shutdown) = (engine.handle(), Shutdown::new());
        let task = tokio::spawn(engine.run(shutdown.clone()));
        Running { task, handle, shutdown, settings }
    }

    /// A client of the API server.
    pub(crate) fn client(&self) -> Client {
        connect::over(self.gate.clone())
    }

    /// Ends the loop from one moment to the next, with all calls under way.
    pub(crate) async fn kill(&mut self) {
        let Running { task, .. } = self.engine.take().unwrap();
        task.abort();
        let _ = task.await;
    }

    /// Asks the loop to end, and waits for it.
    pub(crate) async fn stop(&mut self) {
        let Running { task, shutdown, .. } = self.engine.take().unwrap();
        shutdown.trigger();
        task.await.unwrap();
    }

    /// Whoever starts next has another infrastructure beside the first.
    pub(crate) fn add_provider(&mut self, catalogue: &str) {
        let catalogue = Catalogue::read("other.yaml", catalogue).unwrap();
        self.other = Some(Cloud::new(catalogue, self.clock));
    }

    /// Changes the settings of the loop while it runs.
    pub(crate) fn reset(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings);
        let settings = Arc::new(self.settings.clone());
        self.engine.as_ref().unwrap().settings.send_replace(settings);
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.engine.as_ref().unwrap().handle
    }

    pub(crate) fn last_pass(&self) -> Arc<Pass> {
        self.handle().passes().borrow().clone().unwrap()
    }

    /// Lets time pass.
    pub(crate) async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    pub(crate) async fn pass_millis(&self, milliseconds: u64) {
        sleep(Duration::from_millis(milliseconds)).await;
    }

    /// Lets time pass until `is_so`, for an hour at most.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begun = self.clock.now();
        loop {
            if is_so(self) {
                return;
            }
            // In the beginning every moment counts.
            let waited = self.clock.now().duration_since(begun);
            let pause = if waited < SignedDuration::from_secs(5) { 100 } else { 500 };
            sleep(Duration::from_millis(pause)).await;
            if waited > SignedDuration::from_hours(1) {
                break;
            }
        }
        panic!("{what} did not come about; nodes {:?}, orders {:?}", self.nodes(), self.orders());
    }

    // The cluster.

    pub(crate) fn create(&self, resource: &str, object: Value) {
        self.ground.create(resource, "default", object);
    }

    pub(crate) fn list(&self, resource: &str) -> Vec<Value> {
        self.ground.list(resource)
    }

    pub(crate) fn modify(&self, resource: &str, name: &str, change: impl Fn(&mut Value)) {
        self.ground.modify(resource, "default", name, change);
    }

    pub(crate) fn modify_status(&self, resource: &str, name: &str, change: impl Fn(&mut Value)) {
        self.ground.modify_status(resource, "default", name, change);
    }

    /// Pods that somebody keeps running: so many of so many cores.
    pub(crate) fn deploy(&self, name: &str, replicas: u32, cpu: &str) {
        self.deploy_as(name, replicas, cpu, |_| {});
    }

    /// The same, with something special about the pods' template.
    pub(crate) fn deploy_as(
        &self,
        name: &str,
        replicas: u32,
        cpu: &str,
        special: impl FnOnce(&mut Value),
    ) {
        let labels = json!({ "app": name });
        let container = json!({
            "name": "main",
            "image": "pause",
            "resources": { "requests": { "cpu": cpu, "memory": "100Mi" } },
        });
        let mut template = json!({
            "metadata": { "labels": labels },
            "spec": { "containers": [container] },
        });
        special(&mut template);
        let spec = json!({
            "replicas": replicas,
            "selector": { "matchLabels": labels },
            "template": template,
        });
        self.create("deployments.apps", json!({ "metadata": { "name": name }, "spec": spec }));
    }

    pub(crate) fn scale(&self, name: &str, replicas: u32) {
        self.modify("deployments.apps", name, |object| {
            object["spec"]["replicas"] = replicas.into();
        });
    }

    /// A budget for the pods of a deployment.
    pub(crate) fn protect(&self, app: &str, min_available: u32) {
        self.create(
            "poddisruptionbudgets.policy",
            json!({
                "metadata": { "name": app },
                "spec": {
                    "minAvailable": min_available,
                    "selector": { "matchLabels": { "app": app } },
                },
            }),
        );
    }

    /// How many pods of a deployment run.
    pub(crate) fn running(&self, app: &str) -> usize {
        let pods = self.list("pods").into_iter().filter(|pod| {
            text(pod, "/metadata/labels/app") == app
                && text(pod, "/status/phase") == "Running"
                && pod.pointer("/metadata/deletionTimestamp").is_none()
        });
        pods.count()
    }

    pub(crate) fn node_names(&self) -> Vec<String> {
        self.list("nodes").iter().map(|node| text(node, "/metadata/name")).collect()
    }

    /// Nodes, with what keeps pods away from them: `cheap-1a2b closed marked`.
    pub(crate) fn nodes(&self) -> Vec<String> {
        let nodes = self.list("nodes").into_iter().map(|node| {
            let mut line = text(&node, "/metadata/name");
            if node.pointer("/spec/unschedulable") == Some(&json!(true)) {
                line.push_str(" closed");
            }
            let taints = node.pointer("/spec/taints").and_then(Value::as_array).cloned();
            for taint in taints.unwrap_or_default() {
                if text(&taint, "/key") == "ToBeDeletedByClusterAutoscaler" {
                    line.push_str(" marked");
                }
            }
            line
        });
        nodes.collect()
    }

    /// No node carries a mark or is closed.
    pub(crate) fn is_all_open(&self) -> bool {
        self.nodes().iter().all(|node| !node.contains(' '))
    }

    /// Orders by action and phase: `Increase Placed`.
    pub(crate) fn orders(&self) -> Vec<String> {
        orders(&self.ground)
    }

    // The infrastructure.

    /// How many machines of each group were ever bought.
    pub(crate) fn bought(&self) -> BTreeMap<String, usize> {
        let mut bought = BTreeMap::new();
        for entry in self.cloud.journal() {
            if let Happening::Bought(_) = entry.what {
                *bought.entry(entry.machine.group.to_string()).or_default() += 1;
            }
        }
        bought
    }

    /// How many machines there are.
    pub(crate) fn machines(&self) -> usize {
        let mut machines = 0_usize;
        for entry in self.cloud.journal() {
            match entry.what {
                Happening::Bought(_) => machines += 1,
                Happening::GivenUp | Happening::Gone | Happening::Vanished => machines -= 1,
                _ => {}
            }
        }
        machines
    }
}

/// An infrastructure whose machines become nodes of the cluster.
fn connect_cloud(catalogue: &str, ground: &Ground) -> Cloud {
    let cloud = Cloud::new(Catalogue::read("test.yaml", catalogue).unwrap(), ground.clock());
    // Machines that are gone fall silent, and somebody has to delete their Nodes.
    let (coming, going) = (ground.kubelets().clone(), ground.kubelets().clone());
    let machines = joins(move |node| coming.add(node), move |name| going.vanish(name));
    let running = cloud.clone();
    tokio::spawn(async move { running.run(&machines, Shutdown::new()).await });
    cloud
}

/// Orders by action and phase, with what there is to say: `Increase Failed: at its maximum of 2`.
pub(crate) fn orders(ground: &Ground) -> Vec<String> {
    let orders = ground.list("nodeorders.plimsoll.dev").into_iter().map(|order| {
        let message = text(&order, "/status/message");
        let line = format!("{} {}", text(&order, "/spec/action"), text(&order, "/status/phase"));
        if message.is_empty() { line } else { format!("{line}: {message}") }
    });
    let mut orders: Vec<String> = orders.collect();
    orders.sort();
    orders
}

pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(crate) fn of(group: &str, machines: usize) -> BTreeMap<String, usize> {
    BTreeMap::from([(group.to_owned(), machines)])
}
