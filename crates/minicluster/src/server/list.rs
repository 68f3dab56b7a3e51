//! Lists, written while they are sent: a list of all pods of a large cluster never exists as one piece.

use std::{convert::Infallible, sync::Arc, vec};

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::stream;
use serde_json::{Value, json};

use crate::{ApiError, Kind, Object, api::Listing};

use super::{
    accept::{Accepted, Encoding, Shape},
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
    Metadata(Accepted),
}

/// What is left of a list to be sent.
struct Pieces {
    head: Option<Bytes>,
    items: vec::IntoIter<Arc<Object>>,
    item: Item,
    first: bool,
    ended: bool,
}

/// A list as an answer.
pub(super) fn answer(
    kind: &Kind,
    listing: Listing,
    accepted: Accepted,
) -> Result<Answer, ApiError> {
    let metadata = metadata(&listing);
    let (api_version, list_kind, item) = match accepted.shape {
        Shape::Metadata => return Err(shape::is_a_list(kind)),
        Shape::MetadataList => (
            accepted.version.api_version().to_owned(),
            "PartialObjectMetadataList",
            Item::Metadata(accepted),
        ),
        _ if kind.custom.is_some() => (kind.api_version(), &*kind.list_kind, Item::Whole),
        _ => (kind.api_version(), &*kind.list_kind, Item::Untyped),
    };
    let head = json!({ "apiVersion": api_version, "kind": list_kind, "metadata": metadata });
    if matches!(item, Item::Metadata(_)) && listing.items.is_empty() {
        // The real server's list of metadata has no items rather than an empty list of them.
        let mut list = head;
        list["items"] = Value::Null;
        return Ok(document(200, &list, accepted.encoding));
    }
    let mut head = head.to_string();
    head.truncate(head.len().saturating_sub(1));
    head.push_str(",\"items\":[");
    let items = listing.items.into_iter();
    let pieces = Pieces { head: Some(Bytes::from(head)), items, item, first: true, ended: false };
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
                Item::Metadata(accepted) => {
                    piece.put_slice(&shape::metadata_bytes(&object, accepted.version));
                }
            }
        }
        Some(piece.freeze())
    }
}
