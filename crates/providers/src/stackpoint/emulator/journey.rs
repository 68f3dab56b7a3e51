//! A machine's way from draft to running, and out again.
//!
//! | state       | leaves when its time is over for                        |
//! |-------------|---------------------------------------------------------|
//! | draft       | building, unless it is stuck                            |
//! | building    | provisioned, or failed                                  |
//! | provisioned | running: its node joins                                 |
//! | running     | nothing; it may vanish, or be deleted                   |
//! | failed      | nothing; it has to be deleted                           |
//! | deleting    | it is gone, and its node falls silent                   |

use jiff::Timestamp;

use super::{
    knobs::Trouble,
    replies,
    state::{Books, State},
};
use crate::joins::News;

// === impl Books ===

impl Books {
    /// Lets happen what is due, in the order in which it was due.
    pub(super) fn advance(&mut self, now: Timestamp) {
        while let Some((due, machine)) = self.next_due()
            && due <= now
        {
            self.step(machine, due);
        }
    }

    /// Lets everything that is under way arrive at once.
    pub(super) fn settle(&mut self) {
        while let Some((due, machine)) = self.next_due() {
            self.step(machine, due);
        }
    }

    /// When something happens next, and to which machine.
    pub(super) fn next_due(&self) -> Option<(Timestamp, i64)> {
        let due = self.machines.values().filter_map(|machine| Some((machine.due?, machine.pk)));
        due.min()
    }

    fn step(&mut self, pk: i64, at: Timestamp) {
        let pace = self.offer.pace;
        let Some(machine) = self.machines.get_mut(&pk) else { return };
        (machine.due, machine.updated) = (None, at);
        match (machine.state, machine.trouble) {
            (State::Draft, _) => {
                machine.state = State::Building;
                machine.due = at.checked_add(pace.building).ok();
            }
            (State::Building, Some(Trouble::Fails)) => {
                (machine.state, machine.is_failed) = (State::Failed, true);
            }
            // Later versions of the service leave the state as it was.
            (State::Building, Some(Trouble::FailsInPlace)) => machine.is_failed = true,
            (State::Building, _) => {
                machine.state = State::Provisioned;
                machine.due = at.checked_add(pace.provisioned).ok();
            }
            (State::Provisioned, _) => self.arrive(pk, at),
            (State::Deleting, _) => self.remove(pk),
            (State::Running | State::Failed, _) => {}
        }
    }

    /// The machine runs, and its node joins unless something keeps it.
    pub(super) fn arrive(&mut self, pk: i64, at: Timestamp) {
        let Some(machine) = self.machines.get_mut(&pk) else { return };
        (machine.state, machine.due, machine.updated) = (State::Running, None, at);
        if machine.trouble == Some(Trouble::NeverJoins) {
            return;
        }
        let machine = machine.clone();
        let pool = machine.pool.and_then(|pool| self.pools.get(&pool));
        self.news.push(News::Joins(replies::manifest(&machine, pool)));
    }

    /// The machine is to be deleted.
    pub(super) fn delete(&mut self, pk: i64, now: Timestamp) {
        let due = now.checked_add(self.offer.pace.deleting).ok();
        let Some(machine) = self.machines.get_mut(&pk) else { return };
        machine.deletions += 1;
        if machine.state != State::Deleting {
            (machine.state, machine.due, machine.updated) = (State::Deleting, due, now);
        }
    }

    /// The machine is gone.
    pub(super) fn remove(&mut self, pk: i64) {
        if let Some(machine) = self.machines.remove(&pk) {
            self.news.push(News::Leaves(machine.node_name()));
        }
    }
}
