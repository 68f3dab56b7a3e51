//! Watches: what there is of a kind, and every change to it, in order.

use std::time::Duration;

use futures::{Stream, StreamExt as _, stream::BoxStream};
use kube::{
    Api, Client,
    api::DynamicObject,
    runtime::{
        utils::Backoff as _,
        watcher::{self, DefaultBackoff, Event, watcher},
    },
};

mod kinds;

pub use self::kinds::{Kinds, Watched};

/// What a watch tells.
#[derive(Debug)]
pub enum Change {
    /// The list begins anew: what is not told before [`Change::Complete`] is not there any more.
    Restart(Watched),
    /// An object is there, new or changed.
    Put(Watched, Box<DynamicObject>),
    /// An object is gone.
    Gone(Watched, Box<DynamicObject>),
    /// The list is complete.
    Complete(Watched),
    /// The watch broke. It is tried again; until an object is told or the list is complete, what is known grows old.
    Broken(Watched, String),
    /// The cluster does not have this kind, so there is nothing of it. It is looked for again, because somebody may define it.
    Absent(Watched),
}

/// Pods that have ended need no room, and there may be many of them.
const LIVING: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// How long is waited at most before a watch is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

type Told = Result<Event<DynamicObject>, watcher::Error>;

/// Everything of a kind, from now on. The stream ends never: after a break the list is told anew. A watch that was merely taken up
/// again would say nothing while nothing changes, and nobody could tell whether it is heard from.
pub fn follow(client: &Client, watched: Watched) -> impl Stream<Item = Change> + Send + use<> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &watched.resource());
    let begin = move || begin(&api, watched);
    let state = (begin(), DefaultBackoff::default(), None::<Duration>);
    futures::stream::unfold(state, move |(mut events, mut backoff, pause)| {
        let begin = begin.clone();
        async move {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
                events = begin();
            }
            let change = match events.next().await {
                Some(Ok(event)) => told(watched, event),
                Some(Err(error)) if is_absent(watched, &error) => Change::Absent(watched),
                Some(Err(error)) => Change::Broken(watched, error.to_string()),
                None => Change::Broken(watched, "the watch ended".to_owned()),
            };
            let pause = match &change {
                Change::Broken(..) => Some(backoff.next().unwrap_or(LONGEST_PAUSE)),
                Change::Absent(_) => Some(LONGEST_PAUSE),
                // It begins before anybody is asked.
                Change::Restart(_) => None,
                _ => {
                    backoff.reset();
                    None
                }
            };
            Some((change, (events, backoff, pause)))
        }
    })
}

fn begin(api: &Api<DynamicObject>, watched: Watched) -> BoxStream<'static, Told> {
    let mut config = watcher::Config::default();
    if watched == Watched::Pods {
        config = config.fields(LIVING);
    }
    watcher(api.clone(), config).boxed()
}

fn told(watched: Watched, event: Event<DynamicObject>) -> Change {
    match event {
        Event::Init => Change::Restart(watched),
        Event::InitApply(object) | Event::Apply(object) => Change::Put(watched, Box::new(object)),
        Event::Delete(object) => Change::Gone(watched, Box::new(object)),
        Event::InitDone => Change::Complete(watched),
    }
}

fn is_absent(watched: Watched, error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(answer))
        | watcher::Error::WatchStartFailed(kube::Error::Api(answer))
        | watcher::Error::WatchError(answer) => watched.is_absent(answer),
        _ => false,
    }
}

/// Everything of these kinds.
pub fn follow_all(client: &Client, kinds: &Kinds) -> impl Stream<Item = Change> + Send + use<> {
    futures::stream::select_all(kinds.iter().map(|watched| follow(client, watched).boxed()))
}
