//! The REST interface of a host.

use std::time::Duration;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Path, Query, Request, State as With},
    http::{HeaderMap, Response, StatusCode, header},
    middleware::{self, Next},
    response::IntoResponse as _,
    routing::{delete, get, patch, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use plimsoll_manifest::duration;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Emulator, faults,
    state::{PAUSED, RUNNING, Refusal, STOPPED, Secret, State},
};
use crate::{faults::is_one, slicer::wire::NewMachine};

/// How long to wait for a machine when the caller wants to wait and does not say how long.
const WAIT: Duration = Duration::from_mins(5);

type Answer = Result<Response<Body>, Refusal>;

/// All routes, with what goes wrong before them.
pub(super) fn router(emulator: &Emulator) -> Router {
    let (fails, lets_in) = (emulator.clone(), emulator.clone());
    Router::new()
        .route("/healthz", get(async || Json(json!({"status": "ok"}))))
        .route("/info", get(async || Json(json!({"version": "0.1.71", "git_commit": "emulated"}))))
        .route("/hostgroup", get(host_groups))
        .route("/hostgroup/{group}/nodes", get(group_nodes).post(create))
        .route("/hostgroup/{group}/nodes/{hostname}", delete(remove))
        .route("/nodes", get(nodes))
        .route("/nodes/stats", get(nodes))
        .route("/vm/{hostname}/health", get(health))
        .route("/vm/{hostname}/logs", get(logs))
        .route("/vm/{hostname}/shutdown", post(shut_down))
        .route("/vm/{hostname}/pause", post(pause))
        .route("/vm/{hostname}/resume", post(resume))
        .route("/vm/{hostname}/relaunch", post(relaunch))
        .route("/secrets", get(secrets).post(create_secret))
        .route("/secrets/{name}", patch(update_secret).delete(delete_secret))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            let emulator = lets_in.clone();
            async move { let_in(&emulator, request, next).await }
        }))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            faults::pass(fails.clone(), request, next)
        }))
        .with_state(emulator.clone())
}

async fn let_in(emulator: &Emulator, request: Request, next: Next) -> Response<Body> {
    let is_known = |headers: &HeaderMap| {
        emulator.with(|state, _| {
            let Some(token) = &state.settings.token else { return true };
            let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
            sent.and_then(|sent| sent.strip_prefix("Bearer ")) == Some(token.expose_secret())
        })
    };
    if request.uri().path() != "/healthz" && !is_known(request.headers()) {
        return refuse(401, "unauthorized");
    }
    let has_secrets = emulator.with(|state, _| state.dialect.secrets);
    if request.uri().path().starts_with("/secrets") && !has_secrets {
        return refuse(404, "page not found");
    }
    next.run(request).await
}

/// A refusal as the host writes it.
pub(super) fn refuse(status: u16, problem: &str) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({"error": problem}))).into_response()
}

fn answered(answer: Answer) -> Response<Body> {
    answer.unwrap_or_else(|Refusal(status, problem)| refuse(status, &problem))
}

async fn host_groups(With(emulator): With<Emulator>) -> Json<Value> {
    emulator.with(|state, _| {
        let groups = state.settings.groups.iter().map(|offer| state.show_group(offer)).collect();
        Json(state.show_list(groups))
    })
}

/// Which machines are asked for.
#[derive(Deserialize)]
struct Filter {
    tag: Option<String>,
    tag_prefix: Option<String>,
}

fn list(state: &State, group: Option<&str>, filter: &Filter) -> Answer {
    if filter.tag.is_some() && filter.tag_prefix.is_some() {
        return Err(Refusal(400, "only one of tag and tag_prefix may be set".to_owned()));
    }
    let has = |tags: &[String]| {
        let exact = filter.tag.as_ref().is_none_or(|tag| tags.contains(tag));
        let begins = |prefix: &String| tags.iter().any(|tag| tag.starts_with(&**prefix));
        exact && filter.tag_prefix.as_ref().is_none_or(begins)
    };
    let machines = state.list(group).into_iter().filter(|machine| has(&machine.tags));
    let machines = machines.map(|machine| state.show(machine)).collect();
    Ok(Json(state.show_list(machines)).into_response())
}

async fn group_nodes(
    With(emulator): With<Emulator>,
    Path(group): Path<String>,
    Query(filter): Query<Filter>,
) -> Response<Body> {
    answered(emulator.with(|state, _| {
        state.offer(&group)?;
        list(state, Some(&group), &filter)
    }))
}

async fn nodes(With(emulator): With<Emulator>, Query(filter): Query<Filter>) -> Response<Body> {
    answered(emulator.with(|state, _| list(state, None, &filter)))
}

/// What the maker of a machine waits for.
#[derive(Deserialize)]
struct Waiting {
    wait: Option<String>,
    timeout: Option<String>,
}

/// What must not be above what the group has.
#[derive(Default, Deserialize)]
struct Wishes {
    cpus: Option<u32>,
    ram_bytes: Option<i64>,
}

async fn create(
    With(emulator): With<Emulator>,
    Path(group): Path<String>,
    Query(waiting): Query<Waiting>,
    body: Bytes,
) -> Response<Body> {
    let invalid = |error: serde_json::Error| Refusal(400, format!("invalid request: {error}"));
    let made = emulator.with(|state, now| {
        let body: &[u8] = if body.is_empty() { b"{}" } else { &body };
        let new: NewMachine = serde_json::from_slice(body).map_err(invalid)?;
        let wishes: Wishes = serde_json::from_slice(body).map_err(invalid)?;
        let offer = state.offer(&group)?;
        if wishes.cpus.is_some_and(|cpus| cpus > offer.cpus)
            || wishes.ram_bytes.is_some_and(|ram| ram > offer.ram)
        {
            return Err(Refusal(400, format!("more than a machine of {group} may have")));
        }
        let hostname = state.create(&group, new, now)?;
        let machine = state.list(Some(&group)).into_iter().find(|one| one.hostname == hostname);
        let shown = machine.map(|machine| state.show_new(machine)).unwrap_or_default();
        let status = if state.dialect.created { StatusCode::CREATED } else { StatusCode::OK };
        Ok((hostname, (status, Json(shown)).into_response()))
    });
    match (made, waiting.wait.as_deref()) {
        (Err(refusal), _) => answered(Err(refusal)),
        (Ok((_, response)), None | Some("")) => response,
        (Ok((hostname, response)), Some("agent" | "userdata")) => {
            let timeout = waiting.timeout.as_deref().and_then(duration::parse);
            let timeout = timeout.and_then(|timeout| timeout.try_into().ok()).unwrap_or(WAIT);
            if tokio::time::timeout(timeout, booted(&emulator, &hostname)).await.is_ok() {
                return response;
            }
            emulator.remove(&hostname);
            refuse(408, &format!("{hostname} was not ready in time and is removed"))
        }
        (Ok((hostname, _)), Some(other)) => {
            emulator.remove(&hostname);
            refuse(400, &format!("wait is agent or userdata, not {other}"))
        }
    }
}

/// Waits until a machine has booted, or is gone.
async fn booted(emulator: &Emulator, hostname: &str) {
    let due = || emulator.with(|state, _| state.machine(hostname).ok()?.boots);
    while let Some(due) = due() {
        emulator.inner.clock.sleep_until(due).await;
    }
}

async fn remove(
    With(emulator): With<Emulator>,
    Path((group, hostname)): Path<(String, String)>,
) -> Response<Body> {
    answered(emulator.with(|state, _| {
        state.offer(&group)?;
        let machine = state.machine(&hostname)?;
        if *machine.group != *group {
            return Err(Refusal(404, format!("node {hostname} not found")));
        }
        if machine.protected {
            return Err(Refusal(403, format!("{hostname} is protected and cannot be deleted")));
        }
        if is_one(&mut state.kept_deletions) {
            let kept = json!({"message": "", "disk_removed": "false", "error": "the VM is busy"});
            return Ok(Json(kept).into_response());
        }
        state.remove(&hostname);
        Ok(Json(json!({"message": "deleted", "disk_removed": "true"})).into_response())
    }))
}

async fn health(With(emulator): With<Emulator>, Path(hostname): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, now| {
        let machine = state.machine(&hostname)?;
        if machine.boots.is_some() || machine.status != RUNNING {
            return Err(Refusal(500, format!("the agent of {hostname} does not answer")));
        }
        let uptime = now.duration_since(machine.created).as_secs();
        Ok(Json(json!({
            "hostname": hostname,
            "agent_uptime": uptime,
            "agent_version": "emulated",
            "system_uptime": uptime,
            "userdata_ran": !machine.userdata.is_empty(),
        }))
        .into_response())
    }))
}

async fn logs(With(emulator): With<Emulator>, Path(hostname): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, _| {
        let machine = state.machine(&hostname)?;
        let content = if machine.boots.is_some() { "booting\n" } else { "booting\nbooted\n" };
        let lines = content.lines().count();
        Ok(Json(json!({"hostname": hostname, "lines": lines, "content": content})).into_response())
    }))
}

/// How a machine is to end.
#[derive(Deserialize)]
struct Action {
    action: Option<String>,
}

async fn shut_down(
    With(emulator): With<Emulator>,
    Path(hostname): Path<String>,
    Query(action): Query<Action>,
) -> Response<Body> {
    answered(emulator.with(|state, now| {
        let reboots = match action.action.as_deref() {
            Some("shutdown") => false,
            None | Some("reboot") => true,
            Some(other) => return Err(Refusal(400, format!("unknown action {other}"))),
        };
        state.end(&hostname)?;
        // An ephemeral machine does not survive its reboot.
        if reboots && state.machine(&hostname).is_ok_and(|machine| machine.status == STOPPED) {
            state.relaunch(&hostname, now)?;
        }
        Ok("initiated".into_response())
    }))
}

async fn pause(With(emulator): With<Emulator>, Path(hostname): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, _| {
        state.machine(&hostname)?.status = PAUSED;
        Ok("initiated".into_response())
    }))
}

async fn resume(With(emulator): With<Emulator>, Path(hostname): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, _| {
        let machine = state.machine(&hostname)?;
        if machine.status == PAUSED {
            machine.status = RUNNING;
        }
        Ok("initiated".into_response())
    }))
}

async fn relaunch(With(emulator): With<Emulator>, Path(hostname): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, now| {
        state.relaunch(&hostname, now)?;
        Ok(Json(json!({"hostname": hostname})).into_response())
    }))
}

async fn secrets(With(emulator): With<Emulator>) -> Json<Value> {
    emulator.with(|state, _| {
        let shown = state.secrets.iter().map(|(name, secret)| {
            json!({
                "name": name,
                "size": secret.data.len(),
                "permissions": "0600",
                "uid": 0,
                "gid": 0,
                "mod_time": secret.changed.to_string(),
            })
        });
        Json(state.show_list(shown.collect()))
    })
}

/// A secret's content, and its name where it is new.
#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    name: String,
    data: Option<String>,
}

fn content(body: &[u8]) -> Result<(String, Option<Vec<u8>>), Refusal> {
    let invalid = |problem: String| Refusal(400, format!("invalid request: {problem}"));
    let content: Content =
        serde_json::from_slice(body).map_err(|error| invalid(error.to_string()))?;
    let data = content.data.map(|data| STANDARD.decode(data)).transpose();
    Ok((content.name, data.map_err(|error| invalid(error.to_string()))?))
}

async fn create_secret(With(emulator): With<Emulator>, body: Bytes) -> Response<Body> {
    answered(emulator.with(|state, changed| {
        let (name, data) = content(&body)?;
        let Some(data) = data.filter(|_| !name.is_empty()) else {
            return Err(Refusal(400, "a secret needs a name and data".to_owned()));
        };
        if state.secrets.contains_key(&name) {
            return Err(Refusal(409, format!("secret {name} already exists")));
        }
        state.secrets.insert(name, Secret { data, changed });
        Ok(StatusCode::CREATED.into_response())
    }))
}

async fn update_secret(
    With(emulator): With<Emulator>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response<Body> {
    answered(emulator.with(|state, changed| {
        let (_, data) = content(&body)?;
        let secret = state.secrets.get_mut(&name);
        let missing = || Refusal(404, format!("secret {name} not found"));
        let secret = secret.ok_or_else(missing)?;
        if let Some(data) = data {
            *secret = Secret { data, changed };
        }
        Ok(StatusCode::OK.into_response())
    }))
}

async fn delete_secret(With(emulator): With<Emulator>, Path(name): Path<String>) -> Response<Body> {
    answered(emulator.with(|state, _| {
        let removed = state.secrets.remove(&name);
        removed.map(drop).ok_or_else(|| Refusal(404, format!("secret {name} not found")))?;
        Ok(StatusCode::OK.into_response())
    }))
}
