//! What a cluster forgets with time, as a real one does: history after some minutes, events after an hour.

use std::{collections::VecDeque, time::Duration};

use plimsoll_net::Shutdown;

use crate::{
    Api,
    api::{DeleteOptions, ListQuery, Target},
};

/// How often something is forgotten, and how old history gets at least.
const EVERY: Duration = Duration::from_mins(5);
/// After how many rounds an event that nobody has touched is forgotten: an hour.
const EVENTS_LAST: usize = 12;
/// How many events are deleted before others get a turn.
const AT_ONCE: usize = 64;

/// Forgets until `shutdown`.
pub(super) async fn forget(api: Api, shutdown: Shutdown) {
    // The newest revision at each of the last rounds, the oldest first: what it tells is how old an object is without reading it.
    let mut revisions = VecDeque::from([api.revision()]);
    loop {
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        if let Some(newest) = revisions.back() {
            api.compact(*newest);
        }
        revisions.push_back(api.revision());
        if revisions.len() > EVENTS_LAST
            && let Some(old) = revisions.pop_front()
        {
            forget_events(&api, old).await;
        }
    }
}

/// Deletes the events that have not changed since a revision.
async fn forget_events(api: &Api, revision: u64) {
    let Some(kind) = api.kind("", "v1", "events") else { return };
    let listing = api.list(&kind, &ListQuery::default());
    let items = listing.map(|listing| listing.items).unwrap_or_default();
    for (number, event) in items.iter().filter(|event| event.revision <= revision).enumerate() {
        let at = Target::new(&event.key.namespace, &event.key.name);
        // One that is gone already is what was wanted.
        let _ = api.delete(&kind, &at, &DeleteOptions::default());
        if number % AT_ONCE == 0 {
            tokio::task::yield_now().await;
        }
    }
}
