//! The loop over StackPoint: a whole cluster whose machines an emulated service makes, asked through the real client.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use jiff::SignedDuration;
use plimsoll_cluster::{
    connect,
    lease::{Leadership, Standing},
};
use plimsoll_control::{
    engine::{Engine, Parts},
    fault::Faults,
    settings::Settings,
};
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Home, Limits, Provider, Steady, Upkeep};
use plimsoll_providers::{
    joins,
    rest::{Local, Rest},
    stackpoint::{
        Config, StackPoint,
        emulator::{Emulator, Machine, Offer, Reach, Trouble},
    },
};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

use crate::{ground::Ground, stage::text};

/// A pool that is autoscaled, one that is not, and a master. A machine of theirs has two cores.
const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
pools:
- {name: general, size: m5.large, autoscaled: true, max: 12, labels: 'tier=web'}
- {name: default, size: m5.large, initial: 1}
";

#[path = "stackpoint/gone.rs"]
mod gone;
#[path = "stackpoint/harm.rs"]
mod harm;
#[path = "stackpoint/network.rs"]
mod network;
#[path = "stackpoint/steering.rs"]
mod steering;

pub(crate) struct Stage {
    clock: Clock,
    pub(crate) ground: Ground,
    emulator: Emulator,
    config: Config,
    token_file: PathBuf,
    settings: Settings,
    engine: Option<JoinHandle<()>>,
    standing: watch::Sender<Standing>,
    _folder: tempfile::TempDir,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with("").await
    }

    /// With more in the provider's file.
    async fn with(more: &str) -> Self {
        let ground = Ground::start().await;
        let clock = ground.clock();
        let emulator = Emulator::new(Offer::read("offer.yaml", OFFER).unwrap(), clock);
        let (coming, going) = (ground.kubelets().clone(), ground.kubelets().clone());
        let machines = joins(move |node| coming.add(node), move |name| going.vanish(name));
        let running = emulator.clone();
        tokio::spawn(async move { running.run(&machines, Shutdown::new()).await });
        let folder = tempfile::tempdir().unwrap();
        let (file, token_file) = (folder.path().join("spc.yaml"), folder.path().join("token"));
        fs::write(&token_file, "let-me-in").unwrap();
        let text = "base-url: 'http://emulator'\norganization-id: 12\ncluster-id: 345\ntoken-file: token\n";
        fs::write(&file, format!("{text}{more}")).unwrap();
        let config = Config::load(&file, &|_| None).unwrap();
        let mut settings = Settings::default();
        settings.plan.group.unneeded_time = SignedDuration::from_mins(2);
        settings.plan.scale_down.delay_after_add = SignedDuration::from_mins(2);
        let standing = watch::Sender::new(Standing::Leading);
        let engine = None;
        let mut stage = Self {
            clock,
            ground,
            emulator,
            config,
            token_file,
            settings,
            engine,
            standing,
            _folder: folder,
        };
        stage.pass(5).await;
        stage.start();
        stage.pass(30).await;
        stage
    }

    /// Starts the loop, as a new process that knows nothing.
    fn start(&mut self) {
        let exchange = Arc::new(Local::new(self.emulator.router()));
        let rest = Rest::new(exchange, self.config.endpoint.clone(), "test");
        let provider = StackPoint::over(None, self.config.clone(), rest, Home::alone(self.clock));
        let steady: Arc<dyn Provider> =
            Arc::new(Steady::new(Arc::new(provider), Limits::default()));
        let fleet = Fleet::new(vec![steady], self.clock, Upkeep::default()).unwrap();
        let settings = watch::Sender::new(Arc::new(self.settings.clone()));
        let engine = Engine::new(Parts {
            client: connect::over(self.ground.service()),
            fleet: Arc::new(fleet),
            clock: self.clock,
            settings: settings.subscribe(),
            standing: self.standing.subscribe(),
            leadership: Leadership::alone(),
            cluster: Binding::unbound(),
            adviser: None,
            faults: Faults::default(),
        });
        self.engine = Some(tokio::spawn(async move {
            let _settings = settings;
            Box::pin(engine.run(Shutdown::new())).await;
        }));
    }

    /// Ends the loop from one moment to the next, with all calls under way.
    async fn kill(&mut self) {
        let task = self.engine.take().unwrap();
        task.abort();
        let _ = task.await;
    }

    pub(crate) async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    /// Lets time pass until `is_so`, for an hour at most.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..7_200 {
            if is_so(self) {
                return;
            }
            sleep(Duration::from_millis(500)).await;
        }
        panic!("{what} did not come about; nodes {:?}, {:?}", self.nodes(), self.machines());
    }

    pub(crate) fn nodes(&self) -> Vec<String> {
        self.ground.list("nodes").iter().map(|node| text(node, "/metadata/name")).collect()
    }

    /// Pods of one core that somebody keeps running.
    pub(crate) fn deploy(&self, name: &str, replicas: u32) {
        let labels = json!({ "app": name });
        let requests = json!({ "cpu": "1", "memory": "100Mi" });
        let container =
            json!({ "name": "main", "image": "pause", "resources": { "requests": requests } });
        // Only the autoscaled pool has this label, so that a template without it would never be bought.
        let spec = json!({ "containers": [container], "nodeSelector": { "tier": "web" } });
        let template = json!({ "metadata": { "labels": labels }, "spec": spec });
        let spec = json!({ "replicas": replicas, "selector": { "matchLabels": labels }, "template": template });
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        self.ground.create("deployments.apps", "default", object);
    }

    fn scale(&self, name: &str, replicas: u32) {
        let change = |object: &mut Value| object["spec"]["replicas"] = replicas.into();
        self.ground.modify("deployments.apps", "default", name, change);
    }

    /// How many pods of a deployment run.
    pub(crate) fn running(&self, app: &str) -> usize {
        let pods = self.ground.list("pods").into_iter().filter(|pod| {
            text(pod, "/metadata/labels/app") == app
                && text(pod, "/status/phase") == "Running"
                && pod.pointer("/metadata/deletionTimestamp").is_none()
        });
        pods.count()
    }

    /// The machines of the autoscaled pool, those included that are going.
    pub(crate) fn machines(&self) -> Vec<Machine> {
        let mut machines = self.emulator.machines();
        machines.retain(|machine| machine.group == Some(group()));
        machines
    }

    /// How many machines of any pool were ever begun.
    fn begun(&self) -> usize {
        let numbers = self.emulator.machines().into_iter().filter_map(|machine| {
            let (_, number) = machine.instance_id.split_once("-worker-")?;
            number.parse::<usize>().ok()
        });
        numbers.max().unwrap_or_default()
    }

    /// What nobody may touch is there as it was.
    pub(crate) fn assert_others_untouched(&self) {
        let others: Vec<_> = (self.emulator.machines().into_iter())
            .filter(|machine| machine.group.is_none())
            .map(|machine| (machine.role, machine.state.word()))
            .collect();
        assert_eq!(others, [("master", "running"), ("worker", "running")]);
    }
}

fn group() -> Symbol {
    Symbol::new("autoscaling-spc5fd2a0b1-pool-1")
}

#[tokio::test(start_paused = true)]
async fn scale_from_zero() {
    let stage = Stage::new().await;
    assert_eq!(stage.machines().len(), 0);
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(600).await;
    assert_eq!(stage.machines().len(), 2, "as many as are needed, not one to see");
    assert_eq!(stage.begun(), 3, "one of which is in the other pool");
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn burst() {
    let stage = Stage::new().await;
    for place in 0..10 {
        stage.deploy(&format!("web-{place}"), 2);
        sleep(Duration::from_millis(30)).await;
    }
    let all =
        |stage: &Stage| (0..10).map(|place| stage.running(&format!("web-{place}"))).sum::<usize>();
    stage.until("twenty pods run", |stage| all(stage) == 20).await;
    stage.pass(600).await;
    assert_eq!((stage.machines().len(), stage.begun()), (10, 11));
}

#[tokio::test(start_paused = true)]
async fn stuck_drafts_are_replaced() {
    let stage = Stage::new().await;
    stage.emulator.trouble(group(), 2, Trouble::Stuck);
    stage.deploy("web", 4);
    stage.pass(600).await;
    let stuck: Vec<_> = stage.machines().into_iter().map(|machine| machine.instance_id).collect();
    assert_eq!((stuck.len(), stage.running("web")), (2, 0), "they may still come");
    stage.until("four pods run", |stage| stage.running("web") == 4).await;
    stage.pass(600).await;
    let machines = stage.machines();
    assert_eq!(machines.len(), 2);
    assert!(machines.iter().all(|machine| !stuck.contains(&machine.instance_id)));
}

#[tokio::test(start_paused = true)]
async fn failed_machines_are_replaced() {
    let stage = Stage::new().await;
    stage.emulator.trouble(group(), 1, Trouble::Fails);
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    stage.pass(600).await;
    let machines = stage.machines();
    assert!(machines.len() == 1 && machines.iter().all(|machine| !machine.is_failed));
}

#[tokio::test(start_paused = true)]
async fn token_rotation() {
    let stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    stage.emulator.set_token("another");
    stage.deploy("more", 2);
    stage.pass(300).await;
    assert_eq!((stage.running("more"), stage.machines().len()), (0, 1));
    fs::write(&stage.token_file, "another").unwrap();
    stage.until("two more pods run", |stage| stage.running("more") == 2).await;
    assert_eq!((stage.running("web"), stage.machines().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn api_down_for_ten_minutes() {
    let stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    stage.emulator.set_reach(Reach::Down);
    stage.deploy("more", 2);
    stage.scale("web", 1);
    stage.pass(600).await;
    assert_eq!((stage.running("web"), stage.machines().len()), (1, 1), "nothing is given up");
    stage.emulator.set_reach(Reach::Up);
    stage.until("two more pods run", |stage| stage.running("more") == 2).await;
    stage.pass(300).await;
    assert_eq!((stage.running("web"), stage.machines().len()), (1, 2));
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn scale_down() {
    let stage = Stage::new().await;
    stage.deploy("web", 6);
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.emulator.set_bounds(group(), 1, 12);
    stage.scale("web", 0);
    stage.until("one machine is left", |stage| stage.machines().len() == 1).await;
    stage.pass(1200).await;
    assert_eq!(stage.machines().len(), 1, "the minimum");
    assert_eq!(stage.nodes().len(), 3);
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn minimum_raised_outside() {
    let stage = Stage::new().await;
    stage.emulator.set_bounds(group(), 3, 12);
    stage.until("three more nodes", |stage| stage.nodes().len() == 5).await;
    stage.pass(1200).await;
    assert_eq!(stage.machines().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn restart_gives_no_machine_up() {
    let mut stage = Stage::new().await;
    stage.deploy("web", 4);
    stage.until("four pods run", |stage| stage.running("web") == 4).await;
    let before = stage.machines();
    // By now every machine is older than any may be that has no node.
    stage.pass(3600).await;
    stage.kill().await;
    stage.start();
    stage.pass(1200).await;
    assert_eq!(stage.machines(), before);
    assert_eq!(stage.running("web"), 4);
}
