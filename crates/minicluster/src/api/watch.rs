//! Watches.

use std::{collections::VecDeque, future::pending, sync::Arc, task::Poll, time::Duration};

use futures::Stream;
use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Clock;

use super::{
    Api, WatchQuery,
    convert::View,
    read::{check_watch, named_key, parse_version, too_large},
};
use crate::{
    ApiError, Kind, Object,
    object::Key,
    store::{Event, Filter, Outcome, Range, Subscription, TooOld},
};

/// How many events are taken from the history at once: enough to save locking, few enough to wait in memory for a slow client.
const BATCH: usize = 128;
/// How often bookmarks come.
const BOOKMARK_EVERY: Duration = Duration::from_mins(1);
/// How long before the end of the stream the last bookmark comes.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);
/// How long a streaming list waits for a version that does not exist yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a watch tells.
#[derive(Clone, Debug)]
pub enum WatchEvent {
    /// The object is there, and was not before, or did not match.
    Added(Arc<Object>),
    /// The object has changed.
    Modified(Arc<Object>),
    /// The object is gone or no longer matches: its last matching state, under the revision of the change.
    Deleted(Arc<Object>),
    /// Everything up to this revision has been told.
    Bookmark {
        /// The revision.
        revision: u64,
        /// Whether this is the end of what was there when the watch began: the annotation `k8s.io/initial-events-end`.
        initial_events_end: bool,
    },
    /// The stream ends here.
    Error(ApiError),
}

/// A stream of what happens to the objects of a kind.
#[derive(Debug)]
pub struct Watch {
    clock: Clock,
    view: View,
    scope: WatchScope,
    subscription: Subscription,
    /// What is to be told next.
    ready: VecDeque<WatchEvent>,
    bookmarks: Bookmarks,
    ends: Option<Timestamp>,
    finished: bool,
    /// A version that must come before anything is told, and how long that is waited for.
    awaits: Option<(u64, Timestamp)>,
}

/// Which objects a watch is about.
#[derive(Debug)]
struct WatchScope {
    namespace: String,
    filter: Filter,
    /// The only object it can be about.
    only: Option<Key>,
}

#[derive(Debug)]
enum Bookmarks {
    Unwanted,
    Next(Timestamp),
}

// === impl Api ===

impl Api {
    /// What happens to the objects that the query is about.
    ///
    /// A version that is too old is told by the stream, as the real server does it.
    pub fn watch(&self, kind: &Kind, query: &WatchQuery) -> Result<Watch, ApiError> {
        check_watch(query)?;
        let version =
            parse_version(&query.resource_version).map_err(|why| ApiError::new(500, "", why))?;
        let resource = kind.storage();
        let scope = WatchScope {
            namespace: query.namespace.clone(),
            filter: query.filter.clone(),
            only: named_key(&query.namespace, kind, &query.filter),
        };
        let view = View::of(kind);
        let initial = query.send_initial_events.unwrap_or(version == 0);
        let now = self.clock().now();
        let future = initial && version > self.revision();
        let awaits = future.then(|| (version, later(now, PATIENCE)));
        let mut ready = VecDeque::new();
        let mut start = version;
        if initial && awaits.is_none() {
            let range = Range {
                namespace: &query.namespace,
                filter: Some(&query.filter),
                only: scope.only.as_ref(),
                ..Range::default()
            };
            // A list of what is there now is never too old.
            if let Ok(page) = self.store().list(&resource, &range) {
                start = page.revision;
                ready.extend(page.items.iter().map(|item| WatchEvent::Added(view.show(item))));
            }
            if query.allow_bookmarks {
                ready.push_back(WatchEvent::Bookmark { revision: start, initial_events_end: true });
            }
        } else if version == 0 {
            start = self.revision();
        }
        let ends = query.timeout.map(|timeout| later(now, timeout));
        let bookmarks = match ends {
            _ if !query.allow_bookmarks => Bookmarks::Unwanted,
            Some(ends) => Bookmarks::Next(next_bookmark(now, Some(ends))),
            None => Bookmarks::Next(next_bookmark(now, None)),
        };
        Ok(Watch {
            clock: *self.clock(),
            view,
            scope,
            subscription: self.store().subscribe(&resource, start),
            ready,
            bookmarks,
            ends,
            finished: false,
            awaits,
        })
    }
}

// === impl Watch ===

impl Watch {
    /// The next event; none when the stream is over. May be dropped at any time without losing an event.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        if let Some((version, until)) = self.awaits {
            // Nobody can know a version that was not given out, so waiting for it is only a matter of form.
            self.clock.sleep_until(until).await;
            self.awaits = None;
            self.finished = true;
            return Some(WatchEvent::Error(too_large(version, self.subscription.position())));
        }
        loop {
            if let Poll::Ready(event) = self.poll() {
                return event;
            }
            let (clock, wake) = (self.clock, self.next_deadline());
            let sleep = async move {
                match wake {
                    Some(moment) => clock.sleep_until(moment).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = self.subscription.changed() => {}
                () = sleep => {}
            }
        }
    }

    /// What can be told without waiting; none if there is nothing now.
    pub fn try_next(&mut self) -> Option<WatchEvent> {
        match self.poll() {
            Poll::Ready(event) => event,
            Poll::Pending => None,
        }
    }

    /// What there is to tell now, if anything; none at the end of the stream.
    fn poll(&mut self) -> Poll<Option<WatchEvent>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Poll::Ready(Some(event));
            }
            let now = self.clock.now();
            if self.finished || self.ends.is_some_and(|ends| ends <= now) {
                self.finished = true;
                return Poll::Ready(None);
            }
            match self.subscription.read(BATCH) {
                Err(TooOld { oldest }) => {
                    self.finished = true;
                    let asked = self.subscription.position();
                    let message = format!("too old resource version: {asked} ({oldest})");
                    let error = ApiError::new(410, "Expired", message);
                    return Poll::Ready(Some(WatchEvent::Error(error)));
                }
                Ok(events) if events.is_empty() && self.subscription.is_over() => {
                    self.finished = true;
                    return Poll::Ready(None);
                }
                Ok(events) if events.is_empty() => return self.poll_bookmark(now),
                Ok(events) => {
                    let told = events.iter().filter_map(|event| self.scope.tell(event, &self.view));
                    self.ready.extend(told);
                }
            }
        }
    }

    fn poll_bookmark(&mut self, now: Timestamp) -> Poll<Option<WatchEvent>> {
        match self.bookmarks {
            Bookmarks::Next(due) if due <= now => {
                self.bookmarks = Bookmarks::Next(next_bookmark(now, self.ends));
                let revision = self.subscription.position();
                Poll::Ready(Some(WatchEvent::Bookmark { revision, initial_events_end: false }))
            }
            _ => Poll::Pending,
        }
    }

    /// As a stream.
    pub fn into_stream(self) -> impl Stream<Item = WatchEvent> + Send + 'static {
        futures::stream::unfold(self, |mut watch| async move {
            let event = watch.next().await?;
            Some((event, watch))
        })
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let bookmark = match self.bookmarks {
            Bookmarks::Unwanted => None,
            Bookmarks::Next(due) => Some(due),
        };
        bookmark.into_iter().chain(self.ends).min()
    }
}

// === impl WatchScope ===

impl WatchScope {
    /// What a write means to somebody who only sees what matches.
    fn tell(&self, event: &Event, view: &View) -> Option<WatchEvent> {
        let before = event.before.as_ref().filter(|before| self.matches(before));
        match (event.outcome, before) {
            (Outcome::Gone, Some(_)) => Some(WatchEvent::Deleted(view.show(&event.after))),
            (Outcome::Gone, None) => None,
            (Outcome::Kept, before) => match (before, self.matches(&event.after)) {
                (None, false) => None,
                (None, true) => Some(WatchEvent::Added(view.show(&event.after))),
                (Some(_), true) => Some(WatchEvent::Modified(view.show(&event.after))),
                (Some(before), false) => {
                    let left = Arc::new(before.at_revision(event.revision));
                    Some(WatchEvent::Deleted(view.show(&left)))
                }
            },
        }
    }

    fn matches(&self, object: &Object) -> bool {
        if let Some(only) = &self.only
            && *only != object.key
        {
            return false;
        }
        let here = self.namespace.is_empty() || *self.namespace == *object.key.namespace;
        here && self.filter.matches(object)
    }
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    moment.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// A minute from now, or shortly before the end if that is sooner. The one before the end is the last.
fn next_bookmark(now: Timestamp, ends: Option<Timestamp>) -> Timestamp {
    let regular = later(now, BOOKMARK_EVERY);
    let Some(ends) = ends else { return regular };
    let before = SignedDuration::try_from(BOOKMARK_BEFORE_END).unwrap_or(SignedDuration::ZERO);
    let last = ends.checked_sub(before).unwrap_or(ends);
    if last <= now { Timestamp::MAX } else { regular.min(last) }
}
