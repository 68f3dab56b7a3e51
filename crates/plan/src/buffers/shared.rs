//! What buffers have between them, and how much of it each gets.

use plimsoll_model::World;

use super::{conditions::Conditions, quotas::Quotas, source::Unit};

/// More units of a buffer than anybody means.
const MOST_UNITS: i32 = 10_000;

/// More units of all buffers than anybody means, and fewer than would fill the memory.
const MOST_IN_ALL: i32 = 50_000;

/// What buffers share: the older has the first claim.
pub(super) struct Shared<'w> {
    pub quotas: Quotas<'w>,
    /// How many more units there may be.
    units: i32,
}

// === impl Shared ===

impl<'w> Shared<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self { quotas: Quotas::new(world), units: MOST_IN_ALL }
    }

    /// How many units room is kept for, and what is said of that.
    pub(super) fn provide(
        &mut self,
        world: &World,
        unit: &Unit<'_>,
        count: i32,
        conditions: &mut Conditions<'_>,
    ) -> u32 {
        let settings = &world.settings.scale_up;
        if !settings.buffers.inject {
            return 0;
        }
        if count <= 0 {
            conditions.not_provided("BufferIsEmpty", "CapacityBuffer has zero replicas");
            return 0;
        }
        if unit.priority < settings.expendable_cutoff {
            let problem = format!(
                "pods of priority {} are below expendable-pods-priority-cutoff, so nothing is bought for them",
                unit.priority
            );
            conditions.not_provided("Expendable", &problem);
            return 0;
        }
        let most = count.min(MOST_UNITS).min(self.units);
        if most == 0 {
            let problem = format!("older buffers have {MOST_IN_ALL} units, which is the most");
            conditions.not_provided("TooManyUnits", &problem);
            return 0;
        }
        self.units -= most;
        let left_out = if most < count {
            format!(
                "room is kept for {most} of {count} units: there are {MOST_UNITS} of a buffer at most, and {MOST_IN_ALL} of all"
            )
        } else {
            String::new()
        };
        conditions.provided(&left_out);
        u32::try_from(most).unwrap_or_default()
    }
}
