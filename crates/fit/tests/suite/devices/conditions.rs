//! What a choice of devices has to meet: constraints and taints.

use expect_test::expect;

use super::{allocated, asked, check, node, template};

#[test]
fn constraints_hold_over_all_requests_of_a_claim() {
    let two = "requests: [{name: a, exactly: {deviceClassName: gpu}}, {name: b, exactly: {deviceClassName: gpu}}]";
    let same =
        template(&format!("{two}, constraints: [{{matchAttribute: gpu.example.com/board}}]"));
    check(
        // The first board has one GPU left, so both come from the second.
        &[
            node("n1", 4, 0),
            node("n2", 3, 0),
            allocated("one", "n1", &["gpu-0"]),
            allocated("other", "n2", &["gpu-0"]),
            same,
            asked(),
        ],
        expect![[r"
            n1: fits
            n2: cannot allocate all claims
        "]],
    );
    let distinct =
        template(&format!("{two}, constraints: [{{distinctAttribute: gpu.example.com/board}}]"));
    check(
        &[node("n1", 2, 0), node("n2", 3, 0), distinct, asked()],
        expect![[r"
            n1: cannot allocate all claims
            n2: fits
        "]],
    );
    // A constraint can be for some of the requests.
    let some = template(&format!(
        "{two}, constraints: [{{requests: [a], matchAttribute: gpu.example.com/board}}, {{requests: [b], matchAttribute: gpu.example.com/none}}]"
    ));
    check(
        &[node("n1", 2, 0), some, asked()],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
}

#[test]
fn taints_have_to_be_tolerated_and_administrators_share() {
    let tainted = |name: &str| {
        node(name, 1, 0)
            .replace("capacity:", "taints: [{key: broken, effect: NoSchedule}], capacity:")
    };
    check(
        &[
            tainted("n1"),
            template("requests: [{name: r, exactly: {deviceClassName: gpu}}]"),
            asked(),
        ],
        expect![[r"
            n1: cannot allocate all claims
        "]],
    );
    check(
        &[
            tainted("n1"),
            template(
                "requests: [{name: r, exactly: {deviceClassName: gpu, tolerations: [{key: broken, operator: Exists}]}}]",
            ),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
    check(
        &[
            node("n1", 1, 0),
            allocated("mine", "n1", &["gpu-0"]),
            template("requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]"),
            asked(),
        ],
        expect![[r"
            n1: fits
        "]],
    );
}
