//! What is said of nodes on their way out that are looked at once more.

use std::collections::BTreeMap;

use plimsoll_model::{Symbol, Timestamp};
use plimsoll_plan::{BlockReason, Blocked, Plan, Unneeded, words};

use super::judge;
use crate::sketch::{CLUSTER, pass};

/// What is said of a node that has been unneeded for a while and stays for this reason.
fn verdict(reason: BlockReason) -> Result<(), String> {
    let node = Symbol::new("small-1");
    let mut plan = Plan::clone(&pass(CLUSTER).plan);
    plan.retirements.clear();
    plan.unneeded = vec![Unneeded { node, since: Timestamp::UNIX_EPOCH }];
    plan.blocked = vec![Blocked { node, reason, pod: None, pod_reason: None }];
    let doubted = BTreeMap::from([(node, Timestamp::UNIX_EPOCH)]);
    judge(&plan, &doubted).remove(&node).unwrap()
}

#[test]
fn who_waits_for_its_turn_can_go() {
    assert_eq!(verdict(BlockReason::NotUnneededLongEnough), Ok(()));
    assert_eq!(verdict(BlockReason::NodeGroupMinSizeReached), Ok(()));
}

/// Its clock is from a time when it was last judged.
#[test]
fn who_was_not_looked_at_is_not_let_go() {
    for reason in [
        BlockReason::ClusterUnhealthy,
        BlockReason::SimulationTimeout,
        BlockReason::PodsNotLookedAt,
    ] {
        assert_eq!(verdict(reason), Err(words::block_reason(reason).1.to_owned()));
    }
}
