//! The API server's own record of who asked for what.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// A request, as the API server saw it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// What was to be done, in the words of roles: `list`, `patch`.
    pub verb: String,
    /// Of which API group; empty for the core, and for what is no object.
    pub group: String,
    /// To what kind, with a subresource after a slash: `pods/eviction`. Empty for what is no object.
    pub resource: String,
    /// Where; empty for all of the cluster.
    pub namespace: String,
    /// To which one, where the request says.
    pub name: String,
    /// What was answered.
    pub code: u64,
}

/// The requests of a user, in the order of the log. A watch is there once it is answered, and once more when it ends.
pub(crate) fn requests(log: &str, user: &str) -> Result<Vec<Request>> {
    let mut requests = Vec::new();
    // The last line may be half written.
    let whole = log.rfind('\n').and_then(|end| log.get(..end)).unwrap_or_default();
    for line in whole.lines() {
        let event: Value =
            serde_json::from_str(line).with_context(|| format!("no audit event: {line}"))?;
        if event["user"]["username"] == user {
            requests.push(Request::read(&event));
        }
    }
    Ok(requests)
}

// === impl Request ===

impl Request {
    fn read(event: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let about = &event["objectRef"];
        let mut resource = text(&about["resource"]);
        if let Some(part) = about["subresource"].as_str() {
            resource = format!("{resource}/{part}");
        }
        Self {
            verb: text(&event["verb"]),
            group: text(&about["apiGroup"]),
            resource,
            namespace: text(&about["namespace"]),
            name: text(&about["name"]),
            code: event["responseStatus"]["code"].as_u64().unwrap_or_default(),
        }
    }
}
