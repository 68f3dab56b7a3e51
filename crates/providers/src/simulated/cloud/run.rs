//! Telling who waits for machines.

use std::{collections::BTreeSet, future, time::Duration};

use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Shutdown;

use super::{Cloud, Entry, Happening};
use crate::Joins;

// === impl Cloud ===

impl Cloud {
    /// Lets machines boot and go at their time, and tells it, until it is stopped. The initial machines join first.
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
        let mut joined = BTreeSet::new();
        loop {
            for entry in self.news() {
                let machine = &*entry.machine;
                match entry.what {
                    Happening::Arrived => {
                        joined.insert(machine.id.clone());
                        joins.join(machine.manifest()).await;
                    }
                    Happening::Gone | Happening::Vanished if joined.remove(&machine.id) => {
                        joins.leave(&machine.name).await;
                    }
                    _ => {}
                }
            }
            self.wait().await;
        }
    }

    /// Waits until all that was begun is done: machines that are made have come up or failed, those that are deleted are gone.
    /// Orders that queue stay where they are.
    pub async fn settle(&self) {
        let next = || self.state().next_begun();
        while let Some(due) = next() {
            self.sleep_until(due).await;
        }
    }

    /// The same without waiting: the time in between is passed over, here and nowhere else.
    pub fn hurry(&self) {
        let next = || self.state().next_begun();
        while let Some(due) = next() {
            let left = due.duration_since(self.now()).max(SignedDuration::ZERO);
            let mut skipped = self.skipped();
            *skipped = skipped.saturating_add(left);
        }
        self.inner.changed.notify_one();
    }

    async fn sleep_until(&self, due: Timestamp) {
        if let Ok(left) = Duration::try_from(due.duration_since(self.now())) {
            tokio::time::sleep(left).await;
        }
    }

    /// What has happened since the last time.
    fn news(&self) -> Vec<Entry> {
        let mut state = self.state();
        let news = state.journal.get(state.told..).unwrap_or_default().to_vec();
        state.told = state.journal.len();
        news
    }

    /// Waits until something is due, or may be due earlier than it was.
    async fn wait(&self) {
        let due = self.state().next_due();
        let time = async {
            match due {
                Some(due) => self.sleep_until(due).await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            () = time => {}
            () = self.inner.changed.notified() => {}
        }
    }
}
