//! Metrics at a port, in the text form that Prometheus reads.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use prometheus_client::{encoding::text::encode, registry::Registry};

/// What the form is called.
const FORM: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Metrics that can be read while they are counted.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Locked only to add metrics or to write them out; counting goes past it.
    registry: Arc<Mutex<Registry>>,
}

// === impl Metrics ===

impl Metrics {
    /// These metrics.
    pub fn new(registry: Registry) -> Self {
        Self { registry: Arc::new(Mutex::new(registry)) }
    }

    /// All of them as text.
    pub fn text(&self) -> String {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        without_empty_labels(&text)
    }

    /// Answers `GET /metrics` with them, and `GET /health-check` with OK.
    pub fn answer<B>(&self, request: &Request<B>) -> Result<Response<Full<Bytes>>, Infallible> {
        let reply = match (request.method(), request.uri().path()) {
            (&Method::GET, "/metrics") => {
                let mut reply = Response::new(Full::from(self.text()));
                reply
                    .headers_mut()
                    .insert(header::CONTENT_TYPE, header::HeaderValue::from_static(FORM));
                reply
            }
            (&Method::GET, "/health-check") => Response::new(Full::from("OK")),
            _ => {
                let mut reply = Response::new(Full::from("not found\n"));
                *reply.status_mut() = StatusCode::NOT_FOUND;
                reply
            }
        };
        Ok(reply)
    }
}

/// Series without labels as everybody else writes them: `name 1` and not `name{} 1`. The first brace of a line is that of the labels;
/// what is in quotes comes later.
fn without_empty_labels(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        match line.split_once('{') {
            Some((name, rest)) if !line.starts_with('#') && rest.starts_with('}') => {
                plain.push_str(name);
                plain.push_str(&rest[1..]);
            }
            _ => plain.push_str(line),
        }
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_empty_labels;

    #[test]
    fn only_labels_that_are_none_are_left_out() {
        let text = "# HELP a {} b\na{} 1\na{k=\"{} 2\"} 3\n# EOF\n";
        let plain = "# HELP a {} b\na 1\na{k=\"{} 2\"} 3\n# EOF\n";
        assert_eq!(without_empty_labels(text), plain);
    }
}
