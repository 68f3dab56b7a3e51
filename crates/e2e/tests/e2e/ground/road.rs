//! What all ways to the API server have in common that begin in the time of a test.

use std::sync::{
    Arc, Condvar, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use plimsoll_net::Clock;

use super::calendar::Calendar;

/// The road to the API server.
#[derive(Debug)]
pub(super) struct Road {
    pub(super) calendar: Calendar,
    traffic: Arc<Traffic>,
    closed: AtomicBool,
}

/// Somebody who waits for an answer. Time stands still until this is dropped.
#[derive(Debug)]
pub(super) struct Passage(Arc<Traffic>);

#[derive(Debug, Default)]
struct Traffic {
    under_way: Mutex<usize>,
    clear: Condvar,
    /// How often something went along, in either direction.
    passed: AtomicU64,
}

// === impl Road ===

impl Road {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            calendar: Calendar::new(clock),
            traffic: Arc::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// Asks for passage; none is given any more once the road is closed.
    pub(super) fn enter(&self) -> Option<Passage> {
        if self.is_closed() {
            return None;
        }
        self.count();
        let mut under_way = self.traffic.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        *under_way += 1;
        if *under_way == 1 {
            // Tokio's paused time does not pass while it waits for a blocking task.
            let traffic = Arc::clone(&self.traffic);
            tokio::task::spawn_blocking(move || traffic.wait());
        }
        drop(under_way);
        Some(Passage(Arc::clone(&self.traffic)))
    }

    /// Something goes along.
    pub(super) fn count(&self) {
        self.traffic.passed.fetch_add(1, Ordering::AcqRel);
    }

    /// How often something went along so far.
    pub(super) fn counted(&self) -> u64 {
        self.traffic.passed.load(Ordering::Acquire)
    }

    /// Whether the test is over.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Whoever asks from now on gets no answer.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }
}

// === impl Traffic ===

impl Traffic {
    /// Waits until nobody is under way.
    fn wait(&self) {
        let under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.clear.wait_while(under_way, |under_way| *under_way > 0));
    }
}

// === impl Passage ===

impl Drop for Passage {
    fn drop(&mut self) {
        self.0.passed.fetch_add(1, Ordering::AcqRel);
        let mut under_way = self.0.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        *under_way -= 1;
        if *under_way == 0 {
            self.0.clear.notify_all();
        }
    }
}
