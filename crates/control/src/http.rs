//! What the autoscaler answers over HTTP.
//!
//! | path           | answer                                                                    |
//! |----------------|---------------------------------------------------------------------------|
//! | /metrics       | metrics, in the form that Prometheus reads                                |
//! | /health-check  | 200 while the loop lives and can write orders, 500 when it does not       |
//! | /ready         | 200 once the whole cluster has been seen, leading or not                  |
//! | /explain       | why a `pod=`, `node=` or `group=` is as it is                             |
//! | /status        | the whole at a glance                                                     |
//! | /snapshotz     | nodes, pods and templates of the next pass, where the user allows it      |
//! | /debug/pprof/  | CPU profiles of the process, where the user allows it                     |
//!
//! The first three are for everybody. The others show what runs in the cluster, and are answered only to [`Callers`] who may see it.
//! What is not an answer is `{"error": …}` with a fitting code.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderValue, StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use plimsoll_cluster::lease::Standing;
use plimsoll_net::{Clock, metrics::Metrics};
use plimsoll_plan::words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::watch, time::timeout};

use crate::{
    engine::{Handle, Pass},
    explain::{Subject, explain},
    health::Health,
    picture::Picture,
    record::Chronicle,
};

mod callers;
mod profiling;
mod queue;
mod snapshot;

pub(crate) use self::{callers::Callers, queue::Queue};

/// How long a pass that shows everything is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest name that Kubernetes allows.
const LONGEST_NAME: usize = 253;

/// The longest name of a namespace that Kubernetes allows.
const LONGEST_NAMESPACE: usize = 63;

/// Groups are named by their providers, some of them by whole URLs.
const LONGEST_GROUP: usize = 1024;

/// A name with a slip of the pen may be a little longer than names are, and is still worth a proposal.
const SLACK: usize = 10;

/// What answers are made from.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    pub handle: Handle,
    pub standing: watch::Receiver<Standing>,
    pub clock: Clock,
    pub health: Health,
    pub metrics: Metrics,
    pub chronicle: Chronicle,
    pub snapshot: bool,
    pub profiling: bool,
    pub callers: Callers,
    pub queue: Queue,
}

/// What `/explain` is asked for: one of them.
#[derive(Debug, Deserialize)]
struct Wanted {
    pod: Option<String>,
    node: Option<String>,
    group: Option<String>,
}

/// An answer that is none.
#[derive(Debug)]
struct Refusal {
    code: StatusCode,
    body: Value,
}

/// All that is answered.
pub(crate) fn router(desk: Desk) -> Router {
    let mut guarded = Router::new().route("/explain", get(explained)).route("/status", get(status));
    if desk.snapshot {
        guarded = guarded.route("/snapshotz", get(snapshot));
    }
    if desk.profiling {
        guarded = guarded
            .route("/debug/pprof/", get(profiling::index))
            .route("/debug/pprof/profile", get(profiling::profile));
    }
    let guarded = guarded.route_layer(from_fn_with_state(desk.callers.clone(), callers::admit));
    Router::new()
        .route("/metrics", get(metrics))
        .route("/health-check", get(health_check))
        .route("/ready", get(ready))
        .merge(guarded)
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .method_not_allowed_fallback(|| async {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered")
        })
        .with_state(desk)
}

async fn metrics(State(desk): State<Desk>) -> Response {
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], desk.metrics.text()).into_response()
}

async fn health_check(State(desk): State<Desk>) -> Result<String, Refusal> {
    if let Some(problem) = desk.health.problem() {
        return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, problem));
    }
    desk.health.check(desk.clock.now()).map(|()| desk.well()).map_err(|dead| {
        let (inactive, failing) = (dead.inactive.as_secs(), dead.failing.as_secs());
        let error = format!("last activity {inactive} s ago, last success {failing} s ago");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    })
}

async fn ready(State(desk): State<Desk>) -> Result<String, Refusal> {
    let leads = *desk.standing.borrow() == Standing::Leading;
    let refuse = |error| Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error));
    if !desk.handle.is_warm(desk.clock.now()) {
        refuse("the cluster has not been seen whole yet, or cannot be watched")
    } else if leads && desk.handle.passes().borrow().is_none() {
        refuse("the first pass has not been made yet")
    } else {
        Ok(desk.well())
    }
}

async fn explained(
    State(desk): State<Desk>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Refusal> {
    let wanted =
        wanted.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    let subject = wanted.0.subject()?;
    let place = desk.queue.enter()?;
    let pass = desk.pass()?;
    let question = subject.clone();
    let told = place.compute(move || explain(&pass, &question)).await?;
    let told = match told {
        // A pod that has its node is nothing that a pass speaks of, so all of it is looked at.
        Err(_) if matches!(subject, Subject::Pod(_)) => {
            let pass = desk.whole().await?;
            place.compute(move || explain(&pass, &subject)).await?
        }
        told => told,
    };
    match told {
        Ok(told) => Ok(as_json(&told)),
        Err(unknown) => {
            let body = json!({ "error": unknown.to_string(), "nearest": unknown.nearest });
            Err(Refusal { code: StatusCode::NOT_FOUND, body })
        }
    }
}

async fn status(State(desk): State<Desk>) -> Result<Response, Refusal> {
    let place = desk.queue.enter()?;
    let pass = desk.handle.passes().borrow().clone();
    let standing = desk.standing.borrow().clone();
    let lines = desk.chronicle.lines();
    place.compute(move || as_json(&Picture::of(pass.as_deref(), &standing, lines))).await
}

async fn snapshot(State(desk): State<Desk>) -> Result<Response, Refusal> {
    desk.leads()?;
    let place = desk.queue.enter()?;
    let begun = desk.clock.now();
    let pass = desk.whole().await?;
    let ended = desk.clock.now();
    place.compute(move || as_json(&snapshot::snapshot(&pass, begun, ended))).await
}

fn as_json(answer: &impl Serialize) -> Response {
    match serde_json::to_string(answer) {
        Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => {
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
        }
    }
}

// === impl Desk ===

impl Desk {
    fn leads(&self) -> Result<(), Refusal> {
        let Standing::Standby { leader } = &*self.standing.borrow() else { return Ok(()) };
        let leader = leader.as_deref().unwrap_or("nobody known");
        let error = format!("this replica stands by; {leader} leads: ask there");
        Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error))
    }

    /// What a probe is told while there is nothing that a restart would mend: `OK`, and in a second line that most machines have no
    /// node. Everybody may ask, so no machine or node is named.
    fn well(&self) -> String {
        let pass = self.pass().ok();
        let found =
            pass.as_ref().and_then(|pass| Some((pass.plan.contradiction.as_ref()?, pass.at)));
        match found {
            Some((found, at)) => format!("OK\nwarning: {}\n", words::contradiction(found, at)),
            None => "OK".to_owned(),
        }
    }

    /// The latest pass.
    fn pass(&self) -> Result<Arc<Pass>, Refusal> {
        self.leads()?;
        let pass = self.handle.passes().borrow().clone();
        pass.ok_or_else(|| {
            let error = "the first pass has not been made yet; try again in a few seconds";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error)
        })
    }

    /// A pass to come that shows everything.
    async fn whole(&self) -> Result<Arc<Pass>, Refusal> {
        let mut passes = self.handle.passes();
        passes.borrow_and_update();
        self.handle.want_world();
        let is_whole =
            |pass: &Option<Arc<Pass>>| pass.as_ref().is_some_and(|pass| pass.world.is_some());
        let next = async {
            loop {
                passes.changed().await.ok()?;
                let pass = passes.borrow_and_update().clone();
                if is_whole(&pass) {
                    return pass;
                }
            }
        };
        timeout(PATIENCE, next).await.ok().flatten().ok_or_else(|| {
            let error = "no pass was made in time; look at /health-check and the log";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error)
        })
    }
}

// === impl Wanted ===

impl Wanted {
    fn subject(self) -> Result<Subject, Refusal> {
        match (self.pod, self.node, self.group) {
            (Some(pod), None, None) => {
                let (namespace, name) = pod.split_once('/').unwrap_or(("", &pod));
                bounded("namespace", namespace, LONGEST_NAMESPACE)?;
                bounded("pod", name, LONGEST_NAME)?;
                Ok(Subject::Pod(pod))
            }
            (None, Some(node), None) => {
                bounded("node", &node, LONGEST_NAME)?;
                Ok(Subject::Node(node))
            }
            (None, None, Some(group)) => {
                bounded("group", &group, LONGEST_GROUP)?;
                Ok(Subject::Group(group))
            }
            _ => {
                let error = "name one of pod=NAMESPACE/NAME, node=NAME or group=NAME";
                Err(Refusal::new(StatusCode::BAD_REQUEST, error))
            }
        }
    }
}

/// Refuses a name that nothing can have, before anything is looked up.
fn bounded(kind: &str, name: &str, longest: usize) -> Result<(), Refusal> {
    let length = name.len();
    if length <= longest + SLACK {
        return Ok(());
    }
    let error =
        format!("the name of the {kind} is {length} bytes long; no {kind} has more than {longest}");
    Err(Refusal::new(StatusCode::BAD_REQUEST, error))
}

// === impl Refusal ===

impl Refusal {
    fn new(code: StatusCode, error: impl Into<String>) -> Self {
        Self { code, body: json!({ "error": error.into() }) }
    }

    /// For what would be answered later. The caller is asked to try again.
    fn busy(error: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, error)
    }

    /// Says what to do about it.
    fn help(mut self, help: impl Into<String>) -> Self {
        self.body["help"] = Value::from(help.into());
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.code, headers, self.body.to_string()).into_response();
        if self.code == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

#[cfg(test)]
mod tests;
