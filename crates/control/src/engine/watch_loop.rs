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
    leader::{Event, Leader},
    takeover::Takeover,
};
use crate::settings::Mode;

/// Whether what was observed of the cluster can be built upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuity {
    /// Watches go on.
    Kept,
    /// The observation is lost, and everything is listed and watched from the beginning.
    Broken,
}

// === impl Engine ===

impl Engine {
    /// Waits for something to happen and does what follows, until `shutdown`.
    pub(super) async fn watch(&mut self, shutdown: &Shutdown) {
        let mut changes = source::follow_all(&self.context.client, &self.context.kinds).boxed();
        let mut fleet = fleet_news(&self.context.fleet).boxed();
        let (mut standing, mut reloads) = (self.standing.clone(), self.reloads.clone());
        let handle = self.context.handle.clone();
        let (clock, mut may_lead, mut may_reload) = (self.context.clock, true, true);
        self.take_over();
        loop {
            let wake =
                self.leader.as_ref().and_then(|leader| leader.wake(self.planner.whereabouts()));
            let mut continuity = Continuity::Kept;
            tokio::select! {
                biased;
                () = shutdown.wait() => break,
                // Once the election is over for good, this replica stays what it is.
                outcome = standing.changed(), if may_lead => {
                    may_lead = outcome.is_ok();
                    if may_lead {
                        // Should this replica lead again, another one may have led in between.
                        self.step_down();
                        self.take_over();
                    }
                }
                outcome = reloads.changed(), if may_reload => {
                    may_reload = outcome.is_ok();
                    self.reload_settings();
                }
                planned = self.planner.planned() => continuity = self.finish_planning(planned),
                Some(event) = next_event(&mut self.leader) => self.handle_event(event),
                Some(()) = fleet.next() => self.compare_inventory(),
                () = handle.asked() => self.schedule_pass(Cause::Asked),
                Some(change) = changes.next() => self.apply_change(change),
                () = sleep_until(clock, wake) => {}
            }
            self.iterate();
            if continuity == Continuity::Broken {
                changes = source::follow_all(&self.context.client, &self.context.kinds).boxed();
            }
        }
        self.wind_up().await;
    }

    /// Saves the memory, and waits a little for calls under way, so that their outcome is known to the next leader.
    async fn wind_up(&mut self) {
        let Some(leader) = &mut self.leader else { return };
        let patience = self.context.settings.pace.farewell;
        if tokio::time::timeout(patience, leader.settle()).await.is_err() {
            warn!("calls under way did not end in time; the next leader makes them again");
        }
        while let Some(event) = self.leader.as_mut().and_then(|leader| leader.inbox.try_recv().ok())
        {
            self.handle_event(event);
        }
        let Some(leader) = &self.leader else { return };
        let is_saved = leader.saved.as_ref() == Some(&leader.memory);
        let is_known = matches!(leader.takeover, Takeover::Complete { .. });
        if self.context.settings.mode == Mode::Act && is_known && !is_saved {
            match self.context.saved_state.save(&leader.memory).await {
                Ok(()) => info!("state saved; open orders are left to the next leader"),
                Err(error) => warn!(%error, "cannot save state; its last changes are lost"),
            }
        }
    }
}

async fn next_event(leader: &mut Option<Leader>) -> Option<Event> {
    match leader {
        Some(leader) => leader.inbox.recv().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(clock: Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// An item whenever a provider's inventory has been refreshed.
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
