//! YAML into JSON text.

use serde_json::Value;

use super::ScenarioError;

/// The JSON text of the only document in `text`.
pub(super) fn to_json(text: &str) -> Result<String, ScenarioError> {
    let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(text, options())
        .map_err(|error| broken(&error))?;
    let mut documents = documents.into_iter().filter(|document| !document.is_null());
    let whole = |problem: &str| ScenarioError { place: String::new(), problem: problem.to_owned() };
    match (documents.next(), documents.next()) {
        (Some(document), None) => Ok(document.to_string()),
        (Some(_), Some(_)) => {
            let problem = "follows the scenario, and a file holds only one document";
            Err(ScenarioError { place: "document 2".to_owned(), problem: problem.to_owned() })
        }
        (None, _) => Err(whole("the file is empty")),
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
            max_total_scalar_bytes: usize::MAX,
        },
    }
}

fn broken(error: &serde_saphyr::Error) -> ScenarioError {
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    let place = error.location().map(|at| format!("line {}, column {}", at.line(), at.column()));
    let place = place.unwrap_or_default();
    // The place stands in front, once.
    let text = text.strip_suffix(&format!(" at {place}")).unwrap_or(text);
    let problem = if text.starts_with("duplicate mapping key") {
        text.split(',').next().unwrap_or(text)
    } else {
        text
    };
    ScenarioError { place, problem: problem.to_owned() }
}
