//! Machines that run join a cluster.

use std::future;

use plimsoll_net::Shutdown;

use super::{Emulator, state::News};
use crate::Joins;

// === impl Emulator ===

impl Emulator {
    /// Lets machines come and go at their time, and tells a cluster, until it is stopped.
    ///
    /// Without it machines come and go all the same, as soon as somebody looks. To be run once: what one has been told, another
    /// will not be.
    pub async fn run(&self, joins: &dyn Joins, shutdown: Shutdown) {
        tokio::select! {
            () = self.tell(joins) => {}
            () = shutdown.wait() => {}
        }
    }

    async fn tell(&self, joins: &dyn Joins) {
        loop {
            let news = std::mem::take(&mut self.state().books.news);
            for event in news {
                match event {
                    News::Joins(node) => joins.join(node).await,
                    News::Leaves(name) => joins.leave(&name).await,
                }
            }
            self.wait().await;
        }
    }

    /// Waits until something is due, or may be due earlier than it was.
    async fn wait(&self) {
        let due = self.state().books.next_due();
        let time = async {
            match due {
                Some((due, _)) => self.inner.clock.sleep_until(due).await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            () = time => {}
            () = self.inner.changed.notified() => {}
        }
    }
}
