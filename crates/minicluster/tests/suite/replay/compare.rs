//! What differs between a recorded answer and ours.

use serde_json::Value;

use super::{placeholder::Bindings, variables::Variables};

/// How much of a value a message shows.
const SHOWN: usize = 300;

/// Compares values and remembers what placeholders stood for.
#[derive(Debug)]
pub(crate) struct Comparer<'a> {
    /// Shared by all steps of a recording.
    pub(crate) bindings: &'a mut Bindings,
    /// For `${run}` in recorded answers.
    pub(crate) variables: &'a Variables,
    /// Paths of lists that are compared as sets.
    pub(crate) unordered: &'a [String],
}

// === impl Comparer ===

impl Comparer<'_> {
    /// The differences, one line each.
    pub(crate) fn compare(&mut self, want: &Value, got: &Value, path: &str) -> Vec<String> {
        match (want, got) {
            (Value::String(want), _) => self.text(want, got, path),
            (Value::Number(want_number), Value::Number(got_number))
                if want_number == got_number || want_number.as_f64() == got_number.as_f64() =>
            {
                Vec::new()
            }
            (Value::Object(want), Value::Object(got)) => {
                let mut differences = Vec::new();
                let filled: Vec<(String, &Value)> =
                    want.iter().map(|(key, value)| (self.variables.fill_run(key), value)).collect();
                for (key, value) in &filled {
                    let place = member(path, key);
                    match got.get(key) {
                        Some(got) => differences.extend(self.compare(value, got, &place)),
                        None => {
                            differences
                                .push(format!("{place}: missing, expected {}", short(value)));
                        }
                    }
                }
                for (key, value) in got {
                    if !filled.iter().any(|(name, _)| name == key) {
                        differences.push(format!(
                            "{}: unexpected, got {}",
                            member(path, key),
                            short(value)
                        ));
                    }
                }
                differences
            }
            (Value::Array(want), Value::Array(got)) => {
                let mut differences = Vec::new();
                if want.len() != got.len() {
                    let (want, got) = (want.len(), got.len());
                    differences.push(format!("{path}: expected {want} elements, got {got}"));
                }
                if self.unordered.iter().any(|pattern| *pattern == starred(path)) {
                    differences.extend(self.set(want, got, path));
                } else {
                    for (index, (want, got)) in want.iter().zip(got).enumerate() {
                        differences.extend(self.compare(want, got, &format!("{path}[{index}]")));
                    }
                }
                differences
            }
            _ if want == got => Vec::new(),
            _ => vec![format!("{path}: expected {}, got {}", short(want), short(got))],
        }
    }

    fn text(&mut self, want: &str, got: &Value, path: &str) -> Vec<String> {
        let want = self.variables.fill_run(want);
        match got {
            _ if want == "<any>" => Vec::new(),
            Value::String(got) => match self.bindings.check(&want, got) {
                Ok(()) => Vec::new(),
                Err(why) => vec![format!("{path}: {why}")],
            },
            other => vec![format!("{path}: expected {want:?}, got {}", short(other))],
        }
    }

    /// Each recorded element takes the first of ours that fits it, or the one that differs least.
    fn set(&mut self, want: &[Value], got: &[Value], path: &str) -> Vec<String> {
        let mut differences = Vec::new();
        let mut left: Vec<&Value> = got.iter().collect();
        for (index, want) in want.iter().enumerate() {
            let place = format!("{path}[{index}]");
            let mut best: Option<(usize, Vec<String>, Bindings)> = None;
            let before = self.bindings.clone();
            for (position, candidate) in left.iter().enumerate() {
                *self.bindings = before.clone();
                let found = self.compare(want, candidate, &place);
                if best.as_ref().is_none_or(|(_, least, _)| found.len() < least.len()) {
                    let fits = found.is_empty();
                    best = Some((position, found, self.bindings.clone()));
                    if fits {
                        break;
                    }
                }
            }
            *self.bindings = before;
            if let Some((position, found, bindings)) = best {
                if found.is_empty() {
                    *self.bindings = bindings;
                }
                left.remove(position);
                differences.extend(found);
            }
        }
        differences
    }
}

/// A value in a message.
pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn member(path: &str, key: &str) -> String {
    if key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!("{path}.{key}")
    } else {
        format!("{path}[{key:?}]")
    }
}

/// The path with every index as a star.
fn starred(path: &str) -> String {
    let mut out = String::new();
    let mut parts = path.split('[');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once(']') {
            Some((index, rest)) if index.parse::<usize>().is_ok() => {
                out.push_str("[*]");
                out.push_str(rest);
            }
            _ => {
                out.push('[');
                out.push_str(part);
            }
        }
    }
    out
}
