//! Reads what `cargo test` prints and keeps counts per package.
//!
//! ```text
//!      Running unittests src/lib.rs (target/debug/deps/plimsoll_fit-0123456789abcdef)
//! test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
//!    Doc-tests plimsoll_fit
//! error: test failed, to rerun pass `-p plimsoll-fit --lib`
//! ```
//!
//! A heading opens a section; everything up to the next heading belongs to it. Only executables
//! and libraries that were just built count as headings, so a test may print what it likes.

use std::collections::BTreeMap;

use super::{Part, Tally};

/// Which package a heading speaks of.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// Package by file name of a test executable, hash included.
    pub(super) executables: BTreeMap<String, String>,
    /// Package by name of its library.
    pub(super) libraries: BTreeMap<String, String>,
}

/// What has been read so far.
#[derive(Debug)]
pub(super) struct Transcript {
    owners: Owners,
    /// By package, with those that have had nothing to say yet.
    parts: BTreeMap<String, Part>,
    /// The section that is open.
    section: Option<Section>,
    /// What stands outside every section: it explains a run that broke off.
    stray: Vec<String>,
}

/// One test executable, or the doc tests of one library.
#[derive(Debug)]
struct Section {
    package: String,
    heading: String,
    lines: Vec<String>,
    /// `None` until a result is seen. Doc tests may print several, which add up.
    tally: Option<Tally>,
    /// Cargo said that it failed.
    is_failed: bool,
}

// === impl Transcript ===

impl Transcript {
    /// Nothing read yet; `packages` are those to report.
    pub(super) fn new(owners: Owners, packages: impl IntoIterator<Item = String>) -> Self {
        let parts = packages.into_iter().map(|name| {
            let part = Part { name: name.clone(), tally: Tally::default(), details: String::new() };
            (name, part)
        });
        Self { owners, parts: parts.collect(), section: None, stray: Vec::new() }
    }

    /// Takes the next line. Answers with what is running now, if that is what the line says.
    pub(super) fn read(&mut self, line: &str) -> Option<&str> {
        if let Some(package) = self.owners.of_heading(line) {
            let section = Section::new(package, line.trim());
            self.close_section();
            return Some(&self.section.insert(section).heading);
        }
        if is_closing_list(line) {
            self.close_section();
        }
        match &mut self.section {
            Some(section) => section.read(line),
            None => self.stray.push(line.to_owned()),
        }
        None
    }

    /// The parts in order of name. If cargo failed and nothing tells why, that is a failure too.
    pub(super) fn finish(mut self, cargo_succeeded: bool) -> Vec<Part> {
        self.close_section();
        let mut parts: Vec<Part> = self.parts.into_values().collect();
        if !cargo_succeeded && parts.iter().all(|part| part.tally.failed == 0) {
            parts.push(Part::failed("cargo test", self.stray.join("\n")));
        }
        parts
    }

    fn close_section(&mut self) {
        let Some(section) = self.section.take() else {
            return;
        };
        let Some(part) = self.parts.get_mut(&section.package) else {
            return;
        };
        let tally = section.outcome();
        part.tally += tally;
        if tally.failed > 0 {
            part.details += &section.complaint();
        }
    }
}

// === impl Section ===

impl Section {
    fn new(package: &str, heading: &str) -> Self {
        Self {
            package: package.to_owned(),
            heading: heading.to_owned(),
            lines: Vec::new(),
            tally: None,
            is_failed: false,
        }
    }

    fn read(&mut self, line: &str) {
        if let Some(tally) = result(line) {
            *self.tally.get_or_insert_default() += tally;
        }
        self.is_failed |=
            line.starts_with("error: test failed, ") || line.starts_with("error: doctest failed, ");
        self.lines.push(line.to_owned());
    }

    /// An executable that dies has no result, or none that speaks of its death: cargo's word
    /// counts as one failure. One that has no result and ends well is a test of its own.
    fn outcome(&self) -> Tally {
        let mut tally = self.tally.unwrap_or_default();
        if self.is_failed && tally.failed == 0 {
            tally.failed = 1;
        }
        if !self.is_failed && self.tally.is_none() {
            tally.passed = 1;
        }
        tally
    }

    /// From where the test runner lists its failures; all of it, if it did not come to that.
    fn complaint(&self) -> String {
        let start = self.lines.iter().position(|line| line == "failures:").unwrap_or(0);
        let lines = self.lines.iter().skip(start);
        let text = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
        format!("{}\n{}\n", self.heading, text.trim_end())
    }
}

// === impl Owners ===

impl Owners {
    fn of_heading(&self, line: &str) -> Option<&str> {
        let line = line.trim_start();
        if let Some(library) = line.strip_prefix("Doc-tests ") {
            return self.libraries.get(library).map(String::as_str);
        }
        let (_, path) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?;
        let executable = path.rsplit(['/', '\\']).next()?;
        self.executables.get(executable).map(String::as_str)
    }
}

/// `error: 2 targets failed:` and the list below it repeat what the sections have said.
fn is_closing_list(line: &str) -> bool {
    line.starts_with("error: ")
        && (line.ends_with(" target failed:") || line.ends_with(" targets failed:"))
}

/// The counts in a line like `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn result(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |word: &str| {
        let mut counts = counts.split("; ").filter_map(|count| count.split_once(' '));
        counts.find(|(_, what)| *what == word)?.0.parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

#[cfg(test)]
mod tests;
