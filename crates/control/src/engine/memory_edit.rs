//! What an answer means for the planner's memory.
//!
//! An answer may come while a plan is being made. The plan's own memory, which takes the place of the old one, knows nothing of it;
//! so edits are kept until the next plan is begun, and made once more on what the plan remembers.

use jiff::Timestamp;
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::after_failure;

use crate::settings::Settings;

/// One consequence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MemoryEdit {
    /// A scale-up of the group failed, which puts it in backoff.
    ScaleUpFailed {
        group: Symbol,
        /// The provider's code, or ours.
        code: String,
    },
    /// A node of the group was removed.
    NodeRemoved(Symbol),
    /// A node of the group was to be removed and stays.
    RemovalFailed(Symbol),
}

// === impl MemoryEdit ===

impl MemoryEdit {
    pub(super) fn apply(&self, memory: &mut Memory, settings: &Settings, now: Timestamp) {
        match self {
            Self::ScaleUpFailed { group, code } => {
                let previous = memory.backoff.get(group);
                let backoff = after_failure(previous, code, &settings.plan.scale_up, now);
                memory.backoff.insert(*group, backoff);
            }
            Self::NodeRemoved(group) => {
                memory.group_activity.entry(*group).or_default().scale_down = Some(now);
                memory.last_scale_down = Some(now);
            }
            Self::RemovalFailed(group) => {
                memory.group_activity.entry(*group).or_default().failure = Some(now);
                memory.last_scale_down_failure = Some(now);
            }
        }
    }
}
