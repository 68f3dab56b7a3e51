//! What can be made to go wrong with an emulated infrastructure.

use std::{fmt, time::Duration};

use jiff::SignedDuration;
use plimsoll_model::Symbol;

use crate::Class;

/// Something about the infrastructure that a check changes behind the provider's back.
///
/// A *request* is what the provider sends to its service: one call of a provider may be one request or several. A knob holds until
/// it is turned again, unless it speaks of a number of requests.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Knob {
    /// The service cannot be reached: every request fails, nothing takes effect.
    Down,
    /// It can be reached again.
    Up,
    /// Every request takes this much longer; zero for as fast as it was. One whose caller has gone may take effect or not.
    Slow(Duration),
    /// After `after` requests, `requests` of them fail in the way that the service fails for this class, and take no effect. Turned
    /// again, what was left of the last time is forgotten.
    Fail {
        /// So many requests are served first.
        after: u32,
        /// So many fail.
        requests: u32,
        /// What is wrong.
        class: Class,
    },
    /// So many requests *that change something* take effect, but their answers are lost on the way back.
    LoseReplies(u32),
    /// After `after` requests that list something, the next such reply is cut in the middle, in the way that a reply of this service
    /// is cut: a body that ends too early, a list that is shorter than its own count.
    Truncate {
        /// So many lists arrive whole before.
        after: u32,
    },
    /// Lists are given out in pages of this many entries.
    PageSize(usize),
    /// Only so many more machines of this group can be had; afterwards the service is out of them, in whichever way it says so.
    Stock {
        /// The group.
        group: Symbol,
        /// So many more.
        machines: u32,
    },
    /// The account may have only so many more machines, over all groups.
    Quota(u32),
    /// So many of the machines that are begun next in this group will not come up, and the service tells why.
    FailMachines {
        /// The group.
        group: Symbol,
        /// So many.
        machines: u32,
        /// What is wrong with them. A service that cannot tell one reason from another has this knob for [`Class::Bug`] only.
        class: Class,
    },
    /// What is ordered in this group is on record, but no machine is begun for it, not even by [`settle`](super::Testbed::settle).
    Queue(Symbol),
    /// The service refuses to delete this machine.
    Protect(Box<str>),
    /// A machine appears that the service knows and that belongs to no group. It is in [`machines`](super::Testbed::machines).
    AddForeign,
    /// This machine vanishes, deleted by somebody else or crashed for good.
    RemoveMachine(Box<str>),
    /// Somebody changes the bounds of a group.
    SetBounds {
        /// The group.
        group: Symbol,
        /// It is never shrunk below this.
        min: u32,
        /// It is never grown above this.
        max: u32,
    },
    /// The service's clock is this much ahead of ours.
    ClockSkew(SignedDuration),
}

/// The emulator has no such knob: checks that need it do not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchKnob(pub &'static str);

// === impl Knob ===

impl Knob {
    /// What it is called in a report.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Down => "Down",
            Self::Up => "Up",
            Self::Slow(_) => "Slow",
            Self::Fail { .. } => "Fail",
            Self::LoseReplies(_) => "LoseReplies",
            Self::Truncate { .. } => "Truncate",
            Self::PageSize(_) => "PageSize",
            Self::Stock { .. } => "Stock",
            Self::Quota(_) => "Quota",
            Self::FailMachines { .. } => "FailMachines",
            Self::Queue(_) => "Queue",
            Self::Protect(_) => "Protect",
            Self::AddForeign => "AddForeign",
            Self::RemoveMachine(_) => "RemoveMachine",
            Self::SetBounds { .. } => "SetBounds",
            Self::ClockSkew(_) => "ClockSkew",
        }
    }

    /// What [`turn`](super::Testbed::turn) answers when there is no such knob.
    pub const fn missing(&self) -> NoSuchKnob {
        NoSuchKnob(self.name())
    }
}

// === impl NoSuchKnob ===

impl fmt::Display for NoSuchKnob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the emulator has no knob {}", self.0)
    }
}

impl std::error::Error for NoSuchKnob {}
