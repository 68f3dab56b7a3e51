//! How long a pass may think about what to buy: the user's limits of time, as effort.

use plimsoll_model::{Expander, Salvo, ScaleUpSettings};

use crate::pack::Effort;

/// The limits for one choice, whatever effort would be made without them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For a choice as a whole.
    pub choice: Effort,
    /// For every group in it.
    group: Effort,
}

/// Who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nobody: all groups are considered at once, for the least money.
    Joint,
    /// The user's rules, one group at a time.
    Named,
}

// === impl Patience ===

impl Patience {
    pub(crate) fn new(settings: &ScaleUpSettings) -> Self {
        let own = settings.group_choice_time;
        let group = if own.is_zero() { Effort::BOUNDLESS } else { Effort::within(own) };
        Self { choice: Effort::within(settings.choice_time), group }
    }

    /// The effort of a packing over so many groups.
    pub(crate) fn limit(self, effort: Effort, groups: usize) -> Effort {
        effort.min(self.choice).min(self.group.times(groups))
    }
}

/// Whether another choice may begin. The first always may: a pass that buys nothing at all would leave the next one as much to do.
pub(crate) fn goes_on(salvo: Salvo, has_bought: bool, spent: Effort) -> bool {
    !has_bought
        || match salvo {
            Salvo::One => false,
            Salvo::Several { budget } => spent < Effort::within(budget),
        }
}

// === impl Way ===

impl Way {
    pub(crate) fn of(settings: &ScaleUpSettings) -> Self {
        match settings.expanders.first() {
            None | Some(Expander::LeastCost) => Self::Joint,
            Some(_) => Self::Named,
        }
    }
}
