//! Keeps what is known of a provider fresh in the background, so that nobody has to wait for it.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_net::{Clock, Shutdown};
use tokio::sync::{Notify, watch};
use tracing::{info, warn};

use crate::{Error, Inventory, Provider};

/// Refreshes a provider every so often, and when it is nudged.
#[derive(Debug)]
pub struct Keeper {
    provider: Arc<dyn Provider>,
    clock: Clock,
    latest: watch::Sender<Kept>,
    nudge: Notify,
}

/// What is known of a provider.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// What the last refresh that succeeded saw; `None` before the first.
    pub inventory: Option<Arc<Inventory>>,
    /// When that refresh began: all that was told to the provider before is in it.
    pub as_of: Option<Timestamp>,
    /// Why the last refresh failed, with the moment the first of the failures in a row began.
    pub failing: Option<(Timestamp, Error)>,
    /// How many refreshes have begun, and how many of those have ended.
    begun: u64,
    ended: u64,
}

/// A refresh that somebody asked for. See [`Keeper::nudge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

// === impl Keeper ===

impl Keeper {
    /// Knows nothing before [`Keeper::run`] has made its first refresh.
    pub fn new(provider: Arc<dyn Provider>, clock: Clock) -> Self {
        Self { provider, clock, latest: watch::Sender::default(), nudge: Notify::new() }
    }

    /// Whose inventory it keeps.
    pub fn provider(&self) -> &Arc<dyn Provider> {
        &self.provider
    }

    /// What is known now.
    pub fn latest(&self) -> Kept {
        self.latest.borrow().clone()
    }

    /// Sees every change of what is known.
    pub fn subscribe(&self) -> watch::Receiver<Kept> {
        self.latest.subscribe()
    }

    /// Asks for a refresh that begins after this call. One that is under way does not count: it may have looked already.
    pub fn nudge(&self) -> Ticket {
        let ticket = Ticket(self.latest.borrow().begun + 1);
        self.nudge.notify_one();
        ticket
    }

    /// Waits until that refresh has ended, well or not. Needs [`Keeper::run`] to be running.
    pub async fn wait(&self, ticket: Ticket) -> Kept {
        let mut receiver = self.latest.subscribe();
        match receiver.wait_for(|kept| kept.ended >= ticket.0).await {
            Ok(kept) => kept.clone(),
            // The sender lives as long as `self`.
            Err(_) => self.latest(),
        }
    }

    /// Refreshes until `shutdown`.
    pub async fn run(&self, every: Duration, shutdown: &Shutdown) {
        loop {
            tokio::select! {
                // A refresh that hangs must not hold up the end.
                () = shutdown.wait() => return,
                () = self.refresh() => {}
            }
            tokio::select! {
                () = shutdown.wait() => return,
                () = self.nudge.notified() => {}
                () = tokio::time::sleep(every) => {}
            }
        }
    }

    async fn refresh(&self) {
        let began = self.clock.now();
        self.latest.send_modify(|kept| kept.begun += 1);
        let outcome = self.provider.refresh().await;
        self.latest.send_modify(|kept| {
            kept.ended = kept.begun;
            match outcome {
                Ok(inventory) => {
                    if let Some((since, _)) = kept.failing.take() {
                        info!(provider = self.provider.name(), %since, "can be read again");
                    }
                    kept.inventory = Some(Arc::new(inventory));
                    kept.as_of = Some(began);
                }
                Err(error) => {
                    let since = kept.failing.as_ref().map_or(began, |(since, _)| *since);
                    if kept.failing.is_none() {
                        warn!(provider = self.provider.name(), %error, "cannot be read");
                    }
                    kept.failing = Some((since, error));
                }
            }
        });
    }
}

#[cfg(test)]
mod tests;
