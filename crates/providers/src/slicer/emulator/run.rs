//! Letting machines join a cluster, and leave it.

use plimsoll_net::Shutdown;

use super::Emulator;
use crate::joins::{Joins, tell};

// === impl Emulator ===

impl Emulator {
    /// Lets machines boot at their time, and tells it, until it is stopped. To be run once: what one has been told, another will
    /// not be.
    pub async fn run(&self, joins: &dyn Joins, shutdown: Shutdown) {
        let look = || {
            let mut books = self.books();
            let now = self.now();
            books.state.advance(now);
            (std::mem::take(&mut books.state.news), books.state.next_due())
        };
        tell(joins, self.inner.clock, &self.inner.changed, look, shutdown).await;
    }
}
