//! What a request may ask for.

use expect_test::expect;

use super::{CLASSES, allocated, asked, check, cluster, node, pod, template};

#[test]
fn a_request_gets_as_many_devices_as_it_asks_for() {
    check(
        &[
            node("n1", 1, 0),
            node("n2", 2, 0),
            node("n3", 0, 0),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: cannot allocate all claims
        "]],
    );
}

#[test]
fn devices_that_others_have_are_not_given_twice() {
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 0),
            allocated("mine", "n1", &["gpu-0"]),
            pod("runs", "nodeName: n1, resourceClaims: [{name: c, resourceClaimName: mine}]"),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
}

#[test]
fn selectors_of_class_and_request_both_count() {
    let wants = |selector: &str| {
        template(&format!(
            "requests: [{{name: r, exactly: {{deviceClassName: gpu, selectors: [{{cel: {{expression: '{selector}'}}}}]}}}}]"
        ))
    };
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 1),
            wants(r#"device.attributes["gpu.example.com"].kind == "big""#),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 1),
            wants(r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) > 0"#),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    check(
        &[node("n1", 1, 0), wants(r#"device.attributes["gpu.example.com"].colour == 1"#), asked()],
        expect![[r"
            n1: claim t, class gpu: CEL runtime error: No such key: colour
        "]],
    );
}

#[test]
fn all_means_every_device_that_matches() {
    let wants_all =
        template("requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: All}}]");
    check(
        &[
            node("n1", 2, 0),
            node("n2", 2, 0),
            node("n3", 0, 0),
            allocated("mine", "n1", &["gpu-0"]),
            wants_all.clone(),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: cannot allocate all claims
        "]],
    );
    // A slice is missing, so nobody knows what all is.
    let incomplete = node("n1", 2, 0).replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    check(
        &[incomplete.clone(), wants_all, asked()],
        expect![[r"
            n1: claim t, request r: asks for all devices, but resource pool gpu.example.com/n1 is currently being updated
        "]],
    );
    check(
        &[incomplete, template("requests: [{name: r, exactly: {deviceClassName: gpu}}]"), asked()],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
}

#[test]
fn only_the_newest_generation_counts() {
    let newer = node("n1", 3, 0)
        .replace("generation: 1", "generation: 2")
        .replace("n1-gpus", "n1-gpus-newer");
    let newer = newer.split("---").last().expect("the slice").to_owned();
    check(
        &[
            node("n1", 1, 0),
            "---".to_owned() + &newer,
            template("requests: [{name: r, exactly: {deviceClassName: gpu, count: 3}}]"),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
}

#[test]
fn the_first_alternative_that_can_be_had_is_taken() {
    let kind = |kind: &str| {
        format!(
            r#"selectors: [{{cel: {{expression: 'device.attributes["gpu.example.com"].kind == "{kind}"'}}}}]"#
        )
    };
    let either = template(&format!(
        "requests: [{{name: r, firstAvailable: [
           {{name: one-big, deviceClassName: gpu, {}}},
           {{name: two-small, deviceClassName: gpu, count: 2, {}}}]}}]",
        kind("big"),
        kind("small")
    ));
    check(
        &[node("n1", 1, 0), node("n2", 2, 0), node("n3", 1, 1), either.clone(), asked()],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
            n3: fits
        "]],
    );
    let (mut snapshot, shape) = cluster(&[CLASSES, &node("n1", 3, 1), &either, &asked()].concat());
    let node = snapshot.node_ids().next().expect("a node");
    // First the big one, then the two small ones.
    snapshot.place(shape, node);
    assert!(snapshot.fits(shape, node));
    snapshot.place(shape, node);
    assert!(!snapshot.fits(shape, node));
}
