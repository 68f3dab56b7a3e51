//! Files of manifests: YAML documents, or JSON.

use serde_json::{Deserializer, Value, value::RawValue};

use super::{Reader, refuse};
use crate::{Location, ManifestError, parse::syntax_or_type, problem::Problem};

/// What editors of another age put before the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

// === impl Reader ===

impl Reader {
    /// Takes all manifests of a file: YAML documents or JSON objects one after the other, any of them a list.
    pub fn read_manifests(&mut self, text: &str) -> Result<(), ManifestError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if !looks_like_json(text) {
            return self.add_yaml_documents(text);
        }
        let documents: Result<Vec<&RawValue>, _> =
            Deserializer::from_str(text).into_iter().collect();
        match documents {
            Ok(documents) => self.add_documents(documents.iter().map(|document| document.get())),
            // JSON documents that are parted as YAML ones are a YAML stream.
            Err(_) if text.contains("\n---") => self.add_yaml_documents(text),
            Err(error) => Err(refuse(None, syntax_or_type(&error))),
        }
    }

    /// Takes all documents of a YAML stream.
    pub fn add_yaml_documents(&mut self, text: &str) -> Result<(), ManifestError> {
        let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(text, yaml_options())
            .map_err(|error| refuse(None, yaml_problem(&error)))?;
        let texts: Vec<String> =
            documents.iter().filter(|one| !one.is_null()).map(Value::to_string).collect();
        self.add_documents(texts.iter())
    }

    fn add_documents(
        &mut self,
        documents: impl ExactSizeIterator<Item = impl AsRef<str>>,
    ) -> Result<(), ManifestError> {
        let is_only = documents.len() == 1;
        for (number, document) in (1..).zip(documents) {
            self.add_json(document.as_ref()).map_err(|mut error| {
                if !is_only && !error.has_name() {
                    error.location = Some(Location::Document(number));
                }
                error
            })?;
        }
        Ok(())
    }
}

/// A brace may open a YAML mapping as well, but only in JSON do all its keys have quotes.
fn looks_like_json(text: &str) -> bool {
    match text.trim_start().strip_prefix('{') {
        Some(rest) => rest.trim_start().starts_with(['"', '}']),
        None => false,
    }
}

/// Manifests of a whole cluster are larger than the limits against hostile files allow; those against aliases that unfold
/// without end stay.
fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        // A node may be called `n`, and a label may say `yes`.
        strict_booleans: true,
        emit_comments: false,
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
        },
    }
}

fn yaml_problem(error: &serde_saphyr::Error) -> Problem {
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    let location = error.location().map(|place| Location::Position {
        line: usize::try_from(place.line()).unwrap_or_default(),
        column: usize::try_from(place.column()).unwrap_or_default(),
    });
    // The place stands in front already, and what a programmer could do about it is no help here.
    let suffix = location.map(|place| format!(" at {place}")).unwrap_or_default();
    let text = text.strip_suffix(&suffix).unwrap_or(text);
    let (text, _) = text.split_once(", set DuplicateKeyPolicy").unwrap_or((text, ""));
    let mut problem = Problem::new(text);
    problem.location = location;
    problem
}
