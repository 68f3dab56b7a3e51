//! The shape of a recording: requests that were sent to a real API server, and what it said.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

/// One topic: requests in order, from a fresh namespace.
#[derive(Debug, Deserialize)]
pub(crate) struct Recording {
    /// The name of the file.
    pub(crate) topic: String,
    /// What the server must have or be, such as `controllers`.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// Names for texts with `${run}` in them.
    #[serde(default)]
    pub(crate) vars: BTreeMap<String, String>,
    /// Not compared, but has to succeed.
    #[serde(default)]
    pub(crate) setup: Vec<Step>,
    /// What is compared.
    pub(crate) steps: Vec<Step>,
}

/// One request, one look at a stream, or one pause.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    /// Unique in its file; the setup has none.
    #[serde(default)]
    pub(crate) id: String,
    /// What is sent.
    pub(crate) request: Option<Value>,
    /// Instead of the administrator's credentials: `none`, or the header itself.
    pub(crate) auth: Option<String>,
    /// The name of the stream that the request opens.
    pub(crate) watch: Option<String>,
    /// The name of the stream whose events are read.
    pub(crate) collect: Option<String>,
    /// How many events; all until the end if absent.
    pub(crate) count: Option<usize>,
    /// For how long to listen for more events than `count`, in seconds.
    pub(crate) quiet: Option<f64>,
    /// Whether the end of the stream is compared.
    #[serde(default)]
    pub(crate) end: bool,
    /// How long to wait for the conditions or the events, in seconds.
    pub(crate) timeout: Option<f64>,
    /// Seconds to wait.
    pub(crate) sleep: Option<f64>,
    /// Conditions; the request is repeated until all hold.
    #[serde(default)]
    pub(crate) until: Vec<Value>,
    /// A step of the setup that need not succeed.
    #[serde(default)]
    pub(crate) optional: bool,
    /// Variables, and where in the answer they are.
    #[serde(default)]
    pub(crate) capture: BTreeMap<String, String>,
    /// How much is compared.
    #[serde(default)]
    pub(crate) compare: Compare,
    /// Places that are not compared.
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
    /// The only places that are compared.
    pub(crate) pick: Option<Vec<String>>,
    /// Lists that are compared as sets.
    #[serde(default)]
    pub(crate) unordered: Vec<String>,
    /// What the real server said.
    pub(crate) response: Option<Value>,
}

/// How much of an answer is compared.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Compare {
    /// Everything.
    #[default]
    Full,
    /// All but the wording of messages, because it quotes the real server's internals.
    NoMessage,
    /// The status code alone.
    Status,
    /// Nothing.
    None,
}

// === impl Recording ===

impl Recording {
    /// All recordings, by topic.
    pub(crate) fn all() -> Vec<Self> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
        let mut recordings: Vec<Self> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| {
                serde_json::from_str(&fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap()
            })
            .collect();
        recordings.sort_by(|a, b| a.topic.cmp(&b.topic));
        recordings
    }

    /// How many steps are compared.
    pub(crate) fn total(&self) -> usize {
        self.steps.iter().filter(|step| step.response.is_some()).count()
    }
}
