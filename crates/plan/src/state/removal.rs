//! Removal of machines that will not become nodes, and what that does to the target.

use plimsoll_model::{Group, SignedDuration, Timestamp, World};

use super::{
    lost::Ration,
    unregistered::{Fate, Stray},
};
use crate::plan::{Held, Repair};

/// Asks for the deletion of failed and overdue machines and gives the target that is left. Deleting a machine lowers the
/// target by one, for as many of them as it counts.
///
/// The target does not go below the group's minimum unless a flag says so. With `enforce-node-group-min-size` it may: the
/// minimum is bought anew, in this pass or when the group's backoff ends, while a broken machine serves nobody.
///
/// Also tells how many machines that may carry pods are left for now, and why.
pub(super) fn remove(
    world: &World,
    group: &Group,
    strays: &[Stray<'_>],
    mut counted: u32,
    ration: &mut Ration<'_>,
    repairs: &mut Vec<Repair>,
) -> (u32, Option<Held>) {
    let settings = &world.settings.scale_up;
    let mut target = group.target;
    let mut held: Option<Held> = None;
    // Failed ones first: if only some may go, these are the ones that are certain.
    let failed = strays.iter().filter(|stray| stray.is_failed());
    let overdue = strays.iter().filter(|stray| stray.fate == Fate::Overdue);
    for stray in failed.chain(overdue) {
        let forced = settings.enforce_min
            || match stray.fate {
                Fate::Failed(_) => settings.force_delete_failed,
                Fate::Overdue | Fate::Astray | Fate::Waiting => settings.force_delete_unregistered,
            };
        let lowers = counted > 0;
        if lowers && target <= group.min && !forced {
            continue;
        }
        if let Err(reason) = ration.take(group, stray) {
            held.get_or_insert(Held { machines: 0, reason }).machines += 1;
            continue;
        }
        if lowers {
            counted -= 1;
            target = target.saturating_sub(1);
        }
        repairs.push(Repair::DeleteInstance {
            group: group.id,
            instance: stray.instance.id.clone(),
            why: why(stray, group, world.now),
        });
    }
    (target, held)
}

fn why(stray: &Stray<'_>, group: &Group, now: Timestamp) -> String {
    match stray.fate {
        Fate::Failed(error) if error.message.is_empty() => format!("failed: {}", error.code),
        Fate::Failed(error) => format!("failed: {} ({})", error.message, error.code),
        Fate::Overdue | Fate::Astray | Fate::Waiting => format!(
            "no node for {}, longer than max-node-provision-time ({})",
            in_words(now.duration_since(stray.since)),
            in_words(group.options.provision_time),
        ),
    }
}

/// A duration to the second, as people write it: `1h 20m`.
pub(super) fn in_words(duration: SignedDuration) -> String {
    format!("{:#}", SignedDuration::from_secs(duration.as_secs()))
}
