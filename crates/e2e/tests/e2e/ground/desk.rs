//! The way of the test itself to the API server: it waits for every answer, and time stands still meanwhile.

use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock, PoisonError, mpsc},
    thread,
};

use plimsoll_e2e::{Answer, Api};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{PAUSE, PAUSES};

/// A way to an API server, for whoever can wait.
#[derive(Debug)]
pub(super) struct Desk {
    api: Api,
    known: Mutex<HashMap<String, Kind>>,
}

/// A kind, as the API server describes it.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) plural: String,
    /// `apps/v1`.
    version: String,
    name: String,
    namespaced: bool,
}

/// What of an object is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Status,
}

/// Runs in the time of the machine, and waits for it.
pub(super) fn in_real_time<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
    });
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(async move { sender.send(work.await) });
    receiver.recv().unwrap()
}

// === impl Desk ===

impl Desk {
    pub(super) fn new(api: Api) -> Self {
        Self { api, known: Mutex::default() }
    }

    pub(super) fn create(&self, resource: &str, namespace: &str, mut object: Value) {
        let kind = self.kind(resource).unwrap();
        object["apiVersion"] = json!(kind.version);
        object["kind"] = json!(kind.name);
        let made = self.succeed(&Method::POST, &kind.path(namespace), object);
        if kind.plural == "customresourcedefinitions" {
            self.await_kind(&text(&made["metadata"]["name"]));
        }
    }

    /// Waits until a kind that was defined is served.
    fn await_kind(&self, resource: &str) {
        let is_served = |kind: &Kind| self.ask(Method::GET, &kind.path(""), Value::Null).code < 400;
        for _ in 0..PAUSES {
            if self.kind(resource).as_ref().is_some_and(is_served) {
                return;
            }
            thread::sleep(PAUSE);
        }
        panic!("{resource} is defined and not served");
    }

    pub(super) fn list(&self, resource: &str) -> Vec<Value> {
        self.kind(resource).map(|kind| self.objects(&kind)).unwrap_or_default()
    }

    pub(super) fn objects(&self, kind: &Kind) -> Vec<Value> {
        let mut listing = self.succeed(&Method::GET, &kind.path(""), Value::Null);
        match listing["items"].take() {
            Value::Array(items) => items,
            other => panic!("no list of {}: {other}", kind.plural),
        }
    }

    /// Others may change it at the same time.
    pub(super) fn modify(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        part: Part,
        change: impl Fn(&mut Value),
    ) {
        let mut path = format!("{}/{name}", self.kind(resource).unwrap().path(namespace));
        if part == Part::Status {
            path.push_str("/status");
        }
        loop {
            let mut object = self.succeed(&Method::GET, &path, Value::Null);
            change(&mut object);
            let answer = self.ask(Method::PUT, &path, object);
            match answer.code {
                409 => {}
                200 => return,
                _ => panic!("{path}: {answer:?}"),
            }
        }
    }

    /// At once, whatever it would take otherwise. That somebody else has done it is all right.
    pub(super) fn remove(&self, kind: &Kind, namespace: &str, name: &str) {
        let path = format!("{}/{name}", kind.path(namespace));
        let options = json!({
            "apiVersion": "v1", "kind": "DeleteOptions",
            "gracePeriodSeconds": 0, "propagationPolicy": "Background",
        });
        let answer = self.ask(Method::DELETE, &path, options);
        assert!(answer.code < 400 || answer.code == 404, "{path}: {answer:?}");
    }

    /// All kinds whose objects can be listed, each in the version that the server prefers.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let groups = self.succeed(&Method::GET, "/apis", Value::Null);
        let groups = groups["groups"].as_array().unwrap();
        let versions = groups.iter().map(|group| text(&group["preferredVersion"]["groupVersion"]));
        std::iter::once("v1".to_owned())
            .chain(versions)
            .flat_map(|one| self.kinds_of(&one))
            .collect()
    }

    fn kinds_of(&self, version: &str) -> Vec<Kind> {
        let answer = self.ask(Method::GET, &root(version), Value::Null);
        let resources = answer.body["resources"].as_array().cloned().unwrap_or_default();
        let listed = resources.iter().filter(|resource| {
            let verbs = resource["verbs"].as_array();
            verbs.is_some_and(|verbs| verbs.contains(&json!("list")))
        });
        let kinds = listed.map(|resource| Kind {
            group: version.split_once('/').map_or("", |(group, _)| group).to_owned(),
            plural: text(&resource["name"]),
            version: version.to_owned(),
            name: text(&resource["kind"]),
            namespaced: resource["namespaced"] == true,
        });
        kinds.filter(|kind| kind.plural != "componentstatuses").collect()
    }

    pub(super) fn kind(&self, resource: &str) -> Option<Kind> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = known.get(resource) {
            return Some(kind.clone());
        }
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let version = match group {
            "" => "v1".to_owned(),
            group => {
                let answer = self.ask(Method::GET, &format!("/apis/{group}"), Value::Null);
                text(&answer.body["preferredVersion"]["groupVersion"])
            }
        };
        let kind = self.kinds_of(&version).into_iter().find(|kind| kind.plural == plural)?;
        known.insert(resource.to_owned(), kind.clone());
        Some(kind)
    }

    fn succeed(&self, method: &Method, path: &str, body: Value) -> Value {
        let answer = self.ask(method.clone(), path, body);
        assert!(answer.code < 400, "{method} {path}: {answer:?}");
        answer.body
    }

    fn ask(&self, method: Method, path: &str, body: Value) -> Answer {
        let (api, path) = (self.api.clone(), path.to_owned());
        in_real_time(
            async move { api.ask(method, &path, "application/json", &body).await.unwrap() },
        )
    }
}

// === impl Kind ===

impl Kind {
    /// Where its objects are; all of them if no namespace is named.
    fn path(&self, namespace: &str) -> String {
        match (self.namespaced, namespace) {
            (true, namespace) if !namespace.is_empty() => {
                format!("{}/namespaces/{namespace}/{}", root(&self.version), self.plural)
            }
            _ => format!("{}/{}", root(&self.version), self.plural),
        }
    }
}

fn root(version: &str) -> String {
    format!("/{}/{version}", if version.contains('/') { "apis" } else { "api" })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
