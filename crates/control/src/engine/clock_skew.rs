//! What an earlier run remembered, made good for this one.

use jiff::Timestamp;
use plimsoll_model::Memory;

/// Moves what lies in the future to now: the clock that wrote it was ahead of ours, and a timer must not wait for the difference.
pub(super) fn no_later(mut memory: Memory, now: Timestamp) -> Memory {
    let clamp = |moment: &mut Timestamp| *moment = (*moment).min(now);
    memory.unneeded_since.values_mut().for_each(clamp);
    memory.unready_since.values_mut().for_each(clamp);
    memory.departed_since.values_mut().for_each(clamp);
    memory.unregistered.values_mut().map(|machine| &mut machine.since).for_each(clamp);
    memory.lost_deletions.values_mut().for_each(clamp);
    if let Some(contradiction) = &mut memory.contradiction {
        clamp(&mut contradiction.since);
        clamp(&mut contradiction.seen);
    }
    memory.size_mismatch_since.values_mut().for_each(clamp);
    memory.recent_evictions.values_mut().for_each(clamp);
    memory.stayed.values_mut().for_each(clamp);
    let single = [
        &mut memory.last_scale_up,
        &mut memory.last_scale_down,
        &mut memory.last_scale_down_failure,
        &mut memory.consolidated,
    ];
    single.into_iter().flatten().for_each(clamp);
    for activity in memory.group_activity.values_mut() {
        let moments = [&mut activity.scale_up, &mut activity.scale_down, &mut activity.failure];
        moments.into_iter().flatten().for_each(clamp);
    }
    memory.replacement.iter_mut().map(|replacement| &mut replacement.at).for_each(clamp);
    for backoff in memory.backoff.values_mut() {
        clamp(&mut backoff.failed);
        let longest = now.checked_add(backoff.step).unwrap_or(Timestamp::MAX);
        backoff.until = backoff.until.min(longest);
    }
    memory
}

#[cfg(test)]
mod tests {
    use plimsoll_model::{Backoff, SignedDuration, Symbol};

    use super::*;

    #[test]
    fn a_clock_that_was_ahead_makes_nobody_wait() {
        let now = Timestamp::constant(1_800_000_000, 0);
        let (past, future) =
            (now - SignedDuration::from_mins(5), now + SignedDuration::from_hours(1));
        let node = Symbol::new("node");
        let step = SignedDuration::from_mins(5);
        let backoff = Backoff { until: future, step, failed: future, code: "code".into() };
        let memory = Memory {
            last_scale_up: Some(future),
            last_scale_down: Some(past),
            unneeded_since: [(node, future), (Symbol::new("other"), past)].into(),
            backoff: [(Symbol::new("group"), backoff.clone())].into(),
            ..Memory::default()
        };
        let resting = Backoff { until: now + step, failed: now, ..backoff };
        let expected = Memory {
            last_scale_up: Some(now),
            unneeded_since: [(node, now), (Symbol::new("other"), past)].into(),
            backoff: [(Symbol::new("group"), resting)].into(),
            ..memory.clone()
        };
        assert_eq!(no_later(memory, now), expected);
        assert_eq!(no_later(expected.clone(), now), expected);
    }
}
