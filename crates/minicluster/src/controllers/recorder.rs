//! Events, as `kubectl describe` shows them.

use jiff::{SignedDuration, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use crate::{
    Api,
    api::{Target, WriteOptions},
    read::{number, text, time},
};

/// How many events in a row are recorded about one object.
const BURST: u32 = 25;
/// How often one more may be recorded after that.
const REFILL: SignedDuration = SignedDuration::from_mins(5);
/// How many different messages of one sort about one object are events of their own; from then on one event stands for all.
const SIMILAR: usize = 10;
/// How long messages count as being of one row.
const SIMILAR_WITHIN: SignedDuration = SignedDuration::from_mins(10);
const COMBINED: &str = "(combined from similar events): ";
/// How many objects and events are remembered; more than that, and everything is forgotten.
const REMEMBERED: usize = 4096;

/// Something to say about an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    /// What it is about: an object reference.
    pub(crate) about: Value,
    /// Who says it.
    pub(crate) source: &'static str,
    /// Whether it is a warning.
    pub(crate) level: Level,
    /// One word.
    pub(crate) reason: &'static str,
    /// A sentence.
    pub(crate) message: String,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// All is well.
    Normal,
    /// Something is not as it should be.
    Warning,
}

/// Writes events, not too many about one object, and the same one only once.
#[derive(Debug)]
pub(crate) struct Recorder {
    api: Api,
    /// By the uid of the object: how many more may be said, and since when.
    credit: FxHashMap<String, (u32, Timestamp)>,
    /// By uid, reason and message: the name of the event. An empty message is the event that stands for many.
    said: FxHashMap<(String, &'static str, String), String>,
    /// By uid and reason: which messages there were of late.
    similar: FxHashMap<(String, &'static str), Similar>,
    sequence: u64,
}

/// Messages about one object that differ in their words alone.
#[derive(Debug, Default)]
struct Similar {
    messages: FxHashSet<String>,
    last: Timestamp,
}

// === impl Note ===

impl Note {
    /// Something about an object.
    pub(crate) fn new(
        source: &'static str,
        object: &Value,
        reason: &'static str,
        message: String,
    ) -> Self {
        let mut about = json!({
            "kind": object["kind"],
            "apiVersion": object["apiVersion"],
            "name": text(object, "/metadata/name"),
            "uid": text(object, "/metadata/uid"),
            "resourceVersion": text(object, "/metadata/resourceVersion"),
        });
        let namespace = text(object, "/metadata/namespace");
        if !namespace.is_empty() {
            about["namespace"] = json!(namespace);
        }
        Self { about, source, level: Level::Normal, reason, message }
    }

    /// The same as a warning.
    #[must_use]
    pub(crate) fn warning(mut self) -> Self {
        self.level = Level::Warning;
        self
    }

    /// With a name in the place of `{name}`.
    #[must_use]
    pub(super) fn naming(mut self, name: &str) -> Self {
        self.message = self.message.replace("{name}", name);
        self
    }

    /// About the same object, that something did not work.
    #[must_use]
    pub(super) fn failing(mut self, reason: &'static str, message: String) -> Self {
        self.reason = reason;
        self.message = message;
        self.level = Level::Warning;
        self
    }
}

// === impl Recorder ===

impl Recorder {
    pub(crate) fn new(api: Api) -> Self {
        Self {
            api,
            credit: FxHashMap::default(),
            said: FxHashMap::default(),
            similar: FxHashMap::default(),
            sequence: 0,
        }
    }

    /// Records an event, unless too much has been said about its object.
    pub(crate) fn say(&mut self, note: &Note) {
        let Some(kind) = self.api.kind("", "v1", "events") else { return };
        let now = self.api.clock().now();
        let uid = text(&note.about, "/uid").to_owned();
        let combined = self.is_one_of_many(&uid, note, now);
        if !self.may_say(&uid, now) {
            return;
        }
        let (message, key) = if combined {
            (format!("{COMBINED}{}", note.message), String::new())
        } else {
            (note.message.clone(), note.message.clone())
        };
        // Events about objects of the cluster live here.
        let namespace = Some(text(&note.about, "/namespace")).filter(|name| !name.is_empty());
        let namespace = namespace.unwrap_or("default").to_owned();
        let same = (uid, note.reason, key);
        if let Some(name) = self.said.get(&same) {
            let again = self.api.modify(&kind, &Target::new(&namespace, name), |event| {
                event["count"] = json!(number(event, "/count") + 1);
                event["lastTimestamp"] = json!(time(now));
                event["message"] = json!(message);
            });
            if again.is_ok() {
                return;
            }
        }
        self.sequence += 1;
        let moment = now.as_nanosecond().unsigned_abs() + u128::from(self.sequence);
        let name = format!("{}.{moment:x}", text(&note.about, "/name"));
        let event = json!({
            "metadata": { "name": name },
            "involvedObject": note.about,
            "reason": note.reason,
            "message": message,
            "source": { "component": note.source },
            "firstTimestamp": time(now),
            "lastTimestamp": time(now),
            "count": 1,
            "type": match note.level {
                Level::Normal => "Normal",
                Level::Warning => "Warning",
            },
            "reportingComponent": note.source,
            "reportingInstance": "",
        });
        // Nobody depends on events: in a namespace that goes away there are none.
        if self.api.create(&kind, &namespace, event, &WriteOptions::default()).is_ok() {
            if self.said.len() >= REMEMBERED {
                self.said.clear();
            }
            self.said.insert(same, name);
        }
    }

    /// Whether there were so many messages of this sort about the object of late that one event has to do for them.
    fn is_one_of_many(&mut self, uid: &str, note: &Note, now: Timestamp) -> bool {
        if self.similar.len() >= REMEMBERED {
            self.similar.clear();
        }
        let similar = self.similar.entry((uid.to_owned(), note.reason)).or_default();
        if now.duration_since(similar.last) > SIMILAR_WITHIN {
            similar.messages.clear();
        }
        similar.last = now;
        let is_new = !similar.messages.contains(&note.message);
        if is_new && similar.messages.len() + 1 >= SIMILAR {
            return true;
        }
        similar.messages.insert(note.message.clone());
        false
    }

    fn may_say(&mut self, uid: &str, now: Timestamp) -> bool {
        if self.credit.len() >= REMEMBERED {
            self.credit.clear();
        }
        let (left, since) = self.credit.entry(uid.to_owned()).or_insert((BURST, now));
        if now.duration_since(*since) >= REFILL {
            *left += 1;
            *since = now;
        }
        let may = *left > 0;
        *left = left.saturating_sub(1);
        may
    }
}
