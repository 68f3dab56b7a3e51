use std::sync::Arc;

use plimsoll_model::InstanceState;

use super::{Builder, Readiness, amounts, at, just_after, labels, node, taint, world};

fn readiness(world: Builder) -> Readiness {
    world.check(|state| state.nodes.last().unwrap().readiness)
}

fn member() -> Builder {
    world().group("a", 0..=9).member("n")
}

#[test]
fn what_is_on_its_way_out_is_told_by_taint_instance_or_node() {
    let marked = member().change_node(|node| {
        node.taints = [taint("ToBeDeletedByClusterAutoscaler")].into();
        node.conditions.ready = false;
    });
    assert_eq!(readiness(marked), Readiness::BeingDeleted);
    assert_eq!(
        readiness(member().change_node(|node| node.deleting = true)),
        Readiness::BeingDeleted
    );
    let deleting =
        member().change_group(|group| group.instances[0].state = InstanceState::Deleting);
    assert_eq!(readiness(deleting), Readiness::BeingDeleted);
    let candidate = member()
        .change_node(|node| node.taints = [taint("DeletionCandidateOfClusterAutoscaler")].into());
    assert_eq!(readiness(candidate), Readiness::Ready);
}

#[test]
fn a_node_has_its_startup_time_to_become_ready() {
    let created =
        |seconds| member().unready(-2).change_node(|node| node.created = just_after(-15, seconds));
    assert_eq!(readiness(created(1)), Readiness::NotStarted);
    assert_eq!(readiness(created(0)), Readiness::Unready { since: at(-2) });
    let patient = created(0).change_group(|group| group.options.startup_time = super::mins(16));
    assert_eq!(readiness(patient), Readiness::NotStarted);
}

#[test]
fn a_node_without_group_has_the_time_of_the_flags() {
    let lone = |minutes: i64| {
        world()
            .set(|settings| settings.group.startup_time = super::mins(5))
            .node("n")
            .unready(-1)
            .change_node(|node| node.created = at(-minutes))
    };
    assert_eq!(readiness(lone(4)), Readiness::NotStarted);
    assert_eq!(readiness(lone(5)), Readiness::Unready { since: at(-1) });
}

#[test]
fn startup_taint_missing_network_and_missing_gpu_pass_in_a_young_node_only() {
    let flaws: [fn(&mut plimsoll_model::Node); 3] = [
        |node| node.taints = [taint("startup-taint.cluster-autoscaler.kubernetes.io/x")].into(),
        |node| node.conditions.network_unavailable = true,
        |node| node.labels = labels(&[("accelerator", "t4")]),
    ];
    for flaw in flaws {
        let young = member().change_node(|node| node.created = at(-3)).change_node(flaw);
        assert_eq!(readiness(young), Readiness::NotStarted);
        // Ready since long ago, so the time of that condition tells nothing.
        let old = member()
            .change_node(flaw)
            .change_node(|node| node.conditions.ready_since = Some(at(-119)));
        assert_eq!(readiness(old), Readiness::Unready { since: at(0) });
    }
    let visible = member().change_node(|node| {
        node.labels = labels(&[("accelerator", "t4")]);
        node.allocatable = amounts(&[("cpu", 1), ("nvidia.com/gpu", 1)]);
    });
    assert_eq!(readiness(visible), Readiness::Ready);
}

#[test]
fn a_young_node_is_held_to_its_template_and_an_old_one_is_not() {
    let with_template = |minutes: i64| {
        let mut template = node("template");
        template.allocatable = amounts(&[("cpu", 2000), ("example.com/fpga", 1)]);
        member()
            .change_group(|group| group.template = Some(Arc::new(template)))
            .change_node(|node| node.created = at(-minutes))
    };
    assert_eq!(readiness(with_template(3)), Readiness::NotStarted);
    assert_eq!(readiness(with_template(15)), Readiness::Ready);
    let complete =
        with_template(3).change_node(|node| node.allocatable = amounts(&[("example.com/fpga", 1)]));
    assert_eq!(readiness(complete), Readiness::Ready);
}

#[test]
fn a_sleeping_node_is_neither_ready_nor_unready() {
    let asleep = member().unready(-90).change_node(|node| node.conditions.suspended = true);
    asleep.check(|state| {
        assert_eq!(state.nodes[0].readiness, Readiness::Suspended);
        let group = &state.groups[0];
        assert_eq!((group.ready, group.unready, group.suspended, group.upcoming), (0, 0, 1, 0));
        assert!(state.memory.unready_since.is_empty());
    });
}

#[test]
fn the_clock_of_an_unready_node_is_kept_and_others_are_dropped() {
    member()
        .unready(-10)
        .node("well")
        .node("unknown")
        .change_node(|node| node.conditions.ready = false)
        .remember(|memory| {
            for name in ["n", "well", "gone"] {
                memory.unready_since.insert(name.into(), at(-30));
                memory.unneeded_since.insert(name.into(), at(-40));
            }
        })
        .check(|state| {
            assert_eq!(state.nodes[0].readiness, Readiness::Unready { since: at(-30) });
            let since: Vec<_> = state.memory.unready_since.clone().into_iter().collect();
            assert_eq!(since, [("n".into(), at(-30)), ("unknown".into(), at(0))]);
            let unneeded: Vec<_> = state.memory.unneeded_since.keys().copied().collect();
            assert_eq!(unneeded, ["n".into(), "well".into()]);
        });
}

/// Between the kubelet's word and the controller that takes the taint off, the node is as good as on its way; an old node that
/// got such a taint a moment ago is what its conditions say.
#[test]
fn a_ready_node_that_is_still_closed_to_begin_with_has_not_started() {
    for key in ["node.kubernetes.io/not-ready", "node.cloudprovider.kubernetes.io/uninitialized"] {
        let closed = |minutes: i64| {
            member().change_node(|node| {
                node.taints = [taint(key)].into();
                node.created = at(-minutes);
            })
        };
        assert_eq!(readiness(closed(1)), Readiness::NotStarted, "{key}");
        assert_eq!(readiness(closed(20)), Readiness::Ready, "{key}");
    }
}
