//! Pauses after the cluster has changed: nothing is given back while it is still settling.

use plimsoll_model::{Activity, ScaleDownSettings, SignedDuration, Timestamp};

use crate::{plan::Repair, scale_up::Shop, scene::Scene};

/// Which groups pause.
#[derive(Debug)]
pub(super) struct Cooldown {
    /// By group of the World.
    pauses: Vec<bool>,
}

// === impl Cooldown ===

impl Cooldown {
    /// After each change all groups pause, or with `scale-down-delay-type-local` the one concerned. What this very pass buys
    /// is such a change.
    pub(super) fn new(scene: &Scene<'_>, shop: &Shop) -> Self {
        let world = scene.state.world;
        let (settings, memory) = (&world.settings.scale_down, &world.memory);
        let grows: Vec<bool> =
            (0..world.groups.len()).map(|group| grows(scene, shop, group)).collect();
        let pauses = if settings.local_delays {
            (world.groups.iter().zip(&grows))
                .map(|(group, grows)| {
                    let mut last =
                        memory.group_activity.get(&group.id).copied().unwrap_or_default();
                    last.scale_up = grows.then_some(world.now).or(last.scale_up);
                    is_pausing(last, settings, world.now)
                })
                .collect()
        } else {
            let now = grows.contains(&true).then_some(world.now);
            let last = Activity {
                scale_up: now.or(memory.last_scale_up),
                scale_down: memory.last_scale_down,
                failure: memory.last_scale_down_failure,
            };
            vec![is_pausing(last, settings, world.now); world.groups.len()]
        };
        Self { pauses }
    }

    pub(super) fn holds(&self, group: usize) -> bool {
        self.pauses[group]
    }
}

/// Whether this pass makes the group larger, for pods or up to its minimum.
fn grows(scene: &Scene<'_>, shop: &Shop, group: usize) -> bool {
    let id = scene.state.world.groups[group].id;
    shop.nodes.iter().any(|node| node.group == group)
        || scene
            .state
            .repairs
            .iter()
            .any(|repair| matches!(repair, Repair::RaiseToMin { group, .. } if *group == id))
}

fn is_pausing(last: Activity, settings: &ScaleDownSettings, now: Timestamp) -> bool {
    let recent = |last: Option<Timestamp>, delay: SignedDuration| {
        last.is_some_and(|last| now.duration_since(last) < delay)
    };
    recent(last.scale_up, settings.delay_after_add)
        || recent(last.scale_down, settings.delay_after_delete)
        || recent(last.failure, settings.delay_after_failure)
}
