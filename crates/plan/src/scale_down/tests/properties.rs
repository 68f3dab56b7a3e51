//! What holds for every plan, over random worlds.

use plimsoll_fit::NodeId;
use plimsoll_model::{NamespaceScope, Node, PodTerm, SafeToEvict, Symbol, label, resource};
use proptest::prelude::*;

use super::{Builder, at, min_available, selector, world};
use crate::{
    Plan, existing,
    pending::Pending,
    requests::Requests,
    scale_down::{GivenBack, give_back},
    scale_up::{Allowance, Market, Shop},
    scene::Scene,
    state,
};

/// A pod: its cpu, its app, and how special it is.
type Draw = (i64, usize, u8);

const APPS: [&str; 3] = ["red", "green", "blue"];

prop_compose! {
    fn any_world()(
        groups in prop::collection::vec((0_u32..3, any::<bool>()), 1..4),
        nodes in prop::collection::vec(
            (0_usize..4, prop::collection::vec((50_i64..1800, 0_usize..3, 0_u8..24), 0..4), 0_u8..20),
            1..14,
        ),
        waiting in prop::collection::vec(50_i64..3000, 0..4),
        budgets in prop::collection::vec(0_i32..4, 0..4),
        (parallelism, drains, share) in (0_u32..12, 0_u32..6, 20_u32..=100),
    ) -> Builder {
        let mut world = world();
        for (number, (min, atomic)) in groups.iter().enumerate() {
            world = world.group(&format!("g{number}"), *min..=20);
            world = world.change_group(|group| group.options.atomic = *atomic && number == 2);
        }
        for (number, (group, pods, mark)) in nodes.iter().enumerate() {
            world = add_node(world, number, *group, pods, *mark);
        }
        for (number, cpu) in waiting.into_iter().enumerate() {
            world = world.waiting(&format!("w{number}"), cpu);
        }
        for (app, allowed) in APPS.iter().zip(budgets) {
            world = world.budget(app, min_available(1), Some(allowed));
        }
        world.set(|settings| {
            settings.parallelism = parallelism;
            settings.drain_parallelism = drains;
            settings.group_share_percent = share;
        })
    }
}

/// Adds a node of a random group (or of none) with its pods; one in ten is leaving, one in ten unready.
fn add_node(mut world: Builder, number: usize, group: usize, pods: &[Draw], mark: u8) -> Builder {
    let name = format!("n{number:02}");
    let count = world.0.groups.len();
    if group < count {
        // Builders add to the last group.
        world.0.groups.swap(group, count - 1);
        world = world.node(&name);
        world.0.groups.swap(group, count - 1);
    } else {
        let labels = super::labels(&[(label::HOSTNAME, &name)]);
        world.0.nodes.push(std::sync::Arc::new(Node { labels, ..super::node(&name) }));
    }
    world = match mark {
        0 | 1 => world.change_node(|node| node.deleting = true),
        2 => world.unready(-60),
        3 => world.unready(-5),
        4 => world.change_node(|node| node.keep = true),
        _ => world,
    };
    for (place, (cpu, app, special)) in pods.iter().enumerate() {
        world = world.pod(&format!("p{number:02}-{place}"), *cpu).app(APPS[*app]);
        world = match special {
            0 => world.says(SafeToEvict::No),
            1 => world.owner(None),
            2 => world.extras(|extras| extras.local_volumes = vec!["tmp".into()]),
            3 => world.change_pod(|pod| pod.priority = -20),
            4..8 => apart(world, APPS[*app]),
            8 => world.extras(|extras| extras.daemon = true),
            _ => world,
        };
    }
    world
}

fn apart(world: Builder, app: &str) -> Builder {
    let term = PodTerm {
        selector: Some(selector("app", app)),
        namespaces: NamespaceScope::only(Symbol::new("default")),
        topology_key: Symbol::new(label::HOSTNAME),
    };
    world.change_shape(|shape| shape.anti_affinity = [term].into())
}

/// The pass up to giving back, with the scene as it is then.
fn run(world: &Builder) -> (Scene<'_>, GivenBack) {
    let mut scene = Scene::new(state::observe(&world.0));
    let pending = Pending::sort_out(&mut scene, &Requests::default());
    existing::place(&mut scene, pending.demands);
    let allowance = Allowance::new(&scene);
    let market = Market::new(&scene, &allowance);
    let shop = Shop::new(&scene, &market, allowance);
    let given = give_back(&mut scene, &shop);
    (scene, given)
}

fn count(plan: &Plan, world: &Builder, id: Symbol) -> u32 {
    let retired = plan.retirements.iter().filter(|retirement| retirement.group == id).count();
    let going = world.0.nodes.iter().filter(|node| {
        node.deleting && node.labels.get(Symbol::new(label::GROUP)) == Some(&id.into())
    });
    u32::try_from(retired + going.count()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_node_has_one_fate(world in any_world()) {
        let plan = world.plan();
        let mut named: Vec<_> = plan.retirements.iter().map(|one| one.node).collect();
        named.extend(plan.blocked.iter().map(|one| one.node));
        named.sort();
        let mut nodes: Vec<_> = world.0.nodes.iter().map(|node| node.name).collect();
        nodes.sort();
        prop_assert_eq!(named, nodes);
        for retirement in &plan.retirements {
            prop_assert!(plan.unneeded.iter().any(|one| one.node == retirement.node));
        }
    }

    #[test]
    fn no_budget_is_overdrawn(world in any_world()) {
        let plan = world.plan();
        for budget in &world.0.budgets {
            let selector = budget.selector.as_ref().unwrap();
            let evicted = plan.retirements.iter().flat_map(|retirement| &retirement.evict);
            let evicted = evicted.filter(|name| {
                world.0.pods.iter().any(|pod| pod.id() == **name && selector.matches(&pod.shape.labels))
            });
            let evicted = i32::try_from(evicted.count()).unwrap();
            prop_assert!(evicted <= budget.allowed.unwrap());
        }
    }

    #[test]
    fn evicted_pods_are_at_home_on_nodes_that_stay(world in any_world()) {
        let (scene, given) = run(&world);
        let cpu = Symbol::new(resource::CPU);
        let place = |node: &Symbol| scene.node_ids[scene.state.node_places[node]];
        let leaving: Vec<NodeId> = given.retirements.iter().map(|one| place(&one.node)).collect();
        for retirement in &given.retirements {
            for name in &retirement.evict {
                let pod = world.0.pods.iter().position(|pod| pod.id() == *name).unwrap();
                if world.0.pods[pod].is_daemon() {
                    continue;
                }
                let home = scene.snapshot.node_of(scene.pod_ids[pod].unwrap());
                prop_assert!(!leaving.contains(&home));
                let known = scene.node_ids.iter().position(|id| *id == home).unwrap();
                prop_assert_eq!(scene.state.nodes[known].readiness, state::Readiness::Ready);
                prop_assert!(scene.snapshot.free(home, cpu) >= 0);
                let apart = &world.0.pods[pod].shape.anti_affinity;
                let others = scene.residents.of(known).iter().filter(|other| **other != pod);
                let mut matching = others.filter(|other| {
                    apart.iter().any(|term| {
                        let labels = &world.0.pods[**other].shape.labels;
                        term.selector.as_ref().unwrap().matches(labels)
                            && scene.pod_ids[**other].is_some_and(|id| scene.snapshot.node_of(id) == home)
                    })
                });
                prop_assert!(matching.next().is_none());
            }
            // Nothing that needs a place is left behind.
            let node = scene.state.node_places[&retirement.node];
            for place in scene.residents.of(node) {
                let pod = &world.0.pods[*place];
                let here = scene.pod_ids[*place].is_some_and(|id| scene.snapshot.node_of(id) == scene.node_ids[node]);
                prop_assert!(!here || pod.is_daemon());
            }
        }
    }

    #[test]
    fn groups_keep_their_minimum_and_leave_in_shares(world in any_world()) {
        let plan = world.plan();
        let settings = &world.0.settings.scale_down;
        for group in &world.0.groups {
            let retired = plan.retirements.iter().filter(|one| one.group == group.id).count();
            if retired > 0 {
                prop_assert!(group.target.saturating_sub(count(&plan, &world, group.id)) >= group.min);
                let size = group.target;
                let share = (size * settings.group_share_percent / 100).max(1);
                prop_assert!(count(&plan, &world, group.id) <= share);
            }
            if group.options.atomic && retired > 0 {
                prop_assert_eq!(count(&plan, &world, group.id), group.target);
            }
        }
        let atomic = |one: &&crate::Retirement| {
            world.0.groups.iter().any(|group| group.id == one.group && group.options.atomic)
        };
        if !plan.retirements.iter().any(|one| atomic(&one)) {
            prop_assert!(plan.retirements.len() <= settings.parallelism as usize);
        }
    }

    #[test]
    fn the_same_world_gives_the_same_plan(world in any_world()) {
        let show = |plan: &Plan| format!("{:?} {:?} {:?} {:?}", plan.retirements, plan.blocked, plan.unneeded, plan.memory);
        prop_assert_eq!(show(&world.plan()), show(&world.clone().plan()));
    }

    #[test]
    fn what_is_unneeded_stays_so_while_nothing_changes(world in any_world()) {
        let world = world.set(|settings| settings.parallelism = 0);
        let plan = world.plan();
        if !plan.purchases.is_empty() || !plan.repairs.is_empty() {
            return Ok(());
        }
        let mut next = world.clone();
        next.0.orders = plan.orders_after(&next.0);
        next.0.memory = plan.memory.clone();
        next.0.now = at(1);
        let before: Vec<_> = plan.unneeded.iter().map(|one| one.node).collect();
        let after = next.plan();
        let after: Vec<_> = after.unneeded.iter().map(|one| one.node).collect();
        prop_assert_eq!(before, after);
    }
}
