//! A scenario in YAML, as JSON text.

use super::ScenarioError;
use crate::yaml;

/// The JSON text of the only document in `text`.
pub(super) fn to_json(text: &str) -> Result<String, ScenarioError> {
    let documents = yaml::documents(text).map_err(|broken| {
        let place = broken.location.map(|place| place.to_string()).unwrap_or_default();
        ScenarioError { place, problem: broken.text }
    })?;
    match documents.as_slice() {
        [document] => Ok(document.to_string()),
        [] => Err(ScenarioError { place: String::new(), problem: "the file is empty".to_owned() }),
        [_, _, ..] => {
            let problem = "follows the scenario, and a file holds only one document";
            Err(ScenarioError { place: "document 2".to_owned(), problem: problem.to_owned() })
        }
    }
}
