//! Which foreign packages may be used where.

use super::workspace::Follow;
use super::{Violation, Workspace};

/// The core: the same World gives the same Plan, so nothing in it may wait, listen or ask.
const PURE: [&str; 3] = ["plimsoll-model", "plimsoll-fit", "plimsoll-plan"];

/// What the core may not reach, not even through others: whatever waits or listens, and the reader of wire formats. Tests may
/// use them.
const RUNTIMES: [&str; 8] =
    ["tokio", "kube", "reqwest", "axum", "clap", "hyper", "tonic", "plimsoll-manifest"];

/// Families of packages that only some crates may name, so that the rest of the code speaks our
/// own words and a change of version stays in one place.
const OWNED: [(&str, &[&str]); 3] = [
    ("kube", &["plimsoll-cluster", "plimsoll-liqo"]),
    ("tonic", &["plimsoll-extgrpc"]),
    ("clap", &["plimsoll", "xtask"]),
];

/// Who may use a family in tests alone. The embedded cluster is there for clients of this kind, so it is tested with one.
const IN_TESTS: [(&str, &str); 1] = [("plimsoll-minicluster", "kube")];

/// These compile C with cmake, which a plain Rust toolchain does not have. TLS uses ring.
const REFUSED: [&str; 3] = ["aws-lc-sys", "aws-lc-rs", "cmake"];

/// The core reaches no runtime, directly or through others.
pub(super) fn purity(workspace: &Workspace) -> Vec<Violation> {
    let core = workspace.members.iter().filter(|member| PURE.contains(&member.name.as_str()));
    core.flat_map(|member| {
        RUNTIMES.iter().filter_map(|runtime| {
            let path = workspace.graph.path([member.id.as_str()], runtime, Follow::Normal)?;
            Some(Violation::new(
                &member.name,
                format!("must not reach {runtime}: {}", path.join(" → ")),
            ))
        })
    })
    .collect()
}

/// A package with an owner is named by its owner alone, in tests and build scripts too, but for the few in [`IN_TESTS`].
pub(super) fn ownership(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for member in &workspace.members {
        for (family, owners) in OWNED {
            if owners.contains(&member.name.as_str()) {
                continue;
            }
            let tests_only = IN_TESTS.contains(&(member.name.as_str(), family));
            for used in member.uses.iter().filter(|used| is_of_family(used, family)) {
                if tests_only && !workspace.graph.links_directly(&member.id, used) {
                    continue;
                }
                let owners = owners.join(" and ");
                let problem = format!("names {used} in its manifest; only {owners} may");
                violations.push(Violation::new(&member.name, problem));
            }
        }
    }
    violations
}

/// No refused package is part of what a build compiles.
pub(super) fn refused(workspace: &Workspace) -> Vec<Violation> {
    let starts = || workspace.members.iter().map(|member| member.id.as_str());
    REFUSED
        .iter()
        .filter_map(|package| {
            let path = workspace.graph.path(starts(), package, Follow::NormalAndBuild)?;
            let user = path.first().copied().unwrap_or_default();
            Some(Violation::new(user, format!("must not build {package}: {}", path.join(" → "))))
        })
        .collect()
}

/// `kube-runtime` is kube and `clap_complete` is clap; `kubelet` would be neither.
fn is_of_family(package: &str, family: &str) -> bool {
    package.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests;
