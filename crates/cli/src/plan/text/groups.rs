//! Groups as the pass found them.

use plimsoll_plan::{GroupHealth, GroupReport, words};

use super::Story;

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
    let bounds = bounds.map(|known| (known.min, known.max));
    words::group_state(group, bounds, story.world.now)
}
