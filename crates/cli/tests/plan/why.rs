//! `--why`: one pod, one node, one group.

use expect_test::expect;

use crate::{SMALL, answer, check, scenario};

#[test]
fn a_pod() {
    check(
        &["--why", "a-b/web"],
        SMALL,
        &expect![[r"
        pod a-b/web stays pending: no group can take it
          small    insufficient cpu: asks 4, a new node has 2
          tainted  taint gpu=yes:NoSchedule is not tolerated
    "]],
    );
    check(
        &["--why", "web-1"],
        SMALL,
        &expect![[r"
        pod a/web-1 gets a new node of small
    "]],
    );
    check(
        &["--why", "a/busy"],
        SMALL,
        &expect![[r"
        pod a/busy is on small-0 and stays there
    "]],
    );
    check(
        &["--why", "a/gated"],
        SMALL,
        &expect![[r"
        pod a/gated is left to others: a DaemonSet's, gated or of another scheduler
    "]],
    );
}

#[test]
fn a_node() {
    check(
        &["--why", "small-0"],
        SMALL,
        &expect![[r"
        node small-0 stays: not underutilised
    "]],
    );
    check(
        &["--why", "slow-0"],
        &scenario("down-timers"),
        &expect![[r"
        node slow-0 stays: unneeded only since 11:55
    "]],
    );
    check(
        &["--why", "slow-3"],
        &scenario("down-timers"),
        &expect![[r"
        node slow-3 of slow goes: unready for too long
    "]],
    );
}

#[test]
fn a_group() {
    check(
        &["--why", "small"],
        SMALL,
        &expect![[r"
        group small: target 1 (0..3), 1 ready, healthy
        it grows from 1 to 3 for 2 pods web-… (a)
    "]],
    );
    let failed = scenario("failed-instance-other-group");
    assert_eq!(answer(&["--why", "pool-a"], &failed).lines().count(), 2);
}
