//! Groups as the pass found them.

use plimsoll_plan::{GroupHealth, GroupReport};

use super::Story;
use crate::plan::words::Clock;

/// More groups than this are counted, unless there is something to say about one.
const MOST_GROUPS: usize = 20;

/// A line for each group, the names in a column.
pub(in crate::plan) fn lines(story: &Story<'_>) -> Vec<String> {
    let groups = &story.plan.groups;
    let is_quiet = |group: &&GroupReport| group.target == 0 && group.health == GroupHealth::Healthy;
    let quiet = groups.iter().filter(is_quiet).count();
    let leaves_out = groups.len() > MOST_GROUPS;
    let shown: Vec<&GroupReport> =
        groups.iter().filter(|group| !leaves_out || !is_quiet(group)).collect();
    let width = shown.iter().map(|group| group.id.as_str().chars().count()).max();
    let width = width.unwrap_or_default();
    let mut lines: Vec<String> = shown
        .iter()
        .map(|group| format!("group {:width$}  {}", group.id, state(story, group)))
        .collect();
    if leaves_out && quiet > 0 {
        lines.push(format!("{quiet} groups are healthy and have no nodes"));
    }
    lines
}

/// What a group has, in a few words.
pub(in crate::plan) fn state(story: &Story<'_>, group: &GroupReport) -> String {
    let bounds = story.world.groups.iter().find(|known| known.id == group.id);
    let bounds = bounds.map_or(String::new(), |known| format!(" ({}..{})", known.min, known.max));
    let GroupReport { target, ready, upcoming, .. } = group;
    let coming = match upcoming {
        0 => String::new(),
        upcoming => format!(", {upcoming} on the way"),
    };
    let health = match &group.health {
        GroupHealth::Healthy => "healthy".to_owned(),
        GroupHealth::Unhealthy => "unhealthy: too many of its nodes are not ready".to_owned(),
        GroupHealth::Frozen { reason } => format!("left alone: {reason}"),
        GroupHealth::Backoff { until, code } => {
            let until = Clock { at: *until, now: Some(story.world.now) };
            match &**code {
                "" => format!("backing off until {until}"),
                code => format!("backing off until {until} ({code})"),
            }
        }
    };
    format!("target {target}{bounds}, {ready} ready{coming}, {health}")
}
