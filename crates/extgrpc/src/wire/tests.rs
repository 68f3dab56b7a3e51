use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Conditions, Effect, GroupOptions, Labels, Node, Resources, Taint};
use plimsoll_provider::Overrides;
use proptest::prelude::*;
use prost::Message as _;

use super::{node, options, time};
use crate::proto::{core, external::NodeGroupAutoscalingOptions};

fn small_node() -> Node {
    Node {
        name: "n".into(),
        labels: Labels::from_pairs([("b".into(), "2"), ("a".into(), "1")]),
        taints: Box::new([Taint { key: "t".into(), value: "".into(), effect: Effect::NoExecute }]),
        unschedulable: false,
        allocatable: Resources::from_amounts([("cpu".into(), 1_500)]),
        capacity: Resources::from_amounts([("cpu".into(), 2_000), ("memory".into(), 1 << 30)]),
        provider_id: "p://1".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    }
}

/// Written down by hand from the field numbers of Kubernetes' own definitions.
#[test]
fn a_node_is_these_bytes() {
    let expected: Vec<u8> = [
        // metadata: name, creationTimestamp, labels, annotations.
        &b"\x0a\x33"[..],
        b"\x0a\x01n",
        b"\x42\x00",
        b"\x5a\x06\x0a\x01a\x12\x011",
        b"\x5a\x06\x0a\x01b\x12\x012",
        b"\x62\x1c\x0a\x17plimsoll.dev/node-group\x12\x01g",
        // spec: providerID, taints.
        b"\x12\x17",
        b"\x1a\x05p://1",
        b"\x2a\x0e\x0a\x01t\x1a\x09NoExecute",
        // status: capacity, allocatable, conditions.
        b"\x1a\x40",
        b"\x0a\x0a\x0a\x03cpu\x12\x03\x0a\x012",
        b"\x0a\x0f\x0a\x06memory\x12\x05\x0a\x031Gi",
        b"\x12\x0e\x0a\x03cpu\x12\x07\x0a\x051500m",
        b"\x22\x11\x0a\x05Ready\x12\x04True\x1a\x00\x22\x00",
    ]
    .concat();
    let written = node::write(&small_node(), "g", "any").encode_to_vec();
    assert_eq!(written, expected, "{}\n{}", written.escape_ascii(), expected.escape_ascii());
}

#[test]
fn options_are_these_bytes() {
    let sent = options::write(&GroupOptions {
        unneeded_time: SignedDuration::from_nanos(1),
        unready_time: SignedDuration::from_secs(1),
        utilization_threshold: 0.5,
        gpu_utilization_threshold: 0.0,
        ignore_daemon_sets: true,
        provision_time: SignedDuration::ZERO,
        startup_time: SignedDuration::from_secs(2),
        atomic: true,
    });
    let expected: Vec<u8> = [
        &b"\x09\x00\x00\x00\x00\x00\x00\xe0\x3f"[..],
        b"\x1a\x02\x08\x01",
        b"\x22\x06\x08\x80\x94\xeb\xdc\x03",
        b"\x2a\x00",
        b"\x30\x01\x38\x01",
        b"\x42\x02\x10\x01",
        b"\x4a\x02\x08\x01",
        b"\x52\x00",
        b"\x5a\x02\x08\x02",
    ]
    .concat();
    assert_eq!(sent.encode_to_vec(), expected);
}

#[test]
fn a_node_comes_back_as_it_was() {
    let sent = node::write(&small_node(), "g", "any");
    let read = node::read(&core::Node::decode(&*sent.encode_to_vec()).unwrap()).unwrap();
    let conditions =
        Conditions { ready_since: Some(Timestamp::UNIX_EPOCH), ..Conditions::default() };
    assert_eq!(read, Node { conditions, ..small_node() });
}

#[test]
fn a_template_without_a_provider_id_names_its_group() {
    let template = Arc::new(Node { provider_id: "".into(), ..small_node() });
    let sent = node::write(&template, "a/b c", "cloud");
    assert_eq!(sent.spec.unwrap().provider_id, "cloud://template/a/b c");
}

#[test]
fn what_is_no_node_is_refused_with_its_place() {
    let mut sent = node::write(&small_node(), "g", "any");
    let status = sent.status.as_mut().unwrap();
    status.capacity.get_mut("cpu").unwrap().string = "many".to_owned();
    assert_eq!(
        node::read(&sent).unwrap_err(),
        "status.capacity[cpu]: quantity \"many\" is not a number with an optional suffix"
    );
    let mut sent = node::write(&small_node(), "g", "any");
    sent.status.as_mut().unwrap().allocatable.get_mut("cpu").unwrap().string = "-1".to_owned();
    assert_eq!(node::read(&sent).unwrap_err(), "status.allocatable[cpu]: -1 is below zero");
    let mut sent = node::write(&small_node(), "g", "any");
    sent.spec.as_mut().unwrap().taints[0].effect = "Never".to_owned();
    assert_eq!(node::read(&sent).unwrap_err(), "spec.taints[t]: no effect is called \"Never\"");
}

#[test]
fn new_fields_win_over_old_ones() {
    let defaults = NodeGroupAutoscalingOptions {
        scale_down_unneeded_time: Some(time::old_span(SignedDuration::from_secs(1))),
        scale_down_unneeded_duration: Some(time::new_span(SignedDuration::from_secs(2))),
        ..Default::default()
    };
    let read = options::read(&defaults, &GroupOptions::default());
    assert_eq!(read.unneeded_time, SignedDuration::from_secs(2));
    assert_eq!(read.unready_time, GroupOptions::default().unready_time);
}

prop_compose! {
    fn spans()(seconds in -9_000_000_000_i64..9_000_000_000, nanos in 0..1_000_000_000) -> SignedDuration {
        SignedDuration::from_secs(seconds) + SignedDuration::from_nanos(i64::from(nanos))
    }
}

proptest! {
    #[test]
    fn spans_come_back(span in spans()) {
        prop_assert_eq!(time::span(None, Some(&time::old_span(span))), Some(span));
        prop_assert_eq!(time::span(Some(&time::new_span(span)), None), Some(span));
    }

    #[test]
    fn moments_come_back(nanoseconds in -10_i128.pow(19)..10_i128.pow(19)) {
        let at = Timestamp::from_nanosecond(nanoseconds).unwrap();
        prop_assert_eq!(time::moment(None, Some(&time::old_moment(at))), Some(at));
        prop_assert_eq!(time::moment(Some(&time::new_moment(at)), None), Some(at));
    }

    #[test]
    fn settings_of_a_group_come_back(
        unneeded in proptest::option::of(0_i64..100),
        threshold in proptest::option::of(0.0..1.0),
        atomic in proptest::option::of(any::<bool>()),
        startup in proptest::option::of(0_i64..100),
    ) {
        let overrides = Overrides {
            unneeded_time: unneeded.map(SignedDuration::from_mins),
            utilization_threshold: threshold,
            atomic,
            startup_time: startup.map(SignedDuration::from_secs),
            ..Overrides::default()
        };
        let common = GroupOptions { atomic: true, ..GroupOptions::default() };
        let answer = options::answer(&options::write(&common), &overrides);
        let read = options::read(&answer, &GroupOptions::default());
        prop_assert_eq!(&read, &overrides.over(&common));
        prop_assert_eq!(options::overrides(&read, &common).over(&common), read);
    }
}
