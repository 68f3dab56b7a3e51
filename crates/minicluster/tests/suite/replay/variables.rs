//! `${name}` in requests and answers.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::recording::Recording;

/// What each name stands for in one run.
#[derive(Debug)]
pub(crate) struct Variables {
    values: BTreeMap<String, Value>,
}

// === impl Variables ===

impl Variables {
    /// The names that a recording begins with.
    pub(crate) fn new(run: &str, recording: &Recording) -> Self {
        let mut variables = Self { values: BTreeMap::new() };
        variables.set("run", Value::String(run.to_owned()));
        for (name, text) in &recording.vars {
            variables.set(name, Value::String(text.clone()));
        }
        // One may be made of others, in any order.
        for _ in 0..recording.vars.len() {
            for name in recording.vars.keys() {
                let value = variables.fill(&variables.values[name]);
                variables.set(name, value);
            }
        }
        variables
    }

    /// Gives a name its value.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// The value with all names replaced.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.fill_text(text),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                let filled: Map<String, Value> = members
                    .iter()
                    .map(|(key, member)| (plain(&self.fill_text(key)), self.fill(member)))
                    .collect();
                Value::Object(filled)
            }
            other => other.clone(),
        }
    }

    /// A recorded text with the word of this run in it.
    pub(crate) fn fill_run(&self, text: &str) -> String {
        text.replace("${run}", &plain(&self.values["run"]))
    }

    fn fill_text(&self, text: &str) -> Value {
        let mut filled = text.to_owned();
        for (name, value) in &self.values {
            let reference = format!("${{{name}}}");
            if filled == reference {
                return value.clone();
            }
            if filled.contains(&reference) {
                filled = filled.replace(&reference, &plain(value));
            }
        }
        Value::String(filled)
    }
}

/// A value inside a text.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
