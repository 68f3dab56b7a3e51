//! Whatever is done in whichever order, the books are right.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_model::{InstanceState, Symbol};
use plimsoll_provider::{Class, Order, OrderId, Provider as _};
use plimsoll_providers::simulated::{Delivery, Happening};
use proptest::prelude::*;

use super::{World, pass};

const GROUPS: [&str; 3] = ["plain", "scarce", "queued"];
const MAX: u32 = 8;
const STOCK: u32 = 4;
const QUOTA: u32 = 14;

/// One of each kind of trouble.
const LAB: &str = "
quota: 14
callFailureRate: 0.1
groups:
- id: plain
  max: 8
  initial: 2
  template: {cpu: 1}
  boot: {uniform: [5s, 20s]}
  bootFailures: {rate: 0.2, class: Quota}
  vanishRate: 20
- {id: scarce, max: 8, initial: 1, stock: 4, template: {cpu: 1}, delivery: 3s, boot: 9s, vanishRate: 20}
- {id: queued, max: 8, template: {cpu: 1}, delivery: 60s, boot: 9s}
";

#[derive(Clone, Debug)]
enum Step {
    Buy { group: usize, order: u8, count: u32 },
    Lower { group: usize, target: u32 },
    Delete { group: usize, machines: Vec<usize> },
    Vanish { group: usize, machine: usize },
    FailMachines { group: usize, machines: u32 },
    LoseReply,
    Delivery { group: usize, queued: bool },
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let group = || 0..GROUPS.len();
    let step = prop_oneof![
        4 => (group(), 0..30_u8, 0..6_u32)
            .prop_map(|(group, order, count)| Step::Buy { group, order, count }),
        1 => (group(), 0..10_u32).prop_map(|(group, target)| Step::Lower { group, target }),
        2 => (group(), prop::collection::vec(0..10_usize, 0..4))
            .prop_map(|(group, machines)| Step::Delete { group, machines }),
        1 => (group(), 0..10_usize).prop_map(|(group, machine)| Step::Vanish { group, machine }),
        1 => (group(), 0..3_u32)
            .prop_map(|(group, machines)| Step::FailMachines { group, machines }),
        1 => Just(Step::LoseReply),
        1 => (group(), any::<bool>())
            .prop_map(|(group, queued)| Step::Delivery { group, queued }),
        4 => (0..40_u64).prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 0..40)
}

/// Does it; what is refused is refused.
async fn take(world: &World, step: &Step) {
    let symbol = |group: &usize| Symbol::new(GROUPS[*group]);
    let machine = |group: &usize, place: &usize| world.ids(GROUPS[*group]).get(*place).cloned();
    match step {
        Step::Buy { group, order, count } => {
            let id = OrderId::new(&format!("o-{order}")).unwrap();
            let order = Order { id, group: symbol(group), count: *count, from: 0 };
            let _ = world.provider.increase(&order).await;
        }
        Step::Lower { group, target } => {
            let _ = world.provider.lower_target(symbol(group), *target).await;
        }
        Step::Delete { group, machines } => {
            let ids = machines.iter().map(|place| {
                machine(group, place).unwrap_or_else(|| "simulated://plain/none".into())
            });
            let ids: Vec<_> = ids.collect();
            let _ = world.provider.delete(symbol(group), &ids).await;
        }
        Step::Vanish { group, machine: place } => {
            if let Some(id) = machine(group, place) {
                world.cloud.vanish(&id).unwrap();
            }
        }
        Step::FailMachines { group, machines } => {
            world.cloud.fail_machines(symbol(group), *machines, Class::Bug).unwrap();
        }
        Step::LoseReply => world.cloud.lose_replies(1),
        Step::Delivery { group, queued } => {
            let delivery = if *queued { Delivery::Queued } else { Delivery::Served };
            world.cloud.set_delivery(symbol(group), delivery).unwrap();
        }
        Step::Pass(seconds) => pass(*seconds).await,
    }
}

/// How often each thing has happened to machines of a group.
#[derive(Debug, Default)]
struct Tally {
    bought: u32,
    given_up: u32,
    gone: u32,
    vanished: u32,
    failed: BTreeSet<Box<str>>,
    asked_to_go: BTreeSet<Box<str>>,
    ended: BTreeSet<Box<str>>,
}

async fn check(world: &World) -> Result<(), TestCaseError> {
    let inventory = loop {
        // One call in ten fails here.
        if let Ok(inventory) = world.provider.refresh().await {
            break inventory;
        }
    };
    let journal = world.cloud.journal();
    prop_assert!(journal.is_sorted_by_key(|entry| entry.at), "{}", world.journal());
    let mut tallies: BTreeMap<Symbol, Tally> = BTreeMap::new();
    for entry in &journal {
        let tally = tallies.entry(entry.machine.group).or_default();
        let id = entry.machine.id.clone();
        match &entry.what {
            Happening::Bought(_) => tally.bought += 1,
            Happening::GivenUp => tally.given_up += 1,
            Happening::Gone => tally.gone += 1,
            Happening::Vanished => tally.vanished += 1,
            Happening::Failed(_) => drop(tally.failed.insert(id.clone())),
            Happening::Deleting => {
                prop_assert!(tally.asked_to_go.insert(id.clone()), "twice: {entry}");
            }
            Happening::Arrived => {}
        }
        if matches!(entry.what, Happening::GivenUp | Happening::Gone | Happening::Vanished) {
            prop_assert!(tally.ended.insert(id), "ended twice: {entry}");
        } else {
            prop_assert!(!tally.ended.contains(&id), "after its end: {entry}");
        }
    }
    let mut left = BTreeMap::new();
    for state in &inventory.groups {
        let group = &state.group;
        let tally = tallies.remove(&group.id).unwrap_or_default();
        let there = tally.bought - tally.given_up - tally.gone - tally.vanished;
        let in_state = |wanted| group.instances.iter().filter(move |one| one.state == wanted);
        let deleting: BTreeSet<_> =
            in_state(InstanceState::Deleting).map(|one| one.id.clone()).collect();
        let going = u32::try_from(deleting.len()).unwrap();
        let listed = u32::try_from(group.instances.len()).unwrap();
        prop_assert!(group.target <= MAX, "{} of {}", group.target, group.id);
        prop_assert!(listed <= there, "{} of {} are listed", listed, there);
        prop_assert_eq!(group.target + going, there, "{:?}", tally);
        prop_assert_eq!(world.cloud.target(group.id), group.target);

        let failed = group.instances.iter().filter(|one| one.error.is_some());
        let failed: BTreeSet<_> = failed.map(|one| one.id.clone()).collect();
        let ended = tally.ended.union(&deleting).cloned().collect();
        prop_assert_eq!(failed, &tally.failed - &ended);
        left.insert(group.id.as_str(), (there, group.stock));
    }
    let all: u32 = left.values().map(|(there, _)| there).sum();
    prop_assert!(all <= QUOTA);
    for (group, (there, stock)) in left {
        let in_stock = if group == "scarce" { STOCK + 1 - there } else { QUOTA };
        prop_assert_eq!(stock, Some(in_stock.min(QUOTA - all)), "{}", group);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_books_are_right_whatever_happens(steps in steps(), seed in any::<u64>()) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::new(&format!("seed: {seed}{LAB}"));
            check(&world).await?;
            for step in &steps {
                take(&world, step).await;
                check(&world).await?;
            }
            Ok::<_, TestCaseError>(())
        })?;
    }
}
