//! From text to wire types, with the path to whatever has the wrong type.

use serde::Deserialize;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use crate::{
    Location,
    problem::{Checked, Problem, Step},
};

/// Fields whose keys the user chooses: a path shows those in brackets.
const MAPS: [&str; 11] = [
    "allocatable",
    "allocatedResources",
    "annotations",
    "capacity",
    "data",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "overhead",
    "requests",
];

/// Reads one JSON value.
pub(crate) fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Checked<T> {
    serde_json::from_str(json).map_err(|error| explain::<T>(json, &error))
}

/// Reads the value again, slower, to find out where the problem is.
#[cold]
fn explain<'a, T: Deserialize<'a>>(json: &'a str, error: &serde_json::Error) -> Problem {
    let mut reader = serde_json::Deserializer::from_str(json);
    match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Err(found) => syntax_or_type(found.inner()).with_path(steps(found.path()).into_iter()),
        Ok(_) => syntax_or_type(error),
    }
}

/// A problem with a text that is not JSON, which has a place in the text, or not of the right types, which has none: the
/// path tells.
pub(crate) fn syntax_or_type(error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let mut problem = Problem::new(text.replace("expected i64", "expected an integer"));
    if matches!(error.classify(), Category::Syntax | Category::Eof) {
        problem.location = Some(Location::Position { line, column });
    }
    problem
}

fn steps(path: &Path) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut in_map = false;
    for segment in path {
        match segment {
            Segment::Seq { index } => steps.push(Step::Index(*index)),
            Segment::Map { key } if in_map => steps.push(Step::Key(key.clone())),
            Segment::Map { key } => steps.push(Step::Field(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
        in_map = !in_map && matches!(segment, Segment::Map { key } if MAPS.contains(&key.as_str()));
    }
    steps
}

#[cfg(test)]
mod tests {
    use crate::{parse::parse, wire::pod::Pod};

    fn problem(json: &str) -> String {
        let problem = parse::<Pod<'_>>(json).unwrap_err();
        format!("{:?} {} {}", problem.location, problem.path(), problem.text)
    }

    #[test]
    fn a_wrong_type_is_found_by_its_path() {
        assert_eq!(
            problem(r#"{"spec":{"containers":[{"name":"a"},{"ports":[{"hostPort":"x"}]}]}}"#),
            "None spec.containers[1].ports[0].hostPort \
             invalid type: string \"x\", expected an integer"
        );
        assert_eq!(
            problem(r#"{"metadata":{"labels":{"a.b/c":7}}}"#),
            "None metadata.labels[a.b/c] invalid type: integer `7`, expected a string"
        );
        assert_eq!(
            problem(r#"{"spec":[]}"#),
            "None spec invalid type: sequence, expected an object"
        );
    }

    #[test]
    fn broken_text_has_a_place() {
        assert_eq!(
            problem("{\"spec\":\n{\"containers\": [}}"),
            "Some(Position { line: 2, column: 17 }) spec.containers[0] expected value"
        );
        assert_eq!(problem("{} x"), "Some(Position { line: 1, column: 4 })  trailing characters");
    }
}
