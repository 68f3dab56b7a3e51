//! How fast pods are placed: `cargo bench -p plimsoll-fit`.
//!
//! Each line is the best of several runs on fresh snapshots; the figures of peers stand beside it for orientation. Times on
//! shared machines vary, so compare lines of one run, not runs.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::{hint::black_box, sync::Arc, time::Instant};

use plimsoll_fit::Snapshot;
use plimsoll_model::{
    Conditions, LabelRequirement, LabelSelector, Labels, NamespaceScope, Namespaces, Node, Phase,
    Pod, PodShape, PodTerm, Resources, SpreadConstraint, Storage, Symbol, Timestamp, label,
    resource,
};

const RUNS: usize = 5;
const GIB: i64 = 1 << 30;

fn main() {
    println!("{:58} {:>9} {:>11} {:>10}", "work", "ms", "pods/s", "bytes/pod");
    plain("(a) 10,000 pods, 50 shapes, 1,000 nodes", 10_000, 1_000, 50);
    println!("    peer: scheduler framework, like (a): about 1,700 pods/s");
    plain("(b) 100,000 pods, 50 shapes, 15,000 nodes", 100_000, 15_000, 50);
    println!("    peer: Cluster Autoscaler's estimator, 51,000 pods on 2,595 nodes: 9,400 pods/s");
    for nodes in [500, 1_000, 2_000, 4_000] {
        let name = format!("(c) {nodes} pods, hostname anti-affinity, {nodes} nodes");
        measure(&name, nodes, nodes, |_| keeping_apart());
    }
    println!(
        "    peer: Cluster Autoscaler's estimator, 2,000 nodes: 244 pods/s, quadratic in nodes"
    );
    for nodes in [500, 1_000, 2_000, 4_000] {
        let name = format!("(d) {} pods, zone and hostname spread, {nodes} nodes", nodes * 5);
        measure(&name, nodes * 5, nodes, |place| spreading(place % 5));
    }
    forked();
    plain("(f) 10,000 pods, each its own shape, 1,000 nodes", 10_000, 1_000, 10_000);
}

fn plain(name: &str, pods: usize, nodes: usize, shapes: usize) {
    measure(name, pods, nodes, |place| plain_shape(place % shapes));
}

/// Places all pods by first fit and prints the best time. Pods hold their shape as they would after a watch event; the
/// snapshot learns each shape within the measured time.
fn measure(name: &str, pods: usize, nodes: usize, shape: impl Fn(usize) -> PodShape) {
    let mut shared: Vec<Arc<PodShape>> = Vec::new();
    let mut known = std::collections::HashMap::new();
    let before = resident();
    let pods: Vec<Pod> = (0..pods)
        .map(|place| {
            let shape = shape(place);
            let at = *known.entry(shape.clone()).or_insert_with(|| {
                shared.push(Arc::new(shape));
                shared.len() - 1
            });
            pod(place, Arc::clone(&shared[at]))
        })
        .collect();
    drop(known);
    let mut best = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..RUNS {
        let mut snapshot = cluster(nodes);
        let start = Instant::now();
        for pod in &pods {
            let shape = snapshot.shape(&pod.shape);
            let node = snapshot.first_fit(shape).expect("the cluster is large enough");
            black_box(snapshot.place(shape, node));
        }
        best = best.min(start.elapsed().as_secs_f64());
        bytes = resident().saturating_sub(before) / pods.len();
    }
    report(name, best, pods.len(), bytes);
}

/// (e): a fork on a large cluster costs what is done in it.
fn forked() {
    let mut snapshot = cluster(100_000);
    let shape = snapshot.shape(&Arc::new(plain_shape(1)));
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut fork = snapshot.fork();
        for _ in 0..100 {
            let node = fork.first_fit(shape).expect("there is room");
            black_box(fork.place(shape, node));
        }
        drop(fork);
        best = best.min(start.elapsed().as_secs_f64());
    }
    report("(e) fork, 100 pods, drop, 100,000 nodes", best, 100, 0);
}

#[expect(clippy::cast_precision_loss, reason = "figures for a person")]
fn report(name: &str, seconds: f64, pods: usize, bytes: usize) {
    let rate = pods as f64 / seconds;
    println!("{name:58} {:9.3} {rate:11.0} {bytes:10}", seconds * 1e3);
}

fn cluster(nodes: usize) -> Snapshot {
    let mut snapshot = Snapshot::new(Namespaces::default(), Storage::default());
    for place in 0..nodes {
        snapshot.add_node(Arc::new(node(place)));
    }
    snapshot
}

fn node(place: usize) -> Node {
    let name = Symbol::new(&format!("node-{place}"));
    let zone = Symbol::new(["a", "b", "c"][place % 3]);
    let offers = amounts(16_000, 64 * GIB, Some(110));
    Node {
        name,
        labels: Labels::from_pairs([
            (Symbol::new(label::HOSTNAME), name),
            (Symbol::new(label::ZONE), zone),
        ]),
        taints: Box::default(),
        unschedulable: false,
        allocatable: offers.clone(),
        capacity: offers,
        provider_id: Box::default(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}

fn amounts(cpu: i64, memory: i64, pods: Option<i64>) -> Resources {
    let base = [(Symbol::new(resource::CPU), cpu), (Symbol::new(resource::MEMORY), memory)];
    let slots = pods.map(|pods| (Symbol::new(resource::PODS), pods));
    Resources::from_amounts(base.into_iter().chain(slots))
}

fn pod(place: usize, shape: Arc<PodShape>) -> Pod {
    Pod {
        name: format!("some-deployment-7d4b9c6f5d-{place:05}").into(),
        shape,
        node: None,
        phase: Phase::Pending,
        priority: 0,
        created: Timestamp::UNIX_EPOCH,
        deletion: None,
        owner: None,
        scheduler: Symbol::new("default-scheduler"),
        nominated: None,
        gated: false,
        extras: None,
    }
}

fn plain_shape(number: usize) -> PodShape {
    let step = i64::try_from(number % 50).expect("small");
    let requests = amounts(100 + 20 * step, GIB / 4 + step * (GIB / 64), None);
    PodShape {
        labels: Labels::from_pairs([("app".into(), format!("app-{number}").as_str())]),
        ..PodShape::plain(Symbol::new("default"), requests)
    }
}

fn same_app(shape: &PodShape) -> Option<LabelSelector> {
    let app = shape.labels.get("app".into())?.as_str();
    Some(LabelSelector::new([LabelRequirement::new("app", "In", &[app]).ok()?]))
}

fn keeping_apart() -> PodShape {
    let mut shape = plain_shape(0);
    shape.anti_affinity = Box::new([PodTerm {
        selector: same_app(&shape),
        namespaces: NamespaceScope::only(shape.namespace),
        topology_key: Symbol::new(label::HOSTNAME),
    }]);
    shape
}

fn spreading(number: usize) -> PodShape {
    let mut shape = plain_shape(number);
    let over = |key: &str| SpreadConstraint {
        max_skew: 1,
        topology_key: Symbol::new(key),
        selector: same_app(&shape),
        min_domains: 1,
        honor_affinity: true,
        honor_taints: false,
    };
    shape.spread = Box::new([over(label::ZONE), over(label::HOSTNAME)]);
    shape
}

/// Resident bytes of this process, 0 where the system does not say.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}
