//! Groups that pods are to keep away from, as advice to the scheduler.

use plimsoll_model::Symbol;

/// A taint that all nodes of a group carry while pods are to prefer other nodes: `key=value:PreferNoSchedule`. It hinders nobody, so
/// it takes part in no decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steer {
    /// The key of the taint. Nobody else writes it.
    pub key: Symbol,
    /// Its value.
    pub value: Symbol,
    /// Why pods are to keep away, in words; `None` when they need not, and the taint is taken off.
    pub why: Option<Box<str>>,
}
