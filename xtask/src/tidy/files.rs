//! How Rust files look: short, no `mod.rs`, a crate introduces itself, nothing left undone.

use super::{SourceFile, Violation, Workspace};

/// A page one can hold in the head has 100 to 250 lines; this is where it stops being a page.
const MOST_LINES: usize = 700;

/// On its first line a file may say that it is not written to be read from top to bottom.
const EXEMPT_MARKS: [&str; 2] = ["@generated", "table:"];

/// What marks a thing as not done.
const STUBS: [&str; 4] = ["todo!(", "unimplemented!(", "#[ignore", "FIXME"];

/// What ties a property test to a seed of its own, or lets it forget what it has found.
const TIES: [&str; 3] = ["rng_seed", "RngSeed", "failure_persistence"];

/// The rules and their tests have to spell out what they forbid.
const SPELLS_OUT: &str = "xtask/src/tidy/";

/// No file is longer than [`MOST_LINES`], but for tables and generated code.
pub(super) fn budget(workspace: &Workspace) -> Vec<Violation> {
    let too_long = workspace.rust_files().filter(|file| !is_exempt(file)).filter_map(|file| {
        let lines = file.text.lines().count();
        (lines > MOST_LINES).then_some((file, lines))
    });
    too_long
        .map(|(file, lines)| {
            let problem = format!("has {lines} lines, the most is {MOST_LINES}; split it");
            Violation::new(&file.path, problem)
        })
        .collect()
}

/// Modules are `name.rs` beside `name/`, so that an editor's tabs can be told apart.
pub(super) fn no_mod_rs(workspace: &Workspace) -> Vec<Violation> {
    workspace
        .rust_files()
        .filter(|file| file.path.rsplit('/').next() == Some("mod.rs"))
        .map(|file| Violation::new(&file.path, "is a mod.rs; name it after its module"))
        .collect()
}

/// The root of every crate begins with its documentation.
pub(super) fn crate_docs(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for member in &workspace.members {
        let roots: Vec<(String, &str)> = ["src/lib.rs", "src/main.rs"]
            .into_iter()
            .map(|file| format!("{}/{file}", member.directory))
            .filter_map(|path| workspace.text(&path).map(|text| (path, text)))
            .collect();
        if roots.is_empty() {
            violations
                .push(Violation::new(&member.directory, "has neither src/lib.rs nor src/main.rs"));
        }
        for (path, text) in roots {
            let first = text.lines().find(|line| !line.trim().is_empty());
            if !first.is_some_and(|line| line.starts_with("//!")) {
                let problem = "does not begin with `//!` and what the crate is for";
                violations.push(Violation::new(path, problem));
            }
        }
    }
    violations
}

/// What is in the tree works and what is tested runs.
pub(super) fn stubs(workspace: &Workspace) -> Vec<Violation> {
    occurrences(workspace, &STUBS, "")
}

/// `.cargo/config.toml` fixes the seed of all property tests, `cargo xtask nightly` takes others, and what fails is kept in a file.
pub(super) fn properties(workspace: &Workspace) -> Vec<Violation> {
    occurrences(workspace, &TIES, "; the seed comes from the environment, and what fails is kept")
}

/// Every line with one of the words, and what to do about it.
fn occurrences(workspace: &Workspace, words: &[&str], help: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in workspace.rust_files().filter(|file| !file.path.starts_with(SPELLS_OUT)) {
        for (line, number) in file.text.lines().zip(1..) {
            for word in words.iter().filter(|word| line.contains(**word)) {
                let place = format!("{}:{number}", file.path);
                violations.push(Violation::new(place, format!("contains `{word}`{help}")));
            }
        }
    }
    violations
}

fn is_exempt(file: &SourceFile) -> bool {
    let first = file.text.lines().next().unwrap_or_default();
    EXEMPT_MARKS.iter().any(|mark| first.contains(mark))
}

#[cfg(test)]
mod tests;
