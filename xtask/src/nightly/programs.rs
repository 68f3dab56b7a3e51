//! The executables with tests that take a seed, and which tests these are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use cargo_metadata::{Artifact, Message, TargetKind};

use super::modules::{Module, Target};
use crate::cargo;
use crate::tidy::Workspace;

/// A test executable and the tests in it that take a seed.
#[derive(Debug)]
pub(super) struct Program {
    /// Its package.
    pub(super) package: String,
    /// What of the package it is.
    pub(super) target: Target,
    /// Where it is.
    pub(super) executable: PathBuf,
    /// Where cargo would run it: the package's directory.
    pub(super) directory: PathBuf,
    /// The tests, by their whole names.
    pub(super) tests: Vec<String>,
}

/// Builds the executables of the modules, and asks each for its tests.
pub(super) fn build(workspace: &Workspace, modules: &[Module]) -> anyhow::Result<Vec<Program>> {
    let packages: BTreeSet<&str> = modules.iter().map(|module| module.package.as_str()).collect();
    println!("building the tests of {} packages", packages.len());
    let output = cargo::command(&workspace.root)
        .args(["test", "--no-run", "--message-format", "json-render-diagnostics"])
        .args(packages.iter().flat_map(|package| ["--package", *package]))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo test")?;
    if !output.status.success() {
        bail!("the tests do not compile, see above");
    }
    let mut executables = BTreeMap::new();
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let message = message.context("cannot read cargo's messages")?;
        let Message::CompilerArtifact(artifact) = message else { continue };
        let id = &artifact.package_id.repr;
        let owner = workspace.members.iter().find(|member| member.id == *id);
        if let (Some(owner), Some(target), Some(path)) =
            (owner, target_of(&artifact), artifact.executable.clone())
        {
            let directory = workspace.root.join(&owner.directory);
            let place = (path.into_std_path_buf(), directory);
            executables.insert((owner.name.clone(), target), place);
        }
    }
    let mut programs = Vec::new();
    for ((package, target), (executable, directory)) in executables {
        let of_this = |module: &&Module| module.package == package && module.target == target;
        let prefixes: Vec<&str> =
            modules.iter().filter(of_this).map(|module| module.prefix.as_str()).collect();
        if prefixes.is_empty() {
            continue;
        }
        let listed = list(&executable, &directory)?;
        let tests = chosen(&listed, &prefixes).map_err(|prefix| {
            anyhow::anyhow!("no test of {package} {target} begins with {prefix:?}, although its file takes a seed")
        })?;
        programs.push(Program { package, target, executable, directory, tests });
    }
    Ok(programs)
}

/// Which test executable an artifact is, if it is one.
fn target_of(artifact: &Artifact) -> Option<Target> {
    if !artifact.profile.test {
        return None;
    }
    let (target, name) = (&artifact.target, artifact.target.name.clone());
    if target.is_lib() {
        Some(Target::Library)
    } else if target.is_kind(TargetKind::Bin) {
        Some(Target::Program(name))
    } else if target.is_kind(TargetKind::Test) {
        Some(Target::Test(name))
    } else {
        None
    }
}

fn list(executable: &Path, directory: &Path) -> anyhow::Result<String> {
    let output = Command::new(executable)
        .current_dir(directory)
        .args(["--list", "--format", "terse"])
        .output()
        .with_context(|| format!("cannot run {}", executable.display()))?;
    String::from_utf8(output.stdout).context("the names of tests are no UTF-8")
}

/// The tests in these modules, of a list with a line like `a::b: test` for each. A module without tests is an error: its prefix.
fn chosen<'a>(listed: &str, prefixes: &[&'a str]) -> Result<Vec<String>, &'a str> {
    let names = || listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let idle = |prefix: &&&str| !names().any(|name| name.starts_with(**prefix));
    if let Some(prefix) = prefixes.iter().find(idle) {
        return Err(prefix);
    }
    let of_these = |name: &&str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    Ok(names().filter(of_these).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "a::one: test\na::b::two: test\nab::three: test\na::fast: benchmark\n";

    #[test]
    fn tests_are_chosen_by_module() {
        assert_eq!(chosen(LISTED, &["a::"]).unwrap(), ["a::one", "a::b::two"]);
        assert_eq!(chosen(LISTED, &["ab::", "a::b::"]).unwrap(), ["a::b::two", "ab::three"]);
        assert_eq!(chosen(LISTED, &[""]).unwrap(), ["a::one", "a::b::two", "ab::three"]);
    }

    #[test]
    fn a_module_without_tests_is_told() {
        assert_eq!(chosen(LISTED, &["a::", "c::"]), Err("c::"));
    }
}
