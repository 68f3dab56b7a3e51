//! A provider that does what it is told, and a server around it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use plimsoll_extgrpc::{
    Server, ServerSettings, proto::external::cloud_provider_client::CloudProviderClient,
};
use plimsoll_model::{
    Conditions, Effect, ErrorClass, Group, GroupOptions, Instance, InstanceError, InstanceState,
    Labels, Money, Node, Resources, Symbol, Taint,
};
use plimsoll_net::{Clock, Shutdown, tls::ServerTls};
use plimsoll_provider::{
    Capabilities, Class, Deletion, Error, GroupState, Inventory, NodeIdentity, Order, OrderId,
    Overrides, Owner, Provider, Whose,
};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, SemaphorePermit},
    task::JoinHandle,
};
use tonic::transport::Channel;

/// An infrastructure in memory, which is asked through itself.
#[derive(Debug)]
pub(crate) struct Fake {
    pub(crate) groups: Mutex<Vec<GroupState>>,
    pub(crate) capabilities: Mutex<Capabilities>,
    /// Every call of the method is answered with this.
    failing: Mutex<BTreeMap<&'static str, Error>>,
    /// A wish takes a permit before it does anything.
    pub(crate) gate: Semaphore,
    /// So many wishes have asked for one.
    asked: Mutex<u32>,
    /// Every order as often as it was placed.
    orders: Mutex<Vec<Order>>,
    served: Mutex<BTreeSet<OrderId>>,
    /// A refresh is never answered.
    pub(crate) hangs: AtomicBool,
    /// Names of nodes that say nothing of their machines.
    names: BTreeMap<String, Box<str>>,
}

/// A server that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) fake: Arc<Fake>,
    pub(crate) address: String,
    pub(crate) shutdown: Shutdown,
    pub(crate) task: JoinHandle<()>,
}

pub(crate) const SETTINGS: ServerSettings = ServerSettings {
    refresh_every: Duration::from_hours(1),
    stale_after: Duration::from_hours(1),
    reload_every: Duration::from_hours(1),
    grace: Duration::from_secs(5),
};

// === impl Fake ===

impl Default for Fake {
    fn default() -> Self {
        let web = group("web", 1, 5, &[("web-0", RUNNING), ("web-1", RUNNING), ("web-2", RUNNING)]);
        let mut bare = group("bare", 0, 3, &[("bare-0", RUNNING)]);
        bare.group.template = None;
        bare.group.price = None;
        bare.overrides = Overrides::default();
        Self {
            groups: Mutex::new(vec![web, bare]),
            capabilities: Mutex::new(Capabilities {
                prices: true,
                templates: true,
                options: true,
                ..Capabilities::default()
            }),
            failing: Mutex::default(),
            gate: Semaphore::new(PERMITS),
            asked: Mutex::default(),
            orders: Mutex::default(),
            served: Mutex::default(),
            hangs: AtomicBool::new(false),
            names: BTreeMap::from([("node-of-web-1".to_owned(), "web-1".into())]),
        }
    }
}

impl Fake {
    /// From now on this method fails so; `None` for not any more.
    pub(crate) fn fail(&self, method: &'static str, class: Option<Class>) {
        let mut failing = lock(&self.failing);
        match class {
            Some(class) => failing.insert(method, Error::new(class, "as the test wants it")),
            None => failing.remove(method),
        };
    }

    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut GroupState)) {
        let mut groups = lock(&self.groups);
        change(groups.iter_mut().find(|state| state.group.id.as_str() == id).unwrap());
    }

    pub(crate) fn target(&self, id: &str) -> u32 {
        let groups = lock(&self.groups);
        groups.iter().find(|state| state.group.id.as_str() == id).unwrap().group.target
    }

    pub(crate) fn orders(&self) -> Vec<Order> {
        lock(&self.orders).clone()
    }

    /// From now on every wish is stuck, until permits are added.
    pub(crate) fn shut(&self) {
        assert_eq!(self.gate.forget_permits(PERMITS), PERMITS, "a wish is under way");
    }

    /// So many wishes have arrived at the gate.
    pub(crate) fn arrived(&self) -> u32 {
        *lock(&self.asked)
    }

    async fn enter(&self) -> SemaphorePermit<'_> {
        *lock(&self.asked) += 1;
        self.gate.acquire().await.unwrap()
    }

    fn check(&self, method: &str) -> Result<(), Error> {
        lock(&self.failing).get(method).map_or(Ok(()), |error| Err(error.clone()))
    }

    fn with<T>(
        &self,
        id: Symbol,
        act: impl FnOnce(&mut GroupState) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut groups = lock(&self.groups);
        let known = groups.iter_mut().find(|state| state.group.id == id);
        act(known.ok_or_else(|| Error::not_found(format!("no group {id}")))?)
    }
}

#[async_trait]
impl Provider for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn capabilities(&self) -> Capabilities {
        *lock(&self.capabilities)
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        self.check("refresh")?;
        Ok(Inventory {
            groups: lock(&self.groups).clone(),
            gpu_label: "gpu.example/model".into(),
            gpu_types: vec!["a100".into(), "h100".into()],
        })
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let _permit = self.enter().await;
        lock(&self.orders).push(order.clone());
        self.check("lost increase")?;
        if lock(&self.served).insert(order.id.clone()) {
            self.with(order.group, |state| {
                state.group.target += order.count;
                Ok(())
            })?;
        }
        // Afterwards: the wish took effect, and the answer is lost.
        self.check("increase").map(|()| order.count)
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        let _permit = self.enter().await;
        self.check("lower_target")?;
        self.with(group, |state| {
            let there = u32::try_from(state.group.instances.len()).unwrap();
            state.group.target = state.group.target.min(target.max(there));
            Ok(state.group.target)
        })
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let _permit = self.enter().await;
        self.check("delete")?;
        self.with(group, |state| {
            let mut deletions = Vec::new();
            for id in instances {
                let found = state.group.instances.iter_mut().find(|known| known.id == *id);
                let outcome = match found {
                    None => Err(Error::not_found(format!("no machine {id}"))),
                    Some(_) if id.ends_with("protected") => {
                        Err(Error::invalid(format!("{id} is protected")))
                    }
                    Some(instance) => {
                        if instance.state != InstanceState::Deleting {
                            instance.state = InstanceState::Deleting;
                            state.group.target -= 1;
                        }
                        Ok(())
                    }
                };
                deletions.push(Deletion { instance: id.clone(), outcome });
            }
            Ok(deletions)
        })
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.check("owner")?;
        let id = self.names.get(&node.name).map_or(&*node.provider_id, |id| id);
        let groups = lock(&self.groups);
        let found = groups.iter().find(|state| state.instance(id).is_some());
        let owner = |state: &GroupState| Owner { group: state.group.id, instance: Some(id.into()) };
        Ok(found.map(owner).into())
    }
}

// === impl Served ===

impl Served {
    /// A server in plaintext around a new fake.
    pub(crate) async fn start() -> Self {
        Self::with(Arc::default(), SETTINGS, None).await
    }

    pub(crate) async fn with(
        fake: Arc<Fake>,
        settings: ServerSettings,
        tls: Option<ServerTls>,
    ) -> Self {
        let server = Server::new(fake.clone(), settings, Clock::system());
        Self::run(server, fake, tls).await
    }

    pub(crate) async fn run(server: Server, fake: Arc<Fake>, tls: Option<ServerTls>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shutdown = Shutdown::new();
        let signal = shutdown.clone();
        let task = tokio::spawn(async move {
            server.serve(listener, tls, &signal).await.unwrap();
        });
        Self { fake, address, shutdown, task }
    }

    pub(crate) async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    /// A client whose server has made its first refresh.
    pub(crate) async fn client(&self) -> CloudProviderClient<Channel> {
        let mut client = CloudProviderClient::new(self.channel().await);
        let request = plimsoll_extgrpc::proto::external::RefreshRequest {};
        // Whatever comes of it: some tests want a provider that cannot be read.
        let _ = client.refresh(request).await;
        client
    }
}

/// More than any test has wishes.
const PERMITS: usize = 1_000;

pub(crate) const RUNNING: InstanceState = InstanceState::Running;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

pub(crate) fn group(
    id: &str,
    min: u32,
    max: u32,
    machines: &[(&str, InstanceState)],
) -> GroupState {
    let instances: Vec<_> = machines.iter().map(|(id, state)| machine(id, *state)).collect();
    GroupState {
        group: Group {
            id: id.into(),
            min,
            max,
            target: u32::try_from(machines.len()).unwrap(),
            price: Some(Money::from_micros(120_000)),
            template: Some(Arc::new(template())),
            instances,
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        },
        overrides: Overrides {
            unneeded_time: Some(SignedDuration::from_secs(90)),
            ..Overrides::default()
        },
        boot_time: None,
        about: format!("all of {id}").into(),
    }
}

pub(crate) fn machine(id: &str, state: InstanceState) -> Instance {
    Instance { id: id.into(), node: None, state, created: None, error: None }
}

pub(crate) fn failed(id: &str) -> Instance {
    let error = InstanceError {
        class: ErrorClass::OutOfResources,
        code: "SOLD_OUT".into(),
        message: "none left".into(),
    };
    Instance { error: Some(error), ..machine(id, InstanceState::Creating) }
}

pub(crate) fn template() -> Node {
    let amounts = |pods| {
        Resources::from_amounts([
            ("cpu".into(), 4_000),
            ("memory".into(), 16 << 30),
            ("pods".into(), pods),
        ])
    };
    Node {
        name: "web-template".into(),
        labels: Labels::from_pairs([("zone".into(), "z1")]),
        taints: Box::new([Taint {
            key: "only".into(),
            value: "web".into(),
            effect: Effect::NoSchedule,
        }]),
        unschedulable: false,
        allocatable: amounts(110),
        capacity: amounts(110),
        provider_id: "".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}
