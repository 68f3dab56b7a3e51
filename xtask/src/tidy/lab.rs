//! What is shipped has no lab in it.

use super::{Violation, Workspace};

/// The feature that adds the lab to a crate.
const FEATURE: &str = "lab";

/// The directory of the lab's own crates.
const DIRECTORY: &str = "lab/";

/// Packages of the lab that lie elsewhere, and foreign ones that only the lab uses.
const ELSEWHERE: [&str; 3] = ["plimsoll-e2e", "plimsoll-minicluster", "ratatui"];

/// The program without default features is built of nothing that belongs to the lab.
pub(super) fn shipped(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for package in &workspace.shipped {
        let own = workspace.members.iter().find(|member| member.name == package.name);
        if own.is_some_and(|member| member.directory.starts_with(DIRECTORY))
            || ELSEWHERE.contains(&package.name.as_str())
        {
            let problem =
                "is part of the shipped program; make it optional, behind the feature `lab`";
            violations.push(Violation::new(&package.name, problem));
        }
        if own.is_some() && package.features.contains(FEATURE) {
            let problem = "has the feature `lab` in the shipped program; only `lab` of another crate may turn it on";
            violations.push(Violation::new(&package.name, problem));
        }
    }
    violations
}

#[cfg(test)]
mod tests;
