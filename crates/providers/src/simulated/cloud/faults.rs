//! What goes wrong between the service and those who call it.

use std::time::Duration;

use jiff::SignedDuration;
use plimsoll_provider::{Class, Error};

use crate::faults::{Failing, is_next, is_one};

/// What goes wrong, as it was last set.
#[derive(Debug)]
pub(super) struct Faults {
    pub(super) is_down: bool,
    /// What every request waits for before it takes effect.
    pub(super) latency: Duration,
    /// Requests that will fail.
    pub(super) failing: Option<Failing<Class>>,
    /// So many answers to requests that change something are lost.
    pub(super) lost_replies: u32,
    /// So many pages are given out whole before one is cut.
    pub(super) cut_after: Option<u32>,
    pub(super) page_size: usize,
    /// How far the service's clock is ahead.
    pub(super) skew: SignedDuration,
    calls: u64,
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
        match Failing::next(&mut self.failing) {
            Some(class) => Err(Error::new(class, format!("the simulated service answers {class}"))),
            None => Ok(()),
        }
    }

    /// Whether the answer to this request is lost.
    pub(super) fn loses_reply(&mut self) -> bool {
        is_one(&mut self.lost_replies)
    }

    /// Whether this page is cut.
    pub(super) fn cuts_page(&mut self) -> bool {
        is_next(&mut self.cut_after)
    }
}
