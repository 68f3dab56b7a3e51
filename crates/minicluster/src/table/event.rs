//! Events. Those of the core and of `events.k8s.io` are the same objects with other names for some fields.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    age,
    column::{
        Cell::{Made, Text},
        Column, NAME, text,
    },
    read, words,
};

pub(super) const EVENT: &[Column] = &[
    text("Last Seen", words::EVENT_LAST_TIMESTAMP, Made(|event, now| last_seen(event, now).into())),
    text("Type", words::EVENT_TYPE, Text("/type")),
    text("Reason", words::EVENT_REASON, Text("/reason")),
    text("Object", "The object that this event is about.", Made(object)),
    text(
        "Subobject",
        words::OBJECT_REFERENCE_FIELD_PATH,
        Made(|event, _| first(event, ["/involvedObject/fieldPath", "/regarding/fieldPath"]).into()),
    )
    .wide(),
    text("Source", words::EVENT_SOURCE, Made(source)).wide(),
    text(
        "Message",
        words::EVENT_MESSAGE,
        Made(|event, _| first(event, ["/message", "/note"]).trim().into()),
    ),
    text(
        "First Seen",
        words::EVENT_FIRST_TIMESTAMP,
        Made(|event, now| first_seen(event, now).into()),
    )
    .wide(),
    text("Count", "The number of times this event has occurred.", Made(count)).wide(),
    NAME.wide(),
];

/// The first text that there is.
fn first<'v, const N: usize>(event: &'v Value, paths: [&str; N]) -> &'v str {
    paths
        .into_iter()
        .map(|path| read::text(event, path))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

fn first_seen(event: &Value, now: Timestamp) -> String {
    let paths = ["/firstTimestamp", "/deprecatedFirstTimestamp", "/eventTime"];
    age::since(first(event, paths), now)
}

fn last_seen(event: &Value, now: Timestamp) -> String {
    if read::at(event, "/series").is_some() {
        return age::since(read::text(event, "/series/lastObservedTime"), now);
    }
    match first(event, ["/lastTimestamp", "/deprecatedLastTimestamp"]) {
        "" => first_seen(event, now),
        time => age::since(time, now),
    }
}

fn object(event: &Value, _now: Timestamp) -> Value {
    let kind = first(event, ["/involvedObject/kind", "/regarding/kind"]).to_lowercase();
    match first(event, ["/involvedObject/name", "/regarding/name"]) {
        "" => kind.into(),
        name => format!("{kind}/{name}").into(),
    }
}

fn source(event: &Value, _now: Timestamp) -> Value {
    let component = first(
        event,
        [
            "/source/component",
            "/deprecatedSource/component",
            "/reportingComponent",
            "/reportingController",
        ],
    );
    match first(event, ["/source/host", "/deprecatedSource/host", "/reportingInstance"]) {
        "" => component.into(),
        instance => format!("{component}, {instance}").into(),
    }
}

/// Events that happened once have no count in the newer API.
fn count(event: &Value, _now: Timestamp) -> Value {
    if read::at(event, "/series").is_some() {
        return read::number(event, "/series/count").into();
    }
    match read::number(event, "/count").max(read::number(event, "/deprecatedCount")) {
        0 => 1.into(),
        count => count.into(),
    }
}
