//! Which crate may use which: the list of layers, and the few crates that may use less.

use super::{Violation, Workspace};

/// Top to bottom. A crate uses only crates below it.
const LAYERS: [&str; 16] = [
    "plimsoll-e2e",
    "plimsoll",
    "plimsoll-control",
    "plimsoll-sim",
    "plimsoll-web",
    "plimsoll-minicluster",
    "plimsoll-liqo",
    "plimsoll-providers",
    "plimsoll-extgrpc",
    "plimsoll-cluster",
    "plimsoll-provider",
    "plimsoll-plan",
    "plimsoll-fit",
    "plimsoll-manifest",
    "plimsoll-model",
    "plimsoll-net",
];

/// Crates that may not use all that is below them.
const NARROW: [(&str, &[&str]); 2] = [
    // The thing tested and its test bed must not agree by accident.
    (
        "plimsoll-minicluster",
        &["plimsoll-model", "plimsoll-fit", "plimsoll-manifest", "plimsoll-net"],
    ),
    // It reads Kubernetes JSON into the words of the model, and decides nothing.
    ("plimsoll-manifest", &["plimsoll-model"]),
];

/// This program. It stands beside the layers: it may use any of them and none may use it.
const CHORES: &str = "xtask";

/// Every use between crates of the workspace points down the list.
pub(super) fn direction(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for member in &workspace.members {
        let user = member.name.as_str();
        if user == CHORES {
            continue;
        }
        if rank(user).is_none() {
            violations.push(Violation::new(
                user,
                "is not in the list of layers; add it to LAYERS in xtask/src/tidy/layers.rs",
            ));
            continue;
        }
        let own = workspace.members.iter().map(|other| other.name.as_str());
        for used in own.filter(|name| member.uses.contains(*name)) {
            if let Some(problem) = objection(user, used) {
                violations.push(Violation::new(user, problem));
            }
        }
    }
    violations
}

/// Why `user` may not use `used`. A crate that has no place yet is complained about once, on its
/// own account, and not again for each of its users.
fn objection(user: &str, used: &str) -> Option<String> {
    if used == CHORES {
        return Some(format!("uses {CHORES}, which no crate may"));
    }
    let (user_rank, used_rank) = (rank(user)?, rank(used)?);
    if let Some((_, allowed)) = NARROW.iter().find(|(name, _)| *name == user) {
        let is_allowed = allowed.contains(&used);
        return (!is_allowed).then(|| {
            format!("uses {used}; of this workspace it may use only {}", allowed.join(", "))
        });
    }
    (used_rank <= user_rank).then(|| format!("uses {used}, which is not below it"))
}

fn rank(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == name)
}

#[cfg(test)]
mod tests;
