//! What holds for any group as time passes: with facts that do not change, and with a provider that does as it is told.

use plimsoll_model::{Instance, InstanceState, Order, OrderId, Symbol, World};
use proptest::{collection::vec, prelude::*};

use super::{Builder, GroupHealth, Repair, State, at, failure, observe, taint, world};

/// A kind of machine that a group may have.
#[derive(Clone, Copy, Debug)]
enum Machine {
    Ready,
    Sick,
    Draining,
    Deleting,
    Waiting,
    Overdue,
    Lost,
    Failed,
    Ageless,
}

fn machine() -> impl Strategy<Value = Machine> {
    use Machine::{Ageless, Deleting, Draining, Failed, Lost, Overdue, Ready, Sick, Waiting};
    prop_oneof![
        4 => Just(Ready),
        2 => Just(Sick),
        1 => Just(Draining),
        1 => Just(Deleting),
        3 => Just(Waiting),
        2 => Just(Overdue),
        1 => Just(Lost),
        2 => Just(Failed),
        1 => Just(Ageless),
    ]
}

prop_compose! {
    /// A group of any machines, a target off by a few, and orders that explain some of it.
    fn worlds()(
        machines in vec(machine(), 0..8),
        surplus in -2_i64..5,
        min in 0_u32..5,
        room in 0_u32..8,
        orders in vec((1_u32..4, -25_i64..0), 0..3),
        enforce_min in any::<bool>(),
        gap in proptest::option::of(-30_i64..0),
    ) -> World {
        let mut world = world().group("a", min..=min + room);
        for (number, machine) in machines.into_iter().enumerate() {
            world = add(world, number, machine);
        }
        for (increase, minutes) in orders {
            world = world.order("a", increase, minutes);
        }
        if let Some(gap) = gap {
            world = world.gap_since("a", gap);
        }
        let world = world.set(|settings| settings.scale_up.enforce_min = enforce_min);
        world
            .change_group(|group| {
                let target = i64::from(group.target) + surplus;
                group.target = u32::try_from(target).unwrap_or(0);
            })
            .group("b", 0..=9)
            .members("b", 2)
            .build()
    }
}

fn add(world: Builder, number: usize, machine: Machine) -> Builder {
    let name = format!("n-{number}");
    let id = format!("sim://{name}");
    match machine {
        Machine::Ready => world.member(&name),
        Machine::Sick => world.member(&name).unready(-30),
        Machine::Draining => world
            .member(&name)
            .change_node(|node| node.taints = [taint("ToBeDeletedByClusterAutoscaler")].into()),
        Machine::Deleting => world.machine(&id, |instance| {
            instance.state = InstanceState::Deleting;
        }),
        Machine::Waiting => world.machine(&id, |_| ()),
        Machine::Overdue => world.machine(&id, |instance| instance.created = Some(at(-40))),
        Machine::Lost => world.machine(&id, |instance| {
            instance.created = Some(at(-40));
            instance.node = Some("gone".into());
        }),
        Machine::Failed => world.machine(&id, |instance| instance.error = Some(failure("X"))),
        Machine::Ageless => world.machine(&id, |instance| instance.created = None),
    }
}

/// A machine that is not on its way out and is not a node.
fn is_stray(world: &World, instance: &Instance) -> bool {
    let named = |name| world.nodes.iter().any(|node| node.name == name);
    instance.state != InstanceState::Deleting && !instance.node.is_some_and(named)
}

/// What must hold in every pass.
fn check(state: &State<'_>) -> Result<(), TestCaseError> {
    let world = state.world;
    let group = &world.groups[0];
    let found = &state.groups[0];
    prop_assert!(found.found_upcoming <= group.target);
    prop_assert!(found.upcoming <= found.target);
    prop_assert!(found.target <= group.target.max(group.min));
    if world.settings.scale_up.enforce_min {
        let may_raise = state.healthy && found.health == GroupHealth::Healthy;
        prop_assert!(!may_raise || found.target >= group.min.min(group.max));
    } else {
        prop_assert!(found.target >= group.target.min(group.min));
    }
    // Nothing that may come or is there is ever taken off.
    let kept = found.target - (found.upcoming - found.found_upcoming);
    let nodes = found.ready + found.not_started + found.unready + found.suspended + found.leaving;
    prop_assert!(kept >= group.target.min(nodes + found.found_upcoming));
    let mut target = group.target;
    for repair in &state.repairs {
        match repair {
            Repair::DeleteInstance { instance, .. } => {
                let listed = group.instances.iter().find(|other| other.id == *instance).unwrap();
                prop_assert!(is_stray(world, listed));
            }
            Repair::LowerTarget { from, to, .. } => {
                prop_assert!(to < from && *from <= target);
                target = *to;
            }
            Repair::RaiseToMin { from, to, .. } => {
                prop_assert!(from < to && *from <= target && *to <= group.min.min(group.max));
                target = *to;
            }
        }
    }
    let (other, untouched) = (&state.groups[1], &GroupHealth::Healthy);
    prop_assert_eq!((other.ready, other.target, &other.health), (2, 2, untouched));
    Ok(())
}

/// Deletes what the repairs ask for.
fn obey(world: &mut World, repairs: &[Repair]) {
    let group = &mut world.groups[0];
    for repair in repairs {
        if let Repair::DeleteInstance { instance, .. } = repair {
            group.instances.retain(|other| other.id != *instance);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn facts_that_stay_are_judged_alike(mut world in worlds(), step in 1_i64..20) {
        let mut failures = 0;
        for pass in 0..40 {
            world.now = at(pass * step);
            let state = observe(&world);
            check(&state)?;
            let failed = |memory: &plimsoll_model::Memory| {
                memory.backoff.get(&"a".into()).map(|backoff| backoff.failed)
            };
            let (before, after) = (failed(&world.memory), failed(&state.memory));
            failures += u32::from(after.is_some() && after != before);
            // The minimum is not raised here, so nothing is ordered either.
            let open = super::open_orders(&state);
            world.memory = state.memory;
            world.orders.retain(|order| open.contains(&order.id));
        }
        // At most the failed machines once and a late order once, and the former again each time they are forgotten.
        let hours = u32::try_from(40 * step / 60).unwrap();
        prop_assert!(failures <= 3 + hours / 3, "{failures} failures");
        let last = observe(&world);
        prop_assert_eq!(last.groups[0].found_upcoming, 0);
        prop_assert!(world.orders.is_empty());
    }

    #[test]
    fn an_obeyed_repair_is_not_asked_for_again(mut world in worlds()) {
        let mut raised = Vec::new();
        for pass in 0..180 {
            world.now = at(pass);
            let gone = Some(Symbol::new("gone"));
            let lost = world.groups[0].instances.iter().filter(|one| one.node == gone).count();
            let state = observe(&world);
            check(&state)?;
            let open = super::open_orders(&state);
            let (target, repairs, memory) = (state.groups[0].target, state.repairs, state.memory);
            let raises = |repair: &Repair| matches!(repair, Repair::RaiseToMin { .. });
            if pass >= 40 && repairs.iter().any(raises) {
                raised.push(pass);
            }
            obey(&mut world, &repairs);
            // Machines that a raised target asks for never come.
            world.groups[0].target = target;
            world.memory = memory;
            world.orders.retain(|order| open.contains(&order.id));
            world.orders.extend(repairs.iter().filter_map(|repair| match repair {
                Repair::RaiseToMin { group, from, to } => {
                    let id = OrderId::new(&format!("raise-{pass}"))?;
                    Some(Order::placed(id, *group, to - from, world.now))
                }
                _ => None,
            }));
            if pass >= 60 {
                // By now everything broken is gone, and only a minimum that does not come can be asked for: but for machines
                // that lost their nodes, of which one may go every hour.
                let deletes = |repair: &&Repair| matches!(repair, Repair::DeleteInstance { .. });
                let deletions = repairs.iter().filter(deletes).count();
                prop_assert!(deletions <= 1 && (deletions == 0 || lost > 0));
                let rest = repairs.iter().filter(|repair| !deletes(repair)).count();
                prop_assert!(world.settings.scale_up.enforce_min || rest == 0 || lost > 0);
            }
        }
        // Once all machines that were there at first are settled, a minimum that never comes is waited for, and then rested
        // from, before it is asked for again.
        for pair in raised.windows(2) {
            prop_assert!(pair[1] - pair[0] > 20, "raised at {raised:?}");
        }
    }
}
