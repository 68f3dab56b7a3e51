//! What a request asks for, and what it is answered.

use axum::{
    body::{self, Body},
    extract::State as Shared,
    response::Response,
};
use bytes::Bytes;
use futures::stream;
use http::{Method, Request, StatusCode, header, request::Parts};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Emulator, Generation, Paths, Reach, ReplyStyle, State, replies, state};

/// No request is longer than this.
const LONGEST: usize = 1024 * 1024;

/// What becomes of a request.
enum Answer {
    /// It is answered.
    Reply(StatusCode, Value),
    /// It is a list, which may be cut.
    List(Vec<Value>),
    /// It has been done, and there is nothing to say.
    Done,
}

/// Answers one request, after the time that it takes.
pub(super) async fn answer(Shared(emulator): Shared<Emulator>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = body::to_bytes(body, LONGEST).await else { return dropped() };
    let latency = emulator.latency();
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    emulator.change(|state, now| state.answer(&parts, &body, now))
}

/// An answer that never arrives: the connection breaks.
fn dropped() -> Response {
    let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    Response::new(Body::from_stream(stream::once(async { Err::<Bytes, _>(broken) })))
}

fn reply(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn detail(status: StatusCode, words: &str) -> Answer {
    Answer::Reply(status, json!({"detail": words}))
}

fn not_found() -> Answer {
    detail(StatusCode::NOT_FOUND, "Not found.")
}

// === impl State ===

impl State {
    fn answer(&mut self, parts: &Parts, body: &Bytes, now: Timestamp) -> Response {
        if self.faults.reach == Reach::Down {
            return dropped();
        }
        let token = self.books.offer.token.clone();
        if let Some((status, words)) = self.faults.check(&token, &parts.method) {
            return reply(status, json!({"detail": words}).to_string());
        }
        let shown = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| value.strip_prefix("Bearer "));
        if shown != Some(&*token) {
            let words = "Authentication credentials were not provided.";
            return reply(StatusCode::UNAUTHORIZED, json!({"detail": words}).to_string());
        }
        if let Some(elsewhere) = self.elsewhere(parts) {
            return elsewhere;
        }
        let answer = self.route(parts, body, now);
        let changes = parts.method != Method::GET;
        if changes && self.faults.loses_reply() {
            return dropped();
        }
        match answer {
            Answer::Reply(status, value) => reply(status, value.to_string()),
            Answer::Done => reply(StatusCode::NO_CONTENT, Body::empty()),
            Answer::List(entries) => {
                if let Some(garbled) = &self.faults.garbled {
                    return reply(StatusCode::OK, garbled.clone());
                }
                let mut text = Value::Array(entries).to_string();
                if self.faults.cuts() {
                    let half = text.len() / 2;
                    text = text.chars().take(half).collect();
                }
                reply(StatusCode::OK, text)
            }
        }
    }

    /// Where a request is sent instead, in the way in which each kind of request keeps its meaning.
    fn elsewhere(&self, parts: &Parts) -> Option<Response> {
        let path = parts.uri.path();
        let place = match self.faults.paths {
            Paths::WithSlash if !path.ends_with('/') => format!("{path}/"),
            Paths::OtherHost => format!("http://elsewhere{path}"),
            Paths::Any | Paths::WithSlash => return None,
        };
        let place = match parts.uri.query() {
            Some(query) => format!("{place}?{query}"),
            None => place,
        };
        let is_safe = parts.method == Method::GET;
        let status =
            if is_safe { StatusCode::MOVED_PERMANENTLY } else { StatusCode::PERMANENT_REDIRECT };
        let mut response = reply(status, Body::empty());
        response.headers_mut().insert(header::LOCATION, place.parse().ok()?);
        Some(response)
    }

    fn route(&mut self, parts: &Parts, body: &Bytes, now: Timestamp) -> Answer {
        let path = parts.uri.path();
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (organization, cluster) =
            (self.books.offer.organization.to_string(), self.books.offer.cluster.to_string());
        match (&parts.method, &*segments) {
            (&Method::GET, ["orgs"]) => {
                Answer::List(vec![json!({"pk": self.books.offer.organization})])
            }
            (&Method::GET, ["meta", "provider-instances"])
                if self.faults.generation == Generation::Latest =>
            {
                Answer::List(vec![replies::catalogue(&self.books.offer.cloud)])
            }
            (method, ["orgs", org, rest @ ..]) if *org == organization => match rest {
                [] => Answer::Reply(StatusCode::OK, json!({"pk": self.books.offer.organization})),
                ["clusters"] => Answer::List(vec![self.cluster()]),
                ["clusters", own, rest @ ..] if *own == cluster => {
                    self.in_cluster(method, rest, body, now)
                }
                _ => not_found(),
            },
            _ => not_found(),
        }
    }

    fn in_cluster(
        &mut self,
        method: &Method,
        rest: &[&str],
        body: &Bytes,
        now: Timestamp,
    ) -> Answer {
        let has_pools = self.faults.generation != Generation::WithoutPools;
        match (method, rest) {
            (&Method::GET, []) => Answer::Reply(StatusCode::OK, self.cluster()),
            (&Method::GET, ["nodes"]) => Answer::List(self.nodes(|_| true)),
            (_, ["nodepools", ..] | ["nodes", _, "can_delete"]) if !has_pools => not_found(),
            (&Method::GET, ["nodepools"]) => Answer::List(self.pools()),
            (_, ["nodes", node, rest @ ..]) => {
                let node = node.parse().unwrap_or_default();
                self.with_node(method, node, rest, now)
            }
            (&Method::POST, ["add_node"]) => {
                let wish: Value = serde_json::from_slice(body).unwrap_or_default();
                let text = |name: &str| wish.get(name).and_then(Value::as_str);
                let named = text("group").and_then(|group| {
                    self.books.pools.values().find(|pool| pool.group_name() == group)
                });
                let numbered = wish.get("node_pool").and_then(Value::as_i64);
                let pool = named.map(|pool| pool.pk).or(numbered).unwrap_or_default();
                self.add(pool, &wish, now)
            }
            (_, ["nodepools", pool, rest @ ..]) => {
                let pool: i64 = pool.parse().unwrap_or_default();
                let wish: Value = serde_json::from_slice(body).unwrap_or_default();
                match (method, rest) {
                    (&Method::GET, []) => match self.books.pools.get(&pool) {
                        Some(found) => {
                            let value = replies::pool(found, &self.books, self.faults.skew);
                            Answer::Reply(StatusCode::OK, value)
                        }
                        None => not_found(),
                    },
                    (&Method::POST, []) => self.set_pool(pool, &wish),
                    (&Method::POST, ["add"]) => self.add(pool, &wish, now),
                    _ => detail(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."),
                }
            }
            _ => not_found(),
        }
    }

    fn with_node(&mut self, method: &Method, pk: i64, rest: &[&str], now: Timestamp) -> Answer {
        let Some(machine) = self.books.machines.get(&pk) else { return not_found() };
        let kept = || detail(StatusCode::BAD_REQUEST, "This node cannot be deleted.");
        match (method, rest) {
            (&Method::GET, []) => Answer::Reply(StatusCode::OK, self.node(machine)),
            (&Method::GET, ["can_delete"]) | (&Method::DELETE, []) if machine.is_kept => kept(),
            (&Method::GET, ["can_delete"]) => {
                Answer::Reply(StatusCode::OK, json!({"eligible": true}))
            }
            (&Method::DELETE, []) => {
                self.books.delete(pk, now);
                Answer::Done
            }
            _ => detail(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."),
        }
    }

    /// Switches autoscaling of a pool on or off.
    fn set_pool(&mut self, pk: i64, wish: &Value) -> Answer {
        let Some(pool) = self.books.pools.get_mut(&pk) else { return not_found() };
        let count = |name: &str| {
            wish.get(name).and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok())
        };
        let offer = &mut pool.offer;
        offer.autoscaled = wish.get("autoscaled").and_then(Value::as_bool).unwrap_or_default();
        (offer.min, offer.max) =
            (count("min_count").unwrap_or(offer.min), count("max_count").unwrap_or(offer.max));
        let group = pool.group();
        let members = self.books.machines.values_mut().filter(|machine| machine.pool == Some(pk));
        members.for_each(|machine| machine.group = group);
        match self.books.pools.get(&pk) {
            Some(pool) => {
                let value = replies::pool(pool, &self.books, self.faults.skew);
                Answer::Reply(StatusCode::OK, value)
            }
            None => not_found(),
        }
    }

    /// Begins machines.
    fn add(&mut self, pk: i64, wish: &Value, now: Timestamp) -> Answer {
        let Some(pool) = self.books.pools.get(&pk) else { return not_found() };
        let count = wish.get("node_count").and_then(Value::as_u64).unwrap_or_default();
        let Some(count) = u32::try_from(count).ok().filter(|count| *count > 0) else {
            return detail(StatusCode::BAD_REQUEST, "node_count: a positive number is required.");
        };
        let size = wish.get("size").and_then(Value::as_str);
        if size.is_some_and(|size| size != &*pool.offer.size) {
            return detail(StatusCode::BAD_REQUEST, "size: does not match the node pool.");
        }
        let begun = match self.books.available(pool, count) {
            Ok(begun) => begun,
            Err(words) => return detail(StatusCode::BAD_REQUEST, words),
        };
        if let Some(stock) = self.books.pools.get_mut(&pk).and_then(|pool| pool.stock.as_mut()) {
            *stock -= begun;
        }
        let new: Vec<i64> = (0..begun).map(|_| self.books.begin(pk, now)).collect();
        let nodes = match self.faults.style {
            ReplyStyle::NewOnly => self.nodes(|machine| new.contains(&machine.pk)),
            ReplyStyle::All => self.nodes(|_| true),
        };
        Answer::Reply(StatusCode::CREATED, Value::Array(nodes))
    }

    fn nodes(&self, wanted: impl Fn(&state::Machine) -> bool) -> Vec<Value> {
        let machines = self.books.machines.values().filter(|machine| wanted(machine));
        machines.map(|machine| self.node(machine)).collect()
    }

    fn node(&self, machine: &state::Machine) -> Value {
        let faults = &self.faults;
        faults.patched(replies::node(machine, &self.books, faults.skew, faults.generation))
    }

    fn pools(&self) -> Vec<Value> {
        let pools = self.books.pools.values();
        let written = pools.map(|pool| replies::pool(pool, &self.books, self.faults.skew));
        written.map(|pool| self.faults.patched(pool)).collect()
    }

    fn cluster(&self) -> Value {
        let offer = &self.books.offer;
        let own = |limit: u32| json!({"pk": 1, "solution": "autoscaler", "max_nodes": limit});
        let helm = json!({"pk": 2, "solution": "helm_tiller", "max_nodes": null});
        let solutions: Vec<Value> =
            self.faults.max_nodes.map(own).into_iter().chain([helm]).collect();
        json!({
            "pk": offer.cluster,
            "org": offer.organization,
            "provider": offer.cloud,
            "region": replies::REGION,
            "state": "running",
            "solutions": solutions,
        })
    }
}
