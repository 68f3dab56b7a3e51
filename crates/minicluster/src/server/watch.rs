//! Watches: one line of JSON for each event, for as long as the client listens.

use std::{convert::Infallible, sync::Arc};

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::stream;
use plimsoll_net::Clock;
use serde_json::{Value, json};

use crate::{
    Kind, Object,
    api::{Watch, WatchEvent},
};

use super::{
    accept::{Accepted, Shape},
    answer::{Answer, whole},
    shape,
};

/// The annotation of the bookmark behind the objects that were there already.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A watch that is being served.
struct Served {
    watch: Watch,
    kind: Arc<Kind>,
    accepted: Accepted,
    clock: Clock,
    /// Whether the columns of the table have been told.
    columns_told: bool,
}

/// A watch as an answer.
pub(super) fn answer(kind: Arc<Kind>, watch: Watch, accepted: Accepted, clock: Clock) -> Answer {
    let served = Served { watch, kind, accepted, clock, columns_told: false };
    let lines = stream::unfold(served, |mut served| async move {
        let event = served.watch.next().await?;
        let line = served.line(&event);
        Some((Ok::<Bytes, Infallible>(line), served))
    });
    whole(200, "application/json", Body::from_stream(lines))
}

// === impl Served ===

impl Served {
    fn line(&mut self, event: &WatchEvent) -> Bytes {
        match event {
            WatchEvent::Added(object) => self.change("ADDED", object),
            WatchEvent::Modified(object) => self.change("MODIFIED", object),
            WatchEvent::Deleted(object) => self.change("DELETED", object),
            WatchEvent::Bookmark { revision, initial_events_end } => {
                let mut metadata = json!({ "resourceVersion": revision.to_string() });
                if *initial_events_end {
                    metadata["annotations"] = json!({ INITIAL_EVENTS_END: "true" });
                }
                line("BOOKMARK", &self.bookmark(&metadata).to_string().into())
            }
            WatchEvent::Error(error) => line("ERROR", &error.status().to_string().into()),
        }
    }

    fn change(&mut self, event: &str, object: &Object) -> Bytes {
        match self.accepted.shape {
            Shape::Metadata | Shape::MetadataList => {
                line(event, &shape::metadata_bytes(object, self.accepted.version))
            }
            Shape::Table => line(event, &self.table(&object.value()).to_string().into()),
            Shape::Object | Shape::Discovery => line(event, &object.json),
        }
    }

    fn bookmark(&mut self, metadata: &Value) -> Value {
        match self.accepted.shape {
            Shape::Metadata | Shape::MetadataList => {
                shape::metadata(&json!({ "metadata": metadata }), self.accepted.version)
            }
            Shape::Table => self.table(&json!({ "metadata": metadata })),
            Shape::Object | Shape::Discovery => json!({
                "kind": *self.kind.kind,
                "apiVersion": self.kind.api_version(),
                "metadata": metadata,
            }),
        }
    }

    /// Only the first table of a stream has columns.
    fn table(&mut self, object: &Value) -> Value {
        let rows = self.accepted.rows(&self.kind, self.clock.now());
        let columns = if self.columns_told { Value::Null } else { rows.columns() };
        let table = rows.single(object, &columns);
        self.columns_told = true;
        table
    }
}

fn line(event: &str, object: &Bytes) -> Bytes {
    let mut line = BytesMut::with_capacity(object.len() + 40);
    line.put_slice(b"{\"type\":\"");
    line.put_slice(event.as_bytes());
    line.put_slice(b"\",\"object\":");
    line.put_slice(object);
    line.put_slice(b"}\n");
    line.freeze()
}
