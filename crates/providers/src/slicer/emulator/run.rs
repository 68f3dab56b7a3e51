//! Letting machines join a cluster, and leave it.

use std::future;

use plimsoll_net::Shutdown;

use super::{Emulator, state::News};
use crate::Joins;

// === impl Emulator ===

impl Emulator {
    /// Lets machines boot at their time, and tells it, until it is stopped. To be run once: what one has been told, another will
    /// not be.
    pub async fn run(&self, joins: &dyn Joins, shutdown: Shutdown) {
        tokio::select! {
            () = self.tell(joins) => {}
            () = shutdown.wait() => {}
        }
    }

    async fn tell(&self, joins: &dyn Joins) {
        loop {
            let waiting = self.inner.changed.notified();
            let (news, due) = self.news();
            for piece in news {
                match piece {
                    News::Joined(node) => joins.join(node).await,
                    News::Left(name) => joins.leave(&name).await,
                }
            }
            let time = async {
                match due {
                    Some(due) => self.inner.clock.sleep_until(due).await,
                    None => future::pending().await,
                }
            };
            tokio::select! {
                () = time => {}
                () = waiting => {}
            }
        }
    }

    /// What has happened since the last time, and when something happens next.
    fn news(&self) -> (Vec<News>, Option<jiff::Timestamp>) {
        let mut books = self.books();
        let now = self.now();
        books.state.advance(now);
        (std::mem::take(&mut books.state.news), books.state.next_due())
    }
}
