//! Files of manifests: YAML documents, or JSON.

use serde_json::{Deserializer, Value, value::RawValue};

use super::{Reader, refuse};
use crate::{Location, ManifestError, parse::syntax_or_type, problem::Problem, yaml};

/// What editors of another age put before the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

// === impl Reader ===

impl Reader {
    /// Takes all manifests of a file: YAML documents or JSON objects one after the other, any of them a list.
    pub fn read_manifests(&mut self, text: &str) -> Result<(), ManifestError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if !yaml::looks_like_json(text) {
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
        let documents = yaml::documents(text).map_err(|broken| {
            let mut problem = Problem::new(broken.text);
            problem.location = broken.location;
            refuse(None, problem)
        })?;
        let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
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
