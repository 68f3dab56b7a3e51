//! Groups: what each has, what stands between that and its target, and what follows.

use plimsoll_model::{Memory, Timestamp, World};

use super::{
    GroupState, NodeState, Readiness, backoff, count, failures, health,
    lost::Ration,
    membership::{Machine, Membership},
    mismatch, orders, removal,
    unregistered::{self, Fate, Stray},
};
use crate::plan::{GroupHealth, Repair};

/// What stands between a group's nodes and its target: machines that were asked for and are not nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// Nodes that hold a place in the target.
    pub held: u32,
    /// Machines that may still become nodes.
    pub waiting: u32,
    /// Machines that lost their node and may register again, as far as the target counts them.
    pub astray: u32,
    /// Machines that failed or are overdue, as far as the target counts them.
    pub broken: u32,
    /// Machines of orders of ours that are overdue, counted or not: what lost its node later did arrive.
    pub overdue: u32,
    /// Machines that the provider does not list at all.
    pub absent: u32,
}

/// Counts the nodes of all groups. The rest of what is to be known of a group is left to [`examine`].
pub(super) fn census(nodes: &[NodeState], membership: &Membership) -> Vec<GroupState> {
    let empty = GroupState {
        nodes: Vec::new(),
        ready: 0,
        unready: 0,
        not_started: 0,
        suspended: 0,
        being_deleted: 0,
        leaving: 0,
        unlisted: 0,
        upcoming: 0,
        found_upcoming: 0,
        astray: 0,
        target: 0,
        health: GroupHealth::Healthy,
        held: None,
        open_orders: Vec::new(),
    };
    let mut groups = vec![empty; membership.strays.len()];
    for (place, (node, member)) in nodes.iter().zip(&membership.members).enumerate() {
        let Some(member) = member else { continue };
        let group = &mut groups[member.group];
        group.nodes.push(place);
        match node.readiness {
            Readiness::Ready => group.ready += 1,
            Readiness::NotStarted => group.not_started += 1,
            Readiness::Unready { .. } => group.unready += 1,
            Readiness::Suspended => group.suspended += 1,
            Readiness::BeingDeleted => group.being_deleted += 1,
        }
        let stays = node.readiness != Readiness::BeingDeleted;
        group.leaving += u32::from(!stays && member.machine == Machine::Kept);
        group.unlisted += u32::from(stays && member.machine == Machine::Unlisted);
    }
    groups
}

/// Judges one group by its own facts: adds the repairs it needs, and what the next pass has to remember of it.
///
/// Nothing is put right in a frozen group. Time passes there as well: what does not come within its time is not waited for,
/// so that others serve the pods.
pub(super) fn examine(
    world: &World,
    place: usize,
    census: GroupState,
    strays: &[Stray<'_>],
    ration: &mut Ration<'_>,
    memory: &mut Memory,
    repairs: &mut Vec<Repair>,
) -> GroupState {
    let group = &world.groups[place];
    let Some(reason) = &group.frozen else {
        return judge(world, place, census, strays, ration, memory, repairs);
    };
    let found = judge(world, place, census, strays, ration, memory, &mut Vec::new());
    let health = GroupHealth::Frozen { reason: reason.clone() };
    GroupState { target: group.target, health, held: None, ..found }
}

fn judge(
    world: &World,
    place: usize,
    census: GroupState,
    strays: &[Stray<'_>],
    ration: &mut Ration<'_>,
    memory: &mut Memory,
    repairs: &mut Vec<Repair>,
) -> GroupState {
    let (group, now) = (&world.groups[place], world.now);
    let settings = &world.settings.scale_up;
    let gap = Gap::new(group.target, &census, strays);
    unregistered::remember(world, place, strays, memory);

    let ordered: Vec<_> = orders::of_group(world, group.id).collect();
    let settled = orders::settle(&ordered, &gap, strays, group.options.provision_time, now);
    let since = mismatch::since(world, group, gap.held, newest(world, &census), &ordered);
    let unclaimed = gap.absent - settled.claimed - settled.lost;
    let lost = settled.lost + mismatch::given_up(world, group, unclaimed, since);
    let upcoming = gap.waiting + gap.absent - lost;
    let open_orders = if upcoming > 0 { settled.open } else { Vec::new() };
    match since {
        Some(since) => memory.size_mismatch_since.insert(group.id, since),
        None => memory.size_mismatch_since.remove(&group.id),
    };

    let (target, held) = removal::remove(world, group, strays, gap.broken, ration, repairs);
    // Nobody would raise the target to the minimum again, so it is not taken below.
    let floor = if settings.enforce_min { 0 } else { group.min };
    let lowered = target - lost.min(target.saturating_sub(floor));
    if lowered < target {
        let why = if settled.timed_out {
            "ordered machines did not arrive within max-node-provision-time"
        } else {
            "machines have been missing for longer than max-node-provision-time"
        };
        let why = format!("{why} ({})", removal::in_words(group.options.provision_time));
        repairs.push(Repair::LowerTarget { group: group.id, from: target, to: lowered, why });
    }

    let last = backoff::recalled(world.memory.backoff.get(&group.id), settings, now);
    let failure = failures::news(strays, last.as_ref());
    let failure = failure.or_else(|| settled.timed_out.then_some(backoff::TIMEOUT));
    let backoff = match failure {
        Some(code) => Some(backoff::after_failure(last.as_ref(), code, settings, now)),
        None => last,
    };
    let excused = upcoming.saturating_add(gap.broken).saturating_add(gap.astray);
    let health = backoff::rest(backoff.as_ref(), now).unwrap_or_else(|| {
        if health::is_group_healthy(world, group.target, &census, excused) {
            GroupHealth::Healthy
        } else {
            GroupHealth::Unhealthy
        }
    });
    match backoff {
        Some(backoff) => memory.backoff.insert(group.id, backoff),
        None => memory.backoff.remove(&group.id),
    };

    GroupState {
        upcoming,
        found_upcoming: upcoming,
        astray: gap.astray,
        target: lowered,
        health,
        held,
        open_orders,
        ..census
    }
}

// === impl Gap ===

impl Gap {
    /// Explains the target by what is there.
    ///
    /// When there is more than the target counts, the provider's machines are believed before a Node whose machine is not
    /// listed (its machine is gone, and a successor on its way), and a machine that may come before one that lost its node, and that one
    /// before one that will not come.
    pub(super) fn new(target: u32, census: &GroupState, strays: &[Stray<'_>]) -> Self {
        let (mut dead, mut overdue, mut astray, mut waiting) = (0, 0, 0, 0);
        for stray in strays {
            match stray.fate {
                Fate::Failed(_) => dead += 1,
                Fate::Overdue => {
                    dead += 1;
                    overdue += u32::from(!stray.may_carry_pods());
                }
                Fate::Astray => astray += 1,
                Fate::Waiting => waiting += 1,
            }
        }
        let nodes =
            census.ready + census.not_started + census.unready + census.suspended + census.leaving;
        let surplus = nodes.saturating_add(count(strays.len())).saturating_sub(target);
        let held = nodes - census.unlisted.min(surplus);
        let size = target.saturating_sub(held);
        let waiting = size.min(waiting);
        let astray = (size - waiting).min(astray);
        let broken = (size - waiting - astray).min(dead);
        Self { held, waiting, astray, broken, overdue, absent: size - waiting - astray - broken }
    }
}

/// When the youngest member registered.
fn newest(world: &World, census: &GroupState) -> Option<Timestamp> {
    census.nodes.iter().map(|place| world.nodes[*place].created).max()
}
