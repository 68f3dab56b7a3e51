//! Kinship: whether a Node that claims a machine can be that machine's.
//!
//! Names and provider ids are given again once their machines are gone, and a Node outlives its machine for a while. So a claim is
//! checked against the one thing that does not come again: when the machine was made.
//!
//! | the Node | is |
//! |----------|----|
//! | of a machine of unknown age | [`Kinship::Own`] |
//! | registered after the machine was made, or less than [`REGISTRATION_SKEW`] before | [`Kinship::Own`] |
//! | older, became Ready after the machine was made | [`Kinship::Own`]: a kubelet that registered under an old Node |
//! | older, was Ready more than [`SILENCE`] after the machine was made | [`Kinship::Own`]: only a running machine keeps it Ready |
//! | older, Ready, and none of these yet | [`Kinship::Unproven`] |
//! | older, not Ready, and none of these | [`Kinship::Predecessor`] |

use jiff::{SignedDuration, Timestamp};

use crate::{Instance, Node};

/// How far the clocks of a provider and of the API server may be apart. Both are kept by NTP, which holds them within a second;
/// a minute forgives much more, and is shorter than any machine lives whose name could come again.
pub const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);

/// How much older than its machine a Node may look. A machine takes longer than this to boot, so only clocks that are further apart
/// than this and the boot together make a new machine's own Node look older; it counts as upcoming for a while then, and nothing
/// else happens. A name that is given again takes no longer than a restart.
pub const REGISTRATION_SKEW: SignedDuration = SignedDuration::from_secs(5);

/// How long a Node may stay Ready after its kubelet has fallen silent. The controller manager waits for 40 or 50 seconds
/// (`node-monitor-grace-period`), and clusters on bad networks are told to wait for some minutes.
pub const SILENCE: SignedDuration = SignedDuration::from_mins(5);

/// What a Node is to the machine that it claims to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinship {
    /// The machine's own Node.
    Own,
    /// Older than the machine and Ready. It is the machine's if it stays so, and that of an earlier one of the same name if not:
    /// until then the machine counts as upcoming, and neither of them may be deleted for the lack of the other.
    Unproven,
    /// The Node of an earlier machine of the same name or id.
    Predecessor,
}

/// Whether two machines of one id are the same one, by when they were made. Providers whose clocks differ from ours correct what
/// they tell, and not always by the same amount.
pub fn is_same_machine(made: Option<Timestamp>, other: Option<Timestamp>) -> bool {
    match (made, other) {
        (Some(made), Some(other)) => made.duration_since(other).abs() <= CLOCK_SKEW,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

// === impl Node ===

impl Node {
    /// What this Node, which claims to be the machine, is to it.
    pub fn kinship(&self, machine: &Instance, now: Timestamp) -> Kinship {
        let Some(made) = machine.created else { return Kinship::Own };
        let turned_ready = || {
            let since = self.conditions.ready_since.filter(|_| self.conditions.ready);
            since.is_some_and(|since| since >= made)
        };
        let is_older = made.duration_since(self.created) > REGISTRATION_SKEW;
        if !is_older || turned_ready() || self.was_alive_after(made, now) {
            Kinship::Own
        } else if self.conditions.ready {
            Kinship::Unproven
        } else {
            Kinship::Predecessor
        }
    }

    /// Whether the kubelet behind the Node was heard of after that moment, beyond doubt: the Node was Ready for longer after it than
    /// a Node stays Ready by itself.
    pub fn was_alive_after(&self, moment: Timestamp, now: Timestamp) -> bool {
        let last_ready =
            if self.conditions.ready { Some(now) } else { self.conditions.ready_since };
        last_ready.is_some_and(|last| last.duration_since(moment) > SILENCE)
    }
}

#[cfg(test)]
mod tests;
