//! Flags in a file: YAML, with names as keys.

use serde_json::Value;
use thiserror::Error;

use super::FlagValue;
use crate::yaml;

/// A flag as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without dashes in front.
    pub name: String,
    /// What stands behind it.
    pub value: FlagValue,
    /// The line on which it stands, counted from 1, where that can be told.
    pub line: Option<usize>,
}

/// A file that cannot be read: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{problem}", place(*line))]
pub struct FileError {
    /// The line, counted from 1, where it can be told.
    pub line: Option<usize>,
    /// What is wrong there.
    pub problem: String,
}

/// Reads a file of flags. Whether there are such flags, and whether their values make sense, is found out by whoever sets them.
pub fn read(text: &str) -> Result<Vec<Entry>, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let documents = yaml::documents(text).map_err(|broken| {
        let line = match broken.location {
            Some(crate::Location::Position { line, .. }) => Some(line),
            _ => None,
        };
        FileError { line, problem: broken.text }
    })?;
    let refuse = |problem: &str| FileError { line: None, problem: problem.to_owned() };
    let entries = match documents.as_slice() {
        [] => return Ok(Vec::new()),
        [Value::Object(entries)] => entries,
        [_] => return Err(refuse("is not a list of flags such as scan-interval: 10s")),
        _ => return Err(refuse("holds more than one document")),
    };
    let read = entries.iter().map(|(name, given)| {
        let line = line_of(text, name);
        let refuse = |problem: &str| FileError { line, problem: format!("{name}: {problem}") };
        Ok(Entry { name: name.clone(), value: value(given).map_err(refuse)?, line })
    });
    read.collect()
}

fn value(given: &Value) -> Result<FlagValue, &'static str> {
    match given {
        Value::Array(values) => {
            values.iter().map(scalar).collect::<Result<_, _>>().map(FlagValue::Many)
        }
        given => scalar(given).map(FlagValue::One),
    }
}

/// A text, a number or a truth value, as a command line would have it.
fn scalar(given: &Value) -> Result<String, &'static str> {
    match given {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Null => Err("has no value"),
        Value::Array(_) => Err("a list is not a value"),
        Value::Object(_) => Err("an object is not a value"),
    }
}

/// Keys stand at the beginning of their lines, as people write them.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let is_it = |line: &str| {
        let key = line.split(':').next().unwrap_or_default();
        key.trim_matches(['"', '\'', ' ']) == name && !line.starts_with(' ')
    };
    text.lines().position(is_it).map(|place| place + 1)
}

fn place(line: Option<usize>) -> String {
    line.map(|line| format!("{line}: ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{FlagValue, read};

    #[test]
    fn values_are_as_on_a_command_line() {
        let text = "# settings\nscan-interval: 20s\nmax-nodes-total: 12\nscale-down-enabled: false\ncores-total: 0:100\nstartup-taint: [a, b]\n";
        let entries = read(text).unwrap();
        let mut shown: Vec<_> =
            entries.iter().map(|entry| (entry.line, &*entry.name, entry.value.clone())).collect();
        shown.sort_by_key(|(line, ..)| *line);
        let many = FlagValue::Many(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(
            shown,
            [
                (Some(2), "scan-interval", FlagValue::from("20s")),
                (Some(3), "max-nodes-total", FlagValue::from("12")),
                (Some(4), "scale-down-enabled", FlagValue::from("false")),
                (Some(5), "cores-total", FlagValue::from("0:100")),
                (Some(6), "startup-taint", many),
            ]
        );
        assert_eq!(read("# nothing\n"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_list_of_flags_is_refused_by_its_line() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refused("a: 1\nb:\n"), "2: b: has no value");
        assert_eq!(refused("a: {b: c}\n"), "1: a: an object is not a value");
        assert_eq!(refused("- a\n"), "is not a list of flags such as scan-interval: 10s");
        assert_eq!(refused("a: 1\n---\nb: 2\n"), "holds more than one document");
        assert!(refused("a: 1\na: 2\n").starts_with("2: "), "{}", refused("a: 1\na: 2\n"));
    }
}
