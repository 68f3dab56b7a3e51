//! kube-rs against the server, in one process and in virtual time: lists, watchers and reflectors, through everything that
//! happens to a connection.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use futures::{Stream, StreamExt as _};
use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api as Client, ResourceExt as _,
    api::{ListParams, Patch, PatchParams, PostParams},
    runtime::{
        reflector,
        watcher::{Config, Error, Event, watcher},
    },
};
use serde_json::json;
use tokio::{sync::watch, time::sleep};
use tower::Service;

use plimsoll_minicluster::{
    Api,
    server::{Access, Anonymous, Server, User},
};
use plimsoll_net::Clock;

/// Longer than a watcher waits before it tries again.
const A_WHILE: Duration = Duration::from_mins(2);

/// A server behind a connection that can be cut, and that remembers what was asked.
#[derive(Clone)]
struct Wire {
    server: Server,
    asked: Arc<Mutex<Vec<String>>>,
    cuts: watch::Sender<u32>,
}

// === impl Wire ===

impl Wire {
    fn new() -> Self {
        let access = Access::new("unused".into(), Anonymous::Refused);
        let server = Server::new(Api::new(Clock::system()), access).trusting(User::admin());
        Self { server, asked: Arc::default(), cuts: watch::Sender::new(0) }
    }

    fn config_maps(&self) -> Client<ConfigMap> {
        Client::default_namespaced(kube::Client::new(self.clone(), "default"))
    }

    /// Ends every stream that is open.
    fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Forgets the history, so that watches from before now are too old.
    fn forget(&self) {
        self.server.api().compact(self.server.api().revision());
    }

    /// How many requests had this in their address.
    fn asked(&self, part: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.contains(part)).count()
    }

    async fn create(&self, name: &str) {
        let object = ConfigMap { metadata: named(name), ..ConfigMap::default() };
        self.config_maps().create(&PostParams::default(), &object).await.unwrap();
    }

    async fn change(&self, name: &str, value: &str) {
        let patch = Patch::Merge(json!({ "data": { "value": value } }));
        self.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    async fn delete(&self, name: &str) {
        self.config_maps().delete(name, &kube::api::DeleteParams::default()).await.unwrap();
    }
}

impl Service<Request<kube::client::Body>> for Wire {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        self.asked.lock().unwrap().push(request.uri().to_string());
        let mut cuts = self.cuts.subscribe();
        let answer = self.server.call(request);
        Box::pin(async move {
            Ok(answer.await?.map(|body| {
                let cut = Box::pin(async move { cuts.changed().await });
                Body::from_stream(body.into_data_stream().take_until(cut))
            }))
        })
    }
}

fn named(name: &str) -> kube::core::ObjectMeta {
    kube::core::ObjectMeta { name: Some(name.to_owned()), ..kube::core::ObjectMeta::default() }
}

/// What a watcher says, in words, until it has nothing more to say for a while.
async fn heard(
    events: &mut (impl Stream<Item = Result<Event<ConfigMap>, Error>> + Unpin),
) -> Vec<String> {
    let mut heard = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_secs(30), events.next()).await {
        heard.push(match event {
            Ok(Event::Init) => "init".to_owned(),
            Ok(Event::InitApply(object)) => format!("there {}", object.name_any()),
            Ok(Event::InitDone) => "done".to_owned(),
            Ok(Event::Apply(object)) => format!("apply {}", object.name_any()),
            Ok(Event::Delete(object)) => format!("delete {}", object.name_any()),
            Err(error) => format!("error {error}"),
        });
    }
    heard
}

#[tokio::test(start_paused = true)]
async fn a_list_comes_in_pages_that_show_one_moment() {
    let wire = Wire::new();
    for index in 0..25 {
        wire.create(&format!("c{index:02}")).await;
    }
    let api = wire.config_maps();
    let mut params = ListParams::default().limit(10);
    let mut names = Vec::new();
    loop {
        let page = api.list(&params).await.unwrap();
        names.extend(page.items.iter().map(kube::ResourceExt::name_any));
        wire.create(&format!("c{:02}-later", names.len())).await;
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25).map(|index| format!("c{index:02}")).collect();
    let of_the_first_moment: Vec<String> =
        names.into_iter().filter(|name| name != "kube-root-ca.crt").collect();
    assert_eq!(of_the_first_moment, expected);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_goes_on_after_a_cut_without_listing_again() {
    for config in
        [Config::default().labels("!absent"), Config::default().labels("!absent").streaming_lists()]
    {
        let wire = Wire::new();
        wire.create("a").await;
        let mut events = watcher(wire.config_maps(), config).boxed();
        assert_eq!(heard(&mut events).await, ["init", "there a", "done"]);
        wire.change("a", "1").await;
        wire.cut();
        wire.create("b").await;
        wire.delete("a").await;
        assert_eq!(heard(&mut events).await, ["apply a", "apply b", "delete a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_comes_too_late_begins_anew() {
    for config in [Config::default(), Config::default().streaming_lists()] {
        let wire = Wire::new();
        wire.create("a").await;
        let mut events = watcher(wire.config_maps(), config).boxed();
        assert_eq!(heard(&mut events).await, ["init", "there a", "done"]);
        wire.cut();
        wire.create("b").await;
        wire.delete("a").await;
        wire.create("c").await;
        wire.forget();
        let mut told = heard(&mut events).await;
        assert!(told.remove(0).contains("too old resource version"), "{told:?}");
        assert_eq!(told, ["init", "there b", "there c", "done"]);
    }
}

#[tokio::test(start_paused = true)]
async fn bookmarks_keep_a_quiet_watcher_from_coming_too_late() {
    let wire = Wire::new();
    wire.create("a").await;
    let mut events =
        watcher(wire.config_maps(), Config::default().fields("metadata.name=a")).boxed();
    assert_eq!(heard(&mut events).await, ["init", "there a", "done"]);
    for index in 0..5 {
        wire.create(&format!("noise{index}")).await;
    }
    let quiet = async {
        sleep(A_WHILE).await;
        wire.forget();
        wire.cut();
        sleep(Duration::from_secs(10)).await;
        wire.change("a", "1").await;
    };
    let ((), told) = tokio::join!(quiet, async {
        tokio::time::timeout(A_WHILE * 2, events.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
            .to_string()
    });
    assert_eq!(told, "Apply(a)");
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_timeout_and_is_taken_up_again() {
    let wire = Wire::new();
    let mut events = watcher(wire.config_maps(), Config::default().timeout(60)).boxed();
    assert_eq!(heard(&mut events).await.last().unwrap(), "done");
    let told = tokio::join!(heard_for(&mut events, Duration::from_mins(10)), async {
        sleep(Duration::from_secs(500)).await;
        wire.create("late").await;
    });
    assert_eq!(told.0, 1);
    assert!(wire.asked("watch=true") >= 9, "{}", wire.asked("watch=true"));
    assert_eq!(wire.asked("limit="), 1);
}

/// How many objects were told of within a time.
async fn heard_for(
    events: &mut (impl Stream<Item = Result<Event<ConfigMap>, Error>> + Unpin),
    time: Duration,
) -> usize {
    let mut count = 0;
    let _ = tokio::time::timeout(time, async {
        while let Some(Ok(event)) = events.next().await {
            count += usize::from(matches!(event, Event::Apply(_)));
        }
    })
    .await;
    count
}

#[tokio::test(start_paused = true)]
async fn a_reflector_ends_up_with_what_is_there() {
    for config in [Config::default().page_size(3), Config::default().streaming_lists()] {
        let wire = Wire::new();
        let (store, writer) = reflector::store();
        let reflected = reflector(writer, watcher(wire.config_maps(), config));
        // Errors are told and survived: the stream goes on behind them.
        let task = tokio::spawn(reflected.for_each(|_| async {}));
        for round in 0..10_u64 {
            for index in 0..6 {
                wire.create(&format!("r{round}-{index}")).await;
            }
            wire.cut();
            wire.change(&format!("r{round}-1"), "changed").await;
            wire.delete(&format!("r{round}-2")).await;
            if round % 3 == 2 {
                wire.cut();
                wire.forget();
            }
            sleep(Duration::from_millis(300 * round)).await;
        }
        sleep(A_WHILE).await;
        let versions = |objects: Vec<ConfigMap>| {
            let mut versions: Vec<(String, Option<String>)> = objects
                .into_iter()
                .map(|object| (object.name_any(), object.resource_version()))
                .collect();
            versions.sort();
            versions
        };
        let seen = versions(store.state().iter().map(|object| (**object).clone()).collect());
        let there = wire.config_maps().list(&ListParams::default()).await.unwrap();
        assert_eq!(seen, versions(there.items));
        assert!(seen.len() >= 50);
        task.abort();
    }
}
