//! Machines come, fail, go and cost money, the same way every time.

use std::collections::BTreeSet;

use expect_test::expect;
use jiff::{SignedDuration, Timestamp};
use plimsoll_manifest::Reader;
use plimsoll_model::{ErrorClass, InstanceState, Money, Symbol};
use plimsoll_provider::{Class, Provider as _};
use plimsoll_providers::simulated::{Cost, Happening};

use super::{World, pass};

const LAB: &str = "
seed: 3
groups:
- id: small
  max: 50
  initial: 1
  price: 0.36
  template: {cpu: 4, memory: 16Gi}
  boot: {uniform: [20s, 60s]}
  deletion: 10s
- id: scarce
  max: 9
  stock: 3
  price: 1
  template: {cpu: 4, memory: 16Gi}
  delivery: 5s
  boot: 30s
  deletion: 10s
";

async fn an_afternoon(catalogue: &str) -> World {
    let world = World::new(catalogue);
    world.buy("small", "o-1", 2).await.unwrap();
    pass(15).await;
    world.buy("scarce", "o-2", 1).await.unwrap();
    pass(100).await;
    let first = world.ids("small").into_iter().take(1).collect::<Vec<_>>();
    world.provider.delete(Symbol::new("small"), &first).await.unwrap();
    pass(60).await;
    world.cloud.vanish(world.ids("small").first().unwrap()).unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn everything_that_happens_is_in_the_journal() {
    let world = an_afternoon(LAB).await;
    expect![[r"
        2026-01-01T12:00:00Z small-f624 was there
        2026-01-01T12:00:00Z small-f624 arrived
        2026-01-01T12:00:00Z small-232e bought by o-1
        2026-01-01T12:00:00Z small-8815 bought by o-1
        2026-01-01T12:00:15Z scarce-2e59 bought by o-2
        2026-01-01T12:00:44.498Z small-8815 arrived
        2026-01-01T12:00:50Z scarce-2e59 arrived
        2026-01-01T12:00:53.103Z small-232e arrived
        2026-01-01T12:01:55Z small-f624 deleting
        2026-01-01T12:02:05Z small-f624 gone
        2026-01-01T12:02:55Z small-232e vanished
    "]]
    .assert_eq(&world.journal());
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_and_calls_make_the_same_journal() {
    let first = an_afternoon(LAB).await.journal();
    assert_eq!(first, an_afternoon(LAB).await.journal());
    assert_ne!(first, an_afternoon(&LAB.replace("seed: 3", "seed: 4")).await.journal());
    let other = an_afternoon(&format!("name: other{LAB}")).await.journal();
    assert_ne!(first, other, "two providers of one seed name their machines differently");
}

#[tokio::test(start_paused = true)]
async fn what_happens_in_one_group_changes_nothing_in_another() {
    let quiet = World::new(LAB);
    quiet.buy("small", "o-1", 5).await.unwrap();
    let busy = World::new(LAB);
    busy.buy("scarce", "o-0", 3).await.unwrap();
    busy.buy("small", "o-1", 5).await.unwrap();
    assert_eq!(quiet.ids("small"), busy.ids("small"));
}

#[tokio::test(start_paused = true)]
async fn boot_times_are_kept() {
    let world = World::new(LAB);
    world.buy("small", "o-1", 40).await.unwrap();
    world.buy("scarce", "o-2", 1).await.unwrap();
    pass(19).await;
    assert_eq!(world.count("small", InstanceState::Running), 1, "only the initial one");
    pass(42).await;
    assert_eq!(world.count("small", InstanceState::Running), 41);
    let mut boots = BTreeSet::new();
    for entry in world.cloud.journal() {
        if entry.what == Happening::Arrived && entry.at > entry.machine.ordered {
            let boot = entry.at.duration_since(entry.machine.ordered);
            match entry.machine.group.as_str() {
                "small" => assert!((20_000..=60_000).contains(&boot.as_millis()), "{boot}"),
                _ => assert_eq!(boot, SignedDuration::from_secs(35)),
            }
            boots.insert(boot);
        }
    }
    assert!(boots.len() > 30, "the times differ: {boots:?}");
    let inventory = world.provider.refresh().await.unwrap();
    let usual: Vec<_> = inventory.groups.iter().map(|state| state.boot_time.unwrap()).collect();
    assert_eq!(usual, [40, 35].map(SignedDuration::from_secs));
}

#[tokio::test(start_paused = true)]
async fn boot_times_around_a_mean() {
    let bell = "
groups:
- id: bell
  max: 400
  template: {cpu: 1}
  boot: {normal: {mean: 60s, deviation: 10s}}
";
    let world = World::new(bell);
    world.buy("bell", "o-1", 400).await.unwrap();
    pass(49).await;
    let early = world.count("bell", InstanceState::Running);
    pass(11).await;
    let half = world.count("bell", InstanceState::Running);
    pass(11).await;
    let late = 400 - world.count("bell", InstanceState::Running);
    assert!((30..100).contains(&early), "{early} more than a deviation early");
    assert!((160..240).contains(&half), "{half} before the mean");
    assert!((30..100).contains(&late), "{late} more than a deviation late");
}

#[tokio::test(start_paused = true)]
async fn some_machines_do_not_come_up() {
    let frail = "
groups:
- id: frail
  max: 200
  template: {cpu: 1}
  boot: 10s
  bootFailures: {rate: 0.25, class: OutOfCapacity, code: ZONE_RESOURCE_POOL_EXHAUSTED}
";
    let world = World::new(frail);
    world.buy("frail", "o-1", 200).await.unwrap();
    assert_eq!(world.count("frail", InstanceState::Creating), 200, "nobody knows yet");
    pass(11).await;
    let inventory = world.provider.refresh().await.unwrap();
    let [state] = inventory.groups.as_slice() else { panic!("one group") };
    let failed = state.group.instances.iter().filter(|instance| instance.error.is_some());
    let failed: Vec<_> = failed.collect();
    assert!((30..70).contains(&failed.len()), "{} of 200", failed.len());
    for instance in &failed {
        let error = instance.error.as_ref().unwrap();
        assert_eq!(instance.state, InstanceState::Creating);
        assert_eq!(error.class, ErrorClass::OutOfResources);
        assert_eq!(&*error.code, "ZONE_RESOURCE_POOL_EXHAUSTED");
    }
    assert_eq!(state.group.target, 200, "they were asked for, and are there");
    let ids: Vec<_> = failed.iter().map(|instance| instance.id.clone()).collect();
    world.provider.delete(state.group.id, &ids).await.unwrap();
    world.cloud.settle().await;
    assert_eq!(world.ids("frail").len(), 200 - ids.len());
}

#[tokio::test(start_paused = true)]
async fn some_machines_vanish() {
    let fleeting = "
groups:
- id: fleeting
  max: 200
  initial: 200
  template: {cpu: 1}
  vanishRate: 0.1
";
    let world = World::new(fleeting);
    pass(3600).await;
    let left = world.ids("fleeting").len();
    assert!((160..195).contains(&left), "about a tenth is gone after an hour: {left} left");
    assert_eq!(world.cloud.target(Symbol::new("fleeting")), u32::try_from(left).unwrap());
}

#[tokio::test(start_paused = true)]
async fn stock_is_sold_and_comes_back() {
    let world = World::new(LAB);
    assert_eq!(world.stock("scarce").await, Some(3));
    assert_eq!(world.stock("small").await, None);
    world.buy("scarce", "o-1", 5).await.unwrap();
    assert_eq!(
        world.cloud.target(Symbol::new("scarce")),
        3,
        "part of an order is better than none"
    );
    assert_eq!(world.stock("scarce").await, Some(0));
    let error = world.buy("scarce", "o-2", 1).await.unwrap_err();
    assert_eq!(error.class(), Class::OutOfCapacity);
    world.cloud.settle().await;
    let ids = world.ids("scarce");
    world.provider.delete(Symbol::new("scarce"), &ids[..1]).await.unwrap();
    assert_eq!(world.stock("scarce").await, Some(0), "not before it is gone");
    pass(11).await;
    assert_eq!(world.stock("scarce").await, Some(1));
    world.buy("scarce", "o-2", 1).await.unwrap();
    world.buy("scarce", "o-2", 1).await.unwrap();
    assert_eq!(world.cloud.target(Symbol::new("scarce")), 3);
}

#[tokio::test(start_paused = true)]
async fn the_quota_holds_over_all_groups() {
    let world = World::new(&format!("quota: 4{LAB}"));
    world.buy("scarce", "o-1", 2).await.unwrap();
    world.buy("small", "o-2", 5).await.unwrap();
    assert_eq!(world.cloud.target(Symbol::new("small")), 2);
    assert_eq!(world.stock("small").await, Some(0), "no more can be had");
    let error = world.buy("small", "o-3", 1).await.unwrap_err();
    assert_eq!(error.class(), Class::Quota);
}

#[tokio::test(start_paused = true)]
async fn machines_cost_from_arrival_to_deletion() {
    let world = World::new(LAB);
    world.buy("scarce", "o-1", 1).await.unwrap();
    pass(35 + 1800).await;
    let ids = world.ids("scarce");
    world.provider.delete(Symbol::new("scarce"), &ids).await.unwrap();
    pass(3600 - 35 - 1800).await;
    let costs = world.cloud.costs();
    let hour = SignedDuration::from_hours(1);
    let small = Cost { time: hour, amount: Money::from_units(0.36).unwrap() };
    let scarce = Cost { time: hour / 2, amount: Money::from_units(0.5).unwrap() };
    assert_eq!(costs[&Symbol::new("small")], small);
    assert_eq!(costs[&Symbol::new("scarce")], scarce);
    let all: Cost = costs.into_values().sum();
    assert_eq!(all.amount, Money::from_units(0.86).unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_machine_says_the_same_in_both_languages() {
    let world = World::new(
        "
groups:
- id: eu/Größe 1
  max: 2
  initial: 1
  template:
    labels: {zone: a, kubernetes.io/arch: arm64}
    taints: [{key: only, value: me, effect: NoSchedule}, {key: wait, effect: NoExecute}]
    capacity: {cpu: 3500m, memory: 1Gi, ephemeral-storage: 10G, pods: 9, hugepages-2Mi: 4Mi}
",
    );
    let machine = world.cloud.journal().remove(0).machine;
    assert_eq!(&*machine.id, format!("simulated://eu%2FGr%C3%B6%C3%9Fe%201/{}", machine.name));
    assert!(machine.name.starts_with("eu-gr-e-1-"), "{}", machine.name);
    let created = Timestamp::UNIX_EPOCH;
    let mut reader = Reader::new(created);
    reader.add_json(&machine.manifest().to_string()).unwrap();
    let objects = reader.finish().unwrap();
    let [node] = objects.nodes.as_slice() else { panic!("one node") };
    assert_eq!(**node, machine.node(created));
    assert_eq!(node.labels.get(Symbol::new("kubernetes.io/hostname")), Some(&node.name.into()));
    assert_eq!(node.labels.get(Symbol::new("kubernetes.io/arch")), Some(&"arm64".into()));
    let instance = world.cloud.instances().remove(0).1;
    assert_eq!((instance.node, &instance.id), (Some(node.name), &node.provider_id));
}
