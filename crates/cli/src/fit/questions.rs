//! The questions of a file: manifests, or cases line by line.

use std::iter;

use anyhow::{Error, anyhow, ensure};
use plimsoll_manifest::{Reader, case, case::Case};
use plimsoll_model::Timestamp;

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
