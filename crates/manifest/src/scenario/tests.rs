//! Worlds that are read, and files that are refused.

use expect_test::{Expect, expect};
use plimsoll_model::{InstanceState, Money, Symbol, Text, World};

use super::read;

mod refused;

const NOW: &str = "now: 2026-01-01T12:00:00Z\n";

/// The world of a YAML file that begins with `now`.
fn world(rest: &str) -> World {
    read(&format!("{NOW}{rest}")).unwrap_or_else(|error| panic!("{error}"))
}

/// Groups with what was derived for them, a line each and a line for each machine.
fn check_groups(rest: &str, expected: &Expect) {
    let mut lines = Vec::new();
    for group in world(rest).groups {
        let (id, min, max, target) = (group.id, group.min, group.max, group.target);
        let price = group.price.map_or_else(|| "-".to_owned(), |price| price.micros().to_string());
        lines.push(format!("{id} {min}..{max} target {target} price {price}"));
        for one in group.instances {
            let node = one.node.map_or("-", Symbol::as_str);
            let created = one.created.map_or_else(|| "-".to_owned(), |at| at.to_string());
            lines.push(format!("  {} {node} {:?} {created}", one.id, one.state));
        }
    }
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn the_smallest_scenario_is_a_moment() {
    for text in [
        "now: 2026-01-01T12:00:00Z",
        "{\"now\": \"2026-01-01T12:00:00Z\"}",
        "{now: 2026-01-01T12:00:00Z}",
    ] {
        let world = read(text).unwrap();
        assert_eq!(world.now.to_string(), "2026-01-01T12:00:00Z");
        assert!(world.nodes.is_empty() && world.groups.is_empty());
    }
}

#[test]
fn machines_are_derived_from_labelled_nodes() {
    check_groups(
        "
groups:
- {id: a, min: 1, max: 5, price: 0.40}
- {id: b, max: 5, target: 3}
objects:
- {kind: Node, metadata: {name: n-0, labels: {plimsoll.dev/node-group: a}}, spec: {providerID: 'sim://0'}}
- {kind: Node, metadata: {name: n-1, creationTimestamp: '2026-01-01T11:00:00Z', labels: {plimsoll.dev/node-group: a}}}
- {kind: Node, metadata: {name: n-2, labels: {plimsoll.dev/node-group: gone}}}
",
        &expect![[r"
            a 1..5 target 2 price 400000
              sim://0 n-0 Running 2026-01-01T10:00:00Z
              node://n-1 n-1 Running 2026-01-01T11:00:00Z
            b 0..5 target 3 price -"]],
    );
}

#[test]
fn listed_machines_count_unless_they_are_being_deleted() {
    check_groups(
        "
groups:
- id: a
  max: 9
  instances:
  - {id: 'sim://0', node: n-0, created: '2026-01-01T10:30:00Z'}
  - {id: 'sim://1', state: creating, error: {class: OutOfResources, code: STOCKOUT, message: no more}}
  - {id: 'sim://2', state: deleting}
- {id: b, max: 9, instances: []}
objects:
- {kind: Node, metadata: {name: n-2}, spec: {providerID: 'sim://2'}}
- {kind: Node, metadata: {name: n-3, labels: {plimsoll.dev/node-group: b}}}
",
        &expect![[r"
            a 0..9 target 2 price -
              sim://0 n-0 Running 2026-01-01T10:30:00Z
              sim://1 - Creating -
              sim://2 n-2 Deleting -
            b 0..9 target 0 price -"]],
    );
}

#[test]
fn a_template_may_leave_out_capacity_or_allocatable() {
    let world = world(
        "
groups:
- {id: a, max: 1, template: {metadata: {labels: {x: y}}, status: {capacity: {cpu: 4, pods: 10}}}}
- {id: b, max: 1, template: {status: {allocatable: {cpu: 4, pods: 10}}}}
- {id: c, max: 1}
",
    );
    let [a, b, c] = &world.groups[..] else { panic!("three groups") };
    let (a, b) = (a.template.as_ref().unwrap(), b.template.as_ref().unwrap());
    assert_eq!(a.allocatable, a.capacity);
    assert_eq!(a.allocatable, b.allocatable);
    assert_eq!(b.allocatable, b.capacity);
    assert_eq!(a.labels.get(Symbol::new("x")), Some(&Text::new("y")));
    assert!(c.template.is_none());
}

#[test]
fn options_of_a_group_lie_over_the_flags() {
    let world = world(
        "
flags: {scale-down-unneeded-time: 7m, scale-down-unready-time: 8m, node-fee: 0, startup-taint: [a, b]}
groups:
- {id: a, max: 1, options: {scale-down-unneeded-time: 2m, zero-or-max-node-scaling: true}}
- {id: b, max: 1}
",
    );
    let minutes: Vec<_> = world
        .groups
        .iter()
        .map(|group| &group.options)
        .map(|options| {
            (options.unneeded_time.as_mins(), options.unready_time.as_mins(), options.atomic)
        })
        .collect();
    assert_eq!(minutes, [(2, 8, true), (7, 8, false)]);
    assert_eq!(world.settings.scale_up.node_fee, Money::ZERO);
    assert_eq!(world.settings.taints.startup.len(), 2);
}

#[test]
fn copies_are_numbered() {
    let world = world(
        "
objects:
- {count: 2, object: {kind: Pod, metadata: {name: web}, spec: {containers: [{name: c}]}}}
- {object: {kind: Node, metadata: {name: n%d-x}}, count: 2}
- {count: 0, object: {kind: Node, metadata: {name: never}}}
",
    );
    let pods: Vec<_> = world.pods.iter().map(|pod| pod.id().to_string()).collect();
    let nodes: Vec<_> = world.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(
        (pods.join(" "), nodes.join(" ")),
        ("default/web-0 default/web-1".into(), "n0-x n1-x".into())
    );
}

#[test]
fn memory_is_read_in_full() {
    let world = world(
        "
memory:
  unneededSince: {a-0: 2026-01-01T11:45:00Z}
  unremovableUntil: {a-0: 2026-01-01T12:03:00Z}
  unreadySince: {a-2: 2026-01-01T11:30:00Z}
  lastScaleUp: 2026-01-01T11:00:00Z
  lastScaleDown: 2026-01-01T11:01:00Z
  lastScaleDownFailure: 2026-01-01T11:02:00Z
  scaleUps: [{group: pool-a, increase: 2, at: 2026-01-01T11:58:00Z}]
  backoff: [{group: pool-b, until: 2026-01-01T12:03:00Z, step: 10m, code: STOCKOUT}, {group: c, until: 2026-01-01T12:04:00Z}]
  sizeMismatchSince: {pool-a: 2026-01-01T11:40:00Z}
",
    );
    let [order] = &*world.orders else { panic!("{:?}", world.orders) };
    assert_eq!((order.intent.group.as_str(), order.machines()), ("pool-a", 2));
    assert_eq!(order.created.to_string(), "2026-01-01T11:58:00Z");
    let memory = world.memory;
    expect![[r#"
        Memory {
            unneeded_since: {
                "a-0": 2026-01-01T11:45:00Z,
            },
            unready_since: {
                "a-2": 2026-01-01T11:30:00Z,
            },
            departed_since: {},
            unregistered: {},
            contradiction: None,
            lost_deletions: {},
            last_scale_up: Some(
                2026-01-01T11:00:00Z,
            ),
            last_scale_down: Some(
                2026-01-01T11:01:00Z,
            ),
            last_scale_down_failure: Some(
                2026-01-01T11:02:00Z,
            ),
            group_activity: {},
            backoff: {
                "c": Backoff {
                    until: 2026-01-01T12:04:00Z,
                    step: 300s,
                    failed: 2026-01-01T11:59:00Z,
                    code: "",
                },
                "pool-b": Backoff {
                    until: 2026-01-01T12:03:00Z,
                    step: 600s,
                    failed: 2026-01-01T11:53:00Z,
                    code: "STOCKOUT",
                },
            },
            size_mismatch_since: {
                "pool-a": 2026-01-01T11:40:00Z,
            },
            replacement: None,
            consolidated: None,
            stayed: {},
            recent_evictions: {},
            requests: {},
            exemplars: {},
            watched_since: {},
            registered: {},
            unremovable_until: {
                "a-0": 2026-01-01T12:03:00Z,
            },
        }
    "#]]
    .assert_debug_eq(&memory);
}

#[test]
fn the_priority_list_comes_from_its_config_map() {
    let priorities = |text: &str| {
        let map = "{kind: ConfigMap, metadata: {name: cluster-autoscaler-priority-expander, namespace: kube-system}";
        let rest = format!("objects:\n- {map}, data: {{priorities: {text:?}}}}}\n");
        world(&rest).settings.scale_up.priorities
    };
    assert_eq!(
        priorities("50:\n- spot-.*\n10:\n- ondemand-.*\n- x\n"),
        Some(vec![
            (10, vec!["ondemand-.*".to_owned(), "x".to_owned()]),
            (50, vec!["spot-.*".to_owned()])
        ])
    );
    assert_eq!(priorities("high: [spot]"), None);
    assert_eq!(priorities("10: spot"), None);
    assert_eq!(priorities(""), None);
}

#[test]
fn kinds_of_no_concern_are_passed_over() {
    let world = world(
        "objects:\n- {apiVersion: example.com/v1, kind: NodeProvisioner, metadata: {name: x}}\n",
    );
    assert!(world.nodes.is_empty());
}

#[test]
fn json_and_yaml_mean_the_same() {
    let json = r#"{"now":"2026-01-01T12:00:00Z","flags":{"cores-total":"0:9"},"groups":[{"id":"a","max":3,
        "instances":[{"id":"i","state":"deleting"}]}],"objects":[{"kind":"Node","metadata":{"name":"n"}}]}"#;
    let (one, other) = (
        read(json).unwrap(),
        world(
            "flags: {cores-total: 0:9}\ngroups: [{id: a, max: 3, instances: [{id: i, state: deleting}]}]\nobjects: [{kind: Node, metadata: {name: n}}]\n",
        ),
    );
    assert_eq!(one.settings, other.settings);
    assert_eq!(one.nodes, other.nodes);
    assert_eq!(one.groups[0].instances[0].state, InstanceState::Deleting);
    assert_eq!(format!("{:?}", one.groups), format!("{:?}", other.groups));
}
