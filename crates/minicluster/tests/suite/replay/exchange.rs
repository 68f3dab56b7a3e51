//! Sending requests to a server in this process, and reading what it says.

use std::{
    io::{self, Write},
    time::Duration,
};

use axum::body::Body;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde::Serialize as _;
use serde_json::{Map, Value, json, ser::Formatter};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout, timeout_at},
};
use tower::ServiceExt as _;

use plimsoll_minicluster::server::Server;

/// The headers that are compared.
const HEADERS: [&str; 5] = ["content-type", "warning", "retry-after", "allow", "www-authenticate"];

/// No request takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

/// A server and the administrator's credentials.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The server.
    pub(crate) server: Server,
    /// The administrator's bearer token.
    pub(crate) token: String,
}

/// A stream of JSON lines that is read in the background.
#[derive(Debug)]
pub(crate) struct Stream {
    lines: mpsc::UnboundedReceiver<Value>,
    ended: bool,
}

/// Writes JSON with spaces, as the recorder did: some answers quote what was sent.
struct Spaced;

// === impl Client ===

impl Client {
    /// One exchange: `status`, `headers`, and `body`, `events` or `text`.
    pub(crate) async fn call(&self, request: &Value, auth: Option<&str>) -> Value {
        let exchange = async {
            let response = self.send(request, auth).await;
            let mut answer = head(&response);
            let data = response.into_body().collect().await.unwrap().to_bytes();
            if !data.is_empty() {
                let (part, value) = decode(&data, answer["headers"]["content-type"].as_str());
                answer[part] = value;
            }
            answer
        };
        timeout(PATIENCE, exchange).await.unwrap_or_else(|_| json!({ "text": "no answer" }))
    }

    /// Opens a stream.
    pub(crate) async fn open(&self, request: &Value, auth: Option<&str>) -> (Value, Stream) {
        let response = self.send(request, auth).await;
        let answer = head(&response);
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(read_lines(response.into_body(), sender));
        (answer, Stream { lines, ended: false })
    }

    async fn send(&self, request: &Value, auth: Option<&str>) -> Response<Body> {
        let mut headers: Map<String, Value> = Map::new();
        headers.insert("Accept".to_owned(), json!("application/json"));
        headers.insert("User-Agent".to_owned(), json!("recorder/1.0"));
        let data = payload(request);
        if data.is_some() {
            headers.insert("Content-Type".to_owned(), json!("application/json"));
        }
        headers.extend(request["headers"].as_object().cloned().unwrap_or_default());
        match auth {
            None => {
                headers.insert("Authorization".to_owned(), json!(format!("Bearer {}", self.token)));
            }
            Some("none") => {}
            Some(header) => {
                headers.insert("Authorization".to_owned(), json!(header));
            }
        }
        let mut builder = Request::builder()
            .method(request["method"].as_str().unwrap())
            .uri(request["path"].as_str().unwrap());
        for (name, value) in &headers {
            if value != "" {
                builder = builder.header(name, value.as_str().unwrap());
            }
        }
        let request = builder.body(Body::from(data.unwrap_or_default())).unwrap();
        self.server.clone().oneshot(request).await.unwrap()
    }
}

// === impl Stream ===

impl Stream {
    /// `count` events, or all until the end; then those that come within the quiet time.
    pub(crate) async fn take(
        &mut self,
        count: Option<usize>,
        patience: Duration,
        quiet: Duration,
    ) -> Vec<Value> {
        let mut events = Vec::new();
        let deadline = Instant::now() + patience;
        while count.is_none_or(|count| events.len() < count) && !self.ended {
            match timeout_at(deadline, self.lines.recv()).await {
                Ok(Some(event)) => events.push(event),
                Ok(None) => self.ended = true,
                Err(_) => break,
            }
        }
        if count.is_some() {
            let deadline = Instant::now() + quiet;
            while let Ok(Some(event)) = timeout_at(deadline, self.lines.recv()).await {
                events.push(event);
            }
        }
        events
    }

    /// Whether the stream ends in time.
    pub(crate) async fn ends(&mut self, patience: Duration) -> bool {
        self.ended |= matches!(timeout(patience, self.lines.recv()).await, Ok(None));
        self.ended
    }
}

async fn read_lines(mut body: Body, sender: mpsc::UnboundedSender<Value>) {
    let mut rest = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        rest.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let Ok(event) = serde_json::from_slice(&line) else { return };
            if sender.send(event).is_err() {
                return;
            }
        }
    }
    if let Ok(event) = serde_json::from_slice(&rest) {
        let _ = sender.send(event);
    }
}

fn head(response: &Response<Body>) -> Value {
    let mut headers = Map::new();
    for name in HEADERS {
        let values: Vec<&str> =
            response.headers().get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
        match values.first() {
            Some(_) if name == "warning" => headers.insert(name.to_owned(), json!(values)),
            Some(first) => headers.insert(name.to_owned(), json!(first)),
            None => None,
        };
    }
    json!({ "status": response.status().as_u16(), "headers": headers })
}

fn payload(request: &Value) -> Option<String> {
    if let Some(raw) = request["rawBody"].as_str() {
        return Some(raw.to_owned());
    }
    if let Some(fill) = request.get("fillBody") {
        let times = usize::try_from(fill["times"].as_u64().unwrap()).unwrap();
        let text = |key: &str| fill[key].as_str().unwrap();
        return Some(text("prefix").to_owned() + &text("fill").repeat(times) + text("suffix"));
    }
    let mut text = Vec::new();
    request
        .get("body")?
        .serialize(&mut serde_json::Serializer::with_formatter(&mut text, Spaced))
        .unwrap();
    Some(String::from_utf8(text).unwrap())
}

// === impl Spaced ===

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

fn decode(data: &[u8], content_type: Option<&str>) -> (&'static str, Value) {
    if content_type.is_some_and(|content_type| content_type.contains("json")) {
        if let Ok(body) = serde_json::from_slice(data) {
            return ("body", body);
        }
        let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        if let Ok(events) = lines.map(serde_json::from_slice).collect::<Result<Vec<Value>, _>>() {
            return ("events", Value::Array(events));
        }
    }
    ("text", json!(String::from_utf8_lossy(data)))
}
