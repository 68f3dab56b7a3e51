//! The objects of a collection, and what happens to them, over all disturbances.

use std::{sync::Arc, time::Duration};

use futures::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Clock;
use serde_json::Value;
use tracing::{debug, warn};

use super::cluster::{Cluster, ClusterError, Collection, Event, Listing};

/// How long to wait before asking a server again that did not answer.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// News of a collection.
#[derive(Debug)]
pub(super) enum News {
    /// A list begins: what it does not name is gone.
    Begin,
    /// An object is there, in this state.
    Put(Value),
    /// The list ends.
    End,
    /// An object is gone.
    Gone(Value),
}

struct Follower {
    cluster: Arc<dyn Cluster>,
    of: Collection,
    fields: &'static str,
    clock: Clock,
    state: State,
}

enum State {
    Asking,
    Resting(Timestamp),
    Listing(Listing),
    Opening(String),
    Watching(BoxStream<'static, Result<Event, ClusterError>>),
}

/// News of a collection, without end.
pub(super) fn follow(
    cluster: Arc<dyn Cluster>,
    of: Collection,
    fields: &'static str,
    clock: Clock,
) -> impl Stream<Item = News> + Send {
    let follower = Follower { cluster, of, fields, clock, state: State::Asking };
    stream::unfold(follower, |mut follower| async move {
        let news = follower.next().await;
        Some((news, follower))
    })
}

// === impl Follower ===

impl Follower {
    async fn next(&mut self) -> News {
        loop {
            match &mut self.state {
                State::Asking => match self.cluster.list(self.of, self.fields).await {
                    Ok(listing) => {
                        self.state = State::Listing(listing);
                        return News::Begin;
                    }
                    Err(error) => {
                        warn!(%error, plural = self.of.plural, "cannot list");
                        self.rest();
                    }
                },
                State::Resting(until) => {
                    let until = *until;
                    self.clock.sleep_until(until).await;
                    self.state = State::Asking;
                }
                State::Listing(listing) => {
                    if let Some(item) = listing.items.next() {
                        return News::Put(item);
                    }
                    self.state = State::Opening(std::mem::take(&mut listing.version));
                    return News::End;
                }
                State::Opening(version) => {
                    match self.cluster.watch(self.of, self.fields, version).await {
                        Ok(events) => self.state = State::Watching(events),
                        Err(error) => {
                            warn!(%error, plural = self.of.plural, "cannot watch");
                            self.rest();
                        }
                    }
                }
                State::Watching(events) => match events.next().await {
                    Some(Ok(Event::Put(object))) => return News::Put(object),
                    Some(Ok(Event::Gone(object))) => return News::Gone(object),
                    ended => {
                        debug!(?ended, plural = self.of.plural, "a watch ended");
                        self.rest();
                    }
                },
            }
        }
    }

    fn rest(&mut self) {
        let pause = SignedDuration::try_from(PAUSE).unwrap_or(SignedDuration::ZERO);
        let until = self.clock.now().checked_add(pause).unwrap_or(Timestamp::MAX);
        self.state = State::Resting(until);
    }
}
