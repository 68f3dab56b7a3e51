//! Lists, written while they are sent: a list of all pods of a large cluster never exists as one piece.

use std::{convert::Infallible, sync::Arc, vec};

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::stream;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{ApiError, Kind, Object, api::Listing};

use super::{
    accept::{Accepted, Encoding, MetaVersion, Shape},
    answer::{Answer, document, whole},
    shape,
};

/// About how large the pieces are in which a list is sent.
const PIECE: usize = 64 * 1024;

/// How an item is written.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// Without `apiVersion` and `kind`, which the list itself has.
    Untyped,
    /// As it is.
    Whole,
    /// Its metadata alone.
    Metadata(MetaVersion),
    /// As a row of a table.
    Row(Accepted, Timestamp),
}

/// What is left of a list to be sent.
struct Pieces {
    kind: Arc<Kind>,
    head: Option<Bytes>,
    items: vec::IntoIter<Arc<Object>>,
    item: Item,
    first: bool,
    ended: bool,
}

/// A list as an answer.
pub(super) fn answer(
    kind: Arc<Kind>,
    listing: Listing,
    accepted: Accepted,
    now: Timestamp,
) -> Result<Answer, ApiError> {
    let metadata = metadata(&listing);
    let typed = |api_version: &str, list_kind: &str| json!({ "apiVersion": api_version, "kind": list_kind, "metadata": metadata });
    let (head, items, item) = match accepted.shape {
        Shape::Metadata => return Err(shape::is_a_list(&kind)),
        Shape::MetadataList => {
            let version = accepted.version;
            let head = typed(version.api_version(), "PartialObjectMetadataList");
            (head, "items", Item::Metadata(version))
        }
        Shape::Table => {
            let rows = accepted.rows(&kind, now);
            (rows.table(&metadata, &rows.columns()), "rows", Item::Row(accepted, now))
        }
        Shape::Object | Shape::Discovery => {
            let item = if kind.custom.is_some() { Item::Whole } else { Item::Untyped };
            let mut head = typed(&kind.api_version(), &kind.list_kind);
            if kind.custom.is_some() && listing.continue_token.is_none() {
                head["metadata"]["continue"] = json!("");
            }
            (head, "items", item)
        }
    };
    if matches!(item, Item::Metadata(_)) && listing.items.is_empty() {
        // The real server's list of metadata has no items rather than an empty list of them.
        let mut list = head;
        list["items"] = Value::Null;
        return Ok(document(200, &list, accepted.encoding));
    }
    let mut head = head.to_string();
    head.truncate(head.len().saturating_sub(1));
    head.extend([",\"", items, "\":["]);
    let items = listing.items.into_iter();
    let head = Some(Bytes::from(head));
    let pieces = Pieces { kind, head, items, item, first: true, ended: false };
    if accepted.encoding == Encoding::Yaml {
        let text: Vec<u8> = pieces.flat_map(Vec::from).collect();
        let list: Value = serde_json::from_slice(&text).unwrap_or_default();
        return Ok(document(200, &list, Encoding::Yaml));
    }
    let body = Body::from_stream(stream::iter(pieces.map(Ok::<Bytes, Infallible>)));
    Ok(whole(200, "application/json", body))
}

/// The list's own metadata.
pub(super) fn metadata(listing: &Listing) -> Value {
    let mut metadata = json!({ "resourceVersion": listing.revision.to_string() });
    if let Some(token) = &listing.continue_token {
        metadata["continue"] = json!(token);
    }
    if let Some(remaining) = listing.remaining {
        metadata["remainingItemCount"] = json!(remaining);
    }
    metadata
}

// === impl Pieces ===

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        if self.ended {
            return None;
        }
        let mut piece = BytesMut::with_capacity(PIECE);
        while piece.len() < PIECE {
            let Some(object) = self.items.next() else {
                piece.put_slice(b"]}\n");
                self.ended = true;
                break;
            };
            if !self.first {
                piece.put_u8(b',');
            }
            self.first = false;
            match self.item {
                Item::Untyped => {
                    piece.put_u8(b'{');
                    piece.put_slice(object.untyped());
                }
                Item::Whole => piece.put_slice(&object.json),
                Item::Metadata(version) => {
                    piece.put_slice(&shape::metadata_bytes(&object, version));
                }
                Item::Row(accepted, now) => {
                    let row = accepted.rows(&self.kind, now).row(&object.value());
                    piece.put_slice(row.to_string().as_bytes());
                }
            }
        }
        Some(piece.freeze())
    }
}
