//! What goes wrong between the service and those who call it.

use std::time::Duration;

use jiff::SignedDuration;
use plimsoll_provider::{Class, Error};

/// What goes wrong, as it was last set.
#[derive(Debug)]
pub(super) struct Faults {
    pub(super) is_down: bool,
    /// What every request waits for before it takes effect.
    pub(super) latency: Duration,
    /// Requests that will fail.
    pub(super) failing: Option<Failing>,
    /// So many answers to requests that change something are lost.
    pub(super) lost_replies: u32,
    /// So many pages are given out whole before one is cut.
    pub(super) cut_after: Option<u32>,
    pub(super) page_size: usize,
    /// How far the service's clock is ahead.
    pub(super) skew: SignedDuration,
    calls: u64,
}

/// Requests that will fail.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failing {
    pub(super) after: u32,
    pub(super) requests: u32,
    pub(super) class: Class,
}

/// Larger than any list.
const ONE_PAGE: usize = usize::MAX;

// === impl Faults ===

impl Faults {
    pub(super) fn new() -> Self {
        Self {
            is_down: false,
            latency: Duration::ZERO,
            failing: None,
            lost_replies: 0,
            cut_after: None,
            page_size: ONE_PAGE,
            skew: SignedDuration::ZERO,
            calls: 0,
        }
    }

    /// The number of this call.
    pub(super) fn count_call(&mut self) -> u64 {
        let number = self.calls;
        self.calls += 1;
        number
    }

    /// Fails if this request is one of those that fail.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        if self.is_down {
            return Err(Error::retry("the simulated service cannot be reached").with_code("DOWN"));
        }
        let Some(failing) = &mut self.failing else { return Ok(()) };
        if failing.after > 0 {
            failing.after -= 1;
            return Ok(());
        }
        let class = failing.class;
        failing.requests = failing.requests.saturating_sub(1);
        if failing.requests == 0 {
            self.failing = None;
        }
        Err(Error::new(class, format!("the simulated service answers {class}")))
    }

    /// Whether the answer to this request is lost.
    pub(super) fn loses_reply(&mut self) -> bool {
        let is_lost = self.lost_replies > 0;
        self.lost_replies = self.lost_replies.saturating_sub(1);
        is_lost
    }

    /// Whether this page is cut.
    pub(super) fn cuts_page(&mut self) -> bool {
        match self.cut_after {
            Some(0) => {
                self.cut_after = None;
                true
            }
            Some(after) => {
                self.cut_after = Some(after - 1);
                false
            }
            None => false,
        }
    }
}
