//! How one machine or one pod behaves: what its annotations say, else what holds for all.

use std::time::Duration;

use plimsoll_manifest::duration;
use serde_json::Value;
use tracing::warn;

use super::Behaviour;

/// What all annotations begin with.
const PREFIX: &str = "plimsoll.dev/";

/// The duration that an annotation says.
pub(super) fn duration_of(object: &Value, name: &str) -> Option<Duration> {
    let said = annotation(object, name)?;
    let read = duration::parse(said).and_then(|duration| Duration::try_from(duration).ok());
    if read.is_none() {
        warn!(annotation = name, said, "is no duration, such as 1m30s, and is passed over");
    }
    read
}

/// The number that an annotation says.
pub(super) fn number_of(object: &Value, name: &str) -> Option<i64> {
    let said = annotation(object, name)?;
    let read = said.parse().ok();
    if read.is_none() {
        warn!(annotation = name, said, "is no number, and is passed over");
    }
    read
}

/// How a machine behaves.
pub(super) fn of_node(node: &Value, all: &Behaviour) -> Behaviour {
    Behaviour {
        boot: duration_of(node, "boot-time").unwrap_or(all.boot),
        unready_after: duration_of(node, "unready-after").or(all.unready_after),
        vanish_after: duration_of(node, "vanish-after").or(all.vanish_after),
        ..all.clone()
    }
}

fn annotation<'o>(object: &'o Value, name: &str) -> Option<&'o str> {
    let annotations = object.pointer("/metadata/annotations")?;
    annotations.get(format!("{PREFIX}{name}"))?.as_str()
}
