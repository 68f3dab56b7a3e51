//! Waiting for something to happen.

use futures::{Stream, StreamExt as _};
use jiff::Timestamp;
use plimsoll_cluster::source;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::Fleet;
use tokio::sync::watch;
use tracing::{info, warn};

use super::{
    Cause, Engine,
    reign::{Event, Reign, State},
};
use crate::settings::Mode;

// === impl Engine ===

impl Engine {
    /// Waits for something to happen and does what follows, until `shutdown`.
    pub(super) async fn watch(&mut self, shutdown: &Shutdown) {
        let mut changes = source::follow_all(&self.client, &self.kinds).boxed();
        let mut fleet = fleet_news(&self.fleet).boxed();
        let (mut standing, mut wishes) = (self.standing.clone(), self.wishes.clone());
        let handle = self.handle.clone();
        let (clock, mut leads, mut wished) = (self.clock, true, true);
        self.stand();
        loop {
            let wake = self.wake();
            tokio::select! {
                biased;
                () = shutdown.wait() => break,
                // Once nobody can tell us any more, we stay what we are.
                outcome = standing.changed(), if leads => {
                    leads = outcome.is_ok();
                    if leads {
                        // Should we lead again, somebody else may have led in between.
                        self.abdicate();
                        self.stand();
                    }
                }
                outcome = wishes.changed(), if wished => {
                    wished = outcome.is_ok();
                    self.wish();
                }
                Some(event) = next_event(&mut self.reign) => self.hear(event),
                Some(()) = fleet.next() => self.look(),
                () = handle.asked() => self.call(Cause::Asked),
                Some(change) = changes.next() => self.see(change),
                () = sleep_until(clock, wake) => {}
            }
            self.tend().await;
            if std::mem::take(&mut self.blind) {
                changes = source::follow_all(&self.client, &self.kinds).boxed();
            }
        }
        self.farewell().await;
    }

    /// When there is something to do even if nothing happens.
    fn wake(&self) -> Option<Timestamp> {
        let reign = self.reign.as_ref()?;
        match reign.state {
            State::Waiting(until) => Some(until),
            State::Loading => None,
            State::Ready { .. } => {
                let saving = reign.save_at.filter(|_| !reign.saving);
                let due = self.due.map(|(due, _)| due);
                [due, saving, self.step_at, reign.ledger.wake()].into_iter().flatten().min()
            }
        }
    }

    /// Writes down what there is, and waits a little for calls under way, so that they are known to whoever comes next.
    async fn farewell(&mut self) {
        let Some(reign) = &mut self.reign else { return };
        let patience = self.settings.pace.farewell;
        if tokio::time::timeout(patience, reign.settle()).await.is_err() {
            warn!("calls under way did not end in time; whoever comes next makes them again");
        }
        while let Some(event) = self.reign.as_mut().and_then(|reign| reign.inbox.try_recv().ok()) {
            self.hear(event);
        }
        let Some(reign) = &self.reign else { return };
        let known = reign.saved.as_ref() == Some(&reign.memory);
        if self.settings.mode == Mode::Act && matches!(reign.state, State::Ready { .. }) && !known {
            match self.notebook.save(&reign.memory).await {
                Ok(()) => info!("memory is written, and what is under way waits to be taken up"),
                Err(error) => warn!(%error, "the last changes of memory are lost"),
            }
        }
    }
}

async fn next_event(reign: &mut Option<Reign>) -> Option<Event> {
    match reign {
        Some(reign) => reign.inbox.recv().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(clock: Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Something whenever a provider has been looked at.
fn fleet_news(fleet: &Fleet) -> impl Stream<Item = ()> + Send + use<> {
    let news = fleet.keepers().map(|keeper| {
        let receiver = keeper.subscribe();
        let next = async |mut receiver: watch::Receiver<_>| {
            receiver.changed().await.ok()?;
            Some(((), receiver))
        };
        futures::stream::unfold(receiver, next).boxed()
    });
    futures::stream::select_all(news.collect::<Vec<_>>())
}
