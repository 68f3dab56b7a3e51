//! YAML, as far as it is JSON with less punctuation.

use serde_json::Value;

use crate::Location;

/// What is wrong with a YAML text, and where.
#[derive(Debug)]
pub(crate) struct YamlProblem {
    pub text: String,
    pub location: Option<Location>,
}

/// The documents of a stream, empty ones left out.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, YamlProblem> {
    let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(text, options())
        .map_err(|error| YamlProblem::from(&error))?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
}

/// A brace may open a YAML mapping as well, but only in JSON do all its keys have quotes.
pub(crate) fn looks_like_json(text: &str) -> bool {
    match text.trim_start().strip_prefix('{') {
        Some(rest) => rest.trim_start().starts_with(['"', '}']),
        None => false,
    }
}

/// A whole cluster is larger than the limits against hostile files allow; those against aliases that unfold without end
/// stay.
fn options() -> serde_saphyr::Options {
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

// === impl YamlProblem ===

impl From<&serde_saphyr::Error> for YamlProblem {
    fn from(error: &serde_saphyr::Error) -> Self {
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
        Self { text: text.to_owned(), location }
    }
}
