//! How well a cluster recovers that was bought one pod at a time: `cargo bench -p plimsoll-plan --bench consolidation`. Seeds
//! may follow after `--`, each for a mix and an order of its own.
//!
//! Five thousand pods arrive one by one in random order, each bought for as it comes, and a third of them leave again. Then
//! `consolidation: cost` runs until nothing changes any more, and the cost is compared with a plan made from nothing.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::{collections::BTreeMap, fmt::Write, sync::Arc, time::Instant};

use plimsoll_model::{
    Consolidation, Instance, InstanceState, Memory, Node, Phase, Pod, SignedDuration, Symbol,
    World, label,
};
use plimsoll_plan::{Place, Plan, plan};

const PODS: usize = 5_000;

/// Passes without a change after which the cluster counts as settled.
const QUIET: usize = 4;

/// The time between passes.
const STEP: SignedDuration = SignedDuration::from_mins(11);

fn main() {
    let mut seeds: Vec<u64> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    if seeds.is_empty() {
        seeds.push(17);
    }
    for seed in seeds {
        println!("seed {seed}");
        measure(seed);
    }
}

fn measure(seed: u64) {
    let mut chance = Chance(seed);
    let mut world = plimsoll_manifest::scenario::read(&scenario(&mut chance)).expect("a scenario");
    world.settings.scale_down.enabled = false;
    let mut backlog = std::mem::take(&mut world.pods);
    shuffle(&mut backlog, &mut chance);
    let mut added = 0;
    for pod in backlog {
        world.pods.push(pod);
        let decided = plan(&world);
        apply(&mut world, &decided, &mut added);
    }
    let mut number = 0;
    world.pods.retain(|_| {
        number += 1;
        number % 3 != 0
    });
    println!("bought one by one: {:6} nodes, {:9.2} an hour", world.nodes.len(), cost(&world));
    let fresh = plan(&emptied(&world));
    let least = fresh.cost.after.units();
    println!("planned from nothing:             {least:9.2} an hour");

    world.settings.scale_down.enabled = true;
    world.settings.scale_down.consolidation = Consolidation::Cost;
    world.settings.scale_down.parallelism = 100_000;
    world.settings.scale_down.drain_parallelism = 100_000;
    world.settings.scale_down.delay_after_add = SignedDuration::ZERO;
    let (mut seconds, mut evictions, mut passes, mut quiet) = (0.0, 0, 0, 0);
    while quiet < QUIET && passes < 200 {
        let start = Instant::now();
        let decided = plan(&world);
        seconds += start.elapsed().as_secs_f64();
        evictions += decided.retirements.iter().map(|one| one.evict.len()).sum::<usize>();
        let still = decided.purchases.is_empty() && decided.retirements.is_empty();
        if !still {
            let bought: u32 = decided.purchases.iter().map(|one| one.to - one.from).sum();
            let given = decided.retirements.len();
            let after = decided.cost.after.units();
            println!("    pass {passes:3}: +{bought} −{given} nodes, {after:.2} an hour");
        }
        quiet = if still { quiet + 1 } else { 0 };
        passes += 1;
        apply(&mut world, &decided, &mut added);
        world.now += STEP;
    }
    let waiting = world.pods.iter().filter(|pod| pod.node.is_none()).count();
    let reached = cost(&world);
    println!("consolidated:      {:6} nodes, {reached:9.2} an hour", world.nodes.len());
    println!(
        "{:.1} % above a plan from nothing; {passes} passes, {seconds:.2} s of planning, \
         {evictions} evictions, {waiting} pods without a node",
        (reached / least - 1.0) * 100.0
    );
}

/// Carries a plan out at once: new nodes are ready, evicted pods wait again.
fn apply(world: &mut World, decided: &Plan, added: &mut usize) {
    let mut names: BTreeMap<Place, Symbol> = BTreeMap::new();
    for purchase in &decided.purchases {
        let group = world.groups.iter_mut().find(|group| group.id == purchase.group);
        let group = group.expect("a group of the world");
        group.target = purchase.to;
        for number in 1..=purchase.to - purchase.from {
            *added += 1;
            let name = Symbol::new(&format!("n{added}"));
            let template = group.template.as_ref().expect("a template");
            let hostname = (Symbol::new(label::HOSTNAME), name);
            let labels = template.labels.with([hostname]);
            let node = Node { name, labels, created: world.now, ..Node::clone(template) };
            world.nodes.push(Arc::new(node));
            group.instances.push(Instance {
                id: format!("sim://{name}").into(),
                node: Some(name),
                state: InstanceState::Running,
                created: Some(world.now),
                error: None,
            });
            names.insert(Place::New { group: purchase.group, number }, name);
        }
    }
    let places: BTreeMap<_, _> = (decided.placements.iter())
        .map(|one| (&one.pod, one.node.existing().unwrap_or_else(|| names[&one.node])))
        .collect();
    for pod in world.pods.iter_mut().filter(|pod| pod.node.is_none()) {
        pod.node = places.get(&pod.id()).copied();
        pod.phase = if pod.node.is_some() { Phase::Running } else { Phase::Pending };
    }
    for one in &decided.retirements {
        world.nodes.retain(|node| node.name != one.node);
        let group = world.groups.iter_mut().find(|group| group.id == one.group);
        let group = group.expect("a group of the world");
        group.instances.retain(|instance| instance.node != Some(one.node));
        group.target -= 1;
        for pod in world.pods.iter_mut().filter(|pod| pod.node == Some(one.node)) {
            pod.node = None;
            pod.phase = Phase::Pending;
        }
    }
    world.orders = decided.orders_after(world);
    world.memory = decided.memory.clone();
}

/// The same pods without any node.
fn emptied(world: &World) -> World {
    let mut empty = world.clone();
    empty.nodes.clear();
    empty.memory = Memory::default();
    empty.orders = Vec::new();
    for group in &mut empty.groups {
        group.instances.clear();
        group.target = 0;
    }
    for pod in &mut empty.pods {
        pod.node = None;
        pod.phase = Phase::Pending;
    }
    empty
}

fn cost(world: &World) -> f64 {
    let prices = world.groups.iter().filter_map(|group| Some(group.price?.times(group.target)));
    prices.map(plimsoll_model::Money::units).sum()
}

/// A fifth each: plain, spread over zones, spread over hosts, drawn to a zone, kept apart by host.
fn scenario(chance: &mut Chance) -> String {
    let mut groups = String::new();
    for (number, (units, zone)) in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
        .iter()
        .flat_map(|units| ["z1", "z2", "z3"].map(|zone| (*units, zone)))
        .enumerate()
    {
        let comma = if number > 0 { "," } else { "" };
        let (cpu, memory, price) =
            (1000 * units - 100, 2048 * units - 10, 0.3147 * f64::from(units));
        let offers = format!(r#"{{"cpu":"{cpu}m","memory":"{memory}Mi","pods":"{}"}}"#, 10 * units);
        let _ = write!(
            groups,
            r#"{comma}{{"id":"s{units}-{zone}","min":0,"max":100000,"price":{price:.6},"template":{{
            "metadata":{{"labels":{{"topology.kubernetes.io/zone":"{zone}"}}}},
            "status":{{"capacity":{offers},"allocatable":{offers}}}}}}}"#
        );
    }
    let mut objects = String::from(
        r#"{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"rs","namespace":"default","uid":"rs"},"spec":{"replicas":5000}}"#,
    );
    for place in 0..PODS {
        let cpu = chance.choose(&[100, 250, 500, 1000, 1500]);
        let memory = chance.choose(&[100, 256, 512, 1024, 2048, 4096]);
        let (own, other) = (chance.choose(&LETTERS), chance.choose(&LETTERS));
        let (labels, rules) = kind(place % 5, own, other);
        let _ = write!(
            objects,
            r#",{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{place}","namespace":"default","labels":{{{labels}}},
            "ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"rs","controller":true}}]}},
            "spec":{{"containers":[{{"name":"c","image":"x","resources":{{"requests":{{"cpu":"{cpu}m","memory":"{memory}Mi"}}}}}}]{rules}}}}}"#
        );
    }
    format!(
        r#"{{"name":"consolidation","now":"2026-01-01T12:00:00Z","flags":{{"node-fee":0}},
        "groups":[{groups}],"objects":[{objects}]}}"#
    )
}

const LETTERS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn kind(number: usize, own: &str, other: &str) -> (String, String) {
    let spread = |key: &str| {
        format!(
            r#","topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"{key}","whenUnsatisfiable":"DoNotSchedule",
            "labelSelector":{{"matchLabels":{{"my-label":"{other}"}}}}}}]"#
        )
    };
    let term = |kind: &str, key: &str, label: &str, value: &str| {
        format!(
            r#","affinity":{{"{kind}":{{"requiredDuringSchedulingIgnoredDuringExecution":[
            {{"topologyKey":"{key}","labelSelector":{{"matchLabels":{{"{label}":"{value}"}}}}}}]}}}}"#
        )
    };
    let mine = format!(r#""my-label":"{own}""#);
    match number {
        0 => (mine, String::new()),
        1 => (mine, spread(label::ZONE)),
        2 => (mine, spread(label::HOSTNAME)),
        3 => {
            let label = format!(r#""my-affinity":"{own}""#);
            (label, term("podAffinity", label::ZONE, "my-affinity", own))
        }
        _ => {
            let label = String::from(r#""app":"nginx""#);
            (label, term("podAntiAffinity", label::HOSTNAME, "app", "nginx"))
        }
    }
}

fn shuffle(pods: &mut [Pod], chance: &mut Chance) {
    for place in (1..pods.len()).rev() {
        let other = chance.below(place + 1);
        pods.swap(place, other);
    }
}

/// A small generator, so that every run sees the same cluster.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
