//! Watches: what there is of a kind, and every change to it, in order.

use std::time::Duration;

use futures::{Stream, StreamExt as _};
use kube::Client;

mod follower;
mod frames;
mod kinds;
mod object;
mod page;

use self::follower::Follower;
pub use self::{
    kinds::{Kinds, Watched},
    object::Object,
};

/// What a watch tells.
#[derive(Debug)]
pub enum Change {
    /// The list begins anew: what is not told before [`Change::Complete`] is not there any more.
    Restart(Watched),
    /// An object is there, new or changed.
    Put(Watched, Box<Object>),
    /// An object is gone.
    Gone(Watched, Box<Object>),
    /// The list is complete.
    Complete(Watched),
    /// Nothing has changed, and that is known from the API server: everything up to now has been told.
    Alive(Watched),
    /// The watch broke, or is silent for longer than it can be. It is tried again; until something else is told, what is known
    /// grows old.
    Broken(Watched, String),
    /// The cluster does not have this kind, so there is nothing of it. It is looked for again, because somebody may define it.
    Absent(Watched),
}

/// How long the API server is asked to keep a watch open. It ends the watch then, and tells a bookmark shortly before: an idle
/// kind is heard of about this often, so half a minute without a sign of life ([`Change::Alive`]) means that the way to the API
/// server is broken, whether an error says so or not. The arithmetic, for the default limit of 30 s after which what is known
/// is not acted on:
///
/// | seconds | what happens at the latest                                                      |
/// |---------|---------------------------------------------------------------------------------|
/// | 0       | the last sign of life                                                           |
/// | 20      | a healthy API server ends the watch; the next one begins: a sign of life        |
/// | 25      | the watch has not ended: it is frozen and is dropped, and a brief one is begun  |
/// | 27      | the brief watch ends: a sign of life. Only one connection was lost              |
/// | 30      | no sign of life: stale                                                          |
const WATCH_TIME: Duration = Duration::from_secs(20);

/// The same for the watch after one that was frozen. Whether anything comes through is known when it ends, so that is soon.
const BRIEF_WATCH_TIME: Duration = Duration::from_secs(2);

/// How much later than it was asked to the API server may end a watch, and how long a watch that is overdue may be silent.
const MARGIN: Duration = Duration::from_secs(5);

/// How long the API server gets to begin a watch.
const BEGIN_TIME: Duration = Duration::from_secs(10);

/// How long the API server gets for a page of a list, with the time that the request waits for its turn.
const PAGE_TIME: Duration = Duration::from_mins(1);

/// How long is waited at most before a watch is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How often a kind that the cluster does not have is looked for. Each answer is a sign of life, so this is not longer than
/// [`WATCH_TIME`].
const ABSENT_PAUSE: Duration = WATCH_TIME;

/// A watch that ends sooner than this without a word is not begun again at once.
const SHORTEST_WATCH: Duration = Duration::from_secs(1);

/// Everything of a kind, from now on. The stream never ends: after a break the watch goes on from where it was, and only when the
/// API server does not know that version any more the list is told anew.
pub fn follow(client: &Client, watched: Watched) -> impl Stream<Item = Change> + Send + use<> {
    let follower = Follower::new(client, watched);
    futures::stream::unfold(follower, |mut follower| async move {
        let change = follower.next().await;
        Some((change, follower))
    })
}

/// Everything of these kinds.
pub fn follow_all(client: &Client, kinds: &Kinds) -> impl Stream<Item = Change> + Send + use<> {
    futures::stream::select_all(kinds.iter().map(|watched| follow(client, watched).boxed()))
}

#[cfg(test)]
mod tests;
