//! One kind, followed for ever.

use std::time::Duration;

use futures::StreamExt as _;
use kube::{
    Client, Resource as _,
    api::{DynamicObject, WatchParams},
    core::{Request, Status},
    runtime::{utils::Backoff as _, watcher::DefaultBackoff},
};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::debug;

use super::{
    ABSENT_PAUSE, BEGIN_TIME, BRIEF_WATCH_TIME, Change, LONGEST_PAUSE, MARGIN, PAGE_TIME,
    SHORTEST_WATCH, WATCH_TIME, Watched,
    frames::{self, Frame, Frames},
    page::{Page, Then, fields},
};

/// Follows one kind.
pub(super) struct Follower {
    client: Client,
    /// How the kind is asked for.
    requests: Request,
    watched: Watched,
    state: State,
    backoff: DefaultBackoff,
    /// How long to wait before the next request.
    pause: Option<Duration>,
}

/// How far a kind has been followed.
///
/// | state    | what happens                              | told              | next               |
/// |----------|-------------------------------------------|-------------------|--------------------|
/// | Unlisted |                                           | `Restart`         | Listing            |
/// | Listing  | a page comes                              | `Put` for each    | Listing            |
/// | Listing  | it was the last page                      | `Complete`        | Listed             |
/// | Listed   | a watch begins                            | `Alive`           | Watching           |
/// | Listed   | a watch begins, and the last one was mute |                   | Watching, briefly  |
/// | Watching | an event comes                            | `Put` or `Gone`   | Watching           |
/// | Watching | a bookmark comes                          | `Alive`           | Watching           |
/// | Watching | the API server ends the watch             |                   | Listed             |
/// | Watching | nothing comes, not even the end           | `Broken`          | Listed, in doubt   |
/// | any      | the version is gone                       |                   | Unlisted, later    |
/// | any      | the API server does not have the kind     | `Absent`          | Unlisted, later    |
/// | any      | anything else goes wrong                  | `Broken`          | as before, later   |
///
/// That a watch begins shows life only if the one before ended by itself. A proxy that takes requests and forwards nothing would
/// be trusted for ever otherwise, with one mute watch after the other.
enum State {
    /// Nothing is known, or what is known is out of date.
    Unlisted,
    /// A list is being told.
    Listing(Page),
    /// Everything up to this version has been told, and no watch is open.
    Listed { version: String, trust: Trust },
    /// A watch is open.
    Watching(Watch),
}

/// Whether the way to the API server is known to carry what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// Something came through when it had to.
    Given,
    /// The last watch was mute for longer than a watch can be.
    InDoubt,
}

/// A watch that is open.
struct Watch {
    /// Everything up to this version has been told.
    version: String,
    frames: Frames,
    begun: Instant,
    /// When something must have come, be it the end.
    due: Instant,
    /// Whether the way was in doubt when it began.
    trust: Trust,
    /// Whether anything has come.
    is_heard: bool,
}

// === impl Follower ===

impl Follower {
    pub(super) fn new(client: &Client, watched: Watched) -> Self {
        let requests = Request::new(DynamicObject::url_path(&watched.resource(), None));
        let (state, backoff) = (State::Unlisted, DefaultBackoff::default());
        Self { client: client.clone(), requests, watched, state, backoff, pause: None }
    }

    /// Waits for the next thing to tell.
    pub(super) async fn next(&mut self) -> Change {
        loop {
            if let Some(change) = self.step().await {
                return change;
            }
        }
    }

    async fn step(&mut self) -> Option<Change> {
        if let Some(pause) = self.pause.take() {
            sleep(pause).await;
        }
        match std::mem::replace(&mut self.state, State::Unlisted) {
            State::Unlisted => {
                self.state = State::Listing(Page::before_first());
                Some(Change::Restart(self.watched))
            }
            State::Listing(page) => self.list(page).await,
            State::Listed { version, trust } => self.begin(version, trust).await,
            State::Watching(watch) => self.hear(watch).await,
        }
    }

    async fn list(&mut self, mut page: Page) -> Option<Change> {
        if let Some(object) = page.objects.next() {
            self.state = State::Listing(page);
            return Some(Change::Put(self.watched, Box::new(object)));
        }
        match page.then {
            Then::Watch(version) => {
                self.state = State::Listed { version, trust: Trust::Given };
                Some(Change::Complete(self.watched))
            }
            Then::Page(token) => {
                let page = Page::ask(&self.client, &self.requests, self.watched, token);
                let asked = timeout(PAGE_TIME, page).await;
                match asked.unwrap_or_else(|_| Err(late("list", PAGE_TIME))) {
                    Ok(page) => {
                        self.state = State::Listing(page);
                        None
                    }
                    Err(error) => self.fail(&error, State::Unlisted),
                }
            }
        }
    }

    /// Opens a watch from where the last one ended.
    async fn begin(&mut self, version: String, trust: Trust) -> Option<Change> {
        let time = if trust == Trust::Given { WATCH_TIME } else { BRIEF_WATCH_TIME };
        let parameters = WatchParams {
            field_selector: fields(self.watched).map(str::to_owned),
            timeout: u32::try_from(time.as_secs()).ok(),
            bookmarks: true,
            ..WatchParams::default()
        };
        let begun =
            timeout(BEGIN_TIME, frames::open(&self.client, &self.requests, &parameters, &version))
                .await;
        match begun.unwrap_or_else(|_| Err(late("begin a watch", BEGIN_TIME))) {
            Ok(frames) => {
                let begun = Instant::now();
                let due = begun + time + MARGIN;
                let is_heard = false;
                self.state =
                    State::Watching(Watch { version, frames, begun, due, trust, is_heard });
                (trust == Trust::Given).then_some(Change::Alive(self.watched))
            }
            Err(error) => self.fail(&error, State::Listed { version, trust }),
        }
    }

    /// Waits for what an open watch tells.
    async fn hear(&mut self, mut watch: Watch) -> Option<Change> {
        let watched = self.watched;
        let frame = match timeout_at(watch.due, watch.frames.next()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => {
                let version = watch.version;
                let then = match error {
                    // It would come again: somewhere in the list there may be a way around it.
                    kube::Error::SerdeError(_) => State::Unlisted,
                    _ => State::Listed { version, trust: Trust::Given },
                };
                return self.fail(&error, then);
            }
            Ok(None) => {
                self.end(watch);
                return None;
            }
            Err(_) => {
                let seconds = watch.begun.elapsed().as_secs();
                let problem = format!("the watch was silent and did not end for {seconds} s");
                // The first time another watch is tried at once: it may be just this connection.
                self.pause = self.backoff.next().filter(|_| watch.trust == Trust::InDoubt);
                self.state = State::Listed { version: watch.version, trust: Trust::InDoubt };
                return Some(Change::Broken(watched, problem));
            }
        };
        watch.is_heard = true;
        watch.due = watch.due.max(Instant::now() + MARGIN);
        self.backoff.reset();
        let (version, change) = match frame {
            Frame::Put(object) => {
                (object.version().map(str::to_owned), Change::Put(watched, Box::new(object)))
            }
            Frame::Gone(object) => {
                (object.version().map(str::to_owned), Change::Gone(watched, Box::new(object)))
            }
            Frame::Bookmark(version) => (Some(version), Change::Alive(watched)),
            Frame::Error(status) => {
                let then = State::Listed { version: watch.version, trust: Trust::Given };
                return self.fail(&kube::Error::Api(status), then);
            }
        };
        // Without a version the watch could not be taken up again behind what has been told.
        self.state = match version.filter(|version| !version.is_empty()) {
            Some(version) => State::Watching(Watch { version, ..watch }),
            None => State::Unlisted,
        };
        Some(change)
    }

    /// The API server has ended a watch, as it was asked to.
    fn end(&mut self, watch: Watch) {
        if watch.is_heard || watch.begun.elapsed() >= SHORTEST_WATCH {
            self.backoff.reset();
        } else {
            self.pause = Some(self.backoff.next().unwrap_or(LONGEST_PAUSE));
        }
        self.state = State::Listed { version: watch.version, trust: Trust::Given };
    }

    /// Something went wrong. It is tried again from `then` on, after a while.
    fn fail(&mut self, error: &kube::Error, then: State) -> Option<Change> {
        let watched = self.watched;
        let answer = match error {
            kube::Error::Api(answer) => Some(answer),
            _ => None,
        };
        if answer.is_some_and(|answer| watched.is_absent(answer)) {
            self.pause = Some(ABSENT_PAUSE);
            self.state = State::Unlisted;
            return Some(Change::Absent(watched));
        }
        self.pause = Some(self.backoff.next().unwrap_or(LONGEST_PAUSE));
        if answer.is_some_and(|answer| is_gone(answer)) {
            debug!(kind = watched.kind(), %error, "the watch is too far behind; listing anew");
            self.state = State::Unlisted;
            return None;
        }
        self.state = then;
        Some(Change::Broken(watched, error.to_string()))
    }
}

/// The API server has forgotten the version that was asked for.
fn is_gone(answer: &Status) -> bool {
    answer.code == 410 || answer.reason == "Expired" || answer.reason == "Gone"
}

fn late(what: &str, time: Duration) -> kube::Error {
    let seconds = time.as_secs();
    kube::Error::Service(format!("the API server did not {what} within {seconds} s").into())
}
