//! Reads the file: manifests, or cases line by line.

use std::{fs, io, io::Read as _, iter};

use anyhow::{Context as _, Error, anyhow, ensure};
use plimsoll_manifest::{Reader, case, case::Case};
use plimsoll_model::Timestamp;

/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// The whole text of the file.
pub(crate) fn read(file: &str) -> Result<String, Error> {
    let read = if file == STANDARD_INPUT {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    let bytes = read.with_context(|| file.to_owned())?;
    String::from_utf8(bytes).map_err(|error| {
        anyhow!("{file}: byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)
    })
}

/// The questions in a text, one after the other.
pub(super) fn cases<'t>(
    file: &'t str,
    text: &'t str,
) -> Box<dyn Iterator<Item = Result<Case, Error>> + 't> {
    if !case::is_case(text) {
        return Box::new(iter::once_with(move || manifests(file, text)));
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    Box::new(lines.map(move |(number, line)| {
        // Nothing here depends on when an object was made.
        case::read(line, Timestamp::UNIX_EPOCH).map_err(|error| anyhow!("{file}:{number}: {error}"))
    }))
}

/// Manifests are one case: pods without a node are the question. One that has ended goes nowhere any more.
fn manifests(file: &str, text: &str) -> Result<Case, Error> {
    let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
    let read = reader.read_manifests(text).and_then(|()| reader.finish());
    let mut objects = read.map_err(|error| anyhow!("{file}: {error}"))?;
    ensure!(!objects.is_empty(), "{file}: holds no manifests");
    let is_question = |pod: &mut plimsoll_model::Pod| pod.node.is_none() && !pod.has_ended();
    let pending = objects.pods.extract_if(.., is_question).collect();
    Ok(Case { id: file.to_owned(), objects, pending })
}
