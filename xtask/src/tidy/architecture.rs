//! The pages at the root keep up with the code.

use std::path::Path;

use super::{Violation, Workspace};

const MAP: &str = "ARCHITECTURE.md";
const README: &str = "README.md";
const TEST_COMMAND: &str = "cargo xtask test";

/// The map of the code exists, states invariants and names the directory of every crate.
pub(super) fn map(workspace: &Workspace) -> Vec<Violation> {
    let Some(text) = workspace.text(MAP) else {
        return vec![Violation::new(MAP, "does not exist")];
    };
    let mut violations = Vec::new();
    if !text.lines().any(|line| line.starts_with("Invariant:")) {
        violations.push(Violation::new(MAP, "has no line that begins with `Invariant:`"));
    }
    for member in &workspace.members {
        if !names(text, &member.directory) {
            let problem = format!("does not name `{}`", member.directory);
            violations.push(Violation::new(MAP, problem));
        }
    }
    violations
}

/// A file that the map names is there.
pub(super) fn paths(workspace: &Workspace) -> Vec<Violation> {
    let text = workspace.text(MAP).unwrap_or_default();
    let quoted = text.split('`').skip(1).step_by(2);
    let is_source = |word: &&str| {
        let extension = Path::new(word).extension();
        word.starts_with("crates/") && extension.is_some_and(|extension| extension == "rs")
    };
    let paths = quoted.filter(is_source);
    let missing = paths.filter(|path| workspace.text(path).is_none());
    missing.map(|path| Violation::new(MAP, format!("names `{path}`, which is not there"))).collect()
}

/// Whoever opens the README finds out how to test.
pub(super) fn readme(workspace: &Workspace) -> Vec<Violation> {
    let problem = match workspace.text(README) {
        None => "does not exist".to_owned(),
        Some(text) if !text.contains(TEST_COMMAND) => {
            format!("does not say `{TEST_COMMAND}`")
        }
        Some(_) => return Vec::new(),
    };
    vec![Violation::new(README, problem)]
}

/// `crates/provider` is not named by a text that speaks only of `crates/providers`.
fn names(text: &str, directory: &str) -> bool {
    text.match_indices(directory).any(|(at, found)| {
        let after = text.get(at + found.len()..).and_then(|rest| rest.chars().next());
        !after.is_some_and(|next| next.is_alphanumeric() || next == '-' || next == '_')
    })
}

#[cfg(test)]
mod tests;
