//! Nodes that leave together: pods of each find a place on what is left.

use plimsoll_model::{Money, NamespaceScope, PodTerm, SpreadConstraint, Symbol, label};

use super::{Builder, amounts, at, labels, selector, world};

#[test]
fn of_two_half_empty_nodes_one_is_emptied_into_the_other() {
    let world = world().group("g", 0..=9).node("a").pod("p", 2000).node("b").pod("q", 2000);
    let world = world.busy_node("full").pod("r", 4000);
    world.check(&[
        "a leaves Underutilized p",
        "b stays NoPlaceToMovePods",
        "full stays NotUnderutilized",
    ]);
}

#[test]
fn the_dearer_of_two_nodes_goes() {
    let priced = |cheap: &str, dear: &str| {
        let price = |micros| {
            move |group: &mut plimsoll_model::Group| group.price = Some(Money::from_micros(micros))
        };
        let world = world().group("cheap", 0..=9).change_group(price(1)).node(cheap).pod("p", 2000);
        world.group("dear", 0..=9).change_group(price(2)).node(dear).pod("q", 2000)
    };
    priced("a", "b").check(&["a stays NoPlaceToMovePods", "b leaves Underutilized q"]);
    priced("b", "a").check(&["a leaves Underutilized q", "b stays NoPlaceToMovePods"]);
}

#[test]
fn the_node_that_has_waited_longest_goes_first() {
    let world = world().group("g", 0..=9).node("a").pod("p", 2000).node("b").pod("q", 2000);
    let world = world.remember(|memory| {
        memory.unneeded_since.insert(Symbol::new("b"), at(-40));
    });
    world.check(&["a stays NoPlaceToMovePods", "b leaves Underutilized q"]);
}

#[test]
fn pods_move_on_when_the_node_that_took_them_goes_too() {
    let since = |world: Builder, minutes| {
        world.remember(|memory| {
            let last = *memory.unneeded_since.keys().last().unwrap();
            memory.unneeded_since.insert(last, at(minutes));
        })
    };
    // The pod of `a` keeps apart from that of `d`, so it goes to `c`; when that leaves it goes to `b`, whose own pod may
    // not be anywhere else.
    let world = since(world().group("g", 0..=9).node("a"), -60);
    let world = apart(world.pod("p", 1000), "x").app("");
    let world = since(world.node("b"), -50).pod("pinned", 1000).change_shape(|shape| {
        shape.node_affinity.selector = labels(&[(label::HOSTNAME, "b")]);
    });
    let world = since(world.node("c"), -40).pod("q", 100);
    let world = since(world.node("d"), -35).pod("r", 1000).app("x");
    world.check(&[
        "a leaves Underutilized p",
        "b stays NoPlaceToMovePods",
        "c leaves Underutilized q",
        "d stays NoPlaceToMovePods",
    ]);
}

#[test]
fn many_are_emptied_into_few() {
    let nodes = ["a", "b", "c", "d", "e", "f", "g", "h"].iter();
    let world = nodes.fold(world().group("g", 0..=9), |world, node| {
        world.node(node).pod(&format!("p-{node}"), 500).pod(&format!("q-{node}"), 500)
    });
    assert_eq!(world.plan().retirements.len(), 6);
}

#[test]
fn nobody_is_moved_to_a_node_that_is_not_there_yet() {
    let world = world().group("g", 0..=9).node("a").pod("p", 1000).group("h", 0..=9);
    let world = world.change_group(|group| {
        let mut template = super::node("");
        template.allocatable = amounts(&[("cpu", 4000), ("pods", 110)]);
        group.template = Some(std::sync::Arc::new(template));
        group.target = 1;
    });
    assert_eq!(world.plan().groups[1].upcoming, 1);
    world.check(&["a stays NoPlaceToMovePods"]);
}

#[test]
fn nobody_is_moved_to_an_unready_or_cordoned_node() {
    let beside = |change: fn(Builder) -> Builder| {
        let world =
            change(world().group("g", 0..=9).busy_node("b").change_node(|node| node.keep = true));
        world.node("a").pod("p", 1000)
    };
    beside(|world| world)
        .check(&["a leaves Underutilized p", "b stays ScaleDownDisabledAnnotation"]);
    let stays = ["a stays NoPlaceToMovePods", "b stays ScaleDownDisabledAnnotation"];
    beside(|world| world.unready(-60)).check(&stays);
    beside(|world| world.change_node(|node| node.unschedulable = true)).check(&stays);
}

/// Keeps pods of the app apart, one a host.
fn apart(world: Builder, app: &str) -> Builder {
    let term = PodTerm {
        selector: Some(selector("app", app)),
        namespaces: NamespaceScope::only(Symbol::new("default")),
        topology_key: Symbol::new(label::HOSTNAME),
    };
    world.app(app).change_shape(|shape| shape.anti_affinity = [term].into())
}

#[test]
fn pods_that_keep_apart_need_a_host_each() {
    let base =
        world().group("g", 0..=9).busy_node("x").pod("x0", 3000).busy_node("y").pod("y0", 3000);
    let world = apart(base.node("a").pod("p", 100), "db");
    let world = apart(world.node("b").pod("q", 100), "db");
    assert_eq!(world.plan().retirements.len(), 2);
    let world = apart(world.node("c").pod("r", 100), "db");
    world.check(&[
        "a leaves Underutilized p",
        "b leaves Underutilized q",
        "c stays NoPlaceToMovePods",
        "x stays NotUnderutilized",
        "y stays NotUnderutilized",
    ]);
}

#[test]
fn a_node_that_leaves_still_counts_as_a_domain_of_a_spread() {
    let spread = |world: Builder| {
        let constraint = SpreadConstraint {
            max_skew: 1,
            topology_key: Symbol::new(label::HOSTNAME),
            selector: Some(selector("app", "web")),
            min_domains: 1,
            honor_affinity: true,
            honor_taints: false,
        };
        world.app("web").change_shape(|shape| shape.spread = [constraint].into())
    };
    let world = spread(
        world().group("g", 0..=9).busy_node("x").change_node(|node| node.keep = true).pod("p", 100),
    );
    let world = spread(world.node("a").pod("q", 100));
    // While the emptied node is there, the scheduler would put the pod nowhere else.
    world.check(&["a stays NoPlaceToMovePods", "x stays ScaleDownDisabledAnnotation"]);
}

/// The important one is scheduled first, and may take the room that the other one needs.
#[test]
fn pods_are_moved_in_the_order_in_which_they_will_be_scheduled() {
    let tight = |priority: i32| {
        let world =
            world().group("g", 0..=9).node("x").pod("most", 3000).node("y").pod("more", 3500);
        let world = world.node("a").pod("large", 1000).pod("small", 500);
        world.change_pod(|pod| pod.priority = priority)
    };
    let stay = ["x stays NotUnderutilized", "y stays NotUnderutilized"];
    tight(0).check(&[&["a leaves Underutilized large small"], &stay[..]].concat());
    tight(10).check(&[&["a stays NoPlaceToMovePods"], &stay[..]].concat());
}

/// Lets the last pod share the host of a cache.
fn near(world: Builder) -> Builder {
    let term = PodTerm {
        selector: Some(selector("app", "cache")),
        namespaces: NamespaceScope::only(Symbol::new("default")),
        topology_key: Symbol::new(label::HOSTNAME),
    };
    world.change_shape(|shape| shape.affinity = [term].into())
}

#[test]
fn pods_that_want_to_be_together_move_together() {
    // The larger one is tried first and has to wait for the smaller.
    let world = near(world().fixed().group("g", 0..=9).node("a").pod("large", 500))
        .pod("small", 100)
        .app("cache");
    world.check(&["a leaves Underutilized large small"]);
}

/// The scheduler may put the small one where there is room for it alone, and then the large one could go nowhere.
#[test]
fn pods_that_might_lose_each_other_stay() {
    let full = world().fixed().group("g", 0..=9).node("full").pod("most", 3700);
    let world = near(full.node("a").pod("large", 500)).pod("small", 100).app("cache");
    world.check(&["a stays NoPlaceToMovePods", "full stays NotUnderutilized"]);
}

#[test]
fn an_atomic_group_leaves_whole_or_not_at_all() {
    let atomic =
        || world().fixed().group("g", 0..=9).change_group(|group| group.options.atomic = true);
    atomic()
        .node("a")
        .node("b")
        .pod("p", 100)
        .check(&["a leaves Empty", "b leaves Underutilized p"]);
    atomic()
        .node("a")
        .node("b")
        .pod("p", 3000)
        .check(&["a stays AtomicScaleDownFailed", "b stays NotUnderutilized"]);
    atomic()
        .node("a")
        .busy_node("b")
        .check(&["a stays AtomicScaleDownFailed", "b stays NotUnneededLongEnough"]);
    let no_room = world().group("g", 0..=9).change_group(|group| group.options.atomic = true);
    no_room
        .node("a")
        .node("b")
        .pod("p", 100)
        .check(&["a stays AtomicScaleDownFailed", "b stays NoPlaceToMovePods"]);
    let needed = atomic().node("a").node("b").change_group(|group| group.min = 1);
    needed.check(&["a stays NodeGroupMinSizeReached", "b stays NodeGroupMinSizeReached"]);
}

#[test]
fn an_atomic_group_that_still_grows_stays() {
    let world = world().group("g", 0..=9).change_group(|group| group.options.atomic = true);
    let world = world.node("a").node("b").change_group(|group| group.target = 3);
    world.check(&["a stays AtomicScaleDownFailed", "b stays AtomicScaleDownFailed"]);
}
