//! From words to flags and values, as pflag does it: `--name=value`, `--name value`, `--switch`, `-v=4`, `-v 4`, `-v4`.
//!
//! Underscores in names are as good as dashes, as in every Kubernetes program.

use std::ffi::OsString;

/// What the words come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Flags with their values, in order; a switch without a value has `true`.
    Flags(Vec<(String, String)>),
    /// The person wants to know what can be typed.
    Help,
}

/// How a flag goes on behind its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Its name is enough; a value has to be joined with `=`.
    Switch,
    /// With a value.
    Value,
}

/// Reads the words. `shape` knows the flags, and says what is wrong with a name that is none.
pub(super) fn read(
    words: &[OsString],
    shape: impl Fn(&str) -> Result<Shape, String>,
) -> Result<Typed, String> {
    let mut flags = Vec::new();
    let mut words = words.iter();
    let mut next = || words.next().map(text).transpose();
    while let Some(word) = next()? {
        let (name, joined) = match split(&word)? {
            Split::Help => return Ok(Typed::Help),
            Split::Flag(name, joined) => (name, joined),
        };
        let value = match (joined, shape(&name)?) {
            (Some(value), _) => value,
            (None, Shape::Switch) => "true".to_owned(),
            (None, Shape::Value) => next()?.ok_or_else(|| format!("--{name}: needs a value"))?,
        };
        flags.push((name, value));
    }
    Ok(Typed::Flags(flags))
}

enum Split {
    Flag(String, Option<String>),
    Help,
}

fn split(word: &str) -> Result<Split, String> {
    if matches!(word, "--help" | "-h") {
        return Ok(Split::Help);
    }
    if let Some(rest) = word.strip_prefix("--").filter(|rest| !rest.is_empty()) {
        let (name, value) = match rest.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (rest, None),
        };
        return Ok(Split::Flag(name.replace('_', "-"), value));
    }
    let Some(rest) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        let hint = "a switch takes its value with =, as in --leader-elect=false";
        return Err(format!("\"{}\" is no flag; {hint}", word.escape_debug()));
    };
    // The only flag of one letter.
    match rest.strip_prefix('v') {
        Some("") => Ok(Split::Flag("v".to_owned(), None)),
        Some(value) if value.starts_with(|next: char| next == '=' || next.is_ascii_digit()) => {
            let value = value.strip_prefix('=').unwrap_or(value);
            Ok(Split::Flag("v".to_owned(), Some(value.to_owned())))
        }
        _ => Err(format!(
            "{}: flags of more than a letter begin with two dashes",
            word.escape_debug()
        )),
    }
}

fn text(word: &OsString) -> Result<String, String> {
    let refuse = || format!("\"{}\" is not UTF-8", word.to_string_lossy().escape_debug());
    word.to_str().map(str::to_owned).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Shape, Typed, read};

    fn typed(words: &[&str]) -> Result<Vec<(String, String)>, String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let shape = |name: &str| match name {
            "dry-run" | "leader-elect" => Ok(Shape::Switch),
            "scan-interval" | "v" | "nodes" => Ok(Shape::Value),
            _ => Err(format!("--{name}: unknown")),
        };
        read(&words, shape).map(|typed| match typed {
            Typed::Flags(flags) => flags,
            Typed::Help => vec![("help".to_owned(), String::new())],
        })
    }

    fn check(words: &[&str], expected: &[(&str, &str)]) {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        assert_eq!(typed(words).unwrap(), expected, "{words:?}");
    }

    #[test]
    fn flags_are_read_as_pflag_reads_them() {
        check(&["--scan-interval=10s"], &[("scan-interval", "10s")]);
        check(&["--scan-interval", "10s"], &[("scan-interval", "10s")]);
        check(&["--scan_interval=10s"], &[("scan-interval", "10s")]);
        check(&["--scan-interval="], &[("scan-interval", "")]);
        check(
            &["--dry-run", "--leader-elect=false"],
            &[("dry-run", "true"), ("leader-elect", "false")],
        );
        check(&["-v=4"], &[("v", "4")]);
        check(&["-v", "4"], &[("v", "4")]);
        check(&["-v4"], &[("v", "4")]);
        check(&["--v=4", "--v", "5"], &[("v", "4"), ("v", "5")]);
        check(
            &["--nodes=1:3:a=b", "--nodes", "--dry-run"],
            &[("nodes", "1:3:a=b"), ("nodes", "--dry-run")],
        );
        check(&["--dry-run", "--help"], &[("help", "")]);
    }

    #[test]
    fn words_that_make_no_sense_are_refused() {
        for (words, problem) in [
            (&["--scan-interval"][..], "--scan-interval: needs a value"),
            (&["--colour=blue"], "--colour: unknown"),
            (
                &["--leader-elect", "false"],
                "\"false\" is no flag; a switch takes its value with =, as in --leader-elect=false",
            ),
            (
                &["-scan-interval=10s"],
                "-scan-interval=10s: flags of more than a letter begin with two dashes",
            ),
            (&["-verbose"], "-verbose: flags of more than a letter begin with two dashes"),
            (
                &["--", "x"],
                "\"--\" is no flag; a switch takes its value with =, as in --leader-elect=false",
            ),
        ] {
            assert_eq!(typed(words).unwrap_err(), problem);
        }
    }
}
