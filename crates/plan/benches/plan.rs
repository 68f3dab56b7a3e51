//! How good and how fast whole plans are: `cargo bench -p plimsoll-plan --bench plan [-- SCENARIO.json …]`.
//!
//! Without arguments it plans worlds that it makes itself; with arguments the scenarios of those files. Peers' figures stand
//! beside the lines they belong to. Times on shared machines vary, so compare lines of one run, not runs.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::{fmt::Write, fs, time::Instant};

use plimsoll_model::World;
use plimsoll_plan::{Outcome, plan};

fn main() {
    let files: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    println!(
        "{:44} {:>9} {:>10} {:>7} {:>8} {:>8}",
        "work", "ms", "cost/h", "nodes", "unplaced", "RSS MB"
    );
    if files.is_empty() {
        made_here();
    }
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => measure(&file, &text),
            Err(error) => println!("{file}: {error}"),
        }
    }
}

fn made_here() {
    measure("50,000 pods of 20 shapes, one group", &burst(50_000, 20));
    println!("    peer: Cluster Autoscaler 21.1 s, 8.5 GB allocated, 1.27 GB RSS");
    for pods in [500, 1_000, 2_000, 4_000] {
        measure(&format!("{pods} pods that refuse to share a host"), &apart(pods));
    }
    println!("    peer: Cluster Autoscaler 0.64 s, 2.28 s, 8.2 s for the first three: quadratic");
}

fn measure(name: &str, scenario: &str) {
    match plimsoll_manifest::scenario::read(scenario) {
        Ok(world) => report(name, &world),
        Err(error) => println!("{name}: {error}"),
    }
}

fn report(name: &str, world: &World) {
    let start = Instant::now();
    let plan = plan(world);
    let seconds = start.elapsed().as_secs_f64();
    let nodes: u32 = plan.purchases.iter().map(|purchase| purchase.to - purchase.from).sum();
    let unplaced = plan.pods.iter().filter(|pod| pod.outcome > Outcome::Nominated).count();
    println!(
        "{name:44} {:9.1} {:10.2} {nodes:7} {unplaced:8} {:8}",
        seconds * 1e3,
        plan.cost.after.units(),
        peak_megabytes(),
    );
}

/// One group of 16-core machines and small pods of a few sizes.
fn burst(pods: usize, shapes: usize) -> String {
    let mut objects = String::new();
    for place in 0..pods {
        let shape = place % shapes;
        let (cpu, memory) = (50 + 37 * shape % 500, 64 * (1 + 7 * shape % 16));
        object(&mut objects, place, shape, cpu, memory, "");
    }
    scenario(&objects)
}

/// Pods with required anti-affinity to their own kind by host.
fn apart(pods: usize) -> String {
    let rule = r#","affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"a0"}}}]}}"#;
    let mut objects = String::new();
    for place in 0..pods {
        object(&mut objects, place, 0, 100, 128, rule);
    }
    scenario(&objects)
}

fn object(objects: &mut String, place: usize, shape: usize, cpu: usize, memory: usize, rule: &str) {
    let comma = if place > 0 { "," } else { "" };
    let _ = write!(
        objects,
        r#"{comma}{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{place}","namespace":"default",
        "labels":{{"app":"a{shape}"}}}},"spec":{{"containers":[{{"name":"c","image":"x","resources":
        {{"requests":{{"cpu":"{cpu}m","memory":"{memory}Mi"}}}}}}]{rule}}}}}"#
    );
}

fn scenario(objects: &str) -> String {
    format!(
        r#"{{"name":"bench","now":"2026-01-01T12:00:00Z","flags":{{"max-nodes-per-scaleup":100000}},
        "groups":[{{"id":"pool","min":0,"max":100000,"price":0.8,"template":{{"status":{{
        "capacity":{{"cpu":"16","memory":"64Gi","pods":"110"}},
        "allocatable":{{"cpu":"15900m","memory":"63Gi","pods":"110"}}}}}}}}],"objects":[{objects}]}}"#
    )
}

/// The most memory this process ever held, 0 where the system does not say.
fn peak_megabytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
