//! Machines that run join a cluster.

use plimsoll_net::Shutdown;

use super::Emulator;
use crate::joins::{Joins, tell};

// === impl Emulator ===

impl Emulator {
    /// Lets machines come and go at their time, and tells a cluster, until it is stopped.
    ///
    /// Without it machines come and go all the same, as soon as somebody looks. To be run once: what one has been told, another
    /// will not be.
    pub async fn run(&self, joins: &dyn Joins, shutdown: Shutdown) {
        let look = || {
            let mut state = self.state();
            let due = state.books.next_due().map(|(due, _)| due);
            (std::mem::take(&mut state.books.news), due)
        };
        tell(joins, self.inner.clock, &self.inner.changed, look, shutdown).await;
    }
}
