//! Many callers at once: 200 clients, 100,000 calls over loopback, and what that does to the server.
//!
//! Each client has a connection of its own and makes one call after the other, as an autoscaler does; replies are taken whole and
//! not decoded, and requests are written to the connection with as little around them as HTTP/2 allows, for all that is work of
//! machines elsewhere. Server and clients have half of the machine's cores each, so the time of a call is mostly
//! that of the calls before it in the queue: 200 divided by the calls a second that both sides together can do. The processor time
//! of either side is told as well, for it depends less on what else the machine does.
//!
//! `cargo bench -p plimsoll-extgrpc --bench load`

#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops where it is surprised")]

use std::{fs, num::NonZeroUsize, sync::Arc, thread, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_extgrpc::{
    Server, ServerSettings,
    proto::external::{self as message, cloud_provider_client::CloudProviderClient},
};
use plimsoll_model::{
    Conditions, Group, GroupOptions, Instance, InstanceState, Labels, Money, Node, Resources,
    Symbol,
};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{
    Capabilities, Deletion, Error, GroupState, Inventory, NodeIdentity, Order, Overrides, Provider,
    Whose,
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::Instant,
};
use tonic::transport::Channel;

mod caller;
use caller::Caller;

const CLIENTS: usize = 200;
const CALLS: usize = 100_000;
/// So many that memory that grows is told from memory that is merely kept for the next time.
const ROUNDS: usize = 8;
const GROUPS: usize = 20;
const MACHINES: usize = 50;

/// The names of the threads of both sides.
const SERVER: &str = "server";
const OTHERS: &str = "clients";

/// A provider that always says the same.
#[derive(Debug)]
struct Still(Inventory);

#[async_trait]
impl Provider for Still {
    fn name(&self) -> &'static str {
        "still"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { prices: true, templates: true, options: true, ..Capabilities::default() }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        Ok(self.0.clone())
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        Ok(order.count)
    }

    async fn lower_target(&self, _: Symbol, target: u32) -> Result<u32, Error> {
        Ok(target)
    }

    async fn delete(&self, _: Symbol, _: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        Ok(Vec::new())
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        Ok(self.0.owner_by_provider_id(node).into())
    }
}

fn inventory() -> Inventory {
    let amounts = Resources::from_amounts([("cpu".into(), 8_000), ("memory".into(), 32 << 30)]);
    let template = Arc::new(Node {
        name: "template".into(),
        labels: Labels::from_pairs((0..20).map(|number| {
            (Symbol::new(&format!("label-{number}")), Symbol::new(&format!("value-{number}")))
        })),
        taints: Box::default(),
        unschedulable: false,
        allocatable: amounts.clone(),
        capacity: amounts,
        provider_id: "".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    });
    let group = |number: usize| GroupState {
        group: Group {
            id: Symbol::new(&format!("group-{number}")),
            min: 0,
            max: 1_000,
            target: u32::try_from(MACHINES).unwrap(),
            price: Some(Money::from_micros(100_000)),
            template: Some(Arc::clone(&template)),
            instances: (0..MACHINES)
                .map(|machine| Instance {
                    id: format!("still://group-{number}/{machine}").into(),
                    node: None,
                    state: InstanceState::Running,
                    created: None,
                    error: None,
                })
                .collect(),
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        },
        overrides: Overrides::default(),
        boot_time: None,
        about: "a group".into(),
    };
    Inventory { groups: (0..GROUPS).map(group).collect(), ..Inventory::default() }
}

/// The path of a method.
macro_rules! path {
    ($method:literal) => {
        concat!("/clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider/", $method)
    };
}

/// What the upstream autoscaler asks in a pass, one call of it.
async fn call(caller: &mut Caller, number: usize) -> bool {
    let id = format!("group-{}", number % GROUPS);
    match number % 6 {
        0 => caller.ask(path!("NodeGroups"), &message::NodeGroupsRequest {}).await,
        1 => {
            let request = message::NodeGroupTargetSizeRequest { id };
            caller.ask(path!("NodeGroupTargetSize"), &request).await
        }
        2 => {
            let request = message::NodeGroupNodesRequest { id };
            caller.ask(path!("NodeGroupNodes"), &request).await
        }
        3 => {
            let request = message::NodeGroupTemplateNodeInfoRequest { id };
            caller.ask(path!("NodeGroupTemplateNodeInfo"), &request).await
        }
        4 => {
            let defaults = Some(message::NodeGroupAutoscalingOptions::default());
            let request = message::NodeGroupAutoscalingOptionsRequest { id, defaults };
            caller.ask(path!("NodeGroupGetOptions"), &request).await
        }
        _ => {
            let provider_id = format!("still://{id}/{}", number % MACHINES);
            let node = Some(message::ExternalGrpcNode { provider_id, ..Default::default() });
            let request = message::NodeGroupForNodeRequest { node };
            caller.ask(path!("NodeGroupForNode"), &request).await
        }
    }
}

/// Resident memory of this process in MiB: server and clients.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

/// The processor time that threads of this name have used, in ticks of a hundredth of a second.
fn ticks(name: &str) -> u32 {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let used = threads.filter_map(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).ok()?;
        let (_, rest) = stat.split_once('(')?;
        let (thread, rest) = rest.rsplit_once(')')?;
        let field = |place| rest.split_whitespace().nth(place)?.parse::<u32>().ok();
        // User and system time are the fields 14 and 15 of the whole line.
        (thread == name).then_some(field(11)? + field(12)?)
    });
    used.sum()
}

/// The same, as microseconds for each call of a round.
fn cost(ticks: u32) -> f64 {
    f64::from(ticks) * 10_000.0 / f64::from(u32::try_from(CALLS).unwrap())
}

/// A thread for every second core, so that both sides work at once and do not take turns of milliseconds on the same core.
fn runtime(name: &str) -> Runtime {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = (cores / 2).max(1);
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name(name)
        .enable_all()
        .build()
        .unwrap()
}

async fn round(address: &str) -> (Vec<Duration>, usize) {
    let mut callers = Vec::new();
    for _ in 0..CLIENTS {
        callers.push(Caller::connect(address).await);
    }
    let mut clients = JoinSet::new();
    for (first, mut caller) in callers.into_iter().enumerate() {
        clients.spawn(async move {
            let mut times = Vec::with_capacity(CALLS / CLIENTS);
            let mut errors = 0;
            for number in 0..CALLS / CLIENTS {
                let began = Instant::now();
                errors += usize::from(!call(&mut caller, first + number).await);
                times.push(began.elapsed());
            }
            (times, errors)
        });
    }
    let mut times = Vec::with_capacity(CALLS);
    let mut errors = 0;
    while let Some(ended) = clients.join_next().await {
        let (some, failed) = ended.unwrap();
        times.extend(some);
        errors += failed;
    }
    (times, errors)
}

/// All rounds, in a task of the clients' runtime, so that the main thread does nothing.
async fn rounds(address: String) {
    let endpoint = Channel::from_shared(format!("http://{address}")).unwrap();
    let mut first = CloudProviderClient::new(endpoint.connect().await.unwrap());
    first.refresh(message::RefreshRequest {}).await.unwrap();

    println!("{CLIENTS} clients, {CALLS} calls a round, {GROUPS} groups of {MACHINES} machines");
    println!("resident at the start: {:.1} MiB", resident());
    for number in 1..=ROUNDS {
        let before = (ticks(SERVER), ticks(OTHERS));
        let began = Instant::now();
        let (mut times, errors) = round(&address).await;
        let took = began.elapsed();
        times.sort_unstable();
        let percentile = |of: usize| times[(times.len() - 1) * of / 100];
        println!(
            "round {number}: {errors} errors, {:.0} calls/s, p50 {:?}, p99 {:?}, longest {:?}, server {:.1} µs and client {:.1} µs a call, resident {:.1} MiB",
            f64::from(u32::try_from(CALLS).unwrap()) / took.as_secs_f64(),
            percentile(50),
            percentile(99),
            percentile(100),
            cost(ticks(SERVER) - before.0),
            cost(ticks(OTHERS) - before.1),
            resident(),
        );
    }
}

fn main() {
    let (serving, calling) = (runtime(SERVER), runtime(OTHERS));
    let address = serving.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let provider = Arc::new(Still(inventory()));
        let server = Server::new(provider, ServerSettings::default(), Clock::system());
        tokio::spawn(async move { server.serve(listener, None, &Shutdown::new()).await.unwrap() });
        address
    });
    calling.block_on(async { tokio::spawn(rounds(address)).await.unwrap() });
}
